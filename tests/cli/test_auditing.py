"""What needs no key: show, verify, export and backup. Each finding is one sentence and exit code 5."""

import hashlib
import json
import sqlite3
from pathlib import Path

import pytest

from starling.ledger import keys
from starling.ledger.chain import START
from starling.ledger.checking import CHECKS
from tests.cli.books import Book, filled, limited
from tests.cli.conftest import Call


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Book:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    return filled(str(tmp_path / "ledger.sqlite"))


@pytest.fixture
def elsewhere(book: Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Book:
    """The same ledger for somebody who has no key and has seen no head."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "auditor"))
    return book


def test_show_answers_analyst_and_auditor(call: Call, elsewhere: Book) -> None:
    shown = call("ledger", "show", elsewhere.place)
    assert shown.exit_code == 0
    for text in (
        "people: rho, add or remove one person",
        "population people   10      3     7   about 3 more",
        "dataset census       8      3     5   about 3 more",
        "analyst ann          6      3     3   about 3 more",
        "ann      census   request-2  a count  rho 1  1        answered",
        "All releases about the population people together: rho 3",
        "1e-10) from the noise of each",
    ):
        assert text in shown.stdout, shown.stdout
    assert shown.stdout.count("request-") == 3


def test_show_for_machines_is_exact(call: Call, elsewhere: Book) -> None:
    shown = json.loads(call("ledger", "show", elsewhere.place, "--json", "--latest", "2", "--delta", "1e-6").stdout)
    (people,) = shown["populations"]
    assert people["caps"][-1] == {
        "scope": "analyst",
        "name": "ann",
        "cap": "6",
        "spent": "3",
        "left": "3",
        "more_like_its_last": 3,
    }
    assert [charge["request_id"] for charge in people["charges"]] == ["request-2", "request-1"]
    assert people["charges"][0]["cost"] == {"rho": "1"}
    assert people["charges"][0]["state"] == "answered"
    assert people["joint"]["spent"] == "3"
    assert people["joint"]["delta"] == "1/1000000"
    assert people["joint"]["composed"] is True
    wide = json.loads(call("ledger", "show", elsewhere.place, "--json", "--population", "people").stdout)
    assert float(wide["populations"][0]["joint"]["epsilon"]) > float(people["joint"]["epsilon"])


@pytest.mark.parametrize(
    "words", [["--delta", "0"], ["--delta", "1"], ["--delta", "nan"], ["--latest", "0"], ["--population", "nobody"]]
)
def test_show_refuses_what_makes_no_sense(call: Call, elsewhere: Book, words: list[str]) -> None:
    assert call("ledger", "show", elsewhere.place, *words).exit_code == 2


def test_an_empty_ledger_says_what_comes_next(call: Call, tmp_path: Path, book: Book) -> None:
    assert book.events() == 10
    call("ledger", "create", tmp_path / "empty.sqlite")
    assert "No population yet: starling ledger population" in call("ledger", "show", tmp_path / "empty.sqlite").stdout
    relation = ["--measure", "rho", "--neighbours", "add-remove-person", "--cap", "1"]
    call("ledger", "population", tmp_path / "empty.sqlite", "x", *relation)
    assert "Nothing was released" in call("ledger", "show", tmp_path / "empty.sqlite").stdout


def test_verify_says_how_far_and_whose(call: Call, elsewhere: Book, tmp_path: Path) -> None:
    text = call("ledger", "verify", elsewhere.place).stdout
    assert text.startswith("10 events hold together\ndraws 0, paid again 0, runs taken over 0\nsigned by ")
    found = json.loads(call("ledger", "verify", elsewhere.place, "--json").stdout)
    assert found["verified"] is True
    assert found["head"].startswith("10:")
    assert found["checks"] == [{"name": name, "state": "holds", "says": says} for name, says in CHECKS.items()]
    assert all(f"{name:10}  holds  {says}" in text.splitlines() for name, says in CHECKS.items())
    assert call("ledger", "verify", elsewhere.place, "--head", found["head"]).exit_code == 0
    assert call("ledger", "verify", elsewhere.place, "--signer", found["signer"]).exit_code == 0
    keys.make("other")
    assert call("ledger", "verify", elsewhere.place, "--signer", "other").exit_code == 5
    for head, code in ((f"9:{'0' * 64}", 5), (f"11:{'0' * 64}", 5), ("9", 2), ("x:y", 2), (f"٣:{'0' * 64}", 2)):
        assert call("ledger", "verify", elsewhere.place, "--head", head).exit_code == code
    assert not (tmp_path / "auditor" / "heads").exists(), "an auditor's look leaves nothing"


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("UPDATE events SET body = replace(body, 'ann', 'bob') WHERE seq = 5", "event 5 was changed"),
        ("DELETE FROM events WHERE seq = 5", "event 5 is missing or out of order"),
        ("UPDATE caps SET spent = 0 WHERE scope = 'analyst'", "table caps says something else"),
        ("UPDATE caps SET cap = 10 WHERE cap IS NOT NULL", "table caps says something else"),
        ("UPDATE charges SET answer = 'Yg==' WHERE seq = 5", "table charges says something else"),
        ("UPDATE charges SET answer_kind = 'manifest' WHERE seq = 5", "table charges says something else"),
        ("UPDATE charges SET state = 'charged', answer = NULL WHERE seq = 5", "table charges says something else"),
        ("UPDATE datasets SET public_schema = '{}'", "table datasets says something else"),
    ],
)
def test_verify_names_the_first_thing_that_is_wrong(call: Call, elsewhere: Book, sql: str, says: str) -> None:
    with sqlite3.connect(elsewhere.path) as forger:
        assert forger.execute(sql).rowcount
    forger.close()
    result = call("ledger", "verify", elsewhere.place)
    assert result.exit_code == 5
    assert says in result.stderr
    assert len(result.stderr.splitlines()) == 2, "what it does, and what is wrong"
    error = json.loads(call("ledger", "verify", elsewhere.place, "--json").stdout)["error"]
    assert (error["kind"], error["exit_code"]) == ("IntegrityError", 5)


def test_an_auditor_recomputes_the_chain_from_the_export(call: Call, elsewhere: Book, tmp_path: Path) -> None:
    lines = call("ledger", "export", elsewhere.place).stdout
    assert call("ledger", "export", elsewhere.place, "--out", tmp_path / "x.jsonl").exit_code == 0
    assert (tmp_path / "x.jsonl").read_text() == lines
    previous = START
    for line in lines.splitlines():
        event = json.loads(line)
        body = json.dumps(event["body"], sort_keys=True, separators=(",", ":"))
        said = f"{previous}\n{event['seq']}\n{event['kind']}\n{event['at']}\n{body}"
        previous = hashlib.sha256(said.encode()).hexdigest()
        assert previous == event["hash"]
    head = json.loads(call("ledger", "verify", elsewhere.place, "--json").stdout)["head"]
    assert head == f"10:{previous}"


def test_an_export_never_overwrites_and_leaves_no_half(call: Call, elsewhere: Book, tmp_path: Path) -> None:
    out = tmp_path / "x.jsonl"
    told = json.loads(call("ledger", "export", elsewhere.place, "--out", out, "--json").stdout)
    assert told == {"file": str(out), "events": 10}
    kept = out.read_bytes()
    again = call("ledger", "export", elsewhere.place, "--out", out)
    assert (again.exit_code, out.read_bytes()) == (2, kept)
    assert call("ledger", "export", elsewhere.place, "--out", tmp_path / "no" / "x").exit_code == 74
    full = limited(500, "ledger", "export", elsewhere.place, "--out", tmp_path / "full.jsonl")
    assert full.returncode == 74
    assert full.stderr == "starling: --out cannot be written: the disk is full or fails; make room and run it again\n"
    assert not (tmp_path / "full.jsonl").exists()


def test_a_backup_never_overwrites_and_leaves_no_half(call: Call, elsewhere: Book, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    assert json.loads(call("ledger", "backup", elsewhere.place, copy, "--json").stdout)["head"].startswith("10:")
    assert call("ledger", "verify", copy).stdout.startswith("10 events hold together")
    assert call("ledger", "backup", elsewhere.place, copy).exit_code == 2
    full = limited(8000, "ledger", "backup", elsewhere.place, tmp_path / "full.sqlite")
    assert full.returncode == 74, full.stderr
    assert not (tmp_path / "full.sqlite").exists()
