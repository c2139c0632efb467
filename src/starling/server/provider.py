"""An OpenID Connect provider, which says who a user is: the code flow with PKCE (RFC 7636), by Authlib.

Of what the provider sends nothing is believed before the ID token's signature, issuer, audience, end and nonce are right, and nothing is
passed on but one name. Algorithms are those by which only the provider can sign: none that a client's secret or nobody could.

This module is imported where a provider is configured, and nowhere else: it loads Authlib and an HTTP client.
"""

import asyncio
import json
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit

import httpx
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.jwk import KeySet

from starling.errors import StarlingError
from starling.server import logs
from starling.server.access import SignInRefused
from starling.server.settings import Oidc, is_loopback

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
SECONDS: Final = 10.0
"""For all that a sign-in asks the provider."""
MOST_BYTES: Final = 1 << 18
"""Of a reply."""
KNOWN: Final = 600.0
"""Seconds for which the provider's addresses are remembered; its keys are asked for at each sign-in."""
LEEWAY: Final = 60
"""Seconds by which the provider's clock may differ."""
_SCOPES: Final = {"sub": "openid", "email": "openid email"}


class ProviderFailed(StarlingError):
    """The provider cannot be reached, or answers what no provider answers; its words are not passed on."""

    exit_code: ClassVar[int] = 75
    status: ClassVar[int] = 503

    def __init__(self) -> None:
        super().__init__("provider", "does not answer as it should", "try again, or ask a custodian to look at it")


@dataclass(frozen=True, slots=True)
class _Addresses:
    """Where a provider is asked for what, and whether a client's secret is sent in the body there."""

    authorization: str
    token: str
    keys: str
    in_body: bool


