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
        neighbours: Whom it protects, in words.
        cost: The exact cost under both adjacencies, as privacy.json states it.
        deadline: Seconds from the charge to the answer.
    """

    name: str
    domain: str
    title: str
    neighbours: str
    cost: Mapping[str, Any]
    deadline: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a release has come.

    Attributes:
        id: Names it at the server: the event of its charge in the ledger.
        dataset: Of which data.
        request_id: Under which name it was charged.
        state: Whether it is there.
        wait: Seconds until it is worth asking again.
    """

    id: int
    dataset: str
    request_id: str
    state: State
    wait: int


@dataclass(frozen=True, slots=True)
class Budget:
    """What may still be spent on a dataset.

    Attributes:
        dataset: Of which data.
        population: Whose privacy it is.
        measure: epsilon or rho.
        amount: What one release costs; an exact decimal.
        left: What is left under each cap, by its scope; None where it has no limit.
        more: How many more releases that is.
        ask_first: Whether each release needs the custodian's approval.
        reserve: What is kept of the dataset's cap for the custodian; an exact decimal.
    """

    dataset: str
    population: str
    measure: str
    amount: str
    left: Mapping[str, str | None]
    more: int
    ask_first: bool
    reserve: str


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
    """

    number: int
    dataset: str
    request_id: str
    title: str
    cost: str
    reason: str
    state: Decision
    words: str


def dataset(said: Any) -> Dataset:
    """A dataset; raises IntegrityError where it is none."""
    texts = {name: _text(said, name) for name in ("name", "domain", "title", "neighbours")}
    cost = _of(said, "cost", dict)
    return Dataset(cost=cost, deadline=_of(said, "deadline", int), **texts)


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
    numbers = {name: _of(said, name, int) for name in ("id", "wait")}
    return Progress(state=state, dataset=_text(said, "dataset"), request_id=_text(said, "request_id"), **numbers)


def budget(said: Any) -> Budget:
    """A budget; raises IntegrityError where it is none."""
    texts = {name: _text(said, name) for name in ("dataset", "population", "measure", "amount", "reserve")}
    caps = _of(said, "caps", list)
    left = {_text(cap, "scope"): None if cap.get("left") is None else _text(cap, "left") for cap in caps}
    return Budget(left=left, more=_of(said, "more", int), ask_first=_of(said, "ask_first", bool), **texts)


def request(said: Any) -> Request:
    """A request for approval; raises IntegrityError where it is none."""
    state: Decision = _of(said, "state", str)
    if state not in get_args(Decision):
        raise _strange()
    texts = {name: _text(said, name) for name in ("dataset", "request_id", "title", "cost", "reason", "words")}
    return Request(number=_of(said, "number", int), state=state, **texts)


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


def _text(said: Any, name: str) -> str:
    """A text of a reply, with nothing that a terminal would obey."""
    return plain(str(_of(said, name, str)))


def _of(said: Any, name: str, kind: type) -> Any:
    if not isinstance(said, dict) or type(said.get(name)) is not kind:
        raise _strange()
    return said[name]


def _strange() -> IntegrityError:
    return IntegrityError("server", "answered in another form than Starling does", "check its URL, and its version")
