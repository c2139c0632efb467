"""Randomized responses that were paid for and kept, and the rule by which a charge that reads one costs nothing.

A response of all people is drawn once, by a charge of its whole epsilon. The custodian keeps it, encrypted (release/responses.py), and it
is in no release. What is made of it and of what is not protected is post-processing: it costs nothing more, and is an event of the ledger
all the same. A claim of zero holds where all of this is so, and nowhere else:

1. It names an earlier charge of the same population, hence of the same people, neighbours and unit.
2. That charge says that it is for one randomized response, with its median perhaps, and has the same cost, change, events and proof.
3. That charge has been answered, by a draw whose event says what was kept: so it is final, and there is one response for it.

Whether a run then reads that response, and nothing else that is protected, no ledger can see: the mechanism says so
(genome/mechanism/scan.py), and what is read has the SHA-256 that the event of the draw states.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from starling.errors import ParameterError, PolicyRefused
from starling.ledger import charged_noise
from starling.ledger.charged_noise import RESPONSE, RESPONSE_DRAWN
from starling.ledger.rules import Population, charge_in, check_unit, token
from starling.privacy.budget import Cost
from starling.privacy.events import StoredResponse
from starling.privacy.guarantee import Guarantee


@dataclass(frozen=True, slots=True)
class Stored:
    """What a draw keeps beside its measurements.

    Attributes:
        sha256: Of its bytes before encryption, hexadecimal. They begin with random ones, so that nobody can guess them and try.
        size: How many bytes it has.
    """

    sha256: str
    size: int

    @classmethod
    def read(cls, stated: Any) -> Self:
        """What the event of a draw states; raises ValueError where that is nothing of the kind."""
        sha256, size = stated
        if not isinstance(sha256, str) or type(size) is not int or size <= 0:
            raise ValueError
        try:
            return cls(token(sha256), size)
        except ParameterError:
            raise ValueError from None

    def stated(self) -> list[str | int]:
        """As the event states it."""
        return [self.sha256, self.size]


@dataclass(frozen=True, slots=True)
class PaidResponse:
    """A response that was paid for, drawn and kept.

    Attributes:
        charge: The event that paid for it.
        cost: What it cost: everything that is made of it is included.
        noise: The SHA-256 of what the charge says of its noise, but for the response (`charged_noise.key`).
        key: Of its draw, hexadecimal: one half of the key by which it is encrypted; the other is the custodian's.
        kept: What was kept.
    """

    charge: int
    population: str
    dataset: str
    cost: Cost
    noise: str
    key: str
    stored: Stored


def same_noise(fields: Mapping[str, Any]) -> str:
    """The name of a kind of noise, whether its response is new or kept."""
    return charged_noise.key({name: value for name, value in fields.items() if name != RESPONSE})


class Responses:
    """The kept responses of a ledger, as its events come by."""

    def __init__(self) -> None:
        self._paid: dict[int, PaidResponse] = {}

    def answered(self, charge: int, population: str, body: Mapping[str, Any], key: str, stored: Stored) -> None:
        """A charge for a response was answered by a draw that kept it."""
        cost, noise = charged_noise.cost_of(body), same_noise(body)
        self._paid[charge] = PaidResponse(charge, population, body["dataset"], cost, noise, key, stored)

    def of(self, population: str) -> list[PaidResponse]:
        """Those of a population, in the order of their charges."""
        return [paid for paid in self._paid.values() if paid.population == population]

    def check(self, population: str, fields: Mapping[str, Any]) -> None:
        """Check a charge, by what it says of its noise: where it reads a kept response, that it may. Raises PolicyRefused."""
        check_paid(self.of(population), fields)


def check_paid(known: Sequence[PaidResponse], fields: Mapping[str, Any]) -> None:
    """As `Responses.check`, where these alone are known."""
    charge = charged_noise.stored_response(fields)
    if charge is None:
        return
    paid = find(known, charge)
    if paid.noise != same_noise(fields):
        problem, fix = f"of event {charge} was drawn at {paid.cost}, and another cost is stated", f"state {paid.cost}"
        raise PolicyRefused("response", problem, fix)


def price_in(population: Population, guarantee: Guarantee, paid: Sequence[PaidResponse]) -> int:
    """What a new charge costs in units of `population`: nothing where it reads a kept response, which is to be one of those `paid` for.

    Raises PolicyRefused as `charge_in`, and where it is none of them or was drawn at another cost.
    """
    price = price_if_paid(population, guarantee)
    if charge_of(guarantee) is not None:
        check_paid(paid, charged_noise.noise(guarantee).fields)
    return price


def price_if_paid(population: Population, guarantee: Guarantee) -> int:
    """As `price_in`, whether the response that is read is paid for or not: nobody is charged before that is checked."""
    if charge_of(guarantee) is None:
        return charge_in(population, guarantee)
    check_unit(population, guarantee.relation)
    return 0


def find(paid: Sequence[PaidResponse], charge: int) -> PaidResponse:
    """The response that a charge paid for, among those of a population; raises PolicyRefused where it is none of them."""
    for each in paid:
        if each.charge == charge:
            return each
    known = ", ".join(f"{each.charge} ({each.cost})" for each in paid)
    fix = f"name one that did: {known}" if known else "leave it out: a new response is drawn and charged"
    raise PolicyRefused("response", f"names event {charge}, which paid for none that was kept of these people", fix)


def charge_of(guarantee: Guarantee) -> int | None:
    """The charge that paid for the response which a guarantee is of, where that was kept; None of everything else."""
    return int(guarantee.event.charge) if isinstance(guarantee.event, StoredResponse) else None


def is_new(body: Mapping[str, Any]) -> bool:
    """Whether a charge is for a response that is yet to be drawn."""
    return bool(body.get(RESPONSE) == RESPONSE_DRAWN)
