"""Screen 1: the first page, with a card for each dataset."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import Response

from starling.errors import StarlingError
from starling.ledger.rules import UNIT
from starling.privacy.accounting.detection import detection_bound
from starling.privacy.budget import Epsilon, Rho
from starling.server.access import User
from starling.server.authentication import Service
from starling.server.datasets import Dataset
from starling.server.pages.frame import show, wants_page
from starling.server.releasing import BudgetReply, DatasetReply, describe, read_budget

ALARMS = 5
"""False alarms of 100 that an attacker of the sentence accepts."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a bar: of which kind, its amount as an exact decimal, and where it stands, in thousandths of the bar."""

    kind: str
    amount: str
    begin: int
    width: int


@dataclass(frozen=True, slots=True)
class Card:
    """A dataset on the first page; without a budget for those who have none."""

    dataset: DatasetReply
    budget: BudgetReply | None
    bar: tuple[Part, ...]
    risk: str


def only_pages(request: Request) -> None:
    """A dependency of pages: a program is told that there is nothing."""
    if not wants_page(request):
        raise HTTPException(404)


def add_routes(app: FastAPI, service: Service) -> None:
    """Add it to an application."""

    @app.get("/", include_in_schema=False, dependencies=[Depends(only_pages)])
    def home(request: Request, user: Annotated[User, service.user()]) -> Response:
        cards = [card(service, user, name) for name in service.home.catalogue.names()]
        has_sandbox = service.home.invented or service.home.sandbox is not None
        return show(
            request,
            "home.html",
            user,
            cards=cards,
            has_sandbox=has_sandbox,
            alarms=ALARMS,
        )


def card(service: Service, user: User, name: str) -> Card:
    """What the first page says of a dataset."""
    dataset = describe(service, name)
    budget = None
    if user.role == "analyst":
        try:
            budget = read_budget(service, user.name, name)
        except StarlingError:
            # The ledger takes no charge now; what there is can be read all the same.
            budget = None
    return Card(dataset, budget, () if budget is None or budget.invented else bar(budget), _risk(service, name, budget))


def bar(budget: BudgetReply) -> tuple[Part, ...]:
    """An analyst's cap in parts that add up to it: spent, approved, reserved, left."""
    own = next((cap for cap in budget.caps if cap.scope == "analyst" and cap.cap is not None), None)
    if own is None or own.cap is None or own.left is None:
        return ()
    available = Fraction(budget.available)
    approved = min(Fraction(budget.approved), available)
    amounts = {
        "spent": Fraction(own.spent),
        "approved": approved,
        "reserved": max(Fraction(0), Fraction(own.left) - available),
        "left": available - approved,
    }
    whole, begin, parts = sum(amounts.values()), Fraction(0), []
    for kind, amount in amounts.items():
        first, last = (round(1000 * end / whole) if whole else 0 for end in (begin, begin + amount))
        parts.append(Part(kind, decimal(amount), first, last - first))
        begin += amount
    return tuple(parts)


def decimal(amount: Fraction) -> str:
    """An amount of the ledger as an exact decimal.

    >>> decimal(Fraction(5, 2))
    '2.5'
    """
    whole, rest = divmod(int(amount * UNIT), UNIT)
    return f"{whole}.{rest:09d}".rstrip("0").rstrip(".")


def _risk(service: Service, name: str, budget: BudgetReply | None) -> str:
    """What the best attacker finds: of a release, or, of what is asked questions, of all that the analyst may spend."""
    entry = service.home.catalogue.find(name)
    unit = entry.relation.unit
    if isinstance(entry, Dataset):
        cost, what = entry.guarantee.cost, "With a release"
    else:
        own = None if budget is None else next((cap.cap for cap in budget.caps if cap.scope == "analyst"), None)
        if budget is None or own is None or budget.invented:
            return ""
        amount = Fraction(own)
        cost, what = (Epsilon(amount) if budget.measure == "epsilon" else Rho(amount)), "With all your budget"
    members = min(100, ceil(100 * detection_bound(cost, ALARMS / 100) - 1e-9))
    return f"{what}, of 100 {unit}s in the data, an attacker who raises {ALARMS} false alarms in 100 finds at most {members}."
