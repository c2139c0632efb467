"""A custodian and an analyst agree on a release by the command line: asked with a reason, seen with its cost, approved or declined."""

import json
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from starling.cli import main
from starling.client import Client
from starling.ledger.opening import open_ledger
from tests.cli.conftest import Call, document
from tests.client.conftest import URL, Site, site

__all__ = ["site"]

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


@pytest.fixture
def asked(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """The site, whose dataset asks first, as ada's command line reaches it."""
    token, _ = site.home.access.issue("ada", days=1)
    monkeypatch.setenv("STARLING_SERVER", URL)
    monkeypatch.setenv("STARLING_TOKEN", token)
    monkeypatch.setattr("starling.client.Client", partial(Client, carrier=site.carrier, sleep=site.sleep))
    with closing(open_ledger(site.home.settings.ledger)) as ledger:
        ledger.custody.set_terms("data", ask_first=True, reserve=1)
    return site


@pytest.mark.slow
def test_a_release_is_asked_for_approved_and_made(call: Call, asked: Site, tmp_path: Path) -> None:
    home, out = asked.home.folder, tmp_path / "data.zip"
    assert call("server", "requests", home).stdout == "nothing waits\n"
    assert "each needs the custodian's approval" in call("remote", "budget", "data").stdout
    early = call("remote", "release", "data", "--out", out, "--yes")
    assert (early.exit_code, "starling remote request" in early.stderr) == (4, True)
    made = call("remote", "request", "data", "--reason", "For the\x1b[31m plan", "--request-id", "first")
    assert made.stdout == "request 1  data  epsilon 1  waiting\n"
    waits = call("server", "requests", home)
    assert ("epsilon 1  waiting  For the" in waits.stdout, "\x1b" in waits.stdout) == (True, False)
    unread = call("server", "approve", home, 1)
    assert (unread.exit_code, "add --yes" in unread.stderr) == (2, True)
    accepted = call("server", "approve", home, 1, "--yes", "--json")
    for shown in (unread.stderr, accepted.stderr):
        for words in ("Households by size", "analyst ada", "epsilon 1 for", "left afterwards", "Sum of errors"):
            assert words in " ".join(shown.split()), words
    approved = document(accepted)
    assert (approved["state"], approved["analyst"], approved["dataset"]) == ("approved", "ada", "data")
    assert "epsilon 1 lets everybody who sees the releases change the odds" in approved["reveals"]
    told = call("remote", "requests")
    assert "approved; starling remote approved 1 --out FILE" in told.stdout
    unasked = call("remote", "approved", 1, "--out", out)
    assert (unasked.exit_code, "add --yes to charge epsilon 1" in unasked.stderr) == (2, True)
    assert (asked.charges(), out.exists()) == (0, False), "nothing is spent unless somebody says so"
    done = call("remote", "approved", 1, "--out", out, "--yes")
    assert done.exit_code == 0, done.output
    assert call("remote", "release", "data", "--out", out, "--request-id", "first", "--yes").exit_code == 0
    assert asked.charges() == 1
    late = call("server", "decline", home, 1, "--reason", "Too late.")
    assert (late.exit_code, "was charged already" in late.stderr) == (4, True)
    assert asked.home.requests.find(1).state == "approved"
    ledger = home / "ledger.sqlite"
    assert call("ledger", "verify", ledger).exit_code == 0
    assert "servers ask first about data, and leave 1 of its cap" in call("ledger", "show", ledger).stdout


@pytest.mark.slow
def test_a_request_is_declined_with_a_reason(call: Call, asked: Site) -> None:
    call("remote", "request", "data", "--reason", "Just so")
    assert call("server", "decline", asked.home.folder, 1, "--reason", "Say what for.").exit_code == 0
    waited = call("remote", "request", "data", "--reason", "Just so", "--request-id", "again", "--json")
    assert document(waited)["state"] == "waiting", "a declined one may be asked anew"
    assert "declined: Say what for." in call("remote", "requests").stdout
    assert json.loads(call("remote", "requests", "--json").stdout)[0]["words"] == "Say what for."
    listed = json.loads(call("server", "requests", asked.home.folder, "--all", "--json").stdout)
    assert [each["state"] for each in listed] == ["declined", "waiting"]


@pytest.mark.parametrize(("decision", "code"), [("approve", 0), ("decline", 4)])
def test_a_request_waits_until_the_custodian_has_decided(
    call: Call, asked: Site, monkeypatch: pytest.MonkeyPatch, decision: str, code: int
) -> None:
    """Without --wait the command ends at once, in the tests above; with it, here, when time passes until a decision."""
    looks = []

    def decide(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 2:
            words = ["--yes"] if decision == "approve" else ["--reason", "Not now."]
            assert call("server", decision, asked.home.folder, 1, *words).exit_code == 0

    monkeypatch.setattr("starling.client.Client", partial(Client, carrier=asked.carrier, sleep=decide))
    waited = call("remote", "request", "data", "--reason", "For the plan", "--wait")
    assert (waited.exit_code, len(looks)) == (code, 2), waited.output
    assert ("approved" if decision == "approve" else "declined: Not now.") in waited.output


def test_a_release_is_approved_for_what_it_costs(call: Call, asked: Site) -> None:
    call("remote", "request", "data", "--reason", "For the plan")
    refused = call("server", "approve", asked.home.folder, 1, "--epsilon", "0.5", "--yes")
    assert (refused.exit_code, "costs what its plan says" in refused.stderr) == (4, True)
    assert asked.home.requests.find(1).state == "waiting"


def test_an_approval_is_taken_back(call: Call, asked: Site, tmp_path: Path) -> None:
    home = asked.home.folder
    call("remote", "request", "data", "--reason", "For the plan", "--request-id", "first")
    assert call("server", "approve", home, 1, "--yes").exit_code == 0
    assert call("server", "decline", home, 1, "--reason", "Not now.").exit_code == 0
    refused = call("remote", "release", "data", "--out", tmp_path / "data.zip", "--request-id", "first", "--yes")
    assert (refused.exit_code, asked.charges()) == (4, 0)
    late = call("server", "approve", home, 1, "--yes")
    assert (late.exit_code, "was declined before" in late.stderr) == (4, True)
    again = call("remote", "release", "data", "--out", tmp_path / "data.zip", "--request-id", "first", "--yes")
    assert (again.exit_code, asked.charges()) == (4, 0), "what was declined is not approved in the ledger either"


def test_a_custodian_at_a_terminal_sees_what_it_is(call: Call, asked: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    call("remote", "request", "data", "--reason", "For the plan")
    monkeypatch.setattr("starling.cli.approving.check_terminal", lambda *_: None)
    seen = CliRunner().invoke(main, ["server", "approve", str(asked.home.folder), "1"], input="n\n")
    for words in ("Households by size", "For the plan", "left afterwards", "analyst ada", "Sum of errors"):
        assert words in seen.stderr, words
    assert asked.home.requests.find(1).state == "waiting"


def test_the_terms_of_a_dataset_are_set_by_the_command_line(call: Call, asked: Site) -> None:
    ledger = asked.home.folder / "ledger.sqlite"
    made = call("ledger", "terms", ledger, "data", "--freely", "--reserve", "0.5")
    assert made.stdout.startswith("servers charge data; 0.5 of its cap is kept for you\n")
    assert document(call("ledger", "show", ledger, "--json"))["terms"] == [
        {"dataset": "data", "ask_first": False, "reserve": "0.5"}
    ]
    assert call("ledger", "terms", ledger, "data").exit_code == 2
