"""`starling remote`: what there is, what is left, a release that is charged once and verified; and what is missing, in a sentence."""

import json
import sys
from functools import partial
from pathlib import Path

import pytest

from starling.client import Client
from tests.cli.conftest import Call, document
from tests.client.conftest import URL, Site, site

__all__ = ["site"]

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


@pytest.fixture
def asked(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """The site, as ada's command line reaches it."""
    token, _ = site.home.access.issue("ada", days=1)
    monkeypatch.setenv("STARLING_SERVER", URL)
    monkeypatch.setenv("STARLING_TOKEN", token)
    monkeypatch.setattr("starling.client.Client", partial(Client, carrier=site.carrier, sleep=site.sleep))
    return site


def test_a_day_of_an_analyst(call: Call, asked: Site, tmp_path: Path) -> None:
    listed = call("remote", "datasets")
    risk = (
        "From a release, an attacker who accepts 5 false alarms in 100 finds at most 14 of 100 members in the data."
        " By guessing alone, without any release, he finds 5 of 100."
    )
    assert listed.stdout == f"data  groups  epsilon 1  Households by size\n    a delivery of people\n    {risk}\n"
    assert json.loads(call("remote", "datasets", "--json").stdout)[0]["deadline"] == 8
    assert "releases that can still be charged: 1" in call("remote", "budget", "data").stdout
    out = tmp_path / "data.zip"
    refused = call("remote", "release", "data", "--out", out)
    assert (refused.exit_code, "--yes" in refused.stderr, asked.charges()) == (2, True, 0)
    made = call("remote", "release", "data", "--out", out, "--request-id", "first", "--yes")
    assert made.exit_code == 0, made.output
    assert "charged as release" in made.stderr
    number = document(call("remote", "release", "data", "--out", out, "--yes", "--json"))["release"]
    assert asked.charges() == 1
    again = call("remote", "fetch", number, "--out", tmp_path / "again.zip")
    assert again.exit_code == 0, again.output
    assert (tmp_path / "again.zip").read_bytes() == out.read_bytes()
    budget = json.loads(call("remote", "budget", "data", "--json").stdout)
    assert (budget["more"], budget["available"], budget["release"]) == (0, "2", number)
    assert f"you have it as release {number}" in call("remote", "budget", "data").stdout
    (listed_release,) = json.loads(call("remote", "releases", "--json").stdout)
    assert (listed_release["id"], listed_release["state"], listed_release["cost"]) == (number, "released", "epsilon 1")
    assert call("remote", "releases").stdout.startswith(f"{number}  ")
    assert call("verify", out).exit_code == 7, "consistent: no key and no ledger was given"


def test_a_wrong_key_is_an_error_of_integrity(call: Call, asked: Site, tmp_path: Path) -> None:
    made = call("remote", "release", "data", "--out", tmp_path / "data.zip", "--key", "0" * 64, "--yes")
    assert (made.exit_code, (tmp_path / "data.zip").exists()) == (5, False)


@pytest.mark.parametrize("name", ["STARLING_SERVER", "STARLING_TOKEN"])
def test_what_is_not_set_is_said(call: Call, asked: Site, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.delenv(name)
    result = call("remote", "datasets")
    assert (result.exit_code, f"{name} is not set" in result.stderr) == (2, True)


def test_without_its_package_it_says_what_to_install(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("starling.client")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "httpx", None)
    result = call("remote", "datasets")
    assert (result.exit_code, "pip install 'starling-dp[client]'" in result.stderr) == (2, True)
