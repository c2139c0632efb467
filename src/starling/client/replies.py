"""What a server says, as values: nothing in it is believed before its form was checked, and an error is one of the library's own."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import UnionType
from typing import Any, Final, Literal, TypeAlias, TypeVar, cast, get_args, get_origin, get_type_hints

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

T = TypeVar("T")
State: TypeAlias = Literal["charged", "released"]
Decision: TypeAlias = Literal["waiting", "approved", "declined"]

_KINDS: Final[tuple[type[StarlingError], ...]] = (
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
    **dict.fromkeys((401, 403), PolicyRefused),
    **dict.fromkeys((404, 409, 413, 422), ParameterError),
    **dict.fromkeys((429, 502, 503, 504), LedgerUnavailable),
}
"""What an error is that it names otherwise, or a proxy in front of it sends."""
READER: Final = "reader"
"""The metadata of a field that a reply says in another form: what reads it of the whole reply."""


def _of(values: Any, name: str, kind: type) -> Any:
    """What a reply says under a name, of exactly this type."""
    if not isinstance(values, dict) or type(values.get(name)) is not kind:
        raise _strange()
    return values[name]


def _texts(values: Any, name: str) -> list[str]:
    return [_value(str, {name: each}, name) for each in _of(values, name, list)]


def _uses(values: Any) -> dict[str, str]:
    uses = _of(values, "uses", list)
    return {_value(str, each, "code"): _value(str | None, each, "name") or "" for each in uses}


def _left(values: Any) -> dict[str, str | None]:
    caps = _of(values, "caps", list)
    return {_value(str, cap, "scope"): _value(str | None, {"left": None} | cap, "left") for cap in caps}


def _margin(values: Any) -> dict[str, str] | None:
    if _value(Mapping[str, Any] | None, values, "margin") is None:
        return None
    return {name: _value(str, values["margin"], name) for name in ("within", "unit")}


def sections(values: Any) -> tuple[dict[str, Any], ...]:
    """The sections of an expected error, each `title`, `text` and `tables`; raises IntegrityError where they are none."""
    return tuple(map(_section, _of(values, "sections", list)))


def _section(values: Any) -> dict[str, Any]:
    tables = [
        {
            "caption": _value(str, each, "caption"),
            "header": _texts(each, "header"),
            "rows": [_texts({"row": row}, "row") for row in _of(each, "rows", list)],
        }
        for each in _of(values, "tables", list)
    ]
    if any(len(row) != len(each["header"]) for each in tables for row in each["rows"]):
        raise _strange()
    return {"title": _value(str, values, "title"), "text": _texts(values, "text"), "tables": tables}


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
        risk: What a release means for one of those in the data, in one sentence; empty where each question costs something else.
        deadline: Seconds from the charge to the answer.
        questions: The JSON Schema of a question, where it is asked questions; None where its plan says all that is released.
        invented: Whether it is of invented records, as all that a sandbox says.
    """

    name: str
    domain: str
    title: str
    population: str | None
    purpose: str
    uses: Mapping[str, str] = field(metadata={READER: _uses})
    neighbours: str
    cost: Mapping[str, Any] | None
    risk: str = field(metadata={READER: lambda values: _value(str, {"risk": "", **values}, "risk")})
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
class Listed(Progress):
    """A release in a list.

    Attributes:
        at: When it was charged, as text of ISO 8601.
        analyst: By whom.
        cost: What it cost, in words.
        question: What was asked, as JSON; None where the plan says all.
    """

    at: str
    analyst: str
    cost: str
    question: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Token:
    """A token or a session of the user, by which nobody is let in.

    Attributes:
        id: Names it.
        expires: From when on it is refused, as text of ISO 8601.
        used: When it was last used, to a minute; None where it never was.
        revoked: Whether it was revoked.
        session: Whether it is a session of a browser.
        current: Whether this client uses it.
    """

    id: str
    expires: str
    used: str | None
    revoked: bool
    session: bool
    current: bool


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was just made, which is shown once: its id, from when on it is refused, and the token."""

    id: str
    expires: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Budget:
    """What may still be spent on a dataset.

    Attributes:
        dataset: Of which data.
        population: Whose privacy it is.
        measure: epsilon or rho.
        amount: What one release costs; an exact decimal. None where a question decides.
        left: What is left under each cap, by its scope; None where it has no limit.
        more: How many different releases that is: 0 where there is one alone, and it was released; None where a question decides.
        available: What can still be charged, beside what is kept for the custodian; an exact decimal.
        approved: What the custodian approved that is not charged yet; an exact decimal.
        release: The release of this plan that the user has; None where there is none.
        ask_first: Whether each release needs the custodian's approval.
        reserve: What is kept of the dataset's cap for the custodian; an exact decimal.
        retired: Whether nothing is charged to it any more; what was released stays.
        invented: Whether it is of invented records, as all that a sandbox says.
    """

    dataset: str
    population: str
    measure: str
    amount: str | None
    left: Mapping[str, str | None] = field(metadata={READER: _left})
    more: int | None
    available: str
    approved: str
    release: int | None
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
        more: How many different ones of this cost can still be charged; None where it costs nothing.
        release: The release of this very request that the user has: it costs nothing again. None where there is none.
        ask_first: Whether it needs the custodian's approval.
        question: The question with its cost, as `charge` takes it; None where the plan says all that is released.
        margin: How far its answer may be off, 95 times of 100, by `within` and `unit`; None where that is not defined.
        sections: The expected error: each with `title`, `text` (paragraphs) and `tables` (each with `caption`, `header` and `rows`).
        invented: Whether it is of invented records, as all that a sandbox says.
    """

    dataset: str
    title: str
    neighbours: str
    cost: Mapping[str, Any]
    measure: str
    amount: str
    more: int | None
    release: int | None
    ask_first: bool
    question: Mapping[str, Any] | None
    margin: Mapping[str, str] | None = field(metadata={READER: _margin})
    sections: tuple[Mapping[str, Any], ...] = field(metadata={READER: sections})
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


