"""Attacks by what is sent: names of others, other formatting, hostile texts, other sites, and JSON that two readers read in two ways.

docs/attacks.md has the list; each test is named after its row, or after what has none.
"""

import gzip
import json
import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest

from starling.errors import ParameterError
from starling.ledger import rules
from starling.ledger.opening import open_ledger
from starling.server.bodies import DEEPEST, MOST_BYTES
from starling.server.rates import Rates
from starling.worker.sources import Sources
from tests.client.conftest import URL, served_source
from tests.ledger.worlds import Time
from tests.server.sites import CAPS, DEADLINE, Site
from tests.worker.studies import write_study

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

HALF = {"kind": "counts", "epsilon": "1/2"}
POLL = "/v1/datasets/poll/releases"
HOSTILE = [
    '"; DROP TABLE charges; --',
    "' OR 1=1 --",
    "COPY (SELECT 1) TO '../stolen'",
    "read_csv('/etc/passwd')",
    "ATTACH '../../server.key' AS k",
    "../../../../etc/passwd",
    "..\\..\\server.key",
    "%2e%2e%2fserver.key",
    "/etc/passwd",
    "file:///etc/passwd",
    "a\x00b",
    "\x1b[2J\x1b]0;x\x07",
    "{{7*7}}${7*7}<script>alert(1)</script>",
    "$(touch stolen)`touch stolen`",
    "\U0001f600\u202e\ufeff",
    "a" * 10_000,
]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with closing(Site(tmp_path, Time(), known=True)) as made:
        yield made


