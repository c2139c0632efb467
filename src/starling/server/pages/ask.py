"""Screen 2: a question with its price, which is shown before it is paid, and the one button that pays it."""

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from pydantic import ValidationError

from starling.errors import ParameterError, StarlingError
from starling.pages.parts import Section, Table
from starling.privacy.sampling.entropy import fresh_id
from starling.release.domain import MARGIN
from starling.server.access import User
from starling.server.approving import ApprovalRequest, ask_custodian
from starling.server.authentication import Service
from starling.server.bodies import read_json
from starling.server.pages.frame import as_lines, base_url, form_of, go, show
from starling.server.pages.home import bar, decimal, only_pages
from starling.server.previewing import PreviewReply, PreviewSection, read_preview
from starling.server.releasing import ReleaseRequest, charge, describe, read_budget

_HIDDEN = ("kind", "request_id")


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the form of a question.

    Attributes:
        name: Its name in the question.
        help: What it takes.
        choices: The values that it may have; none for free text.
        value: What stands in it.
        required: Whether it must be filled in.
    """

    name: str
    help: str
    choices: tuple[str, ...]
    value: str
    required: bool


@dataclass(frozen=True, slots=True)
class Pricing:
    """The two fields of which one prices a question: how far its answer may be off, and what it costs.

    Attributes:
        by_margin: Whether the margin decides, and the cost follows.
        margin: The margin as text.
        unit: What it is in.
        cost: The field of the cost.
    """

    by_margin: bool
    margin: str
    unit: str
    cost: Field


def add_routes(app: FastAPI, service: Service) -> None:
    """Add it to an application."""
    analysts = service.user("analyst")

    @app.get("/datasets/{name}/ask", include_in_schema=False, dependencies=[Depends(only_pages)])
    def ask_page(name: str, request: Request, user: Annotated[User, analysts]) -> Response:
        return _page(service, request, user, name, dict(request.query_params))

    @app.post("/datasets/{name}/ask", include_in_schema=False)
    async def pay(name: str, request: Request, user: Annotated[User, analysts]) -> Response:
        form = await form_of(request)
        return await run_in_threadpool(_pay, service, request, user, name, form)


def _pay(service: Service, request: Request, user: User, name: str, form: dict[str, str]) -> Response:
    """Charge once, whatever is sent again, and lead to the answer; what is refused is said on the page, and costs nothing."""
    values: dict[str, str] = {}
    try:
        question = _json_object(form.get("question", ""))
        values = {} if question is None else {key: _text(value) for key, value in question.items()}
        body: dict[str, Any] = {"request_id": form.get("request_id", ""), "question": question}
        if "reason" in form:
            waiting = ask_custodian(service, user.name, name, ApprovalRequest(**body, reason=form["reason"]))
            return go(request, f"/answers#request-{waiting.number}")
        return go(request, f"/questions/{charge(service, user.name, name, ReleaseRequest(**body)).charge.seq}")
    except ValidationError:
        error: StarlingError = ParameterError(
            "form", "is not filled in as it must be", "look at each field, and send it again"
        )
    except StarlingError as refused:
        error = refused
    if error.status in (401, 404):
        raise error
    return _page(service, request, user, name, values, error)


def _page(
    service: Service,
    request: Request,
    user: User,
    name: str,
    values: dict[str, str],
    error: StarlingError | None = None,
) -> Response:
    dataset, budget = describe(service, name), read_budget(service, user.name, name)
    forms = [] if dataset.questions is None else list(dataset.questions["oneOf"])
    form = next((each for each in forms if each["title"] == values.get("kind")), None)
    margin = "" if form is None else _margin(form, values)
    question, preview = None, None
    try:
        question = None if form is None else _question(form, values, instead_of_cost=margin)
        if question is not None or not forms:
            preview = read_preview(service, user.name, name, question, margin or None)
            question = preview.question
    except StarlingError as refused:
        error = error or refused
    return show(
        request,
        "ask.html",
        user,
        status=200 if error is None else error.status,
        dataset=dataset,
        budget=budget,
        bar=() if budget.invented else bar(budget),
        kinds=[(each["title"], each.get("description", "")) for each in forms],
        kind=values.get("kind", ""),
        fields=[] if form is None else _fields(form, values),
        pricing=None if form is None else _pricing(form, values, margin, preview),
        question="" if question is None else json.dumps(question),
        preview=preview,
        sections=[] if preview is None else [_section(each) for each in preview.sections],
        after=None if preview is None or budget.invented else _after(budget.available, preview.amount),
        request_id=fresh_id(),
        problems=() if error is None else error.problems,
        lines=_lines(request, name, question),
    )


def _section(section: PreviewSection) -> Section:
    tables = tuple(Table(tuple(each.header), tuple(map(tuple, each.rows)), each.caption) for each in section.tables)
    return Section(section.title, "\n\n".join(section.text), tables=tables)


def _after(available: str, amount: str) -> str | None:
    """What is left once it is paid; None where it does not fit."""
    left = Fraction(available) - Fraction(amount)
    return None if left < 0 else decimal(left)


def _fields(form: dict[str, Any], values: dict[str, str]) -> list[Field]:
    fields = []
    for name, schema in form["properties"].items():
        if name not in _HIDDEN and name != _cost_name(form):
            fields.append(_field(form, values, name, schema))
    return fields


def _field(form: dict[str, Any], values: dict[str, str], name: str, schema: dict[str, Any]) -> Field:
    default = schema.get("default")
    text = values.get(name, "" if default in (None, [], ()) else _text(default))
    help_text = schema.get("description", "a whole number" if schema.get("type") == "integer" else "")
    return Field(name, help_text, tuple(map(str, schema.get("enum", ()))), text, name in form["required"])


def _cost_name(form: dict[str, Any]) -> str | None:
    """The field of the cost of a question, where a margin may stand instead."""
    return form[MARGIN]["instead_of"] if MARGIN in form else None


def _margin(form: dict[str, Any], values: dict[str, str]) -> str:
    """The margin that decides, which is the one of the two fields that is chosen or alone filled in; empty where the cost does."""
    cost = _cost_name(form)
    if cost is None:
        return ""
    margin, decides = values.get("margin", "").strip(), values.get("by") != "cost"
    return margin if decides or not values.get(cost, "").strip() else ""


def _pricing(form: dict[str, Any], values: dict[str, str], margin: str, preview: PreviewReply | None) -> Pricing | None:
    """The two fields; the one that does not decide follows the preview."""
    name = _cost_name(form)
    if name is None:
        return None
    cost = _field(form, values, name, form["properties"][name])
    by_margin = bool(margin) or not cost.value
    if preview is not None and preview.question is not None and preview.margin is not None:
        cost = replace(cost, value=str(preview.question[name]))
        margin = margin or preview.margin.within
    return Pricing(by_margin, margin, form[MARGIN]["unit"], cost)


def _question(form: dict[str, Any], values: dict[str, str], *, instead_of_cost: str) -> dict[str, Any] | None:
    """What the form asks; None until every field is filled in that must be. Raises ParameterError for a field of another kind."""
    question: dict[str, Any] = {"kind": form["title"]}
    for name, schema in form["properties"].items():
        text = values.get(name, "").strip()
        if name in _HIDDEN or (instead_of_cost and name == _cost_name(form)):
            continue
        if text:
            question[name] = _value(name, schema, text)
        elif name in form["required"]:
            return None
    return question


def _value(name: str, schema: dict[str, Any], text: str) -> Any:
    """A field as JSON: a list may be written with commas."""
    kinds = {each.get("type") for each in (schema, *schema.get("anyOf", ()))}
    if kinds & {"integer", "number", "boolean"} and "string" not in kinds:
        try:
            return read_json(text)
        except ValueError:
            raise ParameterError(name, "is not a number", "write digits alone") from None
    if kinds & {"array", "object"}:
        try:
            return read_json(text)
        except ValueError:
            return [part.strip() for part in text.split(",")]
    return text


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _json_object(text: str) -> dict[str, Any] | None:
    if not text:
        return None
    try:
        value = read_json(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ParameterError("question", "is no question", "go back, and ask again")
    return value


def _lines(request: Request, name: str, question: dict[str, Any] | None) -> list[dict[str, str]]:
    base, body = base_url(request), json.dumps({"request_id": "a-name-of-yours", "question": question})
    python = f'client = starling.Client("{base}", token)\nclient.ask("{name}", {question!r}, "{name}.zip")'
    shell = f"export STARLING_SERVER={base}\nstarling remote release {name} --out {name}.zip"
    if question is not None:
        kind = question["kind"].replace("_", "-")
        shell = f"export STARLING_SERVER={base}\nstarling remote ask {kind} {name} --help"
    return as_lines(base, f"/v1/datasets/{name}/releases", python, shell, body.replace("'", "'\\''"))
