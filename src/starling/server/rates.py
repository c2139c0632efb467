"""How often something may be asked for: so many times a second in the long run, a burst at once, and so many at the same time.

Kept in the memory of the web process.
"""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ClassVar, Final

from starling.errors import StarlingError

PER_SECOND: Final = 20.0
BURST: Final = 60.0
MOST_KEYS: Final = 100_000
"""Tokens, or names, that are remembered; of more, those that asked least lately begin anew."""


class TooOften(StarlingError):
    """Something is asked for more often than it may be; after so many seconds it may be asked for again."""

    exit_code: ClassVar[int] = 75
    status: ClassVar[int] = 429

    def __init__(self, seconds: int, field: str = "token", problem: str = "asks more often than it may") -> None:
        self.seconds = seconds
        super().__init__(field, problem, f"wait {seconds} s")


class Rates:
    """A bucket for each key, which is the id of a token unless said otherwise, filled as time passes, emptied by one at each request.

    So many requests a second in the long run, a burst at once; `refused` makes the error for one too many, from the seconds to wait.
    """

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        *,
        per_second: float = PER_SECOND,
        burst: float = BURST,
        refused: Callable[[int], TooOften] = TooOften,
    ) -> None:
        self._now = now
        self._per_second, self._burst, self._refused = per_second, burst, refused
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._changing = threading.Lock()

    def take(self, key: str) -> None:
        """One request under this key; raises TooOften."""
        with self._changing:
            now = self._now()
            left, then = self._left.pop(key, (self._burst, now))
            left = min(self._burst, left + (now - then) * self._per_second)
            enough = left >= 1
            self._left[key] = (left - 1 if enough else left, now)
            if len(self._left) > MOST_KEYS:
                self._left.popitem(last=False)
        if not enough:
            raise self._refused(math.ceil((1 - left) / self._per_second))


class AtOnce:
    """So many at the same time, in one event loop; `refused` makes the error for one too many."""

    def __init__(self, most: int, refused: Callable[[], TooOften]) -> None:
        self._left = most
        self._refused = refused

    @contextmanager
    def one(self) -> Iterator[None]:
        """One of them, in the block; raises TooOften."""
        if not self._left:
            raise self._refused()
        self._left -= 1
        try:
            yield
        finally:
            self._left += 1
