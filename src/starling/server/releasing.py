"""The API of datasets and releases: what there is, a release of it, how far that has come, and its bundle."""

import re
from datetime import UTC, datetime
from email.utils import formatdate
from http import HTTPStatus
from math import ceil
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

from fastapi import FastAPI, Request, Response
from fastapi import Path as InPath
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse
from pydantic import BaseModel, ConfigDict, Field

from starling.errors import ParameterError
from starling.ledger.rules import Cap, shown
from starling.privacy.accounting.detection import ALARMS, detection_bound
from starling.privacy.neighbours import Relation
from starling.release.claims import claim
from starling.server.access import User
from starling.server.authentication import Service, errors, whose
from starling.server.charges import Charges, Progress, State
from starling.server.datasets import Dataset, Entry, NotThere, Study
from starling.server.further import check_further
from starling.server.previewing import INVENTED, QUESTION
from starling.server.purposes import KNOWN

REQUEST_ID: Final = "[A-Za-z0-9][A-Za-z0-9._@-]{0,99}"
"""The pattern of the id of a request."""
IMMUTABLE: Final = "private, max-age=31536000, immutable"
"""Cache-Control of released bytes: they never change, and are sent to who brings a token."""


_RANGE: Final = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


class NoSuchRange(ParameterError):
    """Bytes are asked for that are not there."""

    status: ClassVar[int] = 416


class UseReply(BaseModel):
    """A code of the Data Use Ontology."""

    code: str = Field(description="Such as DUO:0000042.")
    name: str | None = Field(description="What it is called; null where Starling does not know it.")


class DatasetReply(BaseModel):
    """Registered data: what a release of it is, what it costs, and when its answer leaves."""

    name: str
    domain: str
    title: str
    population: str | None = Field(
        description="The population of the ledger, whose deliveries have caps in common; null where the ledger does not tell it now."
    )
    purpose: str = Field(
        description="What the data may be used for, in the custodian's words; empty where nothing is said."
    )
    uses: list[UseReply] = Field(description="The same by codes of the Data Use Ontology.")
    neighbours: str
    cost: dict[str, Any] | None = Field(
        description="The exact cost under both adjacencies, as privacy.json states it; null where it is asked questions."
    )
    risk: str = Field(
        description="What a release means for one of those in the data, in one sentence; empty where each question costs something else."
    )
    deadline: int = Field(description="Seconds from the charge to the answer; a miss waits until they have doubled.")
    questions: dict[str, Any] | None = Field(
        description="The JSON Schema of a question, where it is asked questions; null where its plan says all that is released."
    )
    invented: bool = INVENTED


class CapReply(BaseModel):
    """A cap and what is spent of it, exact decimals in the measure of the population."""

    scope: str
    name: str
    cap: str | None = Field(description="None where it has no limit of its own.")
    spent: str
    left: str | None


class BudgetReply(BaseModel):
    """What an analyst may still spend on a dataset."""

    dataset: str
    population: str
    measure: str
    amount: str | None = Field(description="What one release costs, as it is charged; null where a question decides.")
    caps: list[CapReply]
    more: int | None = Field(
        description="How many different ones can still be charged, 0 once a plan that says all was released; null where a question decides."
    )
    available: str = Field(description="What can still be charged: the least that a cap leaves beside the reserve.")
    approved: str = Field(description="What the custodian approved for the analyst that is not charged yet.")
    release: int | None = Field(description="The release of this plan that the analyst has; null where there is none.")
    ask_first: bool = Field(description="Whether each needs the custodian's approval: POST /v1/datasets/NAME/requests.")
    reserve: str = Field(description="What is kept of the dataset's cap for the custodian.")
    retired: bool = Field(description="Whether nothing is charged to it any more; what was released stays.")
    invented: bool = INVENTED


class ReleaseRequest(BaseModel):
    """A release of the registered plan, or of the answer to a question. The same id is never charged twice."""

    model_config = ConfigDict(extra="forbid", strict=True)
    request_id: str = Field(pattern=f"^{REQUEST_ID}$", description="A name that you choose, once.")
    question: dict[str, Any] | None = QUESTION


