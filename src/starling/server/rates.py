"""How often a token may ask: so many times a second in the long run, and a burst at once. Kept in the memory of the web process."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import ClassVar, Final

from starling.errors import StarlingError

PER_SECOND: Final = 20.0
BURST: Final = 60.0
MOST_TOKENS: Final = 100_000
"""Tokens that are remembered; of more, those that asked least lately begin anew."""


class TooOften(StarlingError):
    """A token asks more often than it may.

    Args:
        seconds: After so many it may ask again.
    """

    exit_code: ClassVar[int] = 75
    status: ClassVar[int] = 429

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        super().__init__("token", "asks more often than it may", f"wait {seconds} s")


class Rates:
    """A bucket for each token, filled as time passes, emptied by one at each request.

    Args:
        now: Gives seconds that never go back.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._changing = threading.Lock()

    def take(self, token: str) -> None:
        """One request of the token of this id; raises TooOften."""
        with self._changing:
            now = self._now()
            left, then = self._left.pop(token, (BURST, now))
            left = min(BURST, left + (now - then) * PER_SECOND)
            refused = left < 1
            self._left[token] = (left if refused else left - 1, now)
            if len(self._left) > MOST_TOKENS:
                self._left.popitem(last=False)
        if refused:
            raise TooOften(math.ceil((1 - left) / PER_SECOND))
