"""What a server says, as values: nothing in it is believed before its form was checked, and an error is one of the library's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from starling.errors import (
    BudgetRefused,
    IntegrityError,
    LedgerUnavailable,
    OutputError,
    ParameterError,
    PlanError,
    PolicyRefused,
    Problem,
    RequestConflict,
    SourceError,
    StarlingError,
    plain,
)

State: TypeAlias = Literal["charged", "released"]
Decision: TypeAlias = Literal["waiting", "approved", "declined"]

_KINDS: tuple[type[StarlingError], ...] = (
    BudgetRefused,
    IntegrityError,
    LedgerUnavailable,
    OutputError,
    ParameterError,
    PlanError,
    PolicyRefused,
    RequestConflict,
    SourceError,
)
KINDS: Final = {kind.__name__: kind for kind in _KINDS}
"""Errors of the library that a server names."""
_BY_STATUS: Final[dict[int, type[StarlingError]]] = {
    401: PolicyRefused,
    403: PolicyRefused,
    404: ParameterError,
    409: ParameterError,
    413: ParameterError,
    422: ParameterError,
    429: LedgerUnavailable,
    502: LedgerUnavailable,
    503: LedgerUnavailable,
    504: LedgerUnavailable,
}
"""What an error is that it names otherwise, or a proxy in front of it sends."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """Data that can be released.

    Attributes:
        name: The name.
        domain: The kind of statistics.
        title: What a release is called.
        population: The population of the ledger, whose deliveries have caps in common; None where the server's ledger does not tell it.
        purpose: What the data may be used for, in the custodian's words; empty where nothing is said.
        uses: The same by codes of the Data Use Ontology, each with its name; empty where that is not known.
        neighbours: Whom it protects, in words.
        cost: The exact cost under both adjacencies, as privacy.json states it; None where it is asked questions.
        deadline: Seconds from the charge to the answer.
        questions: The JSON Schema of a question, where it is asked questions; None where its plan says all that is released.
        invented: Whether it is of invented records, as all that a sandbox says.
    """

    name: str
    domain: str
    title: str
    population: str | None
    purpose: str
    uses: Mapping[str, str]
    neighbours: str
    cost: Mapping[str, Any] | None
    deadline: int
    questions: Mapping[str, Any] | None
    invented: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a release has come.

    Attributes:
        id: Names it at the server: the event of its charge in the ledger.
        dataset: Of which data.
        request_id: Under which name it was charged.
        state: Whether it is there.
        wait: Seconds until it is worth asking again.
        invented: Whether it is of invented records, as all that a sandbox says.
    """

    id: int
    dataset: str
    request_id: str
    state: State
    wait: int
    invented: bool


@dataclass(frozen=True, slots=True)
class Budget:
    """What may still be spent on a dataset.

    Attributes:
        dataset: Of which data.
        population: Whose privacy it is.
        measure: epsilon or rho.
        amount: What one release costs; an exact decimal. None where a question decides.
        left: What is left under each cap, by its scope; None where it has no limit.
        more: How many more releases that is; None where a question decides.
        ask_first: Whether each release needs the custodian's approval.
        reserve: What is kept of the dataset's cap for the custodian; an exact decimal.
        retired: Whether nothing is charged to it any more; what was released stays.
        invented: Whether it is of invented records, as all that a sandbox says.
    """

    dataset: str
    population: str
    measure: str
    amount: str | None
    left: Mapping[str, str | None]
    more: int | None
    ask_first: bool
    reserve: str
    retired: bool
    invented: bool


@dataclass(frozen=True, slots=True)
class Preview:
    """What a release or an answer costs, and how far its numbers may be off.

    Attributes:
        dataset: Of which data.
        title: What it is.
        neighbours: Whom it protects, in words.
        cost: The exact cost under both adjacencies, as privacy.json states it.
        measure: epsilon or rho, in which the population's caps are.
        amount: What would be charged; an exact decimal.
        more: How many like this can be charged now.
        ask_first: Whether it needs the custodian's approval.
        sections: The expected error: each with `title`, `text` (paragraphs) and `tables` (each with `caption`, `header` and `rows`).
        invented: Whether it is of invented records, as all that a sandbox says.
    """

    dataset: str
    title: str
    neighbours: str
    cost: Mapping[str, Any]
    measure: str
    amount: str
    more: int
    ask_first: bool
    sections: tuple[Mapping[str, Any], ...]
    invented: bool


@dataclass(frozen=True, slots=True)
class Request:
    """A request for the custodian's approval.

    Attributes:
        number: Names it at the server.
        dataset: Of which data.
        request_id: Under which name it will be charged.
        title: What is asked.
        cost: What it will be charged, in words.
        reason: Why.
        state: What became of it.
        words: What the custodian said to it; empty where nothing.
        approved_cost: What it will be charged once it is approved, in words: less than asked, perhaps; None before.
        question: The question as it may be charged, as JSON; None where a release is asked.
    """

    number: int
    dataset: str
    request_id: str
    title: str
    cost: str
    reason: str
    state: Decision
    words: str
    approved_cost: str | None
    question: Mapping[str, Any] | None


