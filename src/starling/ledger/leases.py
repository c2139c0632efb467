"""Leases: of two runs of one request, one is at work. A run that is silent for too long is taken for dead, and another may go on."""

import os
from itertools import count

from starling.errors import LedgerUnavailable
from starling.privacy.entropy import fresh_id

SECONDS = 120
"""How long a run may be silent before another may take over its charge; `Charging.renew` prolongs it."""


class Tokens:
    """Tokens that no two runs share: a random name of this process, and a count."""

    def __init__(self) -> None:
        self._pid = -1

    def fresh(self) -> str:
        """A token that was never given out."""
        if self._pid != os.getpid():
            # A fork must not go on with the name of its parent.
            self._pid, self._name, self._count = os.getpid(), fresh_id(), count(1)
        return f"{self._name}-{next(self._count)}"


def check(leased: int, now: int) -> None:
    """Raises LedgerUnavailable while another run may be at work."""
    if now < leased:
        raise LedgerUnavailable(
            field="request_id",
            problem=f"is being worked on by a run that holds its lease for up to {leased - now} seconds",
            fix="try again then, with the same request id",
        )