class Provider:
    """The provider that server.toml names.

    Args:
        oidc: What server.toml says of it.
        secret: The secret of this server there.
    """

    def __init__(self, oidc: Oidc, secret: str) -> None:
        self._oidc = oidc
        self._secret = secret
        self._tls = ssl.create_default_context()
        self._known: tuple[float, _Addresses] | None = None

    async def begin(self, state: str, nonce: str, verifier: str) -> str:
        """The URL at which a browser signs in; raises ProviderFailed where the provider cannot be reached, or is none.

        `state` comes back with the browser, `nonce` in the ID token; `verifier` shows later that the sign-in of the code began here.
        """
        async with self._asking() as client:
            where = await self._addresses(client)
        url: str = prepare_grant_uri(
            where.authorization,
            self._oidc.client_id,
            "code",
            self._oidc.callback,
            scope=_SCOPES.get(self._oidc.claim, "openid profile"),
            state=state,
            nonce=nonce,
            code_challenge=create_s256_code_challenge(verifier),
            code_challenge_method="S256",
        )
        return url

    async def name(self, code: str, nonce: str, verifier: str) -> str:
        """Who signed in, by the claim that server.toml names, from the code that the browser brought, and what was given to `begin`.

        Raises:
            ProviderFailed: the provider cannot be reached, or is none.
            SignInRefused: it takes no such code, or what it says of the user is not what it should be.
        """
        async with self._asking() as client:
            where = await self._addresses(client)
            answer = await self._exchanged(client, where, code, verifier)
            keys = await _json(client.stream("GET", where.keys))
        try:
            return self._named(answer, keys, nonce)
        except Exception as error:  # noqa: BLE001 - whatever a forged answer does to the library, it lets nobody in
            logs.LOGGER.warning("what the provider says of a user is refused: %s", type(error).__name__)
            raise _refused() from None

    def _named(self, answer: dict[str, Any], keys: dict[str, Any], nonce: str) -> str:
        token = jwt.decode(answer["id_token"], KeySet.import_key_set(keys), algorithms=ALGORITHMS)  # type: ignore[arg-type] # checked there
        wanted = {
            "iss": {"essential": True, "value": self._oidc.issuer},
            "aud": {"essential": True, "value": self._oidc.client_id},
        }
        checks = {"nonce": nonce, "client_id": self._oidc.client_id, "access_token": answer.get("access_token")}
        claims = CodeIDToken(token.claims, token.header, wanted, checks)
        claims.validate(leeway=LEEWAY)
        name = claims[self._oidc.claim]
        if not isinstance(name, str) or not name.isascii():
            raise _refused()
        if self._oidc.claim != "email":
            return name
        if claims.get("email_verified") is not True:
            raise _refused()
        # Of an address, and of nothing else, capital letters are the same as small ones.
        return name.lower()

    async def _exchanged(
        self, client: httpx.AsyncClient, where: _Addresses, code: str, verifier: str
    ) -> dict[str, Any]:
        body = prepare_token_request(
            "authorization_code", code=code, redirect_uri=self._oidc.callback, code_verifier=verifier
        )
        method = "client_secret_post" if where.in_body else "client_secret_basic"
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        by = ClientAuth(self._oidc.client_id, self._secret, method)
        url, headers, body = by.prepare("POST", where.token, headers, body)
        return await _json(client.stream("POST", url, headers=headers, content=body), refusal=True)

    async def _addresses(self, client: httpx.AsyncClient) -> _Addresses:
        now = time.monotonic()
        if self._known is None or now - self._known[0] >= KNOWN:
            url = f"{self._oidc.issuer.rstrip('/')}/.well-known/openid-configuration"
            self._known = (now, self._checked(await _json(client.stream("GET", url))))
        return self._known[1]

    def _checked(self, claims: dict[str, Any]) -> _Addresses:
        named = [claims.get(key) for key in ("authorization_endpoint", "token_endpoint", "jwks_uri")]
        if claims.get("issuer") != self._oidc.issuer or not all(self._is_safe(each) for each in named):
            raise ProviderFailed
        methods = claims.get("token_endpoint_auth_methods_supported")
        in_body = isinstance(methods, list) and "client_secret_basic" not in methods
        authorization, token, keys = map(str, named)
        return _Addresses(authorization, token, keys, in_body)

    def _is_safe(self, url: object) -> bool:
        """Whether a URL is one over TLS, or, for a provider on this machine, one on this machine."""
        try:
            parts = urlsplit(url if isinstance(url, str) else "")
            return bool(parts.hostname) and (
                parts.scheme == "https"
                or (parts.scheme == "http" and is_loopback(parts.hostname) and self._oidc.issuer.startswith("http:"))
            )
        except ValueError:
            return False

    @asynccontextmanager
    async def _asking(self) -> AsyncIterator[httpx.AsyncClient]:
        """A client for one sign-in; whatever fails in the block is one error."""
        try:
            async with (
                asyncio.timeout(SECONDS),
                httpx.AsyncClient(verify=self._tls, timeout=SECONDS, headers={"Accept-Encoding": "identity"}) as client,
            ):
                yield client
        except (httpx.HTTPError, httpx.InvalidURL, OSError, TimeoutError, ValueError, RecursionError) as error:
            logs.LOGGER.warning("the provider does not answer: %s", type(error).__name__)
            raise ProviderFailed from None


def _refused() -> SignInRefused:
    return SignInRefused("provider", "does not say who you are", "begin again: /v1/oidc/login")


async def _json(response: AbstractAsyncContextManager[httpx.Response], *, refusal: bool = False) -> dict[str, Any]:
    """The JSON object of a reply, which is neither compressed nor longer than MOST_BYTES; a redirection is none. A `refusal` says that the
    provider does not take what was sent.
    """
    async with response as reply:
        if refusal and reply.status_code in (400, 401, 403):
            raise _refused()
        if reply.status_code != httpx.codes.OK or "content-encoding" in reply.headers:
            raise ProviderFailed
        body = b""
        async for part in reply.aiter_raw():
            body += part
            if len(body) > MOST_BYTES:
                raise ProviderFailed
    values = json.loads(body)
    if not isinstance(values, dict):
        raise ProviderFailed
    return values
