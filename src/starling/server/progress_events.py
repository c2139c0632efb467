"""How far a release has come, told as it changes: server-sent events over what the ledger says and nothing else.

An event is sent when the release is charged, when its deadline has doubled, and when it has left. All of them are told at times that the
plan and the charge decide: how long a run takes, which may depend on records, is told by none. Between them a comment keeps the
connection, at fixed times.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from http import HTTPStatus
from typing import Annotated, ClassVar, Final

from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

from starling.errors import StarlingError
from starling.server.access import User
from starling.server.authentication import Service, brought, errors, whose
from starling.server.charges import Progress
from starling.server.releasing import ReleaseId, to_reply

MOST_STREAMS: Final = 8
"""Of one user at once, of one web process."""
BREATH: Final = 15.0
"""Seconds between two comments."""


class TooManyStreams(StarlingError):
    """A user follows as many releases as may be followed at once."""

    exit_code: ClassVar[int] = 75
    status: ClassVar[int] = HTTPStatus.TOO_MANY_REQUESTS


def add_routes(app: FastAPI, service: Service) -> None:
    """Add the one that tells it to an application."""
    home, charges = service.home, service.charges
    readers = service.user()
    streams: Counter[str] = Counter()

    @app.get(
        "/v1/releases/{release}/events",
        summary="How far a release comes, as server-sent events, until it is released",
        response_class=StreamingResponse,
        responses={
            200: {
                "content": {"text/event-stream": {}},
                "description": "Events `charged` and `released`, whose data are what GET /v1/releases/{release} answers.",
            },
            **errors(403, 404),
        },
    )
    async def events(release: ReleaseId, user: Annotated[User, readers], request: Request) -> StreamingResponse:
        progress = await charges.followed(release, whose(user))
        if streams[user.name] >= MOST_STREAMS:
            fix = "end one, or ask from time to time: GET /v1/releases/NUMBER"
            raise TooManyStreams("releases", f"are followed by {MOST_STREAMS} streams already", fix)
        token, session = brought(request.headers, home.settings)

        async def latest() -> Progress:
            await asyncio.to_thread(home.access.admit, token, session=session)
            return await charges.followed(release, whose(user))

        async def lines() -> AsyncIterator[str]:
            streams[user.name] += 1
            try:
                async for line in events_of(progress, latest):
                    yield line
            except StarlingError:
                # A token or session that ended meanwhile, or a ledger that cannot be read now: the next request is refused with the reason.
                return
            finally:
                streams[user.name] -= 1

        return StreamingResponse(lines(), media_type="text/event-stream")


async def events_of(progress: Progress, latest: Callable[[], Awaitable[Progress]]) -> AsyncIterator[str]:
    """The events of a release, from how far it has come until it has left; `latest` tells how far it has come then, and what it raises is
    raised.
    """
    while True:
        yield f"event: {progress.state}\ndata: {json.dumps(to_reply(progress).model_dump(mode='json'))}\n\n"
        if progress.state == "released":
            return
        waited = 0.0
        while waited < progress.wait:
            await asyncio.sleep(min(BREATH, progress.wait - waited))
            waited += BREATH
            if waited < progress.wait:
                yield ": still charged\n\n"
                # A user who may not ask any more gets no more events.
                await latest()
        progress = await latest()
