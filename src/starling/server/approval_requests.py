"""Requests for a custodian's approval: what an analyst asks of a dataset that asks first, and why; and what the custodian decided.

What is written here lets nobody spend anything: an approval is an event of the ledger, signed by the custodian's key (ledger/terms.py), and
a charge is refused without it. Here stands what people tell one another about it.
"""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, TypeAlias, TypeVar, cast

from starling.errors import ParameterError, PolicyRefused, RequestConflict
from starling.ledger.rules import Request
from starling.privacy.guarantee import Guarantee
from starling.release.arithmetic import guarantee_of
from starling.release.statement import stated
from starling.server.database import Database
from starling.server.datasets import NotThere

T = TypeVar("T")
State: TypeAlias = Literal["waiting", "approved", "declined"]
MOST_WAITING: Final = 100
"""Requests of one analyst that may wait at once."""
LONGEST: Final = 2000
"""Letters of a reason."""

_SCHEMA: Final = """
CREATE TABLE requests (
  number INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, analyst TEXT NOT NULL, request_id TEXT NOT NULL,
  dataset TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL, price TEXT NOT NULL, reason TEXT NOT NULL,
  state TEXT NOT NULL, words TEXT NOT NULL, less TEXT NOT NULL, UNIQUE (analyst, request_id)
) STRICT;
"""


class Decided(PolicyRefused):
    """A request was decided before, or meanwhile."""

    status: ClassVar[int] = 409


