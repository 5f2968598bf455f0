"""Numeric ids by document: a range where they count up, which takes no memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Integers


class DocumentIds:
    """The id of each document number; None where ids are strings, which are read with the rows."""

    def __init__(self, column: Any) -> None:
        self._numbers: range | NDArray[np.int64] | None = None
        if str(column.type) == "int64":
            self._numbers = _compact(column.to_numpy(zero_copy_only=False))

    def append(self, column: Any) -> None:
        """Ids of further documents."""
        if self._numbers is not None:
            own = np.asarray(self._numbers, dtype=np.int64)
            self._numbers = _compact(np.concatenate([own, column.to_numpy()]))

    def of(self, documents: Integers) -> Integers | None:
        """Ids of documents: (n,) -> (n,)."""
        if self._numbers is None:
            return None
        if isinstance(self._numbers, range):
            return documents + self._numbers.start
        return self._numbers[documents]

    def memory_bytes(self) -> int:
        """Memory that the ids take."""
        return self._numbers.nbytes if isinstance(self._numbers, np.ndarray) else 0


def _compact(numbers: NDArray[np.int64]) -> range | NDArray[np.int64]:
    """A range if the numbers are one."""
    first = int(numbers[0]) if len(numbers) else 0
    counting = np.array_equal(numbers, np.arange(first, first + len(numbers)))
    return range(first, first + len(numbers)) if counting else numbers