class ReleaseReply(BaseModel):
    """How far a release has come. It is charged from the beginning, and released at its deadline."""

    id: int = Field(description="The event of its charge in the ledger.")
    dataset: str
    request_id: str
    state: State
    leaves: datetime = Field(description="When it left, or when to ask again.")
    wait: int = Field(description="Seconds until it is worth asking again; 0 once it is released.")
    invented: bool = INVENTED


ReleaseId = Annotated[int, InPath(ge=1, lt=2**62)]


def add_routes(app: FastAPI, service: Service) -> None:
    """Add them to an application."""
    _datasets(app, service)
    _budgets(app, service)
    _releases(app, service)


def _datasets(app: FastAPI, service: Service) -> None:
    catalogue = service.home.catalogue
    everybody = service.user()

    @app.get("/v1/datasets", summary="What can be released", responses=errors(), dependencies=[everybody])
    def datasets() -> list[DatasetReply]:
        return [describe(service, name) for name in catalogue.names()]

    @app.get(
        "/v1/datasets/{name}",
        summary="One of them",
        responses=errors(404),
        dependencies=[everybody],
    )
    def dataset(name: str) -> DatasetReply:
        return describe(service, name)


def describe(service: Service, name: str) -> DatasetReply:
    """A dataset, as everybody with a token may know it; raises NotThere where there is none."""
    home = service.home
    return _described(home.catalogue.find(name), service.charges.population(name), invented=home.invented)


def _budgets(app: FastAPI, service: Service) -> None:
    @app.get(
        "/v1/datasets/{name}/budget",
        summary="What an analyst may still spend on it",
        responses=errors(403, 404),
    )
    def budget(name: str, user: Annotated[User, service.user("analyst")]) -> BudgetReply:
        return read_budget(service, user.name, name)


def read_budget(service: Service, analyst: str, name: str) -> BudgetReply:
    """What an analyst may still spend on a dataset; raises as `Catalogue.find` and `Charges.budget`."""
    budget = service.charges.budget(analyst, service.home.catalogue.find(name))
    return BudgetReply(
        dataset=name,
        population=budget.population.name,
        measure=budget.population.measure,
        amount=None if budget.amount is None else shown(budget.amount),
        caps=[to_cap(each) for each in budget.caps],
        more=budget.more,
        available=shown(budget.available),
        approved=shown(budget.approved),
        release=budget.release,
        ask_first=budget.terms.ask_first,
        reserve=shown(budget.terms.reserve),
        retired=budget.retired,
        invented=service.home.invented,
    )


def _releases(app: FastAPI, service: Service) -> None:
    charges, catalogue = service.charges, service.home.catalogue
    readers = service.user()

    @app.post(
        "/v1/datasets/{name}/releases",
        summary="Charge a release of the registered plan, or the answer to a question, which a worker then makes",
        status_code=HTTPStatus.ACCEPTED,
        responses=errors(403, 404, 409),
    )
    async def release(
        name: str,
        wanted: ReleaseRequest,
        user: Annotated[User, service.user("analyst")],
        request: Request,
        response: Response,
    ) -> ReleaseReply:
        # A request for what is charged already does not wait for charges that are being written.
        progress = None
        if wanted.question is None:
            progress = await charges.charged(user.name, catalogue.release(name), wanted.request_id)
        if progress is None:
            progress = await run_in_threadpool(charge, service, user.name, name, wanted)
        response.headers["Location"] = f"{request.scope['root_path']}/v1/releases/{progress.charge.seq}"
        return to_reply(progress)

    @app.get("/v1/releases/{release}", summary="How far a release has come", responses=errors(403, 404))
    async def progress(release: ReleaseId, user: Annotated[User, readers]) -> ReleaseReply:
        return to_reply(await charges.followed(release, whose(user)))

    @app.get(
        "/v1/releases/{release}/bundle",
        summary="The released folder as one zip, the same bytes for ever",
        response_class=FileResponse,
        responses={
            200: {"content": {"application/zip": {}}, "description": "The zip."},
            206: {"content": {"application/zip": {}}, "description": "The range that was asked for."},
            304: {"description": "What the client has is the zip."},
            **errors(403, 404, 416),
        },
    )
    def bundle(release: ReleaseId, user: Annotated[User, readers], request: Request) -> Response:
        progress, zip_file = released(charges, release, user)
        # A charge has one answer, and its zip one form.
        headers = {
            "ETag": f'"{release}-{progress.charge.request_hash}"',
            "Cache-Control": IMMUTABLE,
            # When it left, and not when the file was written: that would tell how long the run took.
            "Last-Modified": formatdate(progress.leaves, usegmt=True),
        }
        known = [tag.strip() for tag in request.headers.get("if-none-match", "").split(",")]
        if headers["ETag"] in known or "*" in known:
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        _keep_one_range(request, zip_file.stat().st_size)
        named = f"{'invented-' if progress.invented else ''}{progress.charge.dataset}-{release}.zip"
        return FileResponse(zip_file, headers=headers, media_type="application/zip", filename=named)


