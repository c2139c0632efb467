"""Work on the rows of a table by several threads, with the same result on any machine."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

T = TypeVar("T")

BAND: Final = 64
"""Rows that one thread works on at a time. What is added up is added up by bands, whatever the number of threads."""


def in_bands(side: int, work: Callable[[int, int], T]) -> list[T]:
    """What `work` gives for bands of rows, from a first to before an end, in order, by several threads; the bands depend on the side
    alone.
    """
    if side <= BAND:
        return [work(0, side)]
    ends = range(0, side + BAND, BAND)  # A side is a power of two.
    with ThreadPoolExecutor() as pool:
        return list(pool.map(work, ends[:-1], ends[1:]))
