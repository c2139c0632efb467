"""Screen 2: a question with its price, which is shown before it is paid, and the one button that pays it."""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from shlex import quote
from typing import Annotated, Any, Final

from fastapi import Depends, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from pydantic import ValidationError

from starling.errors import ParameterError, Problem, StarlingError
from starling.pages.parts import Line, Section, Table
from starling.pages.repeating import server_lines
from starling.privacy.sampling.entropy import fresh_id
from starling.release.domain import LABELS, MARGIN
from starling.server.access import User
from starling.server.approving import ApprovalRequest, ask_custodian
from starling.server.authentication import Service
from starling.server.bodies import read_json
from starling.server.pages.frame import base_url, form_of, go, only_pages, show
from starling.server.pages.home import bar, decimal
from starling.server.previewing import PreviewReply, PreviewSection, read_preview
from starling.server.releasing import REQUEST_ID, ReleaseRequest, charge, describe, read_budget

_HIDDEN: Final = ("kind", "request_id")
_APART: Final = "Several apart by commas."
_RANGES: Final = "Written FIRST..LAST, several apart by commas."
MARGIN_FIELD: Final = "margin"
"""The field of a margin, which no question has."""
_YES: Final = {"false": "no", "true": "yes"}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the form of a question.

    Attributes:
        name: Its name in the question.
        label: What people call it.
        help: What it takes.
        choices: The values that it may have, each with its text; none for free text.
        examples: Some of the values that it may have, for free text.
        value: What stands in it.
        required: Whether it must be filled in.
        optional: Whether it may be left empty.
        problems: What is wrong with the value, each with what to do.
    """

    name: str
    label: str
    help: str
    choices: tuple[tuple[str, str], ...]
    examples: tuple[str, ...]
    value: str
    required: bool
    optional: bool
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Pricing:
    """The two fields of which one prices a question: how far its answer may be off, and what it costs.

    Attributes:
        by_margin: Whether the margin decides, and the cost follows.
        margin: The margin as text.
        unit: What it is in.
        meaning: What that says of the answer, in a sentence without its point; empty where the unit says it.
        cost: The field of the cost.
        problems: What is wrong with the margin, each with what to do.
    """

    by_margin: bool
    margin: str
    unit: str
    meaning: str
    cost: Field
    problems: tuple[Problem, ...]


def add_routes(app: FastAPI, service: Service) -> None:
    """Add it to an application."""
    analysts = service.user("analyst")

    @app.get("/datasets/{name}/ask", include_in_schema=False, dependencies=[Depends(only_pages)])
    def ask_page(name: str, request: Request, user: Annotated[User, analysts]) -> Response:
        form = dict(request.query_params)
        # Where a session ended, what was sent comes back as the address.
        return _page(service, request, user, name, form | _typed(form), form)

    @app.post("/datasets/{name}/ask", include_in_schema=False)
    async def pay(name: str, request: Request, user: Annotated[User, analysts]) -> Response:
        form = await form_of(request)
        return await run_in_threadpool(_pay, service, request, user, name, form)


def _pay(service: Service, request: Request, user: User, name: str, form: dict[str, str]) -> Response:
    """Charge once, whatever is sent again, and lead to the answer; what is refused is said on the page, and costs nothing."""
    values: dict[str, str] = {}
    try:
        values = _typed(form)
        question = _json_object(form.get("question", ""))
        body: dict[str, Any] = {"request_id": form.get("request_id", ""), "question": question}
        if "reason" in form:
            waiting = ask_custodian(service, user.name, name, ApprovalRequest(**body, reason=form["reason"]))
            return go(request, f"/answers?requests_before={waiting.number + 1}#request-{waiting.number}")
        return go(request, f"/questions/{charge(service, user.name, name, ReleaseRequest(**body)).charge.seq}")
    except ValidationError:
        error: StarlingError = ParameterError(
            "form", "is not filled in as it must be", "look at each field, and send it again"
        )
    except StarlingError as refused:
        error = refused
    if error.status in (401, 404):
        raise error
    return _page(service, request, user, name, values, {"reason": form.get("reason", "")}, error)


def _typed(form: dict[str, str]) -> dict[str, str]:
    """The fields of the question that a form sends."""
    return {key: _text(value) for key, value in (_json_object(form.get("question", "")) or {}).items()}


def _page(
    service: Service,
    request: Request,
    user: User,
    name: str,
    values: dict[str, str],
    sent: dict[str, str],
    error: StarlingError | None = None,
) -> Response:
    """The page with these values in the form of the question; of a form that was `sent` it keeps the reason, and the id that pays once."""
    dataset, budget = describe(service, name), read_budget(service, user.name, name)
    forms = [] if dataset.questions is None else list(dataset.questions["oneOf"])
    form = next((each for each in forms if each["title"] == values.get("kind")), None)
    values = values if form is None else _starts(form) | values
    margin = "" if form is None else _margin(form, values)
    question, preview, request_id, approval = None, None, sent.get("request_id", ""), None
    try:
        question = None if form is None else _question(form, values, instead_of_cost=margin)
        if question is not None or not forms:
            preview = read_preview(service, user.name, name, question, margin or None)
            question = preview.question
    except StarlingError as refused:
        error = error or refused
    if preview is not None and preview.request is not None:
        approval = service.home.requests.find(preview.request, user.name)
        request_id = approval.request.request_id
    elif not re.fullmatch(REQUEST_ID, request_id):
        request_id = fresh_id()
    problems = () if error is None else error.problems
    own, others = _by_field((MARGIN_FIELD, *_properties(form)) if form is not None else (), problems)
    return show(
        request,
        "ask.html",
        user,
        status=200 if error is None else error.status,
        dataset=dataset,
        budget=budget,
        bar=() if budget.invented else bar(budget),
        plan_page=service.home.catalogue.has_plan_page(name),
        kinds=[(each["title"], each.get("description", "")) for each in forms],
        form=form,
        fields=[] if form is None else _fields(form, values, own),
        pricing=None if form is None else _pricing(form, values, margin, preview, own),
        question="" if question is None else json.dumps(question),
        preview=preview,
        sections=[] if preview is None else [to_section(each) for each in preview.sections],
        after=None if preview is None or budget.invented else _after(budget.available, preview.amount),
        request_id=request_id,
        approval=approval,
        reason=sent.get("reason", ""),
        refused=bool(problems),
        problems=others,
        lines=() if preview is None else _lines(request, name, request_id, question),
        has_sandbox=service.home.sandbox is not None,
    )


def to_section(section: PreviewSection) -> Section:
    """A part of a preview, as pages show it."""
    tables = tuple(Table(tuple(each.header), tuple(map(tuple, each.rows)), each.caption) for each in section.tables)
    return Section(section.title, "\n\n".join(section.text), tables=tables)


def _after(available: str, amount: str) -> str | None:
    """What is left once it is paid; None where it does not fit."""
    left = Fraction(available) - Fraction(amount)
    return None if left < 0 else decimal(left)


def _properties(form: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The schemas of the fields that people fill in, by their names."""
    return {name: schema for name, schema in form["properties"].items() if name not in _HIDDEN}


