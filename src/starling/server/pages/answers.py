"""Screens 3 and 4: one answer, which is waited for at the address at which it is shown, and the list of all."""

import json
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, FastAPI, Query, Request
from fastapi.responses import Response

from starling.errors import StarlingError
from starling.pages.parts import Headline, Line, Table
from starling.pages.repeating import server_lines
from starling.server.access import User
from starling.server.approving import to_reply as to_request
from starling.server.authentication import Service, whose
from starling.server.listing import NEWEST, ReleasePage, cost_of, list_releases
from starling.server.pages.ask import in_words
from starling.server.pages.frame import base_url, only_pages, show
from starling.server.releasing import ReleaseId, describe, to_reply

MOST = 50
"""Releases of a page of the list, and requests for approval below it."""


def add_routes(app: FastAPI, service: Service) -> None:
    """Add them to an application."""
    readers = service.user()
    pages = [Depends(only_pages)]

    @app.get("/questions/{release}", include_in_schema=False, dependencies=pages)
    def answer(release: ReleaseId, request: Request, user: Annotated[User, readers]) -> Response:
        progress = service.charges.progress(release, whose(user))
        reply = to_reply(progress)
        dataset = describe(service, reply.dataset)
        values: dict[str, Any] = {"release": reply, "dataset": dataset}
        question = service.home.questions.charged(progress.charge.request_hash)
        values["question"] = "" if question is None else json.dumps(question)
        values["asked"] = () if question is None else _in_words(dataset.questions, question)
        values["lines"] = _lines(request, release)
        if progress.bundle is None:
            late = reply.leaves.timestamp() > progress.charge.at + dataset.deadline
            return show(request, "waiting.html", user, late=late, **values)
        shown = service.understanding.show(progress.bundle, user=user.name)
        return show(request, "answer.html", user, cost=cost_of(progress.charge), **values, **_parts(shown))

    @app.get("/answers", include_in_schema=False, dependencies=pages)
    def answers(
        request: Request,
        user: Annotated[User, readers],
        before: Annotated[int, Query(ge=1, le=NEWEST)] = NEWEST,
        requests_before: Annotated[int, Query(ge=1, le=NEWEST)] = NEWEST,
    ) -> Response:
        page = list_releases(service, user, ReleasePage(before=before, most=MOST))
        requests, older = service.home.requests.latest(whose(user), requests_before, MOST)
        queries = {each.id: _query(each.question) for each in page.releases}
        subjects = {name: _subjects(service, name) for name in {each.dataset for each in page.releases}}
        return show(
            request,
            "answers.html",
            user,
            first=before == NEWEST,
            before=before,
            requests_before=requests_before,
            newest=NEWEST,
            older=older,
            releases=page.releases,
            queries=queries,
            subjects=subjects,
            following=page.next,
            requests=[to_request(service.home, each) for each in requests],
            base=base_url(request),
        )


def _subjects(service: Service, name: str) -> dict[str, str]:
    """What each kind of question to a dataset asks; nothing where the dataset is there no longer."""
    try:
        questions = describe(service, name).questions
    except StarlingError:
        return {}
    return {} if questions is None else {each["title"]: each["description"] for each in questions["oneOf"]}


def _in_words(questions: dict[str, Any] | None, question: dict[str, Any]) -> list[tuple[str, str]]:
    """A question by the form of its kind; none where the data are asked no such questions any more."""
    forms = [] if questions is None else questions["oneOf"]
    return next((in_words(each, question) for each in forms if each["title"] == question["kind"]), [])


def _query(question: dict[str, Any] | None) -> str:
    """The query that fills in the form of a question as it was asked."""
    if question is None:
        return ""
    values = {name: value if isinstance(value, str) else json.dumps(value) for name, value in question.items()}
    return f"?{urlencode(values)}"


def _parts(shown: dict[str, Any]) -> dict[str, Any]:
    """What a process told of a release, as the parts of a page."""
    headline = shown["headline"]
    return {
        "headline": None if headline is None else Headline(**headline),
        "facts": [(name or "and", value) for name, value in shown["facts"]],
        "tables": [
            Table(tuple(each["header"]), tuple(map(tuple, each["rows"])), each["caption"], each["words"])
            for each in shown["tables"]
        ],
        "pictures": shown["pictures"],
        "links": shown["links"],
    }


def _lines(request: Request, release: int) -> tuple[Line, ...]:
    base = base_url(request)
    python = f'release = starling.open_release(client.fetch({release}, "{release}.zip"))'
    shell = f"starling remote fetch {release} --out {release}.zip"
    return server_lines(base, f"/v1/releases/{release}/bundle --output {release}.zip", python, shell)
