"""Screen 10: the chain as a list with filters, its head, and a check of all of it; who asked what, and the bundles that were made."""

import re
from shlex import quote
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from fastapi import Depends, FastAPI, Request
from fastapi.responses import Response
from pydantic import ValidationError

from starling.errors import ParameterError, Problem
from starling.pages.repeating import server_lines
from starling.server.access import User
from starling.server.auditing import EventPage, EventReply, list_events, verify_ledger
from starling.server.authentication import Service
from starling.server.pages.frame import base_url, only_pages, show

MOST: Final = 50
"""Events of a page."""
KINDS: Final = (
    *("charge", "drawn", "redrawn", "takeover", "answer", "void"),
    *("create", "population", "dataset", "grant", "raise", "delegate", "terms", "approved", "accepted", "retire"),
)
_FILTERS: Final[tuple[str, ...]] = ("kind", "dataset", "analyst", "since", "until")
_DAY: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_REPEATED: Final = {"dataset", "analyst", "signature", "request_hash", "events"}
"""Of a body what stands in columns of its own, or says little to people."""


def add_routes(app: FastAPI, service: Service) -> None:
    """Add it to an application."""
    auditors = service.user("custodian", "auditor")
    pages = [Depends(only_pages)]

    @app.get("/ledger", include_in_schema=False, dependencies=pages)
    def ledger(request: Request, user: Annotated[User, auditors]) -> Response:
        query = {name: value for name, value in request.query_params.items() if value}
        problems: tuple[Problem, ...] = ()
        # A day is meant until its end.
        until = {"until": f"{query['until']}T23:59:59"} if _DAY.fullmatch(query.get("until", "")) else {}
        try:
            page = EventPage.model_validate({**query, **until, "most": MOST})
        except ValidationError as error:
            names = sorted({str(each["loc"][0]) for each in error.errors()})
            fault = ParameterError(
                ", ".join(names), "cannot be read", "write a day such as 2026-03-01, or leave it out"
            )
            problems, page = fault.problems, EventPage.model_validate({"most": MOST})
        listed = list_events(service, page)
        chosen = {name: query[name] for name in _FILTERS if name in query}
        base, wanted = base_url(request), urlencode({**chosen, **until})
        return show(
            request,
            "ledger.html",
            user,
            status=422 if problems else 200,
            problems=problems,
            listed=listed,
            details={each.number: _details(each) for each in listed.events},
            kinds=KINDS,
            chosen={name: query.get(name, "") for name in _FILTERS},
            following=None if listed.next is None else urlencode({**chosen, "before": listed.next}),
            newest="before" not in query,
            lines=server_lines(
                base,
                f"/v1/ledger/events{quote(f'?{wanted}') if wanted else ''}",
                'import starling\nstarling.verify("RELEASE", ledger="ledger.jsonl")',
                "starling verify RELEASE --ledger ledger.jsonl",
            ),
        )

    @app.get("/ledger/check", include_in_schema=False, dependencies=pages)
    def check(request: Request, user: Annotated[User, auditors]) -> Response:
        value = verify_ledger(app.state.ledger_checks, invented=service.home.invented)
        base = base_url(request)
        lines = server_lines(
            base,
            "/v1/ledger > ledger.jsonl",
            'import starling\nstarling.verify("RELEASE", ledger="ledger.jsonl")',
            "starling ledger verify LEDGER --head EVENT:HASH",
        )
        return show(request, "ledger_check.html", user, value=value, lines=lines)


def _details(event: EventReply) -> str:
    """What else an event says, in a line."""
    return ", ".join(f"{name} {_short(value)}" for name, value in event.body.items() if name not in _REPEATED)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else ascii(value) if isinstance(value, dict | list) else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
