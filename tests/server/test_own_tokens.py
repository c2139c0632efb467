"""One's own tokens: made, listed and revoked by their user alone, and none outlives what made it."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from starling.errors import PolicyRefused
from starling.server import passwords
from starling.server.access import MOST_TOKENS
from starling.server.home import Home
from tests.server.conftest import CHEAP, Asker

TOKENS = "/v1/tokens"
OWN_PAGE = ("Sec-Fetch-Site", "same-origin")


def made(asker: Asker, token: str, days: int = 1) -> dict[str, Any]:
    """A token that a token makes."""
    reply = asker.post(TOKENS, token, {"days": days})
    assert reply.status_code == 201, reply.text
    new: dict[str, Any] = reply.json()
    return new


def revoke(asker: Asker, token: str, identity: str) -> int:
    """The status of a request to revoke one."""
    return asker.ask("DELETE", f"{TOKENS}/{identity}", [("Authorization", f"Bearer {token}")]).status_code


@pytest.mark.parametrize("role", ["analyst", "auditor", "custodian"])
def test_everybody_makes_lists_and_revokes_their_own(asker: Asker, tokens: dict[str, str], role: str) -> None:
    new = made(asker, tokens[role])
    assert asker.get("/v1/me", new["token"]).json()["role"] == role
    listed = {each["id"]: each for each in asker.get(TOKENS, tokens[role]).json()}
    assert len(listed) == 2
    assert {id_: each["current"] for id_, each in listed.items()} == {id_: id_ != new["id"] for id_ in listed}
    assert listed[new["id"]]["used"] is not None
    assert new["token"] not in json.dumps(list(listed.values()))
    assert revoke(asker, tokens[role], new["id"]) == 204
    assert asker.get("/v1/me", new["token"]).status_code == 401
    assert asker.get("/v1/me", tokens[role]).status_code == 200


def test_nobody_sees_or_revokes_anothers(asker: Asker, tokens: dict[str, str]) -> None:
    new = made(asker, tokens["analyst"])
    for role in ("auditor", "custodian"):
        assert new["id"] not in asker.get(TOKENS, tokens[role]).text
        assert revoke(asker, tokens[role], new["id"]) == 404
    assert revoke(asker, tokens["analyst"], "0" * 16) == 404
    assert asker.get("/v1/me", new["token"]).status_code == 200


def test_a_token_that_a_token_made_ends_with_it_and_is_revoked_with_it(asker: Asker, tokens: dict[str, str]) -> None:
    """Otherwise a token that leaked for a day would be good for a year, and revoking it would not help."""
    first = tokens["analyst"]
    chain = [first]
    for _ in range(3):
        chain.append(made(asker, chain[-1], days=366)["token"])
    listed = asker.get(TOKENS, first).json()
    assert len({each["expires"] for each in listed}) == 1
    identity = next(each["id"] for each in listed if each["current"])
    assert revoke(asker, first, identity) == 204
    assert [asker.get("/v1/me", each).status_code for each in chain] == [401] * 4


@pytest.mark.parametrize("revoked", range(4))
def test_revoking_one_revokes_all_that_were_made_by_it_and_no_other(
    asker: Asker, tokens: dict[str, str], revoked: int
) -> None:
    """Wherever in a line it stands: what leaked may be one that a token made."""
    line, ids = [tokens["analyst"]], []
    for _ in range(3):
        new = made(asker, line[-1])
        line.append(new["token"])
        ids.append(new["id"])
    beside = made(asker, line[0])["token"]
    ids.insert(0, next(each["id"] for each in asker.get(TOKENS, line[0]).json() if each["current"]))
    assert revoke(asker, beside, ids[revoked]) == 204
    statuses = [asker.get("/v1/me", each).status_code for each in line]
    assert statuses == [200] * revoked + [401] * (4 - revoked)
    assert asker.get("/v1/me", beside).status_code == (401 if revoked == 0 else 200)


def test_a_session_makes_a_token_that_stays(
    asker: Asker, served: Home, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "_HASHER", CHEAP)
    assert tokens
    served.access.set_password("analyst", passwords.hashed("correct horse battery"))
    session, _ = served.access.begin_session("analyst", "a test", left=None)
    headers = [("Cookie", f"starling={session}"), ("Content-Type", "application/json")]
    assert asker.ask("POST", TOKENS, headers, b'{"days": 30}').status_code == 403, "no page of this server asks"
    reply = asker.ask("POST", TOKENS, [*headers, OWN_PAGE], b'{"days": 30}')
    new = reply.json()
    left = datetime.fromisoformat(new["expires"]) - datetime.now(UTC)
    assert timedelta(days=29) < left < timedelta(days=31)
    served.access.end_session(session)
    assert asker.get("/v1/me", new["token"]).status_code == 200


@pytest.mark.parametrize("days", [0, -1, 367, "1", 1.5, None])
def test_a_life_that_is_none_is_refused(asker: Asker, tokens: dict[str, str], days: Any) -> None:
    assert asker.post(TOKENS, tokens["analyst"], {"days": days}).status_code == 422


def test_nobody_has_too_many(served: Home, tokens: dict[str, str]) -> None:
    first = tokens["analyst"]
    issued = [served.access.issue_own("analyst", first, days=1)[1] for _ in range(MOST_TOKENS - 1)]
    with pytest.raises(PolicyRefused, match="more than 100"):
        served.access.issue_own("analyst", first, days=1)
    served.access.revoke(issued[-1].id, user="analyst")
    served.access.issue_own("analyst", first, days=1)


def test_when_a_token_was_used_is_known_to_a_minute(asker: Asker, served: Home, tokens: dict[str, str]) -> None:
    def used() -> datetime | None:
        (entry,) = served.access.tokens("analyst")
        return entry.used

    assert used() is None
    asker.get("/v1/me", tokens["analyst"])
    first = used()
    assert first is not None
    assert abs(datetime.now(UTC) - first) < timedelta(minutes=1)
    asker.get("/v1/me", tokens["analyst"])
    assert used() == first, "written once a minute"