def read(kind: type[T], values: Any) -> T:
    """A reply as one of these values, each field by its type or by its own reader; raises IntegrityError where it is none.

    A key that is not a field is left: a newer server may say more.
    """
    hints, readers = get_type_hints(kind), {each.name: each.metadata.get(READER) for each in fields(cast(Any, kind))}
    return kind(
        **{
            name: _value(hint, values, name) if (reader := readers[name]) is None else reader(values)
            for name, hint in hints.items()
        }
    )


def read_all(kind: type[T], values: Any) -> tuple[T, ...]:
    """A list of them; raises IntegrityError where they are none."""
    return tuple(read(kind, each) for each in _of({"all": values}, "all", list))


def _value(hint: Any, values: Any, name: str) -> Any:
    """What a reply says under a name, by a type hint; of texts nothing is left that a terminal would obey."""
    if get_origin(hint) is UnionType:
        optional = isinstance(values, dict) and name in values and values[name] is None
        return None if optional else _value(get_args(hint)[0], values, name)
    if get_origin(hint) is tuple:
        return read_all(get_args(hint)[0], _of(values, name, list))
    if get_origin(hint) is Literal:
        if (choice := _of(values, name, str)) not in get_args(hint):
            raise _strange()
        return choice
    # All that has an origin besides is a mapping.
    return plain(_of(values, name, str)) if hint is str else _of(values, name, dict if get_origin(hint) else hint)


def refusal(status: int, values: Any) -> StarlingError:
    """The error that a server answered with: of the same class, with the same field, problem and fix."""
    try:
        kind, problems = values["error"]["kind"], []
        for each in values["error"]["problems"]:
            where, problem, fix = (plain(str(each[name])) for name in ("field", "problem", "fix"))
            problems.append(Problem(where, problem, fix))
    except (KeyError, TypeError):
        kind, problems = "", []
    if not problems:
        problems = [Problem("server", f"answered with status {status}, and not as Starling does", "check its URL")]
    return KINDS.get(str(kind), _BY_STATUS.get(status, StarlingError))(problems=problems)


def part(values: Any, name: str) -> Any:
    """The list that a reply has under a name; raises IntegrityError where it has none."""
    return _of(values, name, list)


def following(values: Any) -> int | None:
    """Where the next page of a list begins; None on the last one."""
    number: int | None = _value(int | None, values, "next")
    return number


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


def _strange() -> IntegrityError:
    return IntegrityError("server", "answered in another form than Starling does", "check its URL, and its version")
