"""The API of custodians: what waits for them, what each decision would mean, and the command that makes it with their key.

The server holds no key of a custodian's. Whatever has to be signed is a command for the machine of the home, which shows what it signs;
a request that waits is declined without a key, since nothing was signed for it.
"""

import shlex
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import FastAPI, Query
from pydantic import BaseModel, ConfigDict, Field

from starling.errors import LedgerUnavailable, ParameterError, StarlingError
from starling.ledger.opening import Ledger
from starling.ledger.rules import Scope, shown
from starling.server.access import User
from starling.server.approval_requests import LONGEST, Decided, Waiting
from starling.server.approving import ApprovalReply, Number, to_reply
from starling.server.authentication import Service, errors
from starling.server.home import Home
from starling.server.listing import ListedRelease, to_listed
from starling.server.previewing import PreviewSection
from starling.server.releasing import CapReply, describe, to_cap

MOST = 100
"""Requests that are listed at once."""
DAYS = 90
"""For how long the command of a page lets the server charge."""


class LateRelease(ListedRelease):
    """A release whose deadline is over."""

    commands: dict[str, str] = Field(description="What says why, and what has it tried again once that is mended.")


class DatasetCustody(BaseModel):
    """What a custodian looks after of a dataset."""

    name: str
    title: str
    population: str
    measure: str
    caps: list[CapReply] = Field(description="Of the population, of this dataset, and of every analyst with a grant.")
    ask_first: bool
    reserve: str
    accepted: bool = Field(description="Whether any files of it were accepted; nothing is charged before.")
    retired: bool
    until: datetime | None = Field(
        description="When the server's right to charge it ends; null where it never had one."
    )
    ended: bool = Field(description="Whether that is over.")
    commands: dict[str, str] = Field(description="By what they do, the commands for the machine of the home.")


class CustodyReply(BaseModel):
    """What waits for a custodian."""

    requests: list[ApprovalReply] = Field(description="Requests that wait, the oldest first; a hundred at most.")
    late: list[LateRelease] = Field(description="Releases without an answer whose deadline is over.")
    datasets: list[DatasetCustody]


class LeftReply(BaseModel):
    """What is left of a cap afterwards."""

    cap: str
    left: str | None = Field(description="None where there is no limit.")


class ReviewReply(ApprovalReply):
    """A request for approval, with all that a custodian has to know."""

    population: str
    neighbours: str = Field(description="Whom it protects.")
    purpose: str = Field(description="What the data may be used for, in the custodian's words.")
    reveals: str = Field(description="What the charge would reveal, in a sentence.")
    left: list[LeftReply]
    refused: str = Field(description="Why it could not be charged even if it were approved; empty where it could.")
    sections: list[PreviewSection] = Field(description="The expected error.")
    digest: str = Field(description="SHA-256 of what is to be approved: the command refuses anything else.")
    commands: dict[str, str]


class DeclineRequest(BaseModel):
    """A request is declined."""

    model_config = ConfigDict(extra="forbid", strict=True)
    reason: str = Field(min_length=1, max_length=LONGEST, pattern=r"\S", description="Why; the analyst reads it.")


class RaiseRequest(BaseModel):
    """A cap that might be raised."""

    model_config = ConfigDict(extra="forbid")
    population: str
    scope: Scope
    name: str
    cap: str = Field(max_length=40, description="The new cap, a decimal in the measure of the population.")


class RaiseReply(BaseModel):
    """What a raised cap would reveal."""

    reveals: str
    commands: dict[str, str]


