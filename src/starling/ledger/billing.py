"""What a new charge costs where it would stand, and whether it may be made: by caps, rights and terms, and by nothing of the records."""

from dataclasses import dataclass
from typing import Final

from starling.ledger import charged_noise, rules
from starling.ledger.book import Book
from starling.ledger.charged_noise import Noise
from starling.ledger.replay import Replay
from starling.ledger.rows import Standing
from starling.ledger.rules import Population, Request
from starling.ledger.terms import RequestedCharge
from starling.privacy.guarantee import Guarantee

MOST_KINDS: Final = 10_000
"""Kinds of noise whose amounts are remembered."""


@dataclass(frozen=True, slots=True)
class Bill:
    """A charge that the caps cover.

    Attributes:
        standing: Where: with the caps of the analyst, the dataset and the population, as they are before it.
        amount: What it costs, in units.
    """

    standing: Standing
    amount: int
    what: str
    noise: Noise

    @property
    def more(self) -> int | None:
        """How many more charges like it the caps would cover after it; None where nothing limits them, or it costs nothing."""
        left = [cap.left for cap in self.standing.caps if cap.left is not None]
        return min(left) // self.amount - 1 if left and self.amount else None


class Billing:
    """Makes the bills of one book, by what the custodian's events say, which whoever writes has followed."""

    def __init__(self, book: Book, replay: Replay) -> None:
        self._book = book
        self._registered = replay.registered
        self._responses = replay.responses
        self._amounts: dict[tuple[Population, str], int] = {}

    @property
    def by(self) -> dict[str, str]:
        """What the event of a charge says of the key that made it: nothing of the custodian's."""
        return {} if self._book.delegate is None else {"by": self._book.delegate}

    def bill(self, standing: Standing, request: Request, guarantee: Guarantee, noise: Noise) -> Bill:
        """What a new charge costs there; raises PolicyRefused or BudgetRefused where caps and grants do not allow it, and PolicyRefused
        where it reads a response that nobody paid for.
        """
        population = standing.population
        self._responses.check(population.name, noise.fields)
        rules.check_open(population, standing.dataset)
        rules.check_grant(standing.caps, population, request.analyst)
        # Rationals are slow, and kinds of noise are few.
        amount = self._amounts.get((population, noise.key))
        if amount is None:
            rules.check_unit(population, guarantee.relation)
            amount = charged_noise.amount(population, noise.fields)
            if len(self._amounts) < MOST_KINDS:
                self._amounts[population, noise.key] = amount
        rules.check_caps(standing.caps, amount)
        return Bill(standing, amount, guarantee.name, noise)

    def asks_first(self, dataset: str) -> bool:
        """Whether each charge by this key needs an approval."""
        return self._book.delegate is not None and self._registered.terms.of(dataset).ask_first

    def check_key(self, bill: Bill, request: Request, at: int) -> None:
        """Check a charge by another key than the custodian's, at the time `at`, in seconds since 1970.

        Raises:
            PolicyRefused: the custodian gave this key no right to charge the dataset now, or did not approve the request.
            BudgetRefused: it would spend what is kept for the custodian.
        """
        key, dataset = self._book.delegate, request.dataset
        if key is None:
            return
        self._registered.rights.check(key, dataset, at)
        own = next((cap.left for cap in bill.standing.caps if cap.scope == "dataset"), None)
        self._registered.terms.check(RequestedCharge(dataset, request.analyst, request.hash, bill.amount), own, at)