def send(
    site: Site, method: str, path: str, body: bytes | None = None, token: str | None = None, **headers: str
) -> httpx.Response:
    """One request, of ada's unless another token is given."""
    signed = {"Authorization": f"Bearer {token or site.tokens['ada']}", "Content-Type": "application/json"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with httpx.Client(base_url=URL, transport=site.carrier) as http:
        return http.request(method, path, content=body, headers=signed | named)


def charge(site: Site, request_id: str, question: Any = None, *, dataset: str = "poll", **more: str) -> httpx.Response:
    """A charge, as an analyst asks for it."""
    body = json.dumps({"request_id": request_id, "question": question}).encode()
    return send(site, "POST", f"/v1/datasets/{dataset}/releases", body, **more)


def spent(site: Site, name: str) -> Fraction:
    """Of a cap."""
    caps = site.custodian.reading.account("people").caps
    return Fraction(next(cap.spent for cap in caps if cap.name == name), rules.UNIT)


@pytest.mark.slow
def test_attack_a13_no_name_token_or_delivery_has_a_budget_of_its_own(site: Site, tmp_path: Path) -> None:
    """Analysts who work together, with more tokens, other names of the same data and a delivery with one row changed, spend what one may:
    the people are in one population, whose cap holds over all."""
    (tmp_path / "persons-2.txt").write_text((tmp_path / "persons.txt").read_text() + "cat\n")
    registered = Sources(site.home).find("poll")
    for name, persons in (("alias", "persons.txt"), ("delivery", "persons-2.txt")):
        source = type(registered)(registered.domain, registered.plan, {"persons": tmp_path / persons})
        Sources(site.home).register(name, source, deadline=DEADLINE)
        site.custodian.custody.add_dataset(name, "people", {}, 4)
        site.custodian.custody.delegate(name, site.home.key.public, days=366)
        site.custodian.custody.accept(name, "0" * 64)
    site.home.access.add_user("eve", "analyst")
    others = {name: site.home.access.issue(name, days=1)[0] for name in ("ada", "bob", "eve")}
    refused = 0
    for number in range(1, 13):
        for name, token in {**{f"{each}-2": found for each, found in others.items()}, **site.tokens}.items():
            for dataset in ("poll", "alias", "delivery"):
                question = {"kind": "counts", "epsilon": f"{number}/8"}
                reply = charge(site, f"{name}-{dataset}-{number}", question, dataset=dataset, token=token)
                assert reply.status_code in (202, 403), reply.text
                refused += reply.status_code == 403
    assert refused > 50
    assert spent(site, "people") == sum(spent(site, name) for name in ("poll", "alias", "delivery")) <= CAPS["people"]
    assert spent(site, "ada") <= CAPS["ada"]
    assert spent(site, "bob") <= CAPS["bob"]
    assert spent(site, "people") > CAPS["people"] - Fraction(1, 2), "the cap was tried"
    assert len({(each.analyst, each.dataset, each.request_hash) for each in site.charges().values()}) == len(
        site.charges()
    )
    for name in ("poll", "alias"):
        with pytest.raises(ParameterError, match="taken"):
            Sources(site.home).register(name, registered, deadline=DEADLINE)
    site.custodian.reading.verify()


FORMATS = [
    b'{"request_id": "a", "question": {"kind": "counts", "epsilon": "1/2"}}',
    b'{"question":{"epsilon":"1/2","kind":"counts"},"request_id":"a"}',
    b' \n\t{ "request_id" : "b" , "question" : { "epsilon" : "0.5" , "kind" : "counts" } }\r\n',
    b'{"request_id": "c", "question": {"kind": "counts", "epsilon": "0.50000"}}',
    b'{"request_id": "\\u0064", "question": {"\\u006bind": "\\u0063ounts", "epsilon": "2/4"}}',
    b'{"request_id": "e", "question": {"kind": "counts", "epsilon": "5e-1"}}',
    b'{"request_id": "f", "question": {"kind": "counts", "epsilon": "+.5"}}',
]


def test_attack_a14_the_same_request_however_written_is_one_charge_and_the_same_bytes(site: Site) -> None:
    """A spelling is refused or is the same request; averaging over spellings averages one number."""
    replies = [send(site, "POST", POLL, body) for body in FORMATS]
    taken = [reply for reply in replies if reply.status_code == 202]
    assert {reply.status_code for reply in replies} <= {202, 422}
    assert len(taken) >= 5
    assert len({reply.json()["id"] for reply in taken}) == 1
    site.work(site.workers[0])
    site.time.passes(DEADLINE)
    seq = taken[0].json()["id"]
    assert len({site.bundle("ada", seq)[1] for _ in range(5)}) == 1
    assert [send(site, "POST", POLL, body).json()["id"] for body in FORMATS[:3]] == [seq] * 3
    assert spent(site, "ada") == Fraction(1, 2)
    assert charge(site, "a", {**HALF, "epsilon": "1/4"}).status_code == 409, "the id of another request"
    assert charge(site, "g", {**HALF, "epsilon": "1/4"}).json()["id"] != seq, "another request costs"
    assert spent(site, "ada") == Fraction(3, 4)


@pytest.mark.series(2)
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_attack_a21_a_hostile_text_is_a_text_in_every_field(site: Site, tmp_path: Path, text: str) -> None:
    """In each path, query, header and body it is refused or taken as a text: nothing is run, opened or written by it."""
    place = charge(site, "first", HALF).json()["id"]
    site.work(site.workers[0])
    site.time.passes(DEADLINE)
    before = {path for path in tmp_path.rglob("*") if "-journal" not in path.name}
    inside = (
        httpx.URL("/").copy_with(path=f"/v1/datasets/{text}").raw_path.decode("ascii")
        if text.isprintable()
        else "/v1/datasets/%00"
    )
    for path in (
        inside,
        f"{inside}/releases",
        f"{inside}/preview",
        f"/v1/releases/{inside[13:]}",
        f"/v1/requests/{inside[13:]}",
    ):
        for method in ("GET", "POST"):
            assert send(site, method, path, b'{"request_id": "x"}').status_code in (404, 405, 422)
    for query in ("after", "most", text):
        params = str(httpx.QueryParams({query: text}))
        assert send(site, "GET", f"/v1/requests?{params}").status_code == 422
    for question in (text, {"kind": text}, {**HALF, "epsilon": text}, {**HALF, text: text}):
        assert charge(site, "x", question).status_code == 422
    assert charge(site, text, HALF).status_code == 422
    asked = json.dumps({"request_id": "why", "question": HALF, "reason": text}).encode()
    reply = send(site, "POST", "/v1/datasets/first/requests", asked)
    assert reply.status_code == (422 if len(text) > 2000 else 202)
    if reply.status_code == 202:
        assert (reply.json()["reason"], reply.headers["content-type"]) == (text, "application/json")
    free: list[dict[str, Any]] = [
        {"kind": "rows", "table": text},
        {"kind": "rows", "table": "histogram", "where": [["category", text]]},
    ]
    free.append({"kind": "rows", "table": "histogram", "where": [[text, "cat"]]})
    for question in free:
        reply = send(site, "POST", f"/v1/releases/{place}/answers", json.dumps({"question": question}).encode())
        assert reply.status_code == 422 or not reply.json()["answer"]["rows"]
    after = {path for path in tmp_path.rglob("*") if "-journal" not in path.name}
    assert {path.parent.name for path in after - before} <= {"questions"}
    assert len(site.charges()) == 1
    site.custodian.reading.verify()


@pytest.mark.parametrize("half", [rb"\ud800", rb"\udfff\ud800"])
def test_attack_a21_half_a_letter_is_refused(site: Site, half: bytes) -> None:
    """JSON can hold what no text can: half of a letter that takes two."""
    place = charge(site, "first", HALF).json()["id"]
    site.work(site.workers[0])
    site.time.passes(DEADLINE)
    asked = [
        (POLL, b'{"request_id": "%s", "question": {"kind": "counts", "epsilon": "1/2"}}'),
        (POLL, b'{"request_id": "x", "question": {"kind": "%s", "epsilon": "1/2"}}'),
        (POLL, b'{"request_id": "x", "question": {"kind": "counts", "epsilon": "%s"}}'),
        (POLL, b'{"request_id": "x", "question": {"kind": "counts", "epsilon": "1/2", "%s": 1}}'),
        (POLL, b'{"request_id": "x", "%s": 1}'),
        (
            "/v1/datasets/first/requests",
            b'{"request_id": "x", "reason": "%s", "question": {"kind": "counts", "epsilon": "1/2"}}',
        ),
        (f"/v1/releases/{place}/answers", b'{"question": {"kind": "rows", "table": "%s"}}'),
        (
            f"/v1/releases/{place}/answers",
            b'{"question": {"kind": "rows", "table": "histogram", "where": [["category", "%s"]]}}',
        ),
    ]
    for path, body in asked:
        reply = send(site, "POST", path, body % half)
        assert (reply.status_code, len(reply.json()["error"]["problems"])) == (422, 1), (path, body, reply.text)


def test_attack_a21_a_question_to_a_genome_study_is_a_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "keys"))
    monkeypatch.setattr(Rates, "take", lambda *_: None)
    with contextmanager(served_source)(tmp_path, write_study(tmp_path)) as study:
        token, _ = study.home.access.issue("ada", days=1)
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=URL, transport=study.carrier, headers=headers) as http:
            for number, (field, text) in enumerate(product(("snp", "test", "noise"), HOSTILE)):
                question = {"kind": "snp_pval", "epsilon": "1", "snp": "s1", field: text}
                reply = http.post("/v1/datasets/data/releases", json={"request_id": f"r{number}", "question": question})
                assert reply.status_code == 422
        assert study.charges() == 0


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost.evil.example:8470"},
        {"Origin": "http://evil.example/localhost"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://localhost:8470", "Sec-Fetch-Site": "cross-site"},
    ],
    ids=str,
)
def test_csrf_a_page_of_another_site_changes_nothing(site: Site, headers: dict[str, str]) -> None:
    """No cookie lets anybody in, so that a browser adds nothing to what another site sends; and what comes from there is refused."""
    for method, path in (("POST", POLL), ("POST", "/v1/datasets/poll/preview"), ("DELETE", POLL)):
        body = json.dumps({"request_id": "a", "question": HALF}).encode()
        reply = send(site, method, path, body, None, **headers)
        assert (reply.status_code, reply.json()["error"]["problems"][0]["field"]) == (400, "Origin")
        assert "access-control-allow-origin" not in reply.headers
    assert site.charges() == {}
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    assert send(site, "OPTIONS", POLL, None, None, **headers, **asked).status_code in (400, 405), (
        "no browser goes on after that"
    )


