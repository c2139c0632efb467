"""`starling remote releases` and `tokens`: what a user has at a server, and revokes there."""

import json

from tests.cli.conftest import Call
from tests.cli.test_remote import asked
from tests.client.conftest import Site, site

__all__ = ["asked", "site"]


def test_tokens_of_ones_own(call: Call, asked: Site) -> None:
    new = json.loads(call("remote", "token", "--days", "7", "--json").stdout)
    assert new["token"].startswith("starling_")
    listed = {each["id"]: each for each in json.loads(call("remote", "tokens", "--json").stdout)}
    assert {each: listed[each]["current"] for each in listed} == {each: each != new["id"] for each in listed}
    assert "never used" in call("remote", "tokens").stdout
    assert call("remote", "revoke", new["id"]).exit_code == 0
    assert f"{new['id']}  revoked" in call("remote", "tokens").stdout
    assert call("remote", "revoke", "../me").exit_code == 2


def test_the_newest_releases_come_first_and_no_more_than_are_wanted(call: Call, asked: Site) -> None:
    assert call("remote", "releases").stdout == "nothing was released\n"
    with asked.client() as client:
        number = client.charge("data").id
    (entry,) = json.loads(call("remote", "releases", "--most", "1", "--json").stdout)
    assert (entry["id"], entry["dataset"], entry["question"], entry["state"]) == (number, "data", None, "charged")
