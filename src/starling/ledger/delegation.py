"""The right to charge one dataset for a time, which a custodian gives to another key: that of a server.

A server holds a key of its own and never the custodian's. With its own it signs the heads that it witnesses and the releases that it
makes, and charges what the caps allow, the dataset's own cap among them. It cannot open, grant, raise, accept or retire anything,
since those events bear the custodian's signature. Each of its charges names its key, and whoever replays the ledger finds a charge
outside of the right.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from starling.errors import PolicyRefused

KIND: Final = "delegate"
"""The kind of the event, which the custodian signs: `key` (64 hexadecimal digits), `dataset`, `until` (seconds since 1970)."""

DAY: Final = 86_400
MOST_DAYS: Final = 366
"""The longest time for which a right is given at once."""


class Right(NamedTuple):
    """The right of a public key (64 hexadecimal digits) to charge a dataset until a time, in seconds since 1970."""

    key: str
    dataset: str
    until: int


class Rights:
    """The rights that were given so far: the latest word for a key and a dataset is the one that holds."""

    def __init__(self, events: Iterable[Mapping[str, Any]] = ()) -> None:
        self._until: dict[tuple[str, str], int] = {}
        for body in events:
            self.give(body)

    def give(self, body: Mapping[str, Any]) -> None:
        """Take a `delegate` event; raises KeyError, TypeError or ValueError where it is none."""
        self._until[str(body["key"]), str(body["dataset"])] = int(body["until"])

    def entries(self) -> list[Right]:
        """The rights in force and those that have ended, by key and dataset."""
        return [Right(key, dataset, until) for (key, dataset), until in sorted(self._until.items())]

    def held(self, key: str, dataset: str, at: int) -> bool:
        """Whether `key` could charge `dataset` at the time `at`, in seconds since 1970."""
        return at < self._until.get((key, dataset), 0)

    def check(self, key: str, dataset: str, at: int) -> None:
        """Raises PolicyRefused unless `key` may charge `dataset` at the time `at`."""
        if not self.held(key, dataset, at):
            fix = "ask the custodian to give it: starling ledger delegate"
            raise PolicyRefused("dataset", "is not this server's to charge now: it has no right to, or no longer", fix)