def test_csrf_what_the_servers_own_pages_and_programs_send_is_taken(site: Site) -> None:
    assert charge(site, "a", HALF, Origin="http://localhost:8470", Sec_Fetch_Site="same-origin").status_code == 202
    assert charge(site, "a", HALF).status_code == 202


def test_csrf_and_fixation_a_cookie_that_somebody_set_lets_nobody_in(site: Site) -> None:
    with httpx.Client(base_url=URL, transport=site.carrier) as http:
        for name in ("session", "__Host-session", "token", "Authorization"):
            reply = http.get("/v1/me", headers={"Cookie": f"{name}={site.tokens['ada']}"})
            assert reply.status_code == 401
            assert "set-cookie" not in reply.headers


def test_a_token_is_in_no_reply_no_log_and_no_file(
    site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Wherever a client puts it, by mistake or not, it is not repeated."""
    caplog.set_level(logging.DEBUG)
    token = site.tokens["ada"]
    secret = token.removeprefix("starling_")[16:]
    replies = [
        send(site, "GET", f"/v1/me?token={token}"),
        send(site, "GET", f"/v1/datasets/{token}"),
        send(site, "GET", f"/v1/releases/{token}"),
        send(site, "GET", f"/{token}"),
        send(site, "GET", "/v1/me", token="starling_wrong"),
        charge(site, "a", {"kind": token}),
        send(site, "POST", POLL, token.encode()),
        charge(site, "ok", HALF),
    ]
    site.work(site.workers[0])
    told = "".join(f"{reply.text}{dict(reply.headers)}" for reply in replies)
    assert secret not in told
    assert not [
        record for record in caplog.records if secret in record.getMessage() and record.name.startswith("starling")
    ]
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes(), path


TWICE = [
    b'{"request_id": "a", "request_id": "b", "question": {"kind": "counts", "epsilon": "1/2"}}',
    b'{"request_id": "a", "question": {"kind": "counts", "epsilon": "1/2", "epsilon": "1/4"}}',
    b'{"request_id": "a", "question": {"kind": "counts", "epsilon": "1/2", "\\u0065psilon": "1/4"}}',
]


@pytest.mark.parametrize("body", TWICE)
def test_smuggling_a_key_that_stands_twice_is_refused(site: Site, body: bytes) -> None:
    reply = send(site, "POST", POLL, body)
    assert (reply.status_code, "says a key twice" in reply.text) == (422, True)
    assert site.charges() == {}


@pytest.mark.parametrize(
    "body",
    [
        b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1),
        b"[" * 60_000,
        b'{"a":' * 10_000,
        b'{"request_id": "a", "question": ' + b"[" * 40 + b"]" * 40 + b"}",
        b"9" * 60_000,
        b'{"request_id": 1e999999}',
        b'{"request_id": "' + b"\\ud800" * 3 + b'"}',
        b"\xff\xfe{\x00}\x00",
        b"x" * (MOST_BYTES + 1),
        b" " * (MOST_BYTES + 1),
    ],
    ids=range(10),
)
def test_oversized_and_deeply_nested_json_is_refused_at_once(site: Site, body: bytes) -> None:
    reply = send(site, "POST", POLL, body)
    assert reply.status_code in ((413,) if len(body) > MOST_BYTES else (400, 422))
    assert reply.json()["error"]["problems"]
    assert len(reply.content) < 4096, "what was sent is not sent back"
    assert site.charges() == {}


@pytest.mark.parametrize("how", ["gzip", "deflate", "br", "zstd"])
def test_a_compressed_body_is_not_expanded(site: Site, how: str) -> None:
    body = gzip.compress(b" " * 10_000_000)
    assert send(site, "POST", POLL, body, Content_Encoding=how).status_code in (400, 422)


def test_attack_a10_what_was_charged_stays_charged_whatever_the_home_forgets(site: Site) -> None:
    """Questions, requests and releases are lost with their files; the ledger still holds every charge, and nobody is given it anew."""
    seq = charge(site, "a", HALF).json()["id"]
    site.work(site.workers[0])
    site.time.passes(DEADLINE)
    for path in [*site.home.releases.iterdir()]:
        if path.is_file():
            path.unlink()
    site.begin_web()
    assert charge(site, "b", HALF).json()["id"] == seq
    assert spent(site, "ada") == Fraction(1, 2)
    with closing(open_ledger(site.home.settings.ledger, clock=site.time.clock())) as ledger:
        ledger.reading.verify()