def released(charges: Charges, release: int, user: User) -> tuple[Progress, Path]:
    """A release that has left and that a user may see, with its zip; raises NotThere."""
    progress = charges.progress(release, whose(user))
    if progress.bundle is None:
        raise NotThere("release", "has not left yet", f"ask how far it is: GET /v1/releases/{release}")
    return progress, progress.bundle


def charge(service: Service, analyst: str, name: str, wanted: ReleaseRequest) -> Progress:
    """Charge a release or the answer to a question; raises as `Understanding.ask`, `check_further` and `Charges.charge`."""
    dataset = service.understanding.ask(service.home.catalogue, name, wanted.question, user=analyst)
    check_further(service, analyst, dataset, wanted.question)
    seq = service.charges.charge(analyst, dataset, wanted.request_id, wanted.question)
    return service.charges.progress(seq, analyst)


def _keep_one_range(request: Request, size: int) -> None:
    """Leave one range in a request at most, as RFC 9110 allows: a request for many, or for what is no range, gets the whole; raises
    NoSuchRange where it begins behind the end.
    """
    match = _RANGE.fullmatch(request.headers.get("range", ""))
    if match is None or (not match[1] and not match[2]) or (match[1] and match[2] and int(match[1]) > int(match[2])):
        request.scope["headers"] = [each for each in request.scope["headers"] if each[0].lower() != b"range"]
    elif (match[1] and int(match[1]) >= size) or (not match[1] and not int(match[2])):
        raise NoSuchRange("Range", f"is not within {size} bytes", "ask for bytes that there are")


def _described(dataset: Entry, population: str | None, *, invented: bool) -> DatasetReply:
    return DatasetReply(
        name=dataset.name,
        domain=dataset.domain,
        title=dataset.title,
        population=population,
        purpose=dataset.purpose.text,
        uses=[UseReply(code=code, name=KNOWN.get(code)) for code in dataset.purpose.codes],
        neighbours=str(dataset.relation),
        cost=claim(dataset.guarantee).adjacencies() if isinstance(dataset, Dataset) else None,
        risk=_risk(dataset) if isinstance(dataset, Dataset) else "",
        deadline=dataset.deadline,
        questions=dict(dataset.schema) if isinstance(dataset, Study) else None,
        invented=invented,
    )


def _risk(dataset: Dataset) -> str:
    # By the cost alone where it was registered before its noise was looked at: no less, and at once.
    chance = dataset.detected
    if chance is None:
        chance = detection_bound(dataset.guarantee.cost, ALARMS / 100)
    return risk_sentence("a release", dataset.relation, chance)


def risk_sentence(what: str, relation: Relation, chance: float) -> str:
    """What the best attacker finds by `what`, of those whom a relation protects."""
    most = min(100, ceil(100 * chance - 1e-9))
    unit = relation.unit
    return (
        f"From {what}, an attacker who accepts {ALARMS} false alarms in 100 finds at most {most} of 100 {unit}s in the data."
        f" By guessing alone, without any release, he finds {ALARMS} of 100."
    )


def to_cap(cap: Cap) -> CapReply:
    """A cap, as clients are told."""
    limits = {name: None if units is None else shown(units) for name, units in (("cap", cap.cap), ("left", cap.left))}
    return CapReply(scope=cap.scope, name=cap.name, spent=shown(cap.spent), **limits)


def to_reply(progress: Progress) -> ReleaseReply:
    """How far a release has come, as clients are told."""
    return ReleaseReply(
        id=progress.charge.seq,
        dataset=progress.charge.dataset,
        request_id=progress.charge.request_id,
        state=progress.state,
        leaves=datetime.fromtimestamp(progress.leaves, UTC),
        wait=progress.wait,
        invented=progress.invented,
    )