@dataclass(frozen=True, slots=True)
class ReducedApproval:
    """What was approved in place of what was asked: the same question, in canonical JSON, for less."""

    body: str
    guarantee: Guarantee


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request for approval.

    Attributes:
        number: Counted from 1.
        at: When it was made, in UTC.
        request: What is asked, by whom, of which dataset, under which id.
        title: What is asked, for people.
        guarantee: What it would be charged.
        reason: Why, in the analyst's words.
        state: What became of it.
        words: What the custodian said to it; empty where nothing.
        reduced: What was approved in its place; None where it is what was asked.
    """

    number: int
    at: datetime
    request: Request
    title: str
    guarantee: Guarantee
    reason: str
    state: State
    words: str
    reduced: ReducedApproval | None

    @property
    def approved(self) -> Request:
        """What may be charged once it is approved: what was asked, or less."""
        return self.request if self.reduced is None else replace(self.request, body=self.reduced.body)

    @property
    def price(self) -> Guarantee:
        """What that will be charged."""
        return self.guarantee if self.reduced is None else self.reduced.guarantee

    @property
    def digest(self) -> str:
        """SHA-256 of what a custodian is asked to approve, hexadecimal: whose request, of which data, for what, at which cost, and why."""
        fields = {"analyst": self.request.analyst, "dataset": self.request.dataset, "request": self.request.hash}
        words = {"title": self.title, "reason": self.reason}
        text = json.dumps({**fields, **words, "price": stated(self.guarantee)}, sort_keys=True)
        return sha256(text.encode()).hexdigest()


class Requests:
    """The requests in the SQLite file `path`; `now` gives the time, in UTC."""

    def __init__(self, path: Path, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database = Database(path, "requests")
        self._now = now

    def create(self) -> None:
        """Make the file; raises FileExistsError where there is one."""
        self._database.create(_SCHEMA)

    def ask(self, request: Request, title: str, guarantee: Guarantee, reason: str) -> Waiting:
        """Ask for approval. The same request again, under its id or while it waits or is approved, is the one that there is.

        `title` says what is asked, for people, `guarantee` what it would be charged, and `reason` why, in 1 to 2000 letters.

        Raises:
            RequestConflict: the id was used for another request.
            ParameterError: there is no reason, or it is too long.
            PolicyRefused: too many of this analyst's requests wait.
        """
        if not 1 <= len(reason.strip()) <= LONGEST:
            raise ParameterError("reason", f"is not of 1 to {LONGEST:,} letters", "say what the answer is for")
        with self._database.writing() as connection:
            known = _rows(connection, "analyst = ? AND request_id = ?", request.analyst, request.request_id)
            if known and (known[0].request.dataset, known[0].request.body) != (request.dataset, request.body):
                raise RequestConflict("request_id", "was used before for another request", "use a new request id")
            condition = "analyst = ? AND dataset = ? AND body = ? AND state <> 'declined' ORDER BY number"
            known = known or _rows(connection, condition, request.analyst, request.dataset, request.body)
            if known:
                return known[0]
            waiting = "SELECT count(*) FROM requests WHERE analyst = ? AND state = 'waiting'"
            if connection.execute(waiting, (request.analyst,)).fetchone()[0] >= MOST_WAITING:
                raise PolicyRefused(
                    "request", f"is one of more than {MOST_WAITING} that wait", "wait for the custodian"
                )
            connection.execute(
                "INSERT INTO requests (at, analyst, request_id, dataset, title, body, price, reason, state, words, less)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', '', '')",
                (
                    *(self._now().isoformat(), request.analyst, request.request_id, request.dataset, title),
                    *(request.body, json.dumps(stated(guarantee)), reason.strip()),
                ),
            )
            return _rows(connection, "number = last_insert_rowid()")[0]

    def find(self, number: int, analyst: str | None = None) -> Waiting:
        """One of them, for an analyst, or for None, who may see all; raises NotThere where there is none, or it is not this analyst's."""
        with self._database.reading() as connection:
            rows = _rows(connection, "number = ? AND (? IS NULL OR analyst = ?)", number, analyst, analyst)
        if not rows:
            raise NotThere(
                "request", "is not there", "see which there are: starling server requests, or GET /v1/requests"
            )
        return rows[0]

    def standing(self, analyst: str, dataset: str, body: str) -> int | None:
        """The number of an analyst's newest request that waits for, or has, the approval of this canonical JSON; None without one."""
        where = "analyst = ? AND dataset = ? AND state <> 'declined' ORDER BY number DESC"
        with self._database.reading() as connection:
            rows = _rows(connection, where, analyst, dataset)
        return next((each.number for each in rows if each.approved.body == body), None)

    def undecided(self, number: int) -> Waiting:
        """One that may still be approved or declined; raises NotThere, or Decided where it was declined."""
        waiting = self.find(number)
        if waiting.state == "declined":
            raise Decided("request", "was declined before", "the analyst may ask again")
        return waiting

    def listed(
        self, *, analyst: str | None = None, after: int = 0, most: int = 1000, waiting: bool = False
    ) -> list[Waiting]:
        """Those of an analyst, or of everybody, with a number beyond `after`, ascending, at most `most`; if `waiting`, those alone that
        wait for a decision.
        """
        where = "number > ? AND (? IS NULL OR analyst = ?) AND (NOT ? OR state = 'waiting') ORDER BY number LIMIT ?"
        with self._database.reading() as connection:
            return _rows(connection, where, after, analyst, analyst, waiting, most)

    def latest(self, analyst: str | None, before: int, most: int) -> tuple[list[Waiting], int | None]:
        """Those of an analyst, or of everybody, with a number below `before`, descending, at most `most`.

        Beside them the `before` of the next page, None on the last one.
        """
        where = "number < ? AND (? IS NULL OR analyst = ?) ORDER BY number DESC LIMIT ?"
        with self._database.reading() as connection:
            rows = _rows(connection, where, before, analyst, analyst, most + 1)
        return rows[:most], rows[most - 1].number if len(rows) > most else None

    def newest_waiting(self) -> int:
        """The number of the newest request that waits for a decision; 0 where none does."""
        with self._database.reading() as connection:
            query = "SELECT coalesce(max(number), 0) FROM requests WHERE state = 'waiting'"
            newest: int = connection.execute(query).fetchone()[0]
        return newest

    def decide(
        self,
        seen: Waiting,
        state: Literal["approved", "declined"],
        words: str,
        sign: Callable[[], T],
        reduced: ReducedApproval | None = None,
    ) -> T:
        """Write down what a custodian decided of a request as they saw it, and said, and what was approved in its place.

        `sign` gives the approval in the ledger, or takes it back. Nobody else decides meanwhile, so that this file and the ledger agree.

        Raises:
            NotThere: there is no such request.
            Decided: it was declined before, or is not as it was seen.
        """
        reduced_text = "" if reduced is None else json.dumps({"body": reduced.body, "price": stated(reduced.guarantee)})
        with self._database.writing() as connection:
            if self.undecided(seen.number) != seen:
                fix = "look at it again: starling server requests HOME --all"
                raise Decided("request", "was changed or decided meanwhile", fix)
            signed = sign()
            sql = "UPDATE requests SET state = ?, words = ?, less = ? WHERE number = ?"
            connection.execute(sql, (state, words, reduced_text, seen.number))
        return signed


_COLUMNS: Final = "number, at, analyst, request_id, dataset, body, title, price, reason, state, words, less"


def _rows(connection: sqlite3.Connection, where: str, *values: Any) -> list[Waiting]:
    rows = connection.execute(f"SELECT {_COLUMNS} FROM requests WHERE {where}", values).fetchall()  # noqa: S608 - our own words
    return [_read(*row) for row in rows]


def _read(number: int, at: str, *rest: str) -> Waiting:
    analyst, request_id, dataset, body, title, price, reason, state, words, reduced_text = rest
    request = Request(analyst, request_id, dataset, body)
    guarantee = guarantee_of(json.loads(price))
    reduced = json.loads(reduced_text) if reduced_text else None
    return Waiting(
        number,
        datetime.fromisoformat(at),
        request,
        title,
        guarantee,
        reason,
        cast(State, state),
        words,
        reduced and ReducedApproval(reduced["body"], guarantee_of(reduced["price"])),
    )
