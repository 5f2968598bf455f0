"""What `open_vectors` checks before it reads."""

from __future__ import annotations

import os

import pytest

from fuzzbow.errors import InputError
from fuzzbow.vectors import WordVectors, open_vectors

from .samples import Write


@pytest.mark.parametrize("limit", [0, -3, 1.5])
def test_a_limit_below_one_is_refused(vectors: WordVectors, limit: int) -> None:
    with pytest.raises(InputError, match="limit must be at least 1"):
        open_vectors(vectors, limit=limit)


def test_an_unknown_encoding_is_refused(write: Write) -> None:
    with pytest.raises(InputError, match="encoding must be one that Python knows; got 'utf-99'"):
        open_vectors(write("x.txt", "a 1\n"), encoding="utf-99")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_an_input_error(write: Write) -> None:
    path = write("x.txt", "a 1 2\n")
    path.chmod(0)
    with pytest.raises(InputError, match="cannot be read"):
        open_vectors(path)
