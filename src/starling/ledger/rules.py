"""The rules of the ledger: what may be charged, and how much it is. No SQL, no clock, no socket.

Amounts are kept as whole units of 10^-9 of epsilon or rho, so that sums are exact and never drift: a charge is rounded up
to a unit, a cap down. A protected population (the people in some data, however often the data are re-registered, renamed or re-delivered)
fixes the measure, the neighbour relation and the protected unit; every charge is converted to them or refused.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any, Final, Literal, Self, TypeAlias, cast

from starling.errors import BudgetRefused, ParameterError, PolicyRefused, RequestConflict
from starling.privacy.accounting.composition import Events, detailed_events_of
from starling.privacy.accounting.zcdp import rho_of
from starling.privacy.budget import Cost, Epsilon, Exact, Measure, positive
from starling.privacy.guarantee import Guarantee
from starling.privacy.neighbours import Change, Relation, Unit

UNIT = 10**9
"""Units in one epsilon or one rho."""

MOST = 4 * 10**9
"""The largest amount that is taken, in epsilon or rho: sums stay within 64 bits (4 * 10^9 of 10^9 units each, twice, are below 2^63)."""

Scope: TypeAlias = Literal["population", "dataset", "analyst"]
SCOPES: Final = ("analyst", "dataset", "population")
"""Scopes in the order in which a charge stands under their caps."""
State: TypeAlias = Literal["charged", "answered", "voided"]
AnswerKind: TypeAlias = Literal["bytes", "manifest"]

_HEXADECIMAL = re.compile("([0-9a-f]{2})+")
_TOKEN = re.compile("[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,99}")


def name(value: str, *, field: str) -> str:
    """`value`, when it is a plain name of 1 to 100 letters, digits and . _ @ -; raises ParameterError otherwise."""
    if not _NAME.fullmatch(value):
        raise ParameterError(
            field, "is not a name of 1 to 100 letters, digits, dots, dashes, underscores or @", "choose a plain name"
        )
    return value


def token(value: str) -> str:
    """`value`, when it is 64 lower-case hexadecimal digits; raises ParameterError otherwise."""
    if not _TOKEN.fullmatch(value):
        raise ParameterError("files", "are not said by 64 hexadecimal digits", "use accepted_files")
    return value


def cap_units(amount: Exact, *, field: str = "cap") -> int:
    """A cap in units, rounded down, against the spender; at least one."""
    units = floor(_within(positive(amount, field=field) * UNIT, field))
    if units == 0:
        raise ParameterError(field, "is below 10^-9, the least that is counted", "give more")
    return units


def charge_units(amount: Fraction) -> int:
    """A charge in units, rounded up, against the spender."""
    if amount <= 0:
        raise PolicyRefused("charge", "costs nothing, as nothing that was drawn from data can", "state its true cost")
    return ceil(_within(amount * UNIT, "charge"))


def _within(units: Fraction, field: str) -> Fraction:
    if units > MOST * UNIT:
        raise ParameterError(field, f"is above {MOST}", "give an amount at which the guarantee still protects people")
    return units


def shown(units: int) -> str:
    """Units as a decimal, exact.

    >>> shown(4_944_000_000), shown(1)
    ('4.944', '0.000000001')
    """
    whole, rest = divmod(units, UNIT)
    return f"{whole}.{rest:09d}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Population:
    """A protected population: the people in some data; its measure and its relation, which fix how privacy is counted for them, are so for
    good.
    """

    name: str
    measure: Measure
    relation: Relation
    retired: bool = False

    @classmethod
    def of(cls, name: str, measure: object, change: object, unit: object, retired: object = 0) -> Self:
        """The population that an event or a row of a table states."""
        relation = Relation(cast(Change, change), cast(Unit, unit))
        return cls(name, cast(Measure, measure), relation, bool(retired))


@dataclass(frozen=True, slots=True)
class Dataset:
    """One delivery of data about a population; once it is retired, nothing is charged any more."""

    name: str
    population: str
    retired: bool = False


@dataclass(frozen=True, slots=True)
class Cap:
    """What a scope may spend and has spent.

    Attributes:
        since: Event that began it.
        cap: The limit in units; None is no limit of its own.
        spent: What was charged, in units.
        last: Event of the latest charge through it.
    """

    since: int
    scope: Scope
    name: str
    cap: int | None
    spent: int
    last: int | None

    @property
    def left(self) -> int | None:
        """What is left, or None where there is no limit."""
        return None if self.cap is None else self.cap - self.spent


@dataclass(frozen=True)
class Request:
    """What somebody asks for.

    Attributes:
        analyst: Who asks, and who may see the answer.
        request_id: Chosen by the asker; the same id is the same request for ever.
        body: The request in canonical JSON (`canonical`); its hash is what a retry must repeat.
    """

    analyst: str
    request_id: str
    dataset: str
    body: str

    def __post_init__(self) -> None:
        for field in ("analyst", "request_id", "dataset"):
            name(getattr(self, field), field=field)

    @cached_property
    def hash(self) -> str:
        """SHA-256 of dataset and canonical body, hexadecimal."""
        return hashlib.sha256(f"{self.dataset}\n{self.body}".encode()).hexdigest()


def canonical(body: Mapping[str, Any]) -> str:
    """JSON with sorted keys and no spaces: one text for one request. Floats are refused (see `budget.exact`)."""
    return _encode(_float_free(body))


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode


def _float_free(value: Any) -> Any:
    # The common kinds first: this is on the way of every charge.
    if isinstance(value, str | int) or value is None:
        return value
    if isinstance(value, list | tuple):
        return [_float_free(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _float_free(item) for key, item in value.items()}
    if isinstance(value, float):
        raise ParameterError("request", "contains a float", 'write numbers as strings such as "0.1"')
    return value


def charge_in(population: Population, guarantee: Guarantee) -> int:
    """What a new charge for `guarantee` costs in the measure and the reading of `population`, in units, rounded up: `amount_in`.

    Raises:
        PolicyRefused: where the conversion does not exist, or another unit is protected: a point or a trip is less than the person who
            made it.
    """
    check_unit(population, guarantee.relation)
    return amount_in(population, guarantee.relation.change, guarantee.cost, detailed_events_of(guarantee))


def check_unit(population: Population, relation: Relation) -> None:
    """Raises PolicyRefused where another unit is protected than that of the population."""
    if relation.unit != population.relation.unit:
        raise PolicyRefused(
            "unit",
            f"of protection is the {relation.unit}, of this population it is the {population.relation.unit}",
            f"use a plan that protects the {population.relation.unit}",
        )


def amount_in(population: Population, change: Change, cost: Cost, events: Events | None) -> int:
    """What a charge is in units of `population`, for neighbours that differ by `change` of its unit: what an auditor recomputes.

    By the proof EVENTS it is the sum over the `events` (privacy/accounting/zcdp.py): in rho, half the square of the epsilon of each
    pure one, an eighth for the exponential mechanism; and of an add-remove mechanism in a replace-one population two to four times the rho
    of each, as it declares. In epsilon a replacement costs twice the sum. Charges that state no proof rest on the total alone, `events`
    is None: half the square of twice the epsilon, and four times the rho. An add-remove population bounds nothing of a replace-one
    mechanism, and a rho bounds no epsilon: both are refused.
    """
    factor = _change_factor(population.relation.change, change)
    if population.measure == "epsilon":
        if isinstance(cost, Epsilon):
            return charge_units(factor * cost.amount)
        raise PolicyRefused(
            "measure",
            "is zCDP (rho), the population's caps are in pure DP (epsilon), and zCDP bounds no epsilon",
            "use a plan under pure DP, or a population in rho",
        )
    if events is not None:
        return charge_units(rho_of(events, replaced=factor > 1))
    amount = cost.amount**2 / 2 if isinstance(cost, Epsilon) else cost.amount
    return charge_units(factor * factor * amount)


def _change_factor(population: Change, mechanism: Change) -> int:
    if population == mechanism:
        return 1
    if population == "replace-one":
        return 2
    raise PolicyRefused(
        "neighbours",
        "are replace-one in the plan and add-remove in the population; the one bounds nothing of the other",
        "use a plan whose neighbours are add-remove",
    )


def check_open(population: Population, dataset: Dataset) -> None:
    """Raises PolicyRefused when the population or the dataset is retired."""
    for field, value in (("population", population), ("dataset", dataset)):
        if value.retired:
            raise PolicyRefused(field, f"{value.name} is retired", "ask the custodian")


def check_grant(caps: list[Cap], population: Population, analyst: str) -> None:
    """Raises PolicyRefused where there is no cap of the analyst among those of a charge."""
    if not any(cap.scope == "analyst" for cap in caps):
        fix = f"the custodian gives one by starling ledger grant LEDGER {population.name} {analyst} --cap AMOUNT"
        raise PolicyRefused("analyst", f"{analyst} has no grant on {population.name}", fix)


def check_caps(caps: list[Cap], amount: int) -> None:
    """Raises BudgetRefused when `amount` does not fit under every cap; the sentence names the first that it breaks.

    What it says depends on caps, earlier charges and the request alone, never on data.
    """
    for cap in caps:
        if cap.cap is not None and cap.left is not None and cap.left < amount:
            raise BudgetRefused(
                f"{cap.scope} {cap.name}",
                f"has {shown(max(cap.left, 0))} left of {shown(cap.cap)}, the charge is {shown(amount)}",
                "ask for less, or ask the custodian to raise the cap: starling ledger raise",
            )


def balances(caps: list[Cap], amount: int) -> dict[str, int]:
    """What the scopes of `caps` will have spent after a charge of `amount`, as its event states it."""
    return {cap.scope: cap.spent + amount for cap in caps}


def check_same(stored_hash: str, request: Request) -> None:
    """Raises RequestConflict when the request id was used for another request."""
    if stored_hash != request.hash:
        raise RequestConflict(
            "request_id",
            "was used before for another request",
            "use a new request id, or repeat the first request unchanged",
        )


@dataclass(frozen=True, slots=True)
class Drawn:
    """The draw that a charge has committed to, before anybody could see it.

    Attributes:
        sha256: The SHA-256 of the manifest of the measurements, as they will be published; hexadecimal.
        key: The key that they are encrypted with, hexadecimal. It is kept by the same commit that keeps the hash, so that
            measurements which can be read always belong to an event.
    """

    sha256: str
    key: str

    @classmethod
    def of(cls, sha256: str, key: str) -> Self:
        """Raises ParameterError for what is not lower-case hexadecimal, or no hash of 64 digits."""
        if len(sha256) != 64 or not (_HEXADECIMAL.fullmatch(sha256) and _HEXADECIMAL.fullmatch(key)):
            raise ParameterError(
                "draw", "has a hash or a key that is not hexadecimal", "give both as lower-case digits"
            )
        return cls(sha256, key)


@dataclass(frozen=True, slots=True)
class Ticket:
    """A charge, as its request sees it.

    Attributes:
        state: "charged": compute and answer; "answered": `answer` is what was said; "voided": it failed for good.
        amount: Charged, in units of the population's measure.
        seq: Event of the charge.
        lease: Token that `answer` must show: of two workers on one charge, one answers.
        answer_kind: "bytes" (base64 text) or "manifest" (JSON: hash of each file of a release folder).
        answer: Text of the answer, of the kind that `answer_kind` says.
        fresh: Whether this very call made the charge.
        drawn: The draw that the charge has committed to; None before the draw, and where its bytes were lost and it was paid again.
    """

    request: Request
    state: State
    amount: int
    seq: int
    lease: str
    answer_kind: AnswerKind | None = None
    answer: str | None = None
    fresh: bool = False
    drawn: Drawn | None = None
