"""What auditors and analysts see of a ledger that has paid for a release."""

import json
import shutil
import sqlite3
from importlib import resources
from pathlib import Path

import pytest

from tests.cli.conftest import Call, Inputs


@pytest.fixture
def ledger(call: Call, inputs: Inputs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """It has paid for one release of the demo plan, rho 0.65137 of 1."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    path = tmp_path / "ledger.sqlite"
    people = ("residents", "--measure", "rho", "--neighbours", "add-remove-person", "--cap", "5")
    for words in (
        ("ledger", "create", path),
        ("ledger", "population", path, *people),
        ("ledger", "dataset", path, "census", "--population", "residents"),
        ("ledger", "grant", path, "residents", "custodian", "--cap", "2.5"),
        ("ledger", "backup", path, tmp_path / "old"),
        (
            "tables",
            "release",
            "demo",
            *inputs.options,
            "--out",
            tmp_path / "out",
            "--yes",
            "--unvalidated",
            *paid(path, "spring"),
        ),
    ):
        done = call(*words)
        assert done.exit_code == 0, done.stderr
    return path


def paid(path: Path, request_id: str) -> tuple[str, ...]:
    return ("--ledger", str(path), "--dataset", "census", "--request-id", request_id)


@pytest.mark.slow
def test_show_says_what_is_left_and_how_many_more(call: Call, ledger: Path) -> None:
    text = call("ledger", "show", ledger).stdout
    assert "spring" in text
    assert "about 2 more" in text
    assert "epsilon, delta" in text
    found = json.loads(call("ledger", "show", ledger, "--json").stdout)
    assert "1.848" in json.dumps(found)


@pytest.mark.slow
def test_the_request_is_answered_once(call: Call, inputs: Inputs, ledger: Path, tmp_path: Path) -> None:
    words = ("tables", "release", "demo", *inputs.options, "--yes", "--unvalidated", *paid(ledger, "spring"))
    again = call(*words, "--out", tmp_path / "out")
    assert (again.exit_code, "answered before" in again.stdout) == (0, True)
    assert call(*words, "--out", tmp_path / "elsewhere").exit_code == 4
    other = call(
        "tables",
        "release",
        "demo",
        *inputs.options,
        "--yes",
        "--unvalidated",
        "--out",
        tmp_path / "x",
        "--ledger",
        ledger,
    )
    assert (other.exit_code, "--dataset" in other.stderr) == (2, True)


@pytest.mark.slow
def test_another_plan_under_the_same_id_is_a_conflict_and_other_records_are_not(
    call: Call, inputs: Inputs, ledger: Path, tmp_path: Path
) -> None:
    """A request says what is asked of whom in public terms; that other records lie there changes nothing in it."""
    plan, text = tmp_path / "plan.toml", resources.files("starling.tables.presets").joinpath("demo.toml").read_text()
    plan.write_text(text.replace("within = 20", "within = 25", 1))
    other = call(
        "tables",
        "release",
        plan,
        *inputs.options,
        "--yes",
        "--unvalidated",
        "--out",
        tmp_path / "x",
        *paid(ledger, "spring"),
    )
    assert other.exit_code == 6, other.stderr
    assert "request_id was used before for another request" in other.stderr
    persons = tmp_path / "fewer.txt"
    persons.write_text("".join(inputs.persons.read_text().splitlines(keepends=True)[:-5]))
    given = ("--persons", persons, "--geography", inputs.geography, "--yes", "--unvalidated", *paid(ledger, "spring"))
    fewer = call("tables", "release", "demo", *given, "--out", tmp_path / "x")
    assert (fewer.exit_code, "answered before" in fewer.stderr) == (4, True)
    assert not (tmp_path / "x").exists()
    assert len(call("ledger", "export", ledger).stdout.splitlines()) == 7


@pytest.mark.slow
def test_verify_and_export_of_a_whole_ledger(call: Call, ledger: Path, tmp_path: Path) -> None:
    verified = json.loads(call("ledger", "verify", ledger, "--json").stdout)
    assert verified["verified"] is True
    assert call("verify", tmp_path / "out", "--ledger", ledger).exit_code == 7
    assert call("verify", tmp_path / "out", "--ledger", ledger, "--key", "custodian").exit_code == 0
    lines = call("ledger", "export", ledger).stdout.splitlines()
    assert [json.loads(line)["kind"] for line in lines] == [
        "create",
        "population",
        "dataset",
        "grant",
        "charge",
        "drawn",
        "answer",
    ]
    assert call("ledger", "export", ledger, "--out", tmp_path / "events.jsonl").exit_code == 0
    assert (tmp_path / "events.jsonl").read_text().splitlines() == lines
    assert call("ledger", "export", ledger, "--out", tmp_path / "events.jsonl").exit_code in (2, 74)


@pytest.mark.series(1)
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE caps SET spent = 0",
        "DELETE FROM events WHERE seq = 6",
        "UPDATE events SET body = replace(body, 'custodian', 'somebody') WHERE seq = 5",
        "UPDATE charges SET answer = '{}'",
    ],
)
def test_a_tampered_ledger_is_found_out(call: Call, ledger: Path, sql: str) -> None:
    with sqlite3.connect(ledger) as forger:
        forger.execute(sql)
    assert call("ledger", "verify", ledger).exit_code == 5


def test_an_old_backup_put_in_place_is_refused(call: Call, inputs: Inputs, ledger: Path, tmp_path: Path) -> None:
    shutil.copy(tmp_path / "old", ledger)
    refused = call(
        "tables",
        "release",
        "demo",
        *inputs.options,
        "--yes",
        "--unvalidated",
        "--out",
        tmp_path / "x",
        *paid(ledger, "more"),
    )
    assert (refused.exit_code, "backup" in refused.stderr) == (5, True)
    assert not (tmp_path / "x").exists()