def dataset(values: Any) -> Dataset:
    """A dataset; raises IntegrityError where it is none."""
    texts = {name: _text(values, name) for name in ("name", "domain", "title", "purpose", "neighbours")}
    cost, questions = _or_none(values, "cost", dict), _or_none(values, "questions", dict)
    population = _or_none(values, "population", str)
    names = [(_text(each, "code"), _or_none(each, "name", str)) for each in _of(values, "uses", list)]
    return Dataset(
        population=None if population is None else plain(population),
        uses={code: "" if name is None else plain(name) for code, name in names},
        cost=cost,
        deadline=_of(values, "deadline", int),
        questions=questions,
        invented=_of(values, "invented", bool),
        **texts,
    )


def datasets(values: Any) -> tuple[Dataset, ...]:
    """Datasets; raises IntegrityError where they are none."""
    if not isinstance(values, list):
        raise _strange()
    return tuple(map(dataset, values))


def progress(values: Any) -> Progress:
    """How far a release has come; raises IntegrityError where that is not said."""
    state: State = _of(values, "state", str)
    if state not in get_args(State):
        raise _strange()
    return Progress(
        id=_of(values, "id", int),
        dataset=_text(values, "dataset"),
        request_id=_text(values, "request_id"),
        state=state,
        wait=_of(values, "wait", int),
        invented=_of(values, "invented", bool),
    )


def budget(values: Any) -> Budget:
    """A budget; raises IntegrityError where it is none."""
    texts = {name: _text(values, name) for name in ("dataset", "population", "measure", "reserve")}
    caps = _of(values, "caps", list)
    left = {_text(cap, "scope"): None if cap.get("left") is None else _text(cap, "left") for cap in caps}
    amount, more = _or_none(values, "amount", str), _or_none(values, "more", int)
    return Budget(
        left=left,
        amount=None if amount is None else plain(amount),
        more=more,
        ask_first=_of(values, "ask_first", bool),
        retired=_of(values, "retired", bool),
        invented=_of(values, "invented", bool),
        **texts,
    )


def preview(values: Any) -> Preview:
    """A preview; raises IntegrityError where it is none."""
    texts = {name: _text(values, name) for name in ("dataset", "title", "neighbours", "measure", "amount")}
    return Preview(
        cost=_of(values, "cost", dict),
        more=_of(values, "more", int),
        ask_first=_of(values, "ask_first", bool),
        sections=tuple(map(_section, _of(values, "sections", list))),
        invented=_of(values, "invented", bool),
        **texts,
    )


def _section(values: Any) -> dict[str, Any]:
    tables = [
        {
            "caption": _text(each, "caption"),
            "header": _texts(each, "header"),
            "rows": [_texts({"row": row}, "row") for row in _of(each, "rows", list)],
        }
        for each in _of(values, "tables", list)
    ]
    if any(len(row) != len(each["header"]) for each in tables for row in each["rows"]):
        raise _strange()
    return {"title": _text(values, "title"), "text": _texts(values, "text"), "tables": tables}


def request(values: Any) -> Request:
    """A request for approval; raises IntegrityError where it is none."""
    state: Decision = _of(values, "state", str)
    if state not in get_args(Decision):
        raise _strange()
    texts = {name: _text(values, name) for name in ("dataset", "request_id", "title", "cost", "reason", "words")}
    cost, question = _or_none(values, "approved_cost", str), _or_none(values, "question", dict)
    return Request(
        number=_of(values, "number", int),
        state=state,
        approved_cost=None if cost is None else plain(cost),
        question=question,
        **texts,
    )


def requests(values: Any) -> tuple[Request, ...]:
    """Requests for approval; raises IntegrityError where they are none."""
    if not isinstance(values, list):
        raise _strange()
    return tuple(map(request, values))


def refusal(status: int, values: Any) -> StarlingError:
    """The error that a server answered with: of the same class, with the same field, problem and fix."""
    try:
        error = values["error"]
        kind, problems = (
            error["kind"],
            [
                Problem(plain(str(each["field"])), plain(str(each["problem"])), plain(str(each["fix"])))
                for each in error["problems"]
            ],
        )
    except (KeyError, TypeError):
        kind, problems = "", []
    if not problems:
        problems = [Problem("server", f"answered with status {status}, and not as Starling does", "check its URL")]
    return KINDS.get(str(kind), _BY_STATUS.get(status, StarlingError))(problems=problems)


def schema(values: Any) -> Mapping[str, Any]:
    """A JSON Schema; raises IntegrityError where it is no object."""
    if not isinstance(values, dict):
        raise _strange()
    return values


def answer(values: Any) -> Any:
    """What a release says; raises IntegrityError where that is not said."""
    if not isinstance(values, dict) or "answer" not in values:
        raise _strange()
    return values["answer"]


def _texts(values: Any, name: str) -> list[str]:
    """Texts of a reply, with nothing that a terminal would obey."""
    texts = _of(values, name, list)
    if not all(isinstance(each, str) for each in texts):
        raise _strange()
    return [plain(each) for each in texts]


def _or_none(values: Any, name: str, kind: type) -> Any:
    """What a reply says, or None where it says null."""
    return None if isinstance(values, dict) and name in values and values[name] is None else _of(values, name, kind)


def _text(values: Any, name: str) -> str:
    """A text of a reply, with nothing that a terminal would obey."""
    return plain(str(_of(values, name, str)))


def _of(values: Any, name: str, kind: type) -> Any:
    if not isinstance(values, dict) or type(values.get(name)) is not kind:
        raise _strange()
    return values[name]


def _strange() -> IntegrityError:
    return IntegrityError("server", "answered in another form than Starling does", "check its URL, and its version")
