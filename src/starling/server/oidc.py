"""Signing in by an OpenID Connect provider, where server.toml names one.

A browser that begins gets a cookie, and state, nonce and PKCE verifier are made of it by a key that this process has: a reply of the
provider counts once, for ten minutes, in the browser that began, and nothing has to be kept of sign-ins that are never finished. So a
browser cannot be made to sign in as another user.
"""

import hmac
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final

from anyio.to_thread import run_sync
from fastapi import FastAPI, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from starling.distribution import install
from starling.errors import ParameterError, PolicyRefused
from starling.privacy.sampling.entropy import fresh_bytes
from starling.server.access import SignInRefused
from starling.server.authentication import errors
from starling.server.browsers import cookie, cookie_name, forget, keep
from starling.server.home import Home
from starling.server.rates import AtOnce, Rates, TooOften
from starling.server.secret_files import secret_of
from starling.server.settings import CALLBACK, Oidc

if TYPE_CHECKING:
    from starling.server.provider import Provider

LOGIN: Final = "/v1/oidc/login"
SECONDS: Final = 600
"""For which a sign-in that was begun can be ended."""
BURST: Final = 60.0
PER_SECOND: Final = 2.0
"""How often replies of the provider are looked at."""
ASKING: Final = 8
"""Sign-ins that ask the provider at the same time."""
_COOKIE: Final = "-oidc"
_BEGUN: Final = re.compile(r"([0-9]{1,15})\.[0-9a-f]{64}")
_PAGE: Final = """\
<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Signed in</title>
<meta http-equiv="refresh" content="0; url={root}/"><p>You are signed in. <a href="{root}/">Go on</a>.</p></html>
"""
"""Not a redirection: a browser that comes from the provider's site would follow one without the new cookie, which is SameSite=Strict."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A sign-in that one browser began.

    Attributes:
        cookie: What this browser keeps: when it began, and 256 random bits.
        state: Comes back with the browser.
        nonce: Comes back in the ID token.
        verifier: Of PKCE.
    """

    cookie: str
    state: str
    nonce: str
    verifier: str


class Attempts:
    """Those of one web process; `now` gives seconds that never go back."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._key = fresh_bytes(32)
        self._ended: dict[str, int] = {}

    def begin(self) -> Attempt:
        """A new one."""
        return self._of(f"{int(self._now())}.{fresh_bytes(32).hex()}")

    def end(self, state_cookie: str | None, state: str) -> Attempt:
        """The one that a browser began, from its cookie and the state that came with it, once; raises SignInRefused."""
        match = _BEGUN.fullmatch(state_cookie or "")
        if state_cookie is None or match is None:
            raise _unknown()
        attempt, now = self._of(state_cookie), int(self._now())
        if not hmac.compare_digest(attempt.state, state) or not 0 <= now - int(match[1]) < SECONDS:
            raise _unknown()
        self._ended = {each: begun for each, begun in self._ended.items() if now - begun < SECONDS}
        if state in self._ended:
            raise _unknown()
        self._ended[state] = int(match[1])
        return attempt

    def _of(self, cookie: str) -> Attempt:
        digests = (hmac.digest(self._key, f"{word} {cookie}".encode(), "sha256").hex() for word in ("s", "n", "v"))
        return Attempt(cookie, *digests)


def _unknown() -> SignInRefused:
    return SignInRefused("state", "is of no sign-in that this browser began just now", f"begin again: {LOGIN}")


def add_routes(app: FastAPI, home: Home) -> None:
    """Add those of the provider to an application, where server.toml names one.

    Raises:
        ParameterError: packages are missing.
        PlanError: the secret of this server there cannot be read, or by everybody.
    """
    oidc, settings, access = home.settings.oidc, home.settings, home.access
    if oidc is None:
        return
    provider, attempts, name = _provider(oidc), Attempts(), cookie_name(settings, _COOKIE)
    busy = partial(TooOften, field="server", problem="has too many sign-ins to look at")
    rates = Rates(per_second=PER_SECOND, burst=BURST, refused=busy)
    at_once = AtOnce(ASKING, partial(busy, 1))

    @app.get(
        LOGIN,
        summary="Sign in at the provider: leads there",
        status_code=303,
        response_class=RedirectResponse,
        responses=errors(429, 503, signed_in=False),
    )
    async def login() -> RedirectResponse:
        attempt = attempts.begin()
        with at_once.one():
            url = await provider.begin(attempt.state, attempt.nonce, attempt.verifier)
        reply = RedirectResponse(url, 303)
        keep(reply, settings, name, attempt.cookie, sites="lax", seconds=SECONDS)
        return reply

    @app.get(
        CALLBACK,
        summary="Where the provider leads back to: sets the cookie that a password would",
        response_class=Response,
        responses={
            200: {"content": {"text/html": {}}, "description": "A page that leads on."},
            **errors(401, 403, 429, 503, signed_in=False),
        },
    )
    async def callback(
        request: Request,
        state: Annotated[str, Query(max_length=64, pattern="^[0-9a-f]*$")],
        code: Annotated[str | None, Query(max_length=4096)] = None,
        iss: Annotated[str | None, Query(max_length=1024)] = None,
    ) -> Response:
        attempt = attempts.end(cookie(request.headers, name), state)
        rates.take("")
        try:
            # An issuer that says its name (RFC 9207) is not mixed up with another.
            if not code or iss not in (None, oidc.issuer):
                raise SignInRefused("provider", "did not sign you in", f"begin again: {LOGIN}")
            with at_once.one():
                user = await provider.name(code, attempt.nonce, attempt.verifier)
            left = cookie(request.headers, cookie_name(settings))
            token, _ = await run_sync(partial(access.begin_session, user, f"GET {CALLBACK}", left=left))
        except PolicyRefused:
            await run_sync(access.note_refusal, None, f"GET {CALLBACK}")
            raise
        reply = HTMLResponse(_PAGE.format(root=settings.root_path))
        keep(reply, settings, cookie_name(settings), token, sites="strict", seconds=None)
        forget(reply, settings, name)
        return reply


def _provider(oidc: Oidc) -> "Provider":
    try:
        from starling.server.provider import Provider
    except ImportError:
        raise ParameterError("oidc", "needs packages that are missing", install("oidc")) from None
    return Provider(oidc, secret_of(oidc))
