"""A provider that lies, fails or is slow lets nobody in, in one kind of error, and nothing that it says is passed on."""

import base64
import gzip
import hmac
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey

from starling.server import provider
from starling.server.home import Home, make_home
from tests.server.conftest import Asker
from tests.server.providers import KEY, SECRET, Browser, Liar, as_json, asker_of, lying, with_provider
from tests.server.test_oidc import refused

METADATA = "/.well-known/openid-configuration"
OTHER = ECKey.generate_key("P-256", {"kid": "first"})


@pytest.fixture
def liar() -> Iterator[Liar]:
    with lying() as made:
        yield made


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with one user, which all tests share: each has a provider and a web process of its own."""
    made = make_home(tmp_path_factory.mktemp("provider") / "home")
    made.access.add_user("analyst", "analyst")
    return made


@pytest.fixture
def asker(home: Home, liar: Liar) -> Asker:
    return asker_of(with_provider(home, liar.issuer))


@pytest.fixture
def browser(asker: Asker, liar: Liar) -> Browser:
    return Browser(asker, liar)


@pytest.mark.series(6)
@pytest.mark.parametrize(
    "changes",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "another"},
        {"aud": ["starling", "another"]},
        {"aud": []},
        {"aud": None},
        {"azp": "another"},
        {"iss": "https://evil.example"},
        {"iss": None},
        {"exp": 1},
        {"exp": None},
        {"exp": "tomorrow"},
        {"exp": {}},
        {"iat": 4e9},
        {"iat": None},
        {"nbf": 4e9},
        {"sub": None},
        {"at_hash": "another"},
        {"email": None},
        {"email": ["analyst"]},
        {"email": "\u212aate"},
        {"email_verified": False},
        {"email_verified": "true"},
        {"email_verified": None},
    ],
    ids=str,
)
def test_attack_a_token_that_is_not_for_this_sign_in_is_refused(
    browser: Browser, liar: Liar, changes: dict[str, Any]
) -> None:
    browser.begin()
    liar.claims |= changes
    liar.claims = {name: value for name, value in liar.claims.items() if value is not None}
    refused(browser.end())


def signed_by_nobody(claims: dict[str, Any]) -> str:
    parts = [json.dumps({"alg": "none"}).encode(), json.dumps(claims).encode()]
    return b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts).decode() + "."


def signed_by_the_public_key(claims: dict[str, Any]) -> str:
    """As if the key that everybody knows were a secret that both know."""
    parts = [json.dumps({"alg": "HS256", "kid": "first"}).encode(), json.dumps(claims).encode()]
    text = b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in parts)
    signature = hmac.digest(KEY.as_pem(private=False), text, "sha256")
    return f"{text.decode()}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def changed(claims: dict[str, Any]) -> str:
    head, _, signature = jwt.encode({"alg": "ES256", "kid": "first"}, claims, KEY).split(".")
    body = base64.urlsafe_b64encode(json.dumps(claims | {"email": "custodian"}).encode()).rstrip(b"=").decode()
    return f"{head}.{body}.{signature}"


@pytest.mark.series(4)
@pytest.mark.parametrize(
    "sign",
    [
        lambda claims: jwt.encode({"alg": "ES256", "kid": "first"}, claims, OTHER),
        lambda claims: jwt.encode({"alg": "ES256", "kid": "second"}, claims, KEY),
        lambda claims: jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(SECRET)),
        signed_by_the_public_key,
        signed_by_nobody,
        changed,
        lambda _: "",
        lambda _: "a.b.c",
        lambda _: 7,
        lambda _: None,
        lambda _: "e30.e30.",
    ],
    ids=["another key", "an unknown key", "the secret", "the public key", "none", "changed", *map(str, range(5))],
)
def test_attack_a_token_that_the_provider_did_not_sign_is_refused(
    browser: Browser, liar: Liar, sign: Callable[[dict[str, Any]], str]
) -> None:
    browser.begin()
    liar.sign = sign
    refused(browser.end())


def test_clocks_may_differ_a_little(browser: Browser, liar: Liar) -> None:
    now = int(time.time())
    browser.begin()
    liar.claims |= {"iat": now + 30, "exp": now - 30}
    assert browser.end().status_code == 200


def test_of_an_address_capital_letters_are_small_ones(browser: Browser, liar: Liar) -> None:
    browser.begin()
    liar.claims["email"] = "ANALYST"
    assert browser.end().status_code == 200


@pytest.mark.series(6)
@pytest.mark.parametrize("path", [METADATA, "/token", "/keys"])
@pytest.mark.parametrize(
    "reply",
    [
        (200, {}, b"PROVIDER"),
        (200, {}, b"[]"),
        (200, {}, b"[" * 100_000),
        (200, {}, b'{"a": "' + b"x" * provider.MOST_BYTES + b'"}'),
        (200, {"Content-Encoding": "gzip"}, gzip.compress(b"{}")),
        (302, {"Location": "/PROVIDER"}, b""),
        (500, {}, b"PROVIDER"),
        (200, {"Content-Length": "10"}, b"{}"),
    ],
    ids=["text", "list", "deep", "long", "compressed", "redirection", "error", "cut"],
)
def test_what_no_provider_answers_is_one_error(
    asker: Asker, browser: Browser, liar: Liar, path: str, reply: tuple[int, dict[str, str], bytes]
) -> None:
    liar.replies[path] = lambda: reply
    begun = browser.begin()
    ended = begun if begun.status_code != 303 else browser.end()
    refused(ended, 503)
    assert ended.json()["error"]["kind"] == "ProviderFailed"
    assert "/PROVIDER" not in [each for each, _, _ in liar.asked], "no redirection is followed"


@pytest.mark.parametrize(
    "changes",
    [
        {"issuer": "https://evil.example"},
        {"issuer": None},
        {"token_endpoint": None},
        {"jwks_uri": 1},
        {"token_endpoint": "http://192.0.2.1/token"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"jwks_uri": "file:///etc/passwd"},
        {"jwks_uri": "https://[::1"},
    ],
    ids=str,
)
def test_addresses_that_are_none_of_a_provider_are_refused(
    browser: Browser, liar: Liar, changes: dict[str, Any]
) -> None:
    liar.replies[METADATA] = lambda: as_json(liar.metadata | changes)
    refused(browser.begin(), 503)


@pytest.mark.parametrize(
    "keys", [{}, {"keys": []}, {"keys": [1]}, {"keys": [{"kty": "new"}]}, {"keys": {"a": 1}}], ids=str
)
def test_keys_that_are_none_let_nobody_in(browser: Browser, liar: Liar, keys: dict[str, Any]) -> None:
    liar.replies["/keys"] = lambda: as_json(keys)
    browser.begin()
    refused(browser.end())


def test_a_provider_that_is_not_there_or_slow_is_one_error(
    home: Home, browser: Browser, liar: Liar, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lying() as gone:
        issuer = gone.issuer
    refused(Browser(asker_of(with_provider(home, issuer)), liar).begin(), 503)
    monkeypatch.setattr(provider, "SECONDS", 0.05)

    def slow() -> Any:
        time.sleep(0.5)
        return as_json(liar.metadata)

    liar.replies[METADATA] = slow
    refused(browser.begin(), 503)


def test_its_addresses_are_remembered_and_its_keys_are_not(browser: Browser, liar: Liar) -> None:
    for _ in range(2):
        browser.begin()
        assert browser.end().status_code == 200
    asked = [path for path, _, _ in liar.asked]
    assert [asked.count(path) for path in (METADATA, "/token", "/keys")] == [1, 2, 2]


@pytest.mark.slow
def test_it_is_loaded_where_a_provider_is_configured_alone() -> None:
    code = "import sys, starling.server.running; print([m for m in sys.modules if m.split('.')[0] in ('authlib', 'joserfc', 'httpx')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
