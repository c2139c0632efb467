"""A custodian's day at a home by the command line: register, read what was found, accept; and what is refused, in a sentence."""

import os
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from starling.errors import PolicyRefused
from starling.ledger.opening import open_ledger, read_ledger
from starling.server.datasets import Catalogue
from starling.server.home import open_home
from starling.server.purposes import Purpose
from starling.worker.findings import Inspections
from starling.worker.sources import Sources
from tests.cli.conftest import Call, document
from tests.groups.worlds import write_world
from tests.worker.lanes import worker_of
from tests.worker.previews import preview_of


@pytest.fixture
def served(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with groups registered as `data`, one of them nowhere, in the ledger and by the command line."""
    monkeypatch.setattr("starling.worker.sources._preview", preview_of)
    home, ledger = tmp_path / "served", tmp_path / "served" / "ledger.sqlite"
    with write_world(tmp_path).open("a") as records:
        records.write("nowhere,1\n")
    key = document(call("server", "init", home, "--json"))["key"]
    relation = ["--measure", "epsilon", "--neighbours", "add-remove-member"]
    use = ["--purpose", "Planning of homes", "--duo", "DUO:0000042", "--duo", "DUO:0000046"]
    files = ["--plan", tmp_path / "plan.toml", "--file", f"records={tmp_path / 'records.csv'}"]
    lines = [
        ["ledger", "create", ledger],
        ["ledger", "population", ledger, "people", *relation, "--cap", 10],
        ["ledger", "dataset", ledger, "data", "--population", "people", "--cap", 5],
        ["ledger", "delegate", ledger, "data", "--to", key, "--days", 30],
        ["server", "dataset", home, "data", "--domain", "groups", *files, *use],
    ]
    for line in lines:
        done = call(*line)
        assert done.exit_code == 0, done.output
    return home


def look(home: Path) -> None:
    """What the worker does at its start."""
    worker_of(open_home(home), lambda _: None).look()


def test_a_custodian_registers_reads_and_accepts(call: Call, served: Path) -> None:
    shown = document(call("server", "show", served, "--json"))
    assert shown["key"] == open_home(served).key.public.text
    assert [each["name"] for each in shown["datasets"]] == ["data"]
    described = Catalogue(served / "datasets").find("data").purpose
    assert described == Purpose("Planning of homes", ("DUO:0000042", "DUO:0000046"))
    sandbox = open_home(served / "sandbox")
    assert shown["sandbox"] == {
        "key": sandbox.key.public.text,
        "fingerprint": sandbox.key.public.fingerprint,
        "datasets": ["data"],
    }
    assert f"sandbox key {sandbox.key.public.text}" in call("server", "show", served).stdout
    early = call("server", "findings", served, "data")
    assert (early.exit_code, "are not there yet" in early.stderr) == (2, True)
    look(served)
    found = document(call("server", "findings", served, "data", "--json"))
    assert (found["not_private"], found["total"]) == (True, 1)
    assert ": 1 problem\n" in call("server", "findings", served, "data").stdout
    refused = call("server", "accept", served, "data")
    assert (refused.exit_code, "--yes" in refused.stderr) == (2, True)
    assert call("server", "accept", served, "data", "--yes").exit_code == 0
    with closing(open_ledger(f"sqlite:///{served / 'ledger.sqlite'}")) as ledger:
        kinds = [event.kind for event in ledger.reading.events()]
        assert kinds == ["create", "population", "dataset", "delegate", "accepted"]


def test_an_auditor_sees_the_rights_that_were_given(call: Call, served: Path) -> None:
    key, ledger = open_home(served).key.public, served / "ledger.sqlite"
    assert f"key {key.fingerprint} may charge data until" in call("ledger", "show", ledger).stdout
    (right,) = document(call("ledger", "show", ledger, "--json"))["rights"]
    assert (right["key"], right["dataset"]) == (key.text, "data")
    ended = call("ledger", "delegate", ledger, "data", "--to", key.text, "--days", 0)
    assert ended.exit_code == 0
    (again,) = document(call("ledger", "show", ledger, "--json"))["rights"]
    assert again["until"] < right["until"]


def test_files_that_were_changed_are_not_accepted_unseen(call: Call, served: Path, tmp_path: Path) -> None:
    look(served)
    with (tmp_path / "records.csv").open("a") as records:
        records.write("e1,1\n")
    for verb in (["findings"], ["accept", "--yes"]):
        refused = call("server", verb[0], served, "data", *verb[1:])
        assert (refused.exit_code, "changed since" in refused.stderr) == (4, True)


@pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
def test_the_same_bytes_are_accepted_again_after_a_restore_and_elsewhere(
    call: Call, served: Path, tmp_path: Path
) -> None:
    """Also where a worker never looked: after a restore, a touch, and when the files moved to another disk."""
    look(served)
    early = call("server", "accept", served, "data", "--again")
    assert (early.exit_code, "do not hold the bytes that were accepted" in early.stderr) == (4, True)
    assert call("server", "accept", served, "data", "--yes").exit_code == 0
    assert call("server", "backup", served, tmp_path / "copy").exit_code == 0
    home = tmp_path / "restored"
    assert call("server", "restore", tmp_path / "copy", home).exit_code == 0
    records = tmp_path / "records.csv"
    os.utime(records, ns=(1, 1))
    check = partial(is_accepted, home)
    assert not check()
    assert call("server", "accept", home, "data", "--again").exit_code == 0
    assert check()
    (tmp_path / "disk").mkdir()
    moved = records.rename(tmp_path / "disk" / "records.csv")
    assert call("server", "accept", home, "data", "--again").exit_code == 65
    assert call("server", "accept", home, "data", "--file", f"records={moved}").exit_code == 2
    done = call("server", "accept", home, "data", "--again", "--file", f"records={moved}", "--json")
    assert (done.exit_code, document(done)) == (0, {"accepted": True}), done.output
    assert check()
    assert Sources(open_home(home)).find("data").files == {"records": moved}
    with moved.open("a") as more:
        more.write("e1,1\n")
    for files in ([], ["--file", f"records={moved}"]):
        refused = call("server", "accept", home, "data", "--again", *files)
        assert (refused.exit_code, "do not hold the bytes" in refused.stderr, check()) == (4, True, False)
    assert call("server", "accept", home, "data", "--again", "--file", f"persons={moved}").exit_code == 2


def is_accepted(home: Path) -> bool:
    """Whether a worker would release from the files as they are now."""
    opened = open_home(home)
    with closing(opened.open_ledger()) as ledger:
        try:
            Inspections(opened).check_accepted(ledger, "data", Sources(opened).open("data"))
        except PolicyRefused:
            return False
    return True


@pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
def test_one_command_does_what_many_do(call: Call, tmp_path: Path) -> None:
    """From an empty folder to data that an analyst may ask for; again, it changes nothing."""
    home, records = tmp_path / "home", write_world(tmp_path)
    with records.open("a") as more:
        more.write("nowhere,1\n")
    words = ["server", "add", home, "data", "--plan", tmp_path / "plan.toml", "--file", f"records={records}"]
    words += ["--cap", "5", "--grant", "ada=1", "--purpose", "Planning of homes"]
    asked = call(*words)
    assert (asked.exit_code, "--yes" in asked.stderr, "records.csv:11: region" in asked.stderr) == (2, True, True)
    kinds = [event.kind for event in read_ledger(f"sqlite:///{home / 'ledger.sqlite'}").reading.events()]
    assert kinds == ["create", "population", "dataset"], "nothing is accepted, granted or delegated"
    done = call(*words, "--yes", "--json")
    body = document(done)
    assert (done.exit_code, body["domain"], body["sandbox"], list(body["tokens"])) == (0, "groups", True, ["ada"])
    assert open_home(home).access.admit(body["tokens"]["ada"]).role == "analyst"
    for step in ("accepting the files", "granting ada 1 of data", "letting the server charge data for 90 days"):
        assert f"... {step}" in done.stderr
    assert is_accepted(home)
    again = call(*words, "--yes")
    assert again.exit_code == 0
    assert "ada has a way in already; for a new token: starling server token" in again.stdout
    assert not [line for line in again.stderr.splitlines() if "granting" in line or "accepting" in line]
    for wrong, says in (
        (["--cap", "6"], "is 5 in the ledger, not 6"),
        (["--grant", "ada"], "is not ANALYST=AMOUNT"),
        (["--grant", "ada=2", "--grant", "ada=1"], "is not ANALYST=AMOUNT"),
        (["--domain", "places"], "starling"),
    ):
        refused = call(*words, *wrong, "--yes")
        assert refused.exit_code in (2, 4, 65), refused.output
        assert says in refused.stderr


@pytest.mark.series(3)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--domain", "groups", "--plan", "{plan}", "--file", "records={plan}", "--duo", "general"], "is no code of"),
        (["--domain", "weather", "--plan", "{plan}", "--file", "records={plan}"], "is none that a server serves"),
        (["--domain", "groups", "--plan", "{plan}", "--file", "persons={plan}"], "does not name records"),
        (["--domain", "groups", "--plan", "{plan}", "--file", "records"], "is not NAME=PATH"),
        (["--domain", "groups", "--plan", "{plan}", "--file", "records=x", "--file", "records=y"], "is not NAME=PATH"),
        (["--domain", "groups", "--plan", "{plan}", "--file", "records={records}", "--deadline", "0"], "deadline"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(call: Call, served: Path, tmp_path: Path, words: list[str], said: str) -> None:
    places = {"plan": tmp_path / "plan.toml", "records": tmp_path / "records.csv"}
    result = call("server", "dataset", served, "other", *(word.format(**places) for word in words))
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_a_name_is_taken_for_good(call: Call, served: Path, tmp_path: Path) -> None:
    files = ["--plan", tmp_path / "plan.toml", "--file", f"records={tmp_path / 'records.csv'}"]
    result = call("server", "dataset", served, "data", "--domain", "groups", *files)
    assert (result.exit_code, "data is taken" in result.stderr) == (2, True)
