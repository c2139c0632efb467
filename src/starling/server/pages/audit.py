"""Screen 10: the chain as a list with filters, its head, and a check of all of it; who asked what, and the bundles that were made."""

import re
from datetime import UTC, datetime
from shlex import quote
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from fastapi import Depends, FastAPI, Request
from fastapi.responses import Response
from pydantic import ValidationError

from starling.errors import ParameterError, Problem
from starling.pages.repeating import server_lines
from starling.privacy.neighbours import Relation
from starling.server.access import User
from starling.server.auditing import EventPage, EventReply, list_events, verify_ledger
from starling.server.authentication import Service
from starling.server.pages.frame import base_url, only_pages, show

MOST: Final = 50
"""Events of a page."""
KINDS: Final = {
    "charge": ("charge", "A cost was put on the budget, before any record was read."),
    "takeover": ("run taken over", "A worker took up a charge that had no answer yet. That costs nothing."),
    "drawn": ("noise drawn", "The noise of a charge was drawn and fixed, before anybody could see the answer."),
    "redrawn": ("paid again", "Noise that was lost was paid for once more, and is drawn anew."),
    "answer": ("answer", "The answer of a charge was kept. The same request gets it again, and pays nothing."),
    "void": ("given up", "A charge will never be answered. What it cost stays spent."),
    "create": ("beginning", "The ledger was made."),
    "population": ("population", "A population was registered, with its measure and what it may lose in all."),
    "dataset": ("dataset", "A delivery of data about a population was registered."),
    "grant": ("grant", "An analyst may spend up to a cap from now on."),
    "raise": ("cap raised", "A custodian raised a cap."),
    "delegate": ("right to charge", "A server's key may charge a dataset, for a time."),
    "terms": ("terms", "Whether each charge of a dataset needs an approval, and what is kept for the custodian."),
    "approved": ("approval", "A custodian approved one request."),
    "accepted": ("files accepted", "A custodian looked at the files of a dataset, and accepted them."),
    "retire": ("retired", "Nothing is charged to it any more."),
}
"""Of each kind of event what pages call it, and what it means."""
LABELS: Final = {"kind": "Kind", "dataset": "Dataset", "analyst": "Analyst", "since": "From", "until": "Until"}
"""Of each filter the label on the page."""
_DAYS: Final = {"since", "until"}
_DAY: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_WORDS: Final = {
    "charge": "of charge {}",
    "what": "for {}",
    "request_id": "request {}",
    "amount": "cost {}",
    "cap": "cap {}",
    "from": "from {}",
    "to": "to {}",
    "reserve": "kept for the custodian: {}",
    "most": "at most {}",
    "ask_first": "asks first: {}",
    "population": "population {}",
    "scope": "cap of {}",
    "name": "{}",
}
"""What an event says beside its columns, in this order; hashes, keys and signatures are in the chain alone."""


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
            fix = "write a day such as 2026-03-01, or leave it out" if _DAYS & {*names} else "leave it out"
            fault = ParameterError(", ".join(LABELS.get(name, name) for name in names), "cannot be read", fix)
            problems, page = fault.problems, EventPage.model_validate({"most": MOST})
        listed = list_events(service, page)
        chosen = {name: query[name] for name in LABELS if name in query}
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
            labels=LABELS,
            chosen={name: query.get(name, "") for name in LABELS},
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
    body = event.body
    values = {name: ("no", "yes")[value] if isinstance(value, bool) else value for name, value in body.items()}
    parts = [
        words.format(_short(event.amounts.get(name, values[name]))) for name, words in _WORDS.items() if name in values
    ]
    if "unit" in body:
        parts.append(f"protected: {Relation(body['change'], body['unit'])}")
    if "until" in body:
        parts.append(f"until {datetime.fromtimestamp(body['until'], UTC):%Y-%m-%d %H:%M} UTC")
    if "balances" in body:
        parts.append("spent so far: " + ", ".join(f"{scope} {event.amounts[scope]}" for scope in body["balances"]))
    return "; ".join(parts)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
