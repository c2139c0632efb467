"""What an analyst may still spend on a dataset."""

from dataclasses import dataclass

from starling.ledger.rules import Cap, Population
from starling.ledger.terms import Terms


@dataclass(frozen=True, slots=True)
class Budget:
    """What an analyst may still spend on a dataset.

    Attributes:
        population: Whose privacy it is that is spent.
        amount: What one release costs, in units; None where that depends on a question.
        caps: The caps of analyst, dataset and population; no analyst's where there is no grant.
        terms: The terms under which the server may charge the dataset.
        retired: Whether nothing is charged to it any more.
        approved: What the custodian approved for the analyst that is not charged yet, in units.
        release: The release that the analyst has of this very plan or question; None where there is none.
        single: Whether there is one release alone, whose plan says all.
    """

    population: Population
    amount: int | None
    caps: tuple[Cap, ...]
    terms: Terms
    retired: bool
    approved: int
    release: int | None
    single: bool

    @property
    def available(self) -> int:
        """What the analyst can still charge, in units: the least that a cap leaves beside what is kept for the custodian."""
        reserved = {"dataset": self.terms.reserve}
        left = [cap.left - reserved.get(cap.scope, 0) for cap in self.caps if cap.left is not None]
        granted = any(cap.scope == "analyst" for cap in self.caps)
        return max(0, min(left)) if granted and left and not self.retired else 0

    @property
    def more(self) -> int | None:
        """How many different releases of this cost can still be charged; 0 where there is one alone, and the analyst has it; None where it
        costs nothing.
        """
        if not self.amount:
            return None
        covered = self.available // self.amount
        return min(covered, int(self.release is None)) if self.single else covered