def _starts(form: dict[str, Any]) -> dict[str, str]:
    """What stands in the fields at first: defaults, and where something must be filled in an example."""
    starts = {}
    for name, schema in _properties(form).items():
        example = next(iter(schema.get("examples", ())), None) if name in form["required"] else None
        starts[name] = _text(schema.get("default", example))
    return starts


def _by_field(names: Collection[str], problems: Sequence[Problem]) -> tuple[list[Problem], list[Problem]]:
    """Problems of these fields of a question by their names in a form, and all others as they are."""
    named = [Problem(each.field.removeprefix("question."), each.problem, each.fix) for each in problems]
    return [each for each in named if each.field in names], [each for each in named if each.field not in names]


def _fields(form: dict[str, Any], values: dict[str, str], problems: Sequence[Problem]) -> list[Field]:
    return [_field(form, values, name, problems) for name in _properties(form) if name != _cost_name(form)]


def _field(form: dict[str, Any], values: dict[str, str], name: str, problems: Sequence[Problem]) -> Field:
    schema, required = form["properties"][name], name in form["required"]
    kinds = _kinds(schema)
    choice_values = (False, True) if "boolean" in kinds else schema.get("enum", ())
    labels = {code: f"{label} ({code})" for code, label in schema.get(LABELS, {}).items()} | _YES
    choices = tuple((text := _text(each), labels.get(text, text)) for each in choice_values)
    how = "" if "array" not in kinds else _RANGES if _of_pairs(kinds["array"]) else _APART
    return Field(
        name,
        schema.get("title", name.replace("_", " ")),
        f"{schema.get('description', '')} {how}".strip(),
        choices,
        () if choices else tuple(map(_text, schema.get("examples", ()))),
        values.get(name, ""),
        required,
        not required and not choices and schema.get("default") in (None, []),
        tuple(each for each in problems if each.field == name),
    )


