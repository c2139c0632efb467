"""The API: its health, who asks, the log for those whose role it is, and what it publishes of itself."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from starling.ledger.auditing import check
from starling.ledger.opening import read_ledger
from starling.server.home import Home
from tests.server.conftest import Asker


def problem_of(reply: httpx.Response) -> dict[str, str]:
    """The one problem of an error reply."""
    (found,) = reply.json()["error"]["problems"]
    assert found.keys() == {"field", "problem", "fix"}
    assert all(found.values())
    return dict(found)


def test_it_runs_and_is_ready(asker: Asker) -> None:
    assert (asker.get("/healthz").status_code, asker.get("/healthz").json()) == (200, {"status": "ok"})
    assert (asker.get("/readyz").status_code, asker.get("/readyz").json()) == (200, {"status": "ready"})


def test_without_its_ledger_it_runs_and_is_not_ready(asker: Asker, served: Home) -> None:
    Path(served.settings.ledger.removeprefix("sqlite:///")).unlink()
    assert asker.get("/healthz").status_code == 200
    reply = asker.get("/readyz")
    assert reply.status_code == 503
    assert problem_of(reply)["field"] == "ledger"
    assert "ledger.sqlite" not in reply.text, "nobody known asks, who needs no name of a file"


def test_without_its_users_it_is_not_ready(asker: Asker, tmp_path: Path) -> None:
    (tmp_path / "served" / "access.sqlite").unlink()
    assert asker.get("/readyz").status_code == 503


@pytest.mark.parametrize("role", ["custodian", "analyst", "auditor"])
def test_a_token_says_whose_it_is(asker: Asker, tokens: dict[str, str], role: str) -> None:
    assert asker.get("/v1/me", tokens[role]).json() == {"name": role, "role": role}


@pytest.mark.parametrize("path", ["/v1/me", "/v1/log"])
def test_without_a_token_nothing_is_said(asker: Asker, path: str) -> None:
    reply = asker.get(path)
    assert (reply.status_code, reply.headers["www-authenticate"]) == (401, "Bearer")
    assert problem_of(reply)["field"] == "Authorization"


def test_a_token_counts_in_its_header_alone(asker: Asker, tokens: dict[str, str]) -> None:
    token = tokens["auditor"]
    for path in (f"/v1/me?token={token}", f"/v1/me?access_token={token}"):
        assert asker.get(path).status_code == 401
    wrong = [
        [("Authorization", f"Basic {token}")],
        [("Authorization", token)],
        [("Authorization", f"Bearer {token}"), ("Authorization", f"Bearer {token}")],
        [("Cookie", f"token={token}")],
        [("Authorization", f"Bearer {token}\xe9")],
    ]
    for headers in wrong:
        assert asker.ask("GET", "/v1/me", headers).status_code == 401


def test_a_revoked_token_is_refused_from_the_next_request_on(
    asker: Asker, served: Home, tokens: dict[str, str]
) -> None:
    assert asker.get("/v1/me", tokens["analyst"]).status_code == 200
    (issued,) = [each for each in served.access.tokens() if each.user == "analyst"]
    served.access.revoke(issued.id)
    assert asker.get("/v1/me", tokens["analyst"]).status_code == 401


def test_an_auditor_reads_who_asked_what(asker: Asker, tokens: dict[str, str]) -> None:
    asker.get("/v1/me?name=secret", tokens["analyst"])
    lines = asker.get("/v1/log?after=6", tokens["auditor"]).json()
    assert [(each["number"], each["who"], each["what"]) for each in lines] == [
        (7, "analyst", "GET /v1/me"),
        (8, "auditor", "GET /v1/log"),
    ]


def test_an_analyst_does_not_and_the_attempt_is_in_the_log(asker: Asker, tokens: dict[str, str]) -> None:
    reply = asker.get("/v1/log", tokens["analyst"])
    assert (reply.status_code, problem_of(reply)["field"]) == (403, "role")
    last = asker.get("/v1/log?after=6&most=1", tokens["custodian"]).json()
    assert [(each["who"], each["what"]) for each in last] == [("analyst", "GET /v1/log")]


@pytest.mark.series(2)
@pytest.mark.parametrize(
    "query", ["after=-1", "after=x", f"after={2**63}", "most=0", "most=1001", "most=nan", "colour=red"]
)
def test_a_wrong_question_is_refused_by_its_field(asker: Asker, tokens: dict[str, str], query: str) -> None:
    reply = asker.get(f"/v1/log?{query}", tokens["auditor"])
    assert (reply.status_code, problem_of(reply)["field"]) == (422, f"query.{query.partition('=')[0]}")


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nothing", 404), ("POST", "/v1/me", 405)])
def test_what_is_not_there_is_refused_in_the_one_shape(asker: Asker, method: str, path: str, status: int) -> None:
    reply = asker.ask(method, path)
    assert reply.status_code == status
    assert problem_of(reply)["field"] == "request"


def test_users_that_cannot_be_read_are_no_fault_of_the_token(
    asker: Asker, tokens: dict[str, str], tmp_path: Path
) -> None:
    with sqlite3.connect(tmp_path / "served" / "access.sqlite") as connection:
        connection.execute("DROP TABLE log")
    reply = asker.get("/v1/me", tokens["analyst"])
    assert (reply.status_code, problem_of(reply)["field"]) == (503, "users")


def test_auditors_get_a_chain_that_they_can_check(
    asker: Asker, served: Home, tokens: dict[str, str], tmp_path: Path
) -> None:
    for role in ("custodian", "auditor"):
        reply = asker.get("/v1/ledger", tokens[role])
        assert (reply.status_code, reply.headers["content-type"]) == (200, "application/jsonl")
        (tmp_path / role).write_bytes(reply.content)
        check(str(tmp_path / role))
    with closing(read_ledger(served.settings.ledger)) as ledger:
        assert (tmp_path / "auditor").read_text().splitlines() == list(ledger.reading.export())
    assert asker.get("/v1/ledger", tokens["analyst"]).status_code == 403
    assert asker.get("/v1/ledger").status_code == 401
    Path(served.settings.ledger.removeprefix("sqlite:///")).unlink()
    reply = asker.get("/v1/ledger", tokens["auditor"])
    assert (reply.status_code, problem_of(reply)["field"]) == (503, "ledger")


def test_the_openapi_names_one_shape_of_errors(asker: Asker) -> None:
    published = asker.get("/v1/openapi.json").json()
    own = {"/v1/ledger/events", "/v1/ledger/verification"}
    own |= {"/healthz", "/readyz", "/v1/ledger", "/v1/log", "/v1/me", "/v1/metrics", "/v1/session"}
    ours = {"/v1/datasets", "/v1/datasets/{name}", "/v1/datasets/{name}/releases", "/v1/datasets/{name}/budget"}
    own |= {"/v1/tokens", "/v1/tokens/{token}"}
    ours |= {"/v1/releases", "/v1/releases/{release}", "/v1/releases/{release}/bundle", "/v1/releases/{release}/events"}
    ours |= {"/v1/datasets/{name}/requests", "/v1/requests", "/v1/requests/{number}"}
    ours |= {f"/v1/custody{each}" for each in ("", "/raise", "/datasets/{name}", "/requests/{number}")}
    ours |= {"/v1/custody/requests/{number}/decline", "/v1/datasets/{name}/preview", "/v1/datasets/{name}/plan"}
    ours |= {"/v1/datasets/{name}/accuracy"}
    ours |= {f"/v1/releases/{{release}}/{each}" for each in ("questions", "answers", "verification")}
    assert published["paths"].keys() == own | ours
    for path in published["paths"].values():
        for operation in path.values():
            for status, reply in operation["responses"].items():
                if int(status) >= 400:
                    shape = reply["content"]["application/json"]["schema"]["$ref"]
                    assert shape == "#/components/schemas/ErrorReply"


def test_the_web_process_loads_nothing_that_opens_records_or_draws() -> None:
    """What import contracts say of modules, seen in a process: none of them is loaded, by whatever way."""
    heavy = "('duckdb', 'numba', 'pyspark', 'starling.engine', 'starling.privacy.sampling.noise')"
    rooms = "('source', 'counts', 'mechanism')"
    code = (
        "import sys, starling.server.running; "
        f"print([m for m in sys.modules if m in {heavy} or m.startswith('starling.') and m.split('.')[2:3] and m.split('.')[2] in {rooms}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