def add_routes(app: FastAPI, service: Service) -> None:
    """Add them to an application."""
    custodian = service.user("custodian")

    @app.get("/v1/custody", summary="What waits for a custodian", responses=errors(), dependencies=[custodian])
    def custody() -> CustodyReply:
        return read_custody(service)

    @app.get(
        "/v1/custody/datasets/{name}",
        summary="What a custodian looks after of a dataset",
        responses=errors(404),
        dependencies=[custodian],
    )
    def dataset(name: str) -> DatasetCustody:
        return read_dataset(service, name)

    @app.get(
        "/v1/custody/requests/{number}",
        summary="A request for approval: what it would reveal and leave, and the command that approves it",
        responses=errors(404),
    )
    def request(number: Number, user: Annotated[User, custodian]) -> ReviewReply:
        return review(service, user, number)

    @app.post(
        "/v1/custody/requests/{number}/decline",
        summary="Decline a request that waits",
        responses=errors(404, 409),
        dependencies=[custodian],
    )
    def declined(number: Number, wanted: DeclineRequest) -> ApprovalReply:
        return decline(service, number, wanted.reason)

    @app.get(
        "/v1/custody/raise",
        summary="What a raised cap would reveal, and the command that raises it",
        responses=errors(404),
        dependencies=[custodian],
    )
    def raised(wanted: Annotated[RaiseRequest, Query()]) -> RaiseReply:
        return preview_raise(service, wanted)


def read_custody(service: Service) -> CustodyReply:
    """What waits; raises LedgerUnavailable where the ledger cannot be read."""
    home = service.home
    with _reading(home) as ledger:
        datasets = _datasets(service, ledger, _registered(home, ledger))
    waiting = home.requests.listed(most=MOST, waiting=True)
    late = [
        LateRelease(
            **to_listed(home, each).model_dump(),
            commands={
                "why": line("starling", "server", "jobs", home.folder),
                "again": line("starling", "server", "jobs", home.folder, "--again", each.charge.seq),
            },
        )
        for each in service.charges.late()
    ]
    return CustodyReply(requests=[to_reply(home, each) for each in waiting], late=late, datasets=datasets)


def read_dataset(service: Service, name: str) -> DatasetCustody:
    """What a custodian looks after of a dataset; raises NotThere, ParameterError where the ledger does not know it."""
    service.home.catalogue.find(name)
    with _reading(service.home) as ledger:
        return _datasets(service, ledger, [name])[0]


def review(service: Service, user: User, number: int) -> ReviewReply:
    """A request, with all that a custodian has to know; raises NotThere."""
    home = service.home
    waiting = home.requests.find(number)
    name, question = waiting.request.dataset, home.questions.question_of(waiting.approved)
    described = describe(service, name)
    reveals, refused, left, sections = "", "", [], []
    try:
        expected = service.charges.consequences(waiting)
        reveals, left = expected.reveals, [LeftReply(cap=cap, left=amount) for cap, amount in expected.left]
        seen = service.understanding.preview(home.catalogue, name, question, user=user.name)
        sections = [PreviewSection.model_validate(each) for each in seen.sections]
    except StarlingError as error:
        # It can be declined all the same.
        refused = str(error)
    return ReviewReply(
        **to_reply(home, waiting).model_dump(),
        population=described.population or "",
        neighbours=described.neighbours,
        purpose=described.purpose,
        reveals=reveals,
        left=left,
        refused=refused,
        sections=sections,
        digest=waiting.digest,
        commands={
            "approve": line("starling", "server", "approve", home.folder, number, "--digest", waiting.digest),
            "take back": line("starling", "server", "decline", home.folder, number, "--reason", "WHY"),
        },
    )


def decline(service: Service, number: int, reason: str) -> ApprovalReply:
    """Decline a request that waits; the same again is the one that was declined.

    Raises:
        NotThere: there is no such request.
        Decided: it was decided otherwise; what was approved is taken back with the custodian's key.
    """
    home, words = service.home, reason.strip()
    waiting = home.requests.find(number)
    if (waiting.state, waiting.words) != ("declined", words):
        home.requests.decide(waiting, "declined", words, lambda: _check_unsigned(service, waiting))
    return to_reply(home, home.requests.find(number))


