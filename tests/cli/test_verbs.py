"""`validate` tells what is decisive first, counts what it does not list, and ends with the custodian's word."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from starling.cli import main
from tests.cli.conftest import Call, Inputs, Payer, document, findings


@pytest.fixture
def words(request: pytest.FixtureRequest, inputs: Inputs, study: Path) -> list[object]:
    """Of a command that validates what is in order; the domain is the test's parameter."""
    if request.param == "tables":
        return ["tables", "validate", "demo", *inputs.options]
    return ["genome", "validate", study / "plan.toml", "--genotypes", study / "study"]


def accepted(payer: Payer) -> list[str]:
    """Datasets of which files were accepted, in order."""
    lines = CliRunner().invoke(main, ["ledger", "export", payer.url]).stdout.splitlines()
    events = [json.loads(line) for line in lines]
    return [event["body"]["dataset"] for event in events if event["kind"] == "accepted"]


@pytest.mark.parametrize(("words", "dataset"), [("tables", "census"), ("genome", "study")], indirect=["words"])
def test_files_in_order_are_accepted_once(call: Call, payer: Payer, words: list[object], dataset: str) -> None:
    before = accepted(payer)
    done = call(*words, "--accept", *payer.of(dataset))
    assert (done.exit_code, findings(done)) == (0, [])
    assert f"files of {dataset}, as long as nobody changes them" in done.stdout
    assert document(call(*words, "--accept", *payer.of(dataset), "--json"))["accepted"] is True
    assert accepted(payer) == [*before, dataset], "the same files need be accepted once"


@pytest.mark.parametrize("words", ["tables", "genome"], indirect=True)
def test_files_that_change_while_they_are_read_are_not_accepted(
    call: Call, payer: Payer, words: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The token is taken before the look, so that nothing is accepted which nobody saw."""
    tokens = iter(["0" * 64, "1" * 64])
    monkeypatch.setattr("starling.release.records.accepted_files", lambda *_: next(tokens))
    before = accepted(payer)
    refused = call(*words, "--accept", *payer.of("census" if words[0] == "tables" else "study"))
    assert (refused.exit_code, "were changed while they were looked at" in refused.stderr) == (4, True)
    assert accepted(payer) == before


def test_files_that_were_touched_are_accepted_again_without_a_look(
    call: Call, study: Path, payer: Payer, tmp_path: Path
) -> None:
    moved = shutil.copytree(study, tmp_path / "moved")
    words = ["genome", "validate", moved / "plan.toml", "--genotypes", moved / "study"]
    assert "add --accept" in call(*words, "--again").stderr
    assert call(*words, "--accept", *payer.of("study")).exit_code == 0
    shutil.move(moved, tmp_path / "elsewhere")
    words = ["genome", "validate", tmp_path / "elsewhere/plan.toml", "--genotypes", tmp_path / "elsewhere/study"]
    done = call(*words, "--accept", "--again", *payer.of("study"), "--json")
    assert (done.exit_code, document(done), "reading" in done.stderr) == (0, {"accepted": True}, False)
    assert accepted(payer)[-2:] == ["study", "study"]


def test_files_with_problems_are_accepted_by_an_explicit_word_alone(
    call: Call, study: Path, payer: Payer, tmp_path: Path
) -> None:
    coded = tmp_path / "coded.txt"
    people = [line.split() for line in (study / "study.fam").read_text().splitlines()]
    coded.write_text("".join(f"{family} {person} {int(word) - 1}\n" for family, person, *_, word in people))
    words = ("genome", "validate", study / "plan.toml", "--genotypes", study / "study", "--phenotype", coded)
    before = accepted(payer)
    shown = call(*words)
    assert (shown.exit_code, shown.stdout) == (65, "")
    lines = findings(shown)
    assert lines[0].startswith("starling: coded.txt: phenotype is constant: nobody is a case; look at the coding")
    assert lines[-1] == "starling: and 130 more: --all (in Python `most`) lists them"
    assert len(findings(call(*words, "--all"))) == 2 + 150
    refused = call(*words, "--accept", *payer.of("study"))
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--yes is missing, there are problems" in refused.stderr
    assert call(*words, "--accept", *payer.of("study"), "--json").exit_code == 2
    assert accepted(payer) == before
    done = call(*words, "--accept", *payer.of("study"), "--yes", "--json")
    found = document(done)
    assert (done.exit_code, found["valid"], found["accepted"]) == (0, False, True)
    assert (found["problems"]["total"], len(found["problems"]["listed"]), found["problems"]["more"]) == (150, 150, 0)
    assert accepted(payer) == [*before, "study"]


def test_attack_a29_no_records_say_so(call: Call, inputs: Inputs, tmp_path: Path) -> None:
    """Of a file with a header alone it said "0 records, 0 of them counted: nothing breaks the rules"."""
    empty = tmp_path / "empty.txt"
    empty.write_text(inputs.persons.read_text().splitlines()[0] + "\n")
    refused = call("tables", "validate", "demo", "--persons", empty, "--geography", inputs.geography)
    assert (refused.exit_code, refused.stdout) == (65, "")
    assert findings(refused)[0].startswith("starling: empty.txt: the file has no rows, only a header")


@pytest.mark.parametrize("words", ["tables", "genome"], indirect=True)
@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--ledger", "x.sqlite"], "--accept is missing, and a ledger is named"),
        (["--dataset", "census"], "--accept is missing, and a ledger is named"),
        (["--accept"], "--accept does not say in which ledger, for which dataset"),
        (["--accept", "--ledger", "x.sqlite"], "--accept does not say in which ledger"),
    ],
)
def test_options_that_do_not_fit_are_refused(call: Call, words: list[object], options: list[str], says: str) -> None:
    refused = call(*words, *options)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert says in refused.stderr
