"""The API of what is known before anything is spent: the expected error of a release or an answer, its cost, and public plans."""

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import FastAPI, Query, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from starling.ledger.rules import shown
from starling.release.claims import claim
from starling.server.access import User
from starling.server.authentication import Service, errors
from starling.server.further import check_further

QUESTION: Any = Field(
    None,
    description="What is asked, where a dataset is asked questions: by the schema that GET /v1/datasets/NAME has under `questions`.",
)
"""The field of a question in a body."""
INVENTED: Any = Field(description="Whether it is of invented records, as everything below /sandbox is.")
"""The field of a body that says what it is of."""


ShortText = Annotated[str, StringConstraints(max_length=100)]


class PreviewRequest(BaseModel):
    """What would be asked."""

    model_config = ConfigDict(extra="forbid", strict=True)
    question: dict[str, Any] | None = QUESTION
    margin: str | None = Field(
        None,
        max_length=100,
        description="In place of the question's cost: how far its answer may be off, 95 times of 100, in the unit that its schema has in"
        " `x-margin`; an exact decimal. The question gets the least cost that keeps it.",
    )


class PreviewTable(BaseModel):
    """A small table; the first column has labels."""

    caption: str
    header: list[str]
    rows: list[list[str]]


class PreviewSection(BaseModel):
    """A part of a preview under its own title."""

    title: str
    text: list[str] = Field(description="Paragraphs.")
    tables: list[PreviewTable]


class MarginReply(BaseModel):
    """How far an answer may be off, 95 times of 100."""

    within: str = Field(description="A decimal, rounded up.")
    unit: str


class PreviewReply(BaseModel):
    """What a release or an answer costs, and how far its numbers may be off."""

    dataset: str
    title: str
    neighbours: str
    cost: dict[str, Any] = Field(description="The exact cost under both adjacencies, as privacy.json states it.")
    measure: str = Field(description="epsilon or rho, in which the population's caps are.")
    amount: str = Field(description="What would be charged, in that measure.")
    more: int | None = Field(
        description="How many different ones of this cost can still be charged: 0 where there is one alone, and it was released; null where"
        " it costs nothing, since it reads a response that was paid for before."
    )
    release: int | None = Field(
        description="The release of this very request that the analyst has: it costs nothing again."
    )
    ask_first: bool = Field(description="Whether it needs the custodian's approval.")
    question: dict[str, Any] | None = Field(
        description="The question with its cost, as it can be charged; null where the plan says all that is released."
    )
    margin: MarginReply | None = Field(
        description="How far its answer may be off; null where its domain defines none, or the plan says all: then the sections say it."
    )
    request: int | None = Field(
        description="The analyst's request for the approval of this very one, which waits or was approved; None where there is none."
    )
    sections: list[PreviewSection] = Field(description="The expected error.")
    invented: bool = INVENTED


class AccuracyQuery(BaseModel):
    """Margins of a plan, or its whole cost."""

    model_config = ConfigDict(extra="forbid")
    by: Literal["total", "every", "margins"] = Field("margins", description="Which of the others decides.")
    total: ShortText = Field("", description="What the plan costs at most in all, an exact decimal.")
    every: ShortText = Field("", description="The same margin for every number of people, in persons.")
    margins: list[ShortText] = Field(
        [],
        max_length=500,
        description="Of each of `numbers` its margin, or where none is defined its budget; an empty one leaves the budget as it is.",
    )


class NumberReply(BaseModel):
    """One kind of number of a plan."""

    level: str
    number: str
    unit: str = Field(description="Of its margin.")
    within: str | None = Field(description="Its margin; null where none is defined.")
    budget: str = Field(description="Of its level, exact.")
    reason: str | None = Field(description="Why no margin is defined.")


class AccuracyReply(BaseModel):
    """A plan by its margins and budgets."""

    title: str
    measure: str
    cost: str = Field(description="Of the whole plan, exact.")
    factor: str | None = Field(description="On every margin, or every budget, where the whole cost decides.")
    numbers: list[NumberReply]
    invented: bool = INVENTED


def read_accuracy(service: Service, user: str, name: str, wanted: AccuracyQuery) -> AccuracyReply:
    """A dataset's plan by other margins or another cost; raises as `Understanding.accuracy`."""
    pairs = [("by", wanted.by), ("total", wanted.total), ("every", wanted.every)]
    # Of a number that has no margin, it is its budget that is written.
    pairs += [(f"{field}-{at}", text) for at, text in enumerate(wanted.margins) for field in ("within", "budget")]
    value = service.understanding.accuracy(service.home.catalogue, name, urlencode(pairs), user=user)
    return AccuracyReply(**value, invented=service.home.invented)


def read_preview(service: Service, analyst: str, name: str, question: Any, margin: str | None = None) -> PreviewReply:
    """What a release or an answer costs an analyst and will be worth; raises as `Understanding.preview`, `check_further` and `budget`."""
    seen = service.understanding.preview(service.home.catalogue, name, question, user=analyst, margin=margin)
    check_further(service, analyst, seen.dataset, seen.question)
    budget = service.charges.budget(analyst, seen.dataset)
    assert budget.amount is not None
    return PreviewReply(
        dataset=name,
        title=seen.dataset.title,
        neighbours=str(seen.dataset.relation),
        cost=claim(seen.dataset.guarantee).adjacencies(),
        measure=budget.population.measure,
        amount=shown(budget.amount),
        more=budget.more,
        release=budget.release,
        ask_first=budget.terms.ask_first,
        question=seen.question,
        margin=None if seen.margin is None else MarginReply.model_validate(seen.margin),
        request=service.home.requests.standing(analyst, name, seen.dataset.request) if budget.terms.ask_first else None,
        sections=[PreviewSection.model_validate(each) for each in seen.sections],
        invented=service.home.invented,
    )


def add_routes(app: FastAPI, service: Service) -> None:
    """Add them to an application."""
    catalogue = service.home.catalogue

    @app.post(
        "/v1/datasets/{name}/preview",
        summary="What a release or an answer costs and will be worth; free",
        responses=errors(403, 404, 409),
    )
    def preview(name: str, wanted: PreviewRequest, user: Annotated[User, service.user("analyst")]) -> PreviewReply:
        return read_preview(service, user.name, name, wanted.question, wanted.margin)

    @app.get(
        "/v1/datasets/{name}/accuracy",
        summary="What other margins of a plan would cost, or which margins another cost would give; free",
        responses=errors(403, 404, 409),
    )
    def accuracy(
        name: str,
        wanted: Annotated[AccuracyQuery, Query()],
        user: Annotated[User, service.user("analyst", "custodian")],
    ) -> AccuracyReply:
        return read_accuracy(service, user.name, name, wanted)

    @app.get(
        "/v1/datasets/{name}/plan",
        summary="The public plan of a dataset that is asked questions, as one zip",
        response_class=Response,
        responses={
            200: {"content": {"application/zip": {}}, "description": "The zip."},
            **errors(404, 409),
        },
        dependencies=[service.user()],
    )
    def plan(name: str) -> Response:
        content = catalogue.plan_zip(catalogue.study(name).name).read_bytes()
        return Response(content, media_type="application/zip")
