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


def dataset(said: Any) -> Dataset:
    """A dataset; raises IntegrityError where it is none."""
    texts = {name: _text(said, name) for name in ("name", "domain", "title", "purpose", "neighbours")}
    cost, questions = _or_none(said, "cost", dict), _or_none(said, "questions", dict)
    population = _or_none(said, "population", str)
    names = [(_text(each, "code"), _or_none(each, "name", str)) for each in _of(said, "uses", list)]
    return Dataset(
        population=None if population is None else plain(population),
        uses={code: "" if name is None else plain(name) for code, name in names},
        cost=cost,
        deadline=_of(said, "deadline", int),
        questions=questions,
        invented=_of(said, "invented", bool),
        **texts,
    )


def datasets(said: Any) -> tuple[Dataset, ...]:
    """Datasets; raises IntegrityError where they are none."""
    if not isinstance(said, list):
        raise _strange()
    return tuple(map(dataset, said))


def progress(said: Any) -> Progress:
    """How far a release has come; raises IntegrityError where that is not said."""
    state: State = _of(said, "state", str)
    if state not in get_args(State):
        raise _strange()
    return Progress(
        id=_of(said, "id", int),
        dataset=_text(said, "dataset"),
        request_id=_text(said, "request_id"),
        state=state,
        wait=_of(said, "wait", int),
        invented=_of(said, "invented", bool),
    )


def budget(said: Any) -> Budget:
    """A budget; raises IntegrityError where it is none."""
    texts = {name: _text(said, name) for name in ("dataset", "population", "measure", "reserve")}
    caps = _of(said, "caps", list)
    left = {_text(cap, "scope"): None if cap.get("left") is None else _text(cap, "left") for cap in caps}
    amount, more = _or_none(said, "amount", str), _or_none(said, "more", int)
    return Budget(
        left=left,
        amount=None if amount is None else plain(amount),
        more=more,
        ask_first=_of(said, "ask_first", bool),
        retired=_of(said, "retired", bool),
        invented=_of(said, "invented", bool),
        **texts,
    )


def preview(said: Any) -> Preview:
    """A preview; raises IntegrityError where it is none."""
    texts = {name: _text(said, name) for name in ("dataset", "title", "neighbours", "measure", "amount")}
    return Preview(
        cost=_of(said, "cost", dict),
        more=_of(said, "more", int),
        ask_first=_of(said, "ask_first", bool),
        sections=tuple(map(_section, _of(said, "sections", list))),
        invented=_of(said, "invented", bool),
        **texts,
    )


def _section(said: Any) -> dict[str, Any]:
    tables = [
        {
            "caption": _text(each, "caption"),
            "header": _texts(each, "header"),
            "rows": [_texts({"row": row}, "row") for row in _of(each, "rows", list)],
        }
        for each in _of(said, "tables", list)
    ]
    if any(len(row) != len(each["header"]) for each in tables for row in each["rows"]):
        raise _strange()
    return {"title": _text(said, "title"), "text": _texts(said, "text"), "tables": tables}


def request(said: Any) -> Request:
    """A request for approval; raises IntegrityError where it is none."""
    state: Decision = _of(said, "state", str)
    if state not in get_args(Decision):
        raise _strange()
    texts = {name: _text(said, name) for name in ("dataset", "request_id", "title", "cost", "reason", "words")}
    cost, question = _or_none(said, "approved_cost", str), _or_none(said, "question", dict)
    return Request(
        number=_of(said, "number", int),
        state=state,
        approved_cost=None if cost is None else plain(cost),
        question=question,
        **texts,
    )


def requests(said: Any) -> tuple[Request, ...]:
    """Requests for approval; raises IntegrityError where they are none."""
    if not isinstance(said, list):
        raise _strange()
    return tuple(map(request, said))


def refusal(status: int, said: Any) -> StarlingError:
    """The error that a server answered with: of the same class, with the same field, problem and fix."""
    try:
        error = said["error"]
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


def schema(said: Any) -> Mapping[str, Any]:
    """A JSON Schema; raises IntegrityError where it is no object."""
    if not isinstance(said, dict):
        raise _strange()
    return said


def answer(said: Any) -> Any:
    """What a release says; raises IntegrityError where that is not said."""
    if not isinstance(said, dict) or "answer" not in said:
        raise _strange()
    return said["answer"]


def _texts(said: Any, name: str) -> list[str]:
    """Texts of a reply, with nothing that a terminal would obey."""
    found = _of(said, name, list)
    if not all(isinstance(each, str) for each in found):
        raise _strange()
    return [plain(each) for each in found]


def _or_none(said: Any, name: str, kind: type) -> Any:
    """What a reply says, or None where it says null."""
    return None if isinstance(said, dict) and name in said and said[name] is None else _of(said, name, kind)


def _text(said: Any, name: str) -> str:
    """A text of a reply, with nothing that a terminal would obey."""
    return plain(str(_of(said, name, str)))


def _of(said: Any, name: str, kind: type) -> Any:
    if not isinstance(said, dict) or type(said.get(name)) is not kind:
        raise _strange()
    return said[name]


def _strange() -> IntegrityError:
    return IntegrityError("server", "answered in another form than Starling does", "check its URL, and its version")
