"""Shares of the rows of a join, for processes that divide it."""

from __future__ import annotations

Share = tuple[int, int]  # its number from 0 on, and how many there are
WHOLE: Share = (0, 1)


def shared_rows(rows: int, share: Share) -> slice:
    """The rows of a share; those of all shares cover every row once.

    >>> [shared_rows(5, (number, 2)) for number in range(2)]
    [slice(0, 2, None), slice(2, 5, None)]
    """
    number, count = share
    return slice(rows * number // count, rows * (number + 1) // count)
