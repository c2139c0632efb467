"""Screen 9: what waits for a custodian, each thing with what it means and the command that does it with the custodian's key."""

import json
from typing import Annotated

from fastapi import Depends, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from pydantic import ValidationError

from starling.errors import ParameterError, StarlingError
from starling.pages.parts import Line
from starling.pages.repeating import server_lines
from starling.server.access import User
from starling.server.approving import Number
from starling.server.authentication import Service
from starling.server.custody import (
    MOST,
    DatasetCustody,
    DeclineRequest,
    RaiseReply,
    RaiseRequest,
    decline,
    ledger_of,
    preview_raise,
    read_custody,
    read_dataset,
    review,
)
from starling.server.pages.ask import to_section
from starling.server.pages.frame import base_url, form_of, go, only_pages, show

_CURL = 'curl -H "Authorization: Bearer $STARLING_TOKEN"'


def add_routes(app: FastAPI, service: Service) -> None:
    """Add its pages to an application; of invented records nobody is a custodian."""
    if service.home.invented:
        return
    custodians, pages = service.user("custodian"), [Depends(only_pages)]

    @app.get("/custody", include_in_schema=False, dependencies=pages)
    def custody(request: Request, user: Annotated[User, custodians]) -> Response:
        lines = _reading(request, "/v1/custody", f"starling server requests {service.home.folder}", "client.custody()")
        return show(request, "custody.html", user, custody=read_custody(service), most=MOST, lines=lines)

    @app.get("/custody/requests/{number}", include_in_schema=False, dependencies=pages)
    def waiting(number: Number, request: Request, user: Annotated[User, custodians]) -> Response:
        return _request(service, request, user, number, words=request.query_params.get("reason", ""))

    @app.post("/custody/requests/{number}", include_in_schema=False)
    async def declined(number: Number, request: Request, user: Annotated[User, custodians]) -> Response:
        form = await form_of(request)
        return await run_in_threadpool(_decline, service, request, user, number, form)

    @app.get("/custody/datasets/{name}", include_in_schema=False, dependencies=pages)
    def look_after(name: str, request: Request, user: Annotated[User, custodians]) -> Response:
        return _dataset(service, request, user, name)

    @app.get("/custody/datasets/{name}/retire", include_in_schema=False, dependencies=pages)
    def retire(name: str, request: Request, user: Annotated[User, custodians]) -> Response:
        dataset = read_dataset(service, name)
        typed = request.query_params.get("name")
        python = _signed(service, f'ledger.custody.retire("dataset", "{name}")')
        lines = _reading(request, f"/v1/custody/datasets/{name}", dataset.commands["retire"], python=python)
        return show(request, "custody_retire.html", user, dataset=dataset, typed=typed, lines=lines)


def _request(
    service: Service, request: Request, user: User, number: int, error: StarlingError | None = None, words: str = ""
) -> Response:
    waiting = review(service, user, number)
    return show(
        request,
        "custody_request.html",
        user,
        status=200 if error is None else error.status,
        waiting=waiting,
        question="" if waiting.question is None else json.dumps(waiting.question),
        sections=[to_section(each) for each in waiting.sections],
        problems=() if error is None else error.problems,
        words=words,
        lines=(
            *_reading(
                request, f"/v1/custody/requests/{number}", waiting.commands["approve"], f"client.review({number})"
            ),
            _declining(request, number),
        ),
    )


def _decline(service: Service, request: Request, user: User, number: int, form: dict[str, str]) -> Response:
    """Decline once, whatever is sent again; what is refused is said on the page of the request."""
    try:
        decline(service, number, DeclineRequest(reason=form.get("reason", "")).reason)
        return go(request, f"/custody/requests/{number}")
    except ValidationError:
        error: StarlingError = ParameterError("reason", "is missing or too long", "say why: the analyst reads it")
    except StarlingError as refused:
        error = refused
    if error.status == 404:
        raise error
    return _request(service, request, user, number, error, form.get("reason", ""))


def _dataset(service: Service, request: Request, user: User, name: str) -> Response:
    dataset, wanted = read_dataset(service, name), request.query_params
    raised: RaiseReply | None = None
    error: StarlingError | None = None
    if cap := wanted.get("cap", "").strip():
        try:
            raised = preview_raise(service, _wanted(dataset, wanted.get("of", ""), cap))
        except ValidationError:
            error = ParameterError("cap", "is not of this form", "write an amount such as 4.5")
        except StarlingError as refused:
            error = refused
    python = _signed(
        service, f'ledger.custody.delegate("{name}", Public.parse("{service.home.key.public.text}"), days=90)'
    )
    python = f"from starling.ledger.keys import Public\n{python}"
    return show(
        request,
        "custody_dataset.html",
        user,
        status=200 if error is None else error.status,
        dataset=dataset,
        raised=raised,
        of=wanted.get("of", ""),
        cap=cap,
        problems=() if error is None else error.problems,
        lines=_reading(request, f"/v1/custody/datasets/{name}", dataset.commands["delegate"], python=python),
    )


def _wanted(dataset: DatasetCustody, of: str, cap: str) -> RaiseRequest:
    """The cap that the form names, as SCOPE NAME."""
    scope, _, name = of.partition(" ")
    return RaiseRequest.model_validate({"population": dataset.population, "scope": scope, "name": name, "cap": cap})


def _signed(service: Service, action: str) -> str:
    """Python that does something with the custodian's key, on the machine of the home."""
    where = json.dumps(ledger_of(service.home))
    return f"from starling.ledger.opening import open_ledger\nledger = open_ledger({where})\n{action}"


def _reading(request: Request, path: str, shell: str, reads: str = "", python: str = "") -> tuple[Line, ...]:
    """The lines of a page: what `reads` the same by a client, or does it in Python; the command on the machine of the home; and curl."""
    client, _, curl = server_lines(base_url(request), path, reads, shell)
    return Line("Python", python) if python else client, Line("Shell", shell), curl


def _declining(request: Request, number: int) -> Line:
    url = f"{base_url(request)}/v1/custody/requests/{number}/decline"
    body = "-H 'Content-Type: application/json' -d '{\"reason\": \"WHY\"}'"
    return Line("Declined by curl", f"{_CURL} {body} {url}")
