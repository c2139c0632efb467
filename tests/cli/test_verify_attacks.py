"""Forged releases and hollow verifications (attacks A22 and A28), tried through the Python API and the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

import starling
from starling.verification import Outcome
from tests.cli.conftest import Call
from tests.tables.bundles import KEY, OTHER, Bundle, make


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """A release charged to a ledger; not to be changed."""
    return make(tmp_path_factory.mktemp("made"), allow_negative=False)


@pytest.fixture
def copied(made: Bundle, tmp_path: Path) -> Bundle:
    return made.copy(tmp_path / "copy")


def said(bundle: Bundle, **options: Any) -> list[str]:
    """The findings without their fixes."""
    return [str(finding).split(";")[0] for finding in starling.verify(bundle.folder, **options).findings]


def forged(bundle: Bundle, **stated: Any) -> None:
    """Signed by a forger's own key, and said to be charged to a ledger of that key."""
    bundle.edit("privacy.json", lambda said: said.update(stated))
    bundle.edit("privacy.json", lambda said: said["account"]["ledger"].update(signer=OTHER.public.text))
    bundle.resign(OTHER)


def test_attack_a28_a_forgers_own_key_without_a_ledger_is_never_verified(copied: Bundle, call: Call) -> None:
    forged(copied, software="starling 99.0")
    found = starling.verify(copied.folder)
    assert (found.outcome, found.findings) == (Outcome.CONSISTENT, ())
    shown = call("verify", copied.folder)
    assert shown.exit_code == 7
    head = shown.stdout.splitlines()[0]
    assert head.startswith(f"consistent  {copied.folder}: ")
    assert "verified" not in shown.stdout
    for left_open in ("whose key signed it", "the charge", "the wording of report and registry entry"):
        assert left_open in head
    as_json = json.loads(call("verify", copied.folder, "--json").stdout)
    assert (as_json["outcome"], as_json["not_checked"]) == ("consistent", list(found.left_open))


def test_attack_a28_the_publishers_key_and_ledger_refuse_the_forgers(copied: Bundle, call: Call) -> None:
    forged(copied, software="starling 99.0")
    for words in (("--key", KEY.public.fingerprint), ("--ledger", copied.url)):
        result = call("verify", copied.folder, *words)
        assert (result.exit_code, result.stdout.splitlines()[0].split()[0]) == (5, "failed")


def test_attack_a28_what_another_version_wrote_is_not_verified_even_with_key_and_ledger(
    copied: Bundle, call: Call
) -> None:
    copied.edit("privacy.json", lambda said: said.update(software="starling 99.0"))
    copied.resign()
    found = starling.verify(copied.folder, key=KEY.public)
    assert found.left_open == ("the wording of report and registry entry, by another version of Starling", "the charge")
