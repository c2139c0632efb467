"""Numbers of what custom records say of several columns, so that a record carries one number for all that its groups depend on."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from starling.tables.counts.kernels import Int32, Int64

DENSE: Final = 1 << 20
"""Keys up to which a table of all of them is held."""


class Combinations:
    """Numbers of the combinations of what records say of several columns, in the order in which they are met; confidential."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, ...], int] = {}

    def number(self, columns: tuple[Int32, ...], records: int) -> Int32:
        """The number of each record's combination: int32 (records,)."""
        keys = np.zeros(records, dtype=np.int64)
        for column in columns:
            # Folded column by column, so that no key is larger than records times values.
            keys = keys * (int(column.max(initial=0)) + 1) + column
            if len(columns) > 1:
                keys = distinct(keys)[1]
        some, places = distinct(keys)
        met = zip(*(column[some].tolist() for column in columns), strict=True) if columns else [()] * len(some)
        return np.array([self._numbers.setdefault(each, len(self._numbers)) for each in met], dtype=np.int32)[places]

    def rows(self) -> Iterator[tuple[int, ...]]:
        """All combinations by number: what each column says."""
        return iter(self._numbers)


def distinct(keys: Int64) -> tuple[Int64, Int64]:
    """A record of each key that occurs, keys ascending, and the place of each record's key among them; keys are 0 or more.

    >>> distinct(np.array([7, 2, 7]))[1].tolist()
    [1, 0, 1]
    """
    size = int(keys.max(initial=0)) + 1
    if size > DENSE:
        _, some, places = np.unique(keys, return_index=True, return_inverse=True)
        return some, places
    # Few keys are told apart by a table of all that could be, several times faster than by sorting.
    record = np.full(size, -1)
    record[keys] = np.arange(len(keys))
    present = np.flatnonzero(record >= 0)
    place = np.zeros(size, dtype=np.int64)
    place[present] = np.arange(len(present))
    return record[present], place[keys]
