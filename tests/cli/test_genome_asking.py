"""Questions on the command line: each is answered once, for what it costs; every mistake is told before anything is charged."""

import json
import shlex
from pathlib import Path

import pytest

from starling.cli.progress import MARK
from starling.ledger.auditing import events
from starling.verification import open_release
from tests.cli.conftest import Call, document

CONSISTENT = 7
"""Exit code of a verification that pinned no key."""
SURE = ("--epsilon", "100000")
"""With it answers are the exact ones."""
QUESTIONS = {
    "num-sig": ("--k", "3"),
    "loc-sig": ("--k", "2"),
    "loc-block": ("--snp", "s10"),
    "snp-pval": ("--snp", "s10"),
    "snp-corr": ("--snp", "s10", "--snp", "s41"),
    "explore": (),
}


def given(study: Path) -> tuple[object, ...]:
    """Plan and genotypes."""
    return study / "plan.toml", "--genotypes", study / "study"


def paid(ledger: Path, out: Path) -> tuple[object, ...]:
    """What ann asks for by a ledger."""
    named = ("--ledger", ledger, "--dataset", "study", "--analyst", "ann")
    return (*named, "--yes", "--unvalidated", "--out", out)


@pytest.mark.series(1)
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_answered_and_published(call: Call, study: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    words = ("genome", name, *given(study), *QUESTIONS[name], *SURE, "--unvalidated", "--out", out)
    result = call(*words, "--yes", "--zip", tmp_path / "out.zip")
    assert result.exit_code == 0, result.stderr
    # Of that budget the first of a process is warned.
    steps = [line for line in result.stderr.splitlines() if "protects hardly anybody" not in line]
    assert (steps[0], steps[-1]) == ("... checking the question and the files", "... zipping it")
    assert all(step.startswith(MARK) for step in steps)
    for says in ("charged      epsilon 100000 for replace one person", "request id", f"report       {out}/report.html"):
        assert says in result.stdout
    # Without a pinned key a release is consistent, not verified.
    assert call("verify", out).exit_code == CONSISTENT
    assert call("verify", tmp_path / "out.zip").exit_code == CONSISTENT
    # The line that repeats it costs nothing, and so asks nothing.
    line = next(line for line in result.stdout.splitlines() if line.startswith("again, free"))
    again = call(*shlex.split(line.removeprefix("again, free"))[1:])
    assert again.exit_code == 0
    assert "charged      nothing: this request was answered before" in again.stdout
    assert again.stdout.split("\ncharged")[0] == result.stdout.split("\ncharged")[0]
    found = document(call(*words, "--json"))
    assert found["charged_now"] is False
    assert found["question"]["ask"] == name.replace("-", "_")
    assert found["again"]["command"] == line.removeprefix("again, free").strip()
    assert found["request_id"] in found["again"]["python"]
    assert (
        found["answer_in_words"] + ["", *found["error_in_words"]] == result.stdout.split("\n\ncharged")[0].splitlines()
    )


@pytest.mark.slow
def test_answers_are_those_of_the_study(call: Call, study: Path, tmp_path: Path) -> None:
    """Two causal SNPs of an invented study, asked with so much budget that noise does not matter."""

    def asked(name: str, *words: str) -> str:
        out = tmp_path / f"{name}{len(words)}{words[-1] if words else ''}"
        result = call("genome", name, *given(study), *words, *SURE, "--out", out, "--yes", "--unvalidated")
        assert result.exit_code == 0, result.stderr
        return result.stdout

    assert "About 2 SNPs are significant by the test G" in asked("num-sig", "--k", "3", "--selection", "exponential")
    assert "the nearest to it: s10, s41 (an" in asked("loc-sig", "--k", "2")
    assert "the nearest to it: s41 (an" in asked("loc-sig", "--excluding", "s10..s12")
    assert "the nearest to it: s41 (an" in asked("loc-sig", "--regions", region_of(call, study, "s41"))
    assert "s10: p is about " in asked("snp-pval", "--snp", "s10", "--noise", "laplace")
    assert "|D'| of s10 and s41 is about " in asked("snp-corr", "--snp", "s10", "--snp", "s41", "--corr", "dprime")
    assert "Selected as the longest valid block: one SNP, s10" in asked("loc-block", "--snp", "s10", "--longest", "3")
    explored = asked("explore", "--independent", "--most", "4", "--selection", "exponential", "--noise", "laplace")
    assert "the nearest to it: s10, s41 (an" in explored


def test_a_margin_costs_what_the_preview_says(call: Call, study: Path, tmp_path: Path) -> None:
    words = ("preview", study / "plan.toml", "--question", "num-sig", "--k", "3", "--epsilon", "1", "--error", "20")
    least = document(call("genome", *words, "--json"))["epsilon_for_error"]
    out = tmp_path / "out"
    asked = call(
        "genome", "num-sig", *given(study), "--k", "3", "--margin", "20", "--out", out, "--yes", "--unvalidated"
    )
    assert asked.exit_code == 0, asked.stderr
    with open_release(out) as opened:
        assert str(opened.question.epsilon) == least  # type: ignore[attr-defined]


def region_of(call: Call, study: Path, snp: str) -> str:
    """The chromosome of a SNP."""
    lines = (study / "study.bim").read_text().splitlines()
    return next(line.split()[0] for line in lines if line.split()[1] == snp)


@pytest.fixture
def ledger(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """ann may spend epsilon 2 on the study."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    path = tmp_path / "ledger.sqlite"
    for words in (
        ("create", path),
        ("population", path, "patients", "--measure", "epsilon", "--neighbours", "replace-one-person", "--cap", "10"),
        ("dataset", path, "study", "--population", "patients"),
        ("grant", path, "patients", "ann", "--cap", "2"),
    ):
        done = call("ledger", *words)
        assert done.exit_code == 0, done.stderr
    return path


def test_a_ledger_pays_until_the_grant_is_spent(call: Call, study: Path, ledger: Path, tmp_path: Path) -> None:
    paid = ("--ledger", ledger, "--dataset", "study", "--analyst", "ann", "--yes", "--unvalidated")
    first = ("genome", "snp-pval", *given(study), "--snp", "s10", "--epsilon", "4/3", *paid, "--request-id", "one")
    assert document(call(*first, "--out", tmp_path / "one", "--json"))["charged_now"] is True
    assert document(call(*first, "--out", tmp_path / "one", "--json"))["charged_now"] is False
    assert call("verify", tmp_path / "one", "--ledger", ledger).exit_code == CONSISTENT
    dear = call("genome", "num-sig", *given(study), "--epsilon", "1", *paid, "--out", tmp_path / "two")
    assert (dear.exit_code, dear.stdout) == (3, "")
    other = call(*first, "--epsilon", "1/2", "--out", tmp_path / "two")
    assert (other.exit_code, other.stdout) == (6, "")
    assert not (tmp_path / "two").exists()
    charges = [json.loads(event.body) for event in events(f"sqlite:///{ledger}") if event.kind == "charge"]
    assert len(charges) == 1


MISTAKES: list[tuple[str, list[str], int, str]] = [
    ("num-sig", ["--epsilon", "0"], 2, "--epsilon is not above 0"),
    ("num-sig", ["--epsilon", "0.1.2"], 2, "--epsilon is not a decimal number"),
    ("num-sig", ["--epsilon", "4000000001"], 2, "epsilon is above 4000000000"),
    ("num-sig", ["--epsilon", "1e3"], 2, "--epsilon is written with an exponent; write 1000"),
    ("num-sig", ["--epsilon", "1", "--k", "61"], 2, "k is not a whole number from 0 to 60, the number of SNPs"),
    ("num-sig", ["--epsilon", "1", "--test", "chi2"], 2, "test is not among the plan's tests; take g"),
    ("num-sig", ["--epsilon", "1", "--selection", "best"], 2, "Invalid value for '--selection'"),
    ("num-sig", ["--epsilon", "1", "--prevalence-epsilon", "0"], 2, "--prevalence-epsilon is not above 0"),
    ("loc-sig", ["--epsilon", "1", "--delta", "0"], 2, "delta is not between 0 and 1"),
    ("loc-sig", ["--margin", "9", "--delta", "1e-6"], 2, "--margin stands beside --delta"),
    ("loc-sig", ["--epsilon", "1", "--prevalence-epsilon", "0.1"], 2, "prevalence_epsilon is of the score test alone"),
    ("num-sig", ["--epsilon", "1", "--snp", "s1"], 2, "No such option '--snp'"),
    ("loc-sig", ["--epsilon", "1", "--k", "0"], 2, "k is not a whole number from 1 to 60"),
    ("loc-sig", ["--epsilon", "1", "--regions", "1,chr7"], 2, "regions chr7 is not in the plan"),
    ("loc-sig", ["--epsilon", "1", "--excluding", "s1.."], 2, "--excluding is not a first and a last SNP"),
    ("loc-sig", ["--epsilon", "1", "--excluding", "s1..s60"], 2, "regions leave no SNP"),
    ("loc-sig", ["--epsilon", "1", "--excluding", "s1..x"], 2, "excluding x is not in the SNP list of the plan"),
    ("loc-block", ["--epsilon", "1"], 2, "Missing option '--snp'"),
    (
        "loc-block",
        ["--epsilon", "1", "--snp", "s1o"],
        2,
        "snps s1o is not in the SNP list of the plan; did you mean s1?",
    ),
    ("loc-block", ["--epsilon", "1", "--snp", "s1", "--delta-c", "0.001"], 2, "delta_c is below 1/n"),
    ("loc-block", ["--epsilon", "1", "--snp", "s1", "--corr", "dprime", "--delta-c", "0.4"], 2, "delta_c is below 1/2"),
    ("loc-block", ["--epsilon", "1", "--snp", "s1", "--longest", "0"], 2, "longest is below 1"),
    ("snp-pval", ["--epsilon", "1", "--snp", "rs1"], 2, "snp rs1 is not in the SNP list of the plan; did you mean s1?"),
    ("snp-pval", ["--epsilon", "1/5000", "--snp", "s1"], 2, "epsilon is below 1/4096"),
    ("snp-effects", ["--epsilon", "1", "--snp", "s1"], 2, "question is snp_effects"),
    ("snp-effects", ["--epsilon", "1", "--snp", "s1", "--prevalence-epsilon", "0"], 2, "--prevalence-epsilon is not"),
    ("explore-effects", ["--epsilon", "1"], 2, "question is explore_effects"),
    ("snp-corr", ["--epsilon", "1", "--snp", "s1"], 2, "--snp is not given twice"),
    ("snp-corr", ["--epsilon", "1", "--snp", "s1", "--snp", "s1"], 2, "second is the first SNP again"),
    ("explore", ["--epsilon", "1", "--most", "1001"], 2, "most is not a whole number from 1 to 1000"),
    ("explore", ["--epsilon", "1/1000"], 2, "epsilon is below 5/512"),
    ("num-sig", [], 2, "--epsilon is missing"),
    ("num-sig", ["--epsilon", "1", "--margin", "20"], 2, "--margin stands beside --epsilon"),
    ("num-sig", ["--margin", "-1"], 2, "--margin is below 0"),
    (
        "explore",
        ["--epsilon", "1", "--genotypes", "nowhere"],
        65,
        "nowhere: genotypes is not the prefix of a .bed or .pgen",
    ),
    ("explore", ["--epsilon", "1", "--phenotype", "nowhere"], 65, "nowhere: phenotype cannot be opened"),
    (
        "num-sig",
        ["--epsilon", "1", "--covariates", "nowhere"],
        65,
        "covariates is given, and the plan adjusts for none",
    ),
    (
        "num-sig",
        ["--epsilon", "1", "--sample", "x.sample"],
        65,
        "x.sample: sample is given, and the genotypes are no BGEN",
    ),
    ("explore", ["--epsilon", "1", "--request-id", "not a name"], 2, "--request-id"),
    ("explore", ["--epsilon", "1", "--dataset", "other"], 2, "dataset other is not registered"),
]


@pytest.mark.series(8)
@pytest.mark.parametrize(("name", "words", "code", "says"), MISTAKES)
def test_mistakes_are_refused_before_anything_is_charged(
    call: Call, study: Path, ledger: Path, tmp_path: Path, name: str, words: list[str], code: int, says: str
) -> None:
    refused = call("genome", name, *given(study), *paid(ledger, tmp_path / "out"), *words)
    assert (refused.exit_code, refused.stdout) == (code, ""), refused.stderr
    assert says in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not (tmp_path / "out").exists()
    assert [event.kind for event in events(f"sqlite:///{ledger}")] == ["create", "population", "dataset", "grant"]


@pytest.mark.parametrize(
    "words", [("loc-block", "--snp", "s1"), ("snp-corr", "--snp", "s1", "--snp", "s2"), ("explore",)]
)
def test_pairs_and_blocks_are_refused_where_missing_calls_have_a_cell(
    call: Call, study: Path, ledger: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    plan = study / "cells.toml"
    plan.write_text((study / "plan.toml").read_text().replace('"dominant"', '"dominant"\nmissing = "cell"'))
    name, *others = words
    refused = call("genome", name, plan, *given(study)[1:], *others, "--epsilon", "1", *paid(ledger, tmp_path / "out"))
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert f"question is {name}, which does not count missing calls apart" in refused.stderr
    assert "ask num-sig or loc-sig or snp-pval, or take a plan without analysis.missing" in refused.stderr
    assert [event.kind for event in events(f"sqlite:///{ledger}")] == ["create", "population", "dataset", "grant"]


def test_a_threshold_above_which_distances_mean_nothing_is_refused(call: Call, study: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    text = (study / "plan.toml").read_text().replace('list = "array.bim"', f'list = "{study / "array.bim"}"')
    plan.write_text(text.replace("[analysis]", '[analysis]\nalpha = "0.99"').replace('"array.bim"', '"few.bim"'))
    (tmp_path / "few.txt").write_text("s1 s2 s3")
    plan.write_text(plan.read_text().replace("[snps]", '[snps]\nextract = "few.txt"'))
    words = (
        plan,
        "--genotypes",
        study / "study",
        "--epsilon",
        "1",
        "--out",
        tmp_path / "out",
        "--yes",
        "--unvalidated",
    )
    refused = call("genome", "num-sig", *words)
    assert (refused.exit_code, refused.stdout) == (65, "")
    assert "alpha is not such that alpha / m is from 1e-250 to 0.3" in refused.stderr


def test_what_is_there_is_not_written_over(call: Call, study: Path, tmp_path: Path) -> None:
    words = ("genome", "snp-pval", *given(study), "--snp", "s1", "--epsilon", "1", "--yes", "--unvalidated")
    (tmp_path / "there").mkdir()
    (tmp_path / "there.zip").touch()
    for out in (("--out", tmp_path / "there"), ("--out", tmp_path / "new", "--zip", tmp_path / "there.zip")):
        refused = call(*words, *out)
        assert (refused.exit_code, refused.stdout) == (74, "")
        assert "exists" in refused.stderr
    # Another question has another answer.
    assert call(*words, "--out", tmp_path / "one").exit_code == 0
    assert call(*words, "--test", "g", "--epsilon", "2", "--out", tmp_path / "one").exit_code == 74
    assert sorted(path.name for path in tmp_path.iterdir()) == [".one.records", "one", "there", "there.zip"]


def test_without_a_terminal_spending_is_said_in_words(call: Call, study: Path, tmp_path: Path) -> None:
    refused = call("genome", "num-sig", *given(study), "--epsilon", "0.5", "--out", tmp_path / "out", "--unvalidated")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--yes is missing" in refused.stderr
    assert "add --yes to charge epsilon 0.5" in refused.stderr
    nobody = call("genome", "num-sig", *given(study), "--epsilon", "1", "--out", tmp_path / "out", "--dataset", "x")
    assert "--dataset names data of no ledger; give --ledger too" in nobody.stderr