def _check_unsigned(service: Service, waiting: Waiting) -> None:
    """Raises Decided where the ledger has an approval, which this server cannot take back."""
    if waiting.state == "approved" or service.charges.is_approved(waiting.approved):
        fix = "take it back with your key: starling server decline HOME NUMBER --reason WHY"
        raise Decided("request", "is approved", fix)


def preview_raise(service: Service, wanted: RaiseRequest) -> RaiseReply:
    """What a raised cap would reveal; raises ParameterError or PolicyRefused where there is nothing to raise."""
    home = service.home
    words = (wanted.population, wanted.scope, wanted.name)
    with _reading(home) as ledger:
        reveals = ledger.custody.raising(*words, wanted.cap)
        second = ledger.book.second is not None
    command = line("starling", "ledger", "raise", ledger_of(home), *words, "--cap", wanted.cap)
    commands = {"raise": command}
    if second:
        approval = line("starling", "ledger", "approve", ledger_of(home), *words, "--cap", wanted.cap, "--key", "NAME")
        commands = {"second custodian": approval, "raise": f"{command} --approval SIGNATURE"}
    return RaiseReply(reveals=reveals, commands=commands)


def _datasets(service: Service, ledger: Ledger, names: list[str]) -> list[DatasetCustody]:
    home, key, reading, all_terms = service.home, service.home.key.public, ledger.reading, ledger.book.terms()
    ends = {right.dataset: right.until for right in ledger.book.rights().entries() if right.key == key.text}
    where, datasets = ledger_of(home), []
    for name in names:
        account, terms = reading.account(reading.population_of(name), latest=1), all_terms.of(name)
        until = ends.get(name)
        commands = {
            "findings": line("starling", "server", "findings", home.folder, name),
            "accept": line("starling", "server", "accept", home.folder, name),
            "delegate": line("starling", "ledger", "delegate", where, name, "--to", key.text, "--days", DAYS),
            "retire": line("starling", "ledger", "retire", where, "dataset", name),
        }
        datasets.append(
            DatasetCustody(
                name=name,
                title=home.catalogue.find(name).title,
                population=account.population.name,
                measure=account.population.measure,
                caps=[to_cap(cap) for cap in account.caps if cap.scope != "dataset" or cap.name == name],
                ask_first=terms.ask_first,
                reserve=shown(terms.reserve),
                accepted=reading.has_accepted(name),
                retired=reading.is_retired(name),
                until=None if until is None else datetime.fromtimestamp(until, UTC),
                ended=until is not None and until <= service.charges.now(),
                commands=commands,
            )
        )
    return datasets


def _registered(home: Home, ledger: Ledger) -> list[str]:
    """The datasets that both home and ledger know."""
    known = []
    for name in home.catalogue.names():
        with suppress(ParameterError):
            ledger.reading.population_of(name)
            known.append(name)
    return known


@contextmanager
def _reading(home: Home) -> Iterator[Ledger]:
    """The ledger, read without a key; raises LedgerUnavailable where it cannot be, and says nothing of why."""
    try:
        ledger = home.read_ledger()
    except StarlingError:
        raise LedgerUnavailable("ledger", "cannot be read now", "look at it on the machine of the home") from None
    with closing(ledger):
        yield ledger


def ledger_of(home: Home) -> str:
    """The ledger of a home, as commands name it: its file, or its URL without a password."""
    scheme, _, rest = home.settings.ledger.partition("://")
    if scheme == "sqlite":
        return rest.removeprefix("/")
    authority, slash, path = rest.partition("/")
    account, at, host = authority.rpartition("@")
    place, _, query = f"{host}{slash}{path}".partition("?")
    parameters = [each for each in query.split("&") if "password" not in unquote(each.partition("=")[0]).lower()]
    return "?".join(filter(None, (f"{scheme}://{account.partition(':')[0]}{at}{place}", "&".join(parameters))))


def line(*words: Any) -> str:
    """A line for a shell, in which no word can be another command."""
    return shlex.join(map(str, words))
