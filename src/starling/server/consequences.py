"""What a charge that a custodian may approve would reveal and leave: the same on the command line, in the API and on pages."""

from dataclasses import dataclass

from starling.ledger.disclosure import meaning
from starling.ledger.opening import Ledger
from starling.ledger.rules import Population, shown
from starling.server.approval_requests import Waiting


@dataclass(frozen=True, slots=True)
class Consequences:
    """The consequences of one charge.

    Attributes:
        population: Whose privacy it is that is spent.
        reveals: What it reveals, in a sentence.
        left: By each cap what it leaves, as an exact decimal; None where there is no limit.
    """

    population: Population
    reveals: str
    left: tuple[tuple[str, str | None], ...]


def consequences(ledger: Ledger, waiting: Waiting) -> Consequences:
    """Those of a request as it is approved; raises as `Charging.preview` where it could not be charged."""
    reading = ledger.reading
    population = reading.account(reading.population_of(waiting.request.dataset), latest=1).population
    charge = ledger.charging.preview(waiting.approved, waiting.price)
    left = tuple(
        (f"{cap.scope} {cap.name}", None if cap.left is None else shown(cap.left - charge.amount))
        for cap in charge.standing.caps
    )
    reveals = f"Everybody in the data of {population.name} bears it: {meaning(population, charge.amount)}."
    if not charge.amount:
        reveals = f"It reads a response that was charged before: nobody in the data of {population.name} bears more."
    return Consequences(population, reveals, left)
