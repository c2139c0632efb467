"""What a custodian asks of a server: what waits, what each decision would mean, and the command that makes it with their key.

No method approves, raises or retires: the server holds no key of a custodian's (docs/decisions/0032-approvals-are-pasted.md).
`commands` are for the machine of the home, where the key is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from starling.client.replies import READER, Listed, Request, part, read, read_all, schema, sections
from starling.client.transport import Transport
from starling.errors import plain
from starling.ledger import rules
from starling.planfile.values import exact_text
from starling.privacy.budget import Exact, exact


def _commands(values: Any) -> dict[str, str]:
    """Commands by what they do; nothing in them that a terminal would obey."""
    return {plain(str(name)): plain(str(text)) for name, text in schema(schema(values).get("commands")).items()}


def _left(values: Any) -> dict[str, str | None]:
    return {each.cap: each.left for each in read_all(LeftOfCap, part(values, "left"))}


@dataclass(frozen=True, slots=True)
class LeftOfCap:
    """What would be left of a cap; None where it has no limit."""

    cap: str
    left: str | None


@dataclass(frozen=True, slots=True)
class LateRelease(Listed):
    """A release whose deadline is over.

    Attributes:
        commands: What says why, and what has it tried again.
    """

    commands: Mapping[str, str] = field(metadata={READER: _commands})


@dataclass(frozen=True, slots=True)
class Cap:
    """A cap of the ledger; an exact decimal each, None where there is no limit."""

    scope: str
    name: str
    cap: str | None
    spent: str
    left: str | None


@dataclass(frozen=True, slots=True)
class DatasetCustody:
    """What a custodian looks after of a dataset.

    Attributes:
        caps: Of the population, of this dataset, and of every analyst with a grant.
        accepted: Whether any files of it were accepted; nothing is charged before.
        until: When the server's right to charge it ends, as text of ISO 8601; None where it never had one.
        ended: Whether that is over.
        commands: By what they do, the commands for the machine of the home.
    """

    name: str
    title: str
    population: str
    measure: str
    caps: tuple[Cap, ...]
    ask_first: bool
    reserve: str
    accepted: bool
    retired: bool
    until: str | None
    ended: bool
    commands: Mapping[str, str] = field(metadata={READER: _commands})


@dataclass(frozen=True, slots=True)
class Custody:
    """What waits for a custodian.

    Attributes:
        requests: Requests that wait, the oldest first; a hundred at most.
        late: Releases without an answer whose deadline is over.
        datasets: What there is to look after.
    """

    requests: tuple[Request, ...]
    late: tuple[LateRelease, ...]
    datasets: tuple[DatasetCustody, ...]


@dataclass(frozen=True, slots=True)
class Review(Request):
    """A request for approval, with all that a custodian has to know.

    Attributes:
        analyst: Who asks.
        population: Whose privacy it is.
        neighbours: Whom it protects, in words.
        reveals: What the charge would reveal, in a sentence.
        left: What would be left afterwards, by cap; None where it has no limit.
        refused: Why it could not be charged even if it were approved; empty where it could.
        sections: The expected error, as `Preview` has it.
        digest: SHA-256 of what is to be approved: the command refuses anything else.
        commands: What approves it, and what takes that back.
    """

    analyst: str
    population: str
    neighbours: str
    reveals: str
    left: Mapping[str, str | None] = field(metadata={READER: _left})
    refused: str
    sections: tuple[Mapping[str, Any], ...] = field(metadata={READER: sections})
    digest: str
    commands: Mapping[str, str] = field(metadata={READER: _commands})


@dataclass(frozen=True, slots=True)
class Raise:
    """What a raised cap would reveal, in a sentence, and the command that raises it."""

    reveals: str
    commands: Mapping[str, str] = field(metadata={READER: _commands})


class CustodyClient:
    """The methods of a client that are for custodians."""

    _transport: Transport

    def custody(self) -> Custody:
        """What waits for a custodian."""
        return read(Custody, self._transport.ask("GET", "/v1/custody"))

    def custody_of(self, dataset: str) -> DatasetCustody:
        """What a custodian looks after of a dataset."""
        name = rules.name(dataset, field="dataset")
        return read(DatasetCustody, self._transport.ask("GET", f"/v1/custody/datasets/{name}"))

    def review(self, number: int) -> Review:
        """What a request would reveal and leave, and the command that approves it."""
        return read(Review, self._transport.ask("GET", f"/v1/custody/requests/{int(number)}"))

    def decline(self, number: int, reason: str) -> Request:
        """Decline a request that waits; the analyst reads the reason."""
        path = f"/v1/custody/requests/{int(number)}/decline"
        return read(Request, self._transport.ask("POST", path, {"reason": reason}))

    def raising(self, population: str, scope: str, name: str, cap: Exact) -> Raise:
        """What a raised cap would reveal, and the command that raises it.

        Args:
            population: Whose cap.
            scope: population, dataset or analyst.
            name: Which of them.
            cap: The new one, in the measure of the population.
        """
        text = exact_text(exact(cap, field="cap"))
        query = urlencode({"population": population, "scope": scope, "name": name, "cap": text})
        return read(Raise, self._transport.ask("GET", f"/v1/custody/raise?{query}"))
