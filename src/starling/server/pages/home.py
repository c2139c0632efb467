"""Screen 1: the first page, with a card for each dataset."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from fastapi import Depends, FastAPI, Request
from fastapi.responses import Response

from starling.errors import StarlingError
from starling.ledger.rules import UNIT
from starling.pages.repeating import server_lines
from starling.privacy.accounting.detection import ALARMS, detection_bound
from starling.privacy.budget import Epsilon, Rho
from starling.server.access import User
from starling.server.authentication import Service
from starling.server.datasets import Entry
from starling.server.pages.frame import base_url, only_pages, show
from starling.server.releasing import BudgetReply, DatasetReply, describe, read_budget, risk_sentence


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a bar: of which kind, its amount as an exact decimal, and where it stands, in thousandths of the bar."""

    kind: str
    amount: str
    begin: int
    width: int


@dataclass(frozen=True, slots=True)
class Card:
    """A dataset on the first page; without a budget for those who have none. `plan_page` is whether another plan may be chosen there."""

    dataset: DatasetReply
    budget: BudgetReply | None
    bar: tuple[Part, ...]
    risk: str
    unit: str
    plan_page: bool


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
        )

    @app.get("/datasets/{name}", include_in_schema=False, dependencies=[Depends(only_pages)])
    def dataset(name: str, request: Request, user: Annotated[User, service.user()]) -> Response:
        base = base_url(request)
        python = f'client = starling.Client("{base}", token)\nclient.datasets(), client.budget("{name}")'
        shell = f"export STARLING_SERVER={base}\nstarling remote datasets\nstarling remote budget {name}"
        lines = server_lines(base, f"/v1/datasets/{name}", python, shell)
        return show(request, "dataset.html", user, card=card(service, user, name), lines=lines)


def card(service: Service, user: User, name: str) -> Card:
    """What the first page says of a dataset."""
    dataset, entry = describe(service, name), service.home.catalogue.find(name)
    budget = None
    if user.role == "analyst":
        try:
            budget = read_budget(service, user.name, name)
        except StarlingError:
            # The ledger takes no charge now; what there is can be read all the same.
            budget = None
    parts = () if budget is None or budget.invented else bar(budget)
    plan_page = service.home.catalogue.has_plan_page(name)
    return Card(dataset, budget, parts, _risk(entry, dataset, budget), entry.relation.unit, plan_page)


def bar(budget: BudgetReply) -> tuple[Part, ...]:
    """An analyst's cap in parts that add up to it: spent, approved, reserved for the custodian, left; and, where there is any, what other
    caps keep from being spent. Of retired data, what was not spent is retired.
    """
    own = next((cap for cap in budget.caps if cap.scope == "analyst" and cap.cap is not None), None)
    if own is None or own.cap is None or own.left is None:
        return ()
    spent, left, available = Fraction(own.spent), Fraction(own.left), Fraction(budget.available)
    if budget.retired:
        amounts = {"spent": spent, "retired": left}
    else:
        covered = max(Fraction(0), min(Fraction(cap.left) for cap in budget.caps if cap.left is not None))
        approved, unavailable = min(Fraction(budget.approved), available), left - covered
        amounts = {"spent": spent, "approved": approved, "reserved": covered - available, "left": available - approved}
        amounts |= {"unavailable": unavailable} if unavailable else {}
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


def _risk(entry: Entry, dataset: DatasetReply, budget: BudgetReply | None) -> str:
    """What the best attacker finds: from a release, or, of what is asked questions, from all that the analyst may spend."""
    own = None if budget is None else next((cap.cap for cap in budget.caps if cap.scope == "analyst"), None)
    if dataset.risk or budget is None or own is None or budget.invented:
        return dataset.risk
    amount = Fraction(own)
    cost = Epsilon(amount) if budget.measure == "epsilon" else Rho(amount)
    return risk_sentence("all your budget", entry.relation, detection_bound(cost, ALARMS / 100))
