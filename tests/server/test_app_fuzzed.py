"""Whatever is sent to the routes that are published, the reply is one that is documented, never a fault of the server's own."""

import json
import string
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from starling.server import passwords
from starling.server.app import make_app
from starling.server.charges import Charges
from starling.server.home import Home
from starling.server.rates import Rates
from tests.server.conftest import CHEAP, Asker

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.text(string.ascii_letters + string.digits + "._@-", min_size=1, max_size=12)
BODIES = st.one_of(
    st.binary(max_size=64),
    JSON.map(lambda said: json.dumps(said).encode()),
    st.fixed_dictionaries({"name": NAMES | JSON, "password": st.text(max_size=8) | JSON}).map(
        lambda said: json.dumps(said).encode()
    ),
    st.fixed_dictionaries({"request_id": NAMES | JSON}, optional={"reason": st.text(max_size=8) | JSON}).map(
        lambda said: json.dumps(said).encode()
    ),
)
HEADERS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "Range",
                "If-Range",
                "If-None-Match",
                "Content-Type",
                "Accept",
                "Cookie",
                "X-Forwarded-For",
                "Sec-Fetch-Site",
            ]
        ),
        st.sampled_from(
            [
                "application/json",
                "same-origin",
                "starling=x",
                "bytes=0-0",
                "bytes=9-1",
                "*",
                '""',
                "text/plain; charset=x",
            ]
        )
        | st.text(string.printable.strip(), max_size=12),
    ),
    max_size=3,
)
# Not "." and "..", which a client takes out of a path.
VALUES = st.sampled_from(["census", "1", "6", "7", "0", "-1", "%2e%2e", "%00", "%ff", "1e3", "\u0661"]) | NAMES.filter(
    lambda name: name.strip(".")
)


@pytest.fixture
def patient(selling: Home, monkeypatch: pytest.MonkeyPatch) -> Asker:
    """Asks as often as it likes."""
    monkeypatch.setattr(Rates, "take", lambda *_: None)
    monkeypatch.setattr(passwords, "_HASHER", CHEAP)
    return Asker(make_app(selling, Charges(selling)))


@pytest.mark.slow
@pytest.mark.examples(25)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_every_reply_is_documented(patient: Asker, tokens: dict[str, str], data: st.DataObject) -> None:
    paths: dict[str, dict[str, Any]] = patient.get("/v1/openapi.json").json()["paths"]
    pattern = data.draw(st.sampled_from(sorted(paths)))
    method = data.draw(st.sampled_from(["get", "post", "delete"]))
    path = "/".join(data.draw(VALUES) if part.startswith("{") else part for part in pattern.split("/"))
    query = data.draw(st.sampled_from(["", "?after=1", "?after=x", "?most=0", "?a=b&a=c", "?after=1&after=2"]))
    role = data.draw(st.sampled_from([*tokens, None]))
    headers = data.draw(HEADERS)
    if role is not None:
        headers = [*headers, ("Authorization", f"Bearer {tokens[role]}")]
    if not any(name == "Content-Type" for name, _ in headers):
        headers = [*headers, ("Content-Type", "application/json")]
    reply = patient.ask(method.upper(), path + query, headers, data.draw(BODIES))
    if method not in paths[pattern]:
        # 400: its headers say that a page of another site sends it.
        assert reply.status_code in (400, 404, 405, 422)
    else:
        documented = {int(status) for status in paths[pattern][method]["responses"]}
        assert reply.status_code in documented | {404}
    assert reply.status_code < 500
    if reply.status_code >= 400:
        (problem, *_) = reply.json()["error"]["problems"]
        assert problem.keys() == {"field", "problem", "fix"}
    assert reply.headers["x-content-type-options"] == "nosniff"
