"""What was read of the ledger and does not change: kept for a while by the web process, so that telling it again reads nothing.

A charge changes once, when it is answered, and that is told at its deadline and no sooner. Everything else about it is for good, so that
what is kept is right for as long as the ledger is the one that was read. A minute later it is read again all the same: where somebody
put an older ledger in its place, nobody is told for long what that does not hold.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

V = TypeVar("V")
MOST: Final = 10_000
"""Values; the one that was asked for longest ago goes first."""
SECONDS: Final = 60.0
"""For which a value is kept."""


class Cache(Generic[V]):
    """Values by their keys, as many as `MOST`, each for `SECONDS` from when it was put in; `now` gives the time, in seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, tuple[float, V]] = OrderedDict()

    def get(self, key: Hashable) -> V | None:
        """The value of a key; None where there is none, or none any more."""
        with self._lock:
            entry = self._values.get(key)
            if entry is None:
                return None
            # A clock that was set back ends it, too.
            if not 0 <= self._now() - entry[0] < SECONDS:
                del self._values[key]
                return None
            self._values.move_to_end(key)
            return entry[1]

    def put(self, key: Hashable, value: V) -> None:
        """Keep a value."""
        with self._lock:
            self._values[key] = self._now(), value
            self._values.move_to_end(key)
            while len(self._values) > MOST:
                self._values.popitem(last=False)