def in_words(form: dict[str, Any], question: dict[str, Any]) -> list[tuple[str, str]]:
    """A question as its form has it: what is asked, and each field that is filled in by its label."""
    values = {name: _text(value) for name, value in question.items()}
    fields = (_field(form, values, name, ()) for name in _properties(form))
    chosen = [(each.label, dict(each.choices).get(each.value, each.value)) for each in fields if each.value]
    return [("Asked", form.get("description", form["title"])), *chosen]


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


def _pricing(
    form: dict[str, Any], values: dict[str, str], margin: str, preview: PreviewReply | None, problems: Sequence[Problem]
) -> Pricing | None:
    """The two fields; the one that does not decide follows the preview."""
    name = _cost_name(form)
    if name is None:
        return None
    cost = _field(form, values, name, problems)
    by_margin = bool(margin) or not cost.value
    if preview is not None and preview.question is not None and preview.margin is not None:
        cost = replace(cost, value=str(preview.question[name]))
        margin = margin or preview.margin.within
    own = tuple(each for each in problems if each.field == MARGIN_FIELD)
    return Pricing(by_margin, margin, form[MARGIN]["unit"], form[MARGIN]["meaning"], cost, own)


def _question(form: dict[str, Any], values: dict[str, str], *, instead_of_cost: str) -> dict[str, Any]:
    """What the form asks. Raises ParameterError for what is missing, and for a field of another kind."""
    question: dict[str, Any] = {"kind": form["title"]}
    for name, schema in _properties(form).items():
        if instead_of_cost and name == _cost_name(form):
            continue
        if text := values.get(name, "").strip():
            question[name] = _value(name, schema, text)
        elif name in form["required"]:
            raise ParameterError(name, "is missing", "fill it in")
    return question


def _value(name: str, schema: dict[str, Any], text: str) -> Any:
    """A field as JSON: what stands in a list is apart by commas, and a pair in it is written FIRST..LAST."""
    kinds = _kinds(schema)
    if kinds.keys() & {"integer", "boolean"}:
        try:
            return read_json(text)
        except ValueError:
            raise ParameterError(name, "is not a number", "write digits alone") from None
    if "array" not in kinds or [text] in schema.get("examples", ()):
        return [text] if "array" in kinds else text
    try:
        return read_json(text)
    except ValueError:
        parts = [part.strip() for part in text.split(",")]
        return [part.split("..") for part in parts] if _of_pairs(kinds["array"]) else parts


def _kinds(schema: dict[str, Any]) -> dict[str, Any]:
    """The schemas of the types that a field may have, by their names."""
    return {kind: each for each in (*schema.get("anyOf", ()), schema) if isinstance(kind := each.get("type"), str)}


def _of_pairs(schema: dict[str, Any]) -> bool:
    return "prefixItems" in schema["items"]


def _text(value: Any) -> str:
    """A value as it stands in a form: as `_value` reads it."""
    if isinstance(value, list | tuple) and all(isinstance(each, str) and "," not in each for each in value):
        return ", ".join(value)
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


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


def _lines(request: Request, name: str, request_id: str, question: dict[str, Any] | None) -> tuple[Line, ...]:
    """The lines that pay for it, under the id that the button has: whichever of them come, it is paid once."""
    body = json.dumps({"request_id": request_id, "question": question})
    python = f'release = client.ask({name!r}, {question!r}, "{name}.zip", request_id={request_id!r})'
    option = "" if question is None else f" --question {quote(json.dumps(question))}"
    shell = f"starling remote release {name}{option} --request-id {request_id} --out {name}.zip --yes"
    return server_lines(base_url(request), f"/v1/datasets/{name}/releases", python, shell, body)
