"""What a charge would take, before anybody decides on it: read, never written, and no promise to whoever charges later."""

from dataclasses import dataclass

from starling.ledger import disclosure, rows, rules
from starling.ledger.book import Book
from starling.ledger.rules import Cap, Request
from starling.ledger.store import Transaction
from starling.privacy.guarantee import Guarantee


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A charge that was not made.

    Attributes:
        amount: What it would take, in units.
        caps: The caps that it would be taken from: of the analyst, the dataset and the population, as they stand now.
    """

    amount: int
    caps: tuple[Cap, ...]

    @property
    def more(self) -> int | None:
        """How many more charges like it the caps would cover after it; None where nothing limits them."""
        left = [cap.left for cap in self.caps if cap.left is not None]
        return min(left) // self.amount - 1 if left and self.amount else None


def foresee(book: Book, request: Request, guarantee: Guarantee) -> Foreseen:
    """What a new charge for this request would take, whether or not it was charged before.

    Raises:
        ParameterError, PolicyRefused, BudgetRefused: the charge would be refused now.
        RequestConflict: the id was used for another request.
    """
    noise = disclosure.noise(guarantee)

    def work(tx: Transaction) -> rows.Standing | None:
        return rows.before(tx, book.pen(tx), request, noise.key).standing

    standing = book.read(work)
    if standing is None:
        raise rows.unregistered(request.dataset)
    rules.check_open(standing.population, standing.dataset)
    rules.check_grant(standing.caps, standing.population, request.analyst)
    amount = rules.charge_in(standing.population, guarantee)
    rules.check_caps(standing.caps, amount)
    return Foreseen(amount, tuple(standing.caps))
