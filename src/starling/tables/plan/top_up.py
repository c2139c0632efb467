"""What a plan says of the earlier release that it spends more on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

MOST_RELEASES: Final = 8
"""That a release may add to, one on top of the other; the law of each number is combined so many times."""


@dataclass(frozen=True, slots=True)
class TopUp:
    """The earlier release that a plan spends more on: of the same plan, but for its budgets, in all or some of its levels.

    Attributes:
        manifest: SHA-256 of its manifest, hexadecimal.
        request_id: Of its charge.
        ledger: Id of the ledger that paid for it; empty where it brought one of its own.
        cost: Epsilon or rho that was charged for it, all its levels together.
        budgets: It gave these to the levels of the plan, epsilon or rho.
        measurements: SHA-256 of its measurements of each of these levels, hexadecimal.
        earlier: What it added to in its turn.
    """

    manifest: str
    request_id: str
    ledger: str
    cost: Fraction
    budgets: tuple[Fraction, ...]
    measurements: tuple[str, ...]
    earlier: "TopUp | None" = None

    def only(self, kept: Sequence[int]) -> "TopUp":
        """The same for some of the levels, by their places."""
        return replace(
            self,
            budgets=tuple(self.budgets[place] for place in kept),
            measurements=tuple(self.measurements[place] for place in kept),
            earlier=None if self.earlier is None else self.earlier.only(kept),
        )
