"""The verbs of genome: their examples work, their mistakes are told in one sentence before anything is read or charged."""

import json
import shlex
from pathlib import Path

import click
import pytest

from starling.cli import main
from starling.cli.commands import Group
from tests.cli.conftest import Call, document
from tests.genome.source import test_bgen_sample as bgen


@pytest.mark.slow
def test_every_example_works_when_pasted(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    group = main.get_command(click.Context(main), "genome")
    assert isinstance(group, Group)
    commands = [group.get_command(click.Context(group), name) for name in group.lazy]
    assert commands[0] is not None
    assert group.example == commands[0].example  # type: ignore[attr-defined] # one of ours
    for seed, folder in enumerate(("mixed", "other")):
        invented = ("--people", 200, "--snps", 100, "--populations", 2, "--seed", seed, "--out", folder)
        assert call("genome", "generate", *invented).exit_code == 0
    for name, folder in (("scan-a", "mixed"), ("scan-b", "other")):
        scanned = (f"{folder}/plan.toml", "--genotypes", f"{folder}/study", "--epsilon", 2, "--out", name)
        assert call("genome", "scan", *scanned, "--unvalidated", "--yes").exit_code == 0
    for command in commands:
        for line in command.example.splitlines():  # type: ignore[union-attr]
            words = shlex.split(line)
            result = call(*words[1:])
            assert (words[0], result.exit_code) == ("starling", 0), result.output
            assert result.stdout


def test_a_plan_is_told(call: Call, study: Path) -> None:
    shown = call("genome", "plan", study / "plan.toml")
    assert shown.exit_code == 0
    assert "60 on 20 chromosomes" in shown.stdout
    assert "p at or below 0.0008333 = 0.05 / 60" in shown.stdout
    found = document(call("genome", "plan", study / "plan.toml", "--json"))
    assert (found["people"], found["snps"], found["p_threshold"]["exact"]) == (300, 60, "1/1200")
    assert sum(region["snps"] for region in found["regions"]) == 60


def test_all_that_is_wrong_with_a_plan_is_told_at_once(call: Call, study: Path) -> None:
    bad = study.parent / "bad.toml"
    text = (study / "plan.toml").read_text().replace('"person"', '"household"').replace("people = 300", "people = 1")
    bad.write_text(text.replace('model = "dominant"', 'model = "dominent"').replace('"array.bim"', '"missing.bim"'))
    refused = call("genome", "plan", bad)
    assert (refused.exit_code, refused.stdout) == (65, "")
    for says in ("privacy.unit", "study.people", "analysis.model", "missing.bim: file cannot be read"):
        assert says in refused.stderr
    nowhere = call("genome", "plan", study / "nowhere.toml")
    assert (nowhere.exit_code, nowhere.stdout) == (65, "")
    assert "nowhere.toml" in nowhere.stderr


def test_validate_tells_what_is_wrong_and_who_are_kin(call: Call, study: Path, tmp_path: Path) -> None:
    words = ("genome", "validate", study / "plan.toml", "--genotypes", study / "study")
    good = call(*words)
    assert (good.exit_code, good.stderr) == (0, "... reading every genotype and comparing people\n")
    assert good.stdout.startswith("300 people, 150 of them cases, 0 % of the calls missing")
    phenotypes = tmp_path / "phenotypes.txt"
    lines = [f"p{row} p{row} {2 if row < 10 else 'NA' if row == 77 else 1}" for row in range(1, 301)]
    phenotypes.write_text("\n".join(["FID IID T2D", *lines]) + "\n")
    bad = call(*words, "--phenotype", phenotypes)
    assert (bad.exit_code, bad.stdout) == (65, "")
    assert "records have 1 problem (phenotype 1)" in bad.stderr
    assert "phenotype of p77 p77: has no phenotype" in bad.stderr
    beside = call(*words, "--covariates", phenotypes)
    assert "covariates is given, and the plan adjusts for none" in beside.stderr
    found = document(call(*words, "--phenotype", phenotypes, "--json"))
    assert (found["valid"], found["cases"], found["problems"]["by_field"]) == (False, 9, {"phenotype": 1})
    assert document(call(*words, "--json"))["valid"] is True
    missing = call(*words[:3], "--genotypes", tmp_path / "none")
    assert (missing.exit_code, missing.stdout) == (65, "")
    assert "is not the prefix of a .bed or .pgen" in missing.stderr


@pytest.mark.slow
def test_the_people_of_a_bgen_are_those_of_the_sample_that_is_named(call: Call, tmp_path: Path) -> None:
    path = bgen.study(tmp_path, None, "#FID IID T\nf p0 1\nf p1 2\ng p0 2\n")
    bgen.PLAN.save(tmp_path / "plan.toml")
    (tmp_path / "people").mkdir()
    own, others = (tmp_path / "people" / name for name in ("own.sample", "others.sample"))
    own.write_text(bgen.SAMPLE)
    others.write_text(bgen.SAMPLE + "g p1 0 1 0\n")
    words = (tmp_path / "plan.toml", "--genotypes", path, "--phenotype", tmp_path / "x.txt", "--sample")
    found = document(call("genome", "validate", *words, own, "--json"))
    assert (found["cases"], found["valid"]) == (2, True)
    refused = call(
        "genome", "scan", *words, others, "--epsilon", 1, "--out", tmp_path / "out", "--unvalidated", "--yes"
    )
    assert (refused.exit_code, refused.stdout) == (65, "")
    assert "others.sample: people does not name as many people as the genotypes have" in refused.stderr


def test_people_who_are_there_twice_are_a_note(call: Call, tmp_path: Path) -> None:
    from starling.genome import generate

    made = generate(people=40, snps=600, seed=3, out=tmp_path / "kin")
    bed = Path(f"{made.records}.bed")
    content = bytearray(bed.read_bytes())
    for start in range(3, len(content), 10):
        # Person 2 gets the calls of person 1.
        content[start] = (content[start] & ~0b1100) | (content[start] & 0b11) << 2
    bed.write_bytes(bytes(content))
    result = call("genome", "validate", made.plan, "--genotypes", made.records)
    assert result.exit_code == 0
    assert "note: duplicates are likely: p1 p1 and p2 p2" in result.stderr


def test_generate_makes_what_is_asked(call: Call, tmp_path: Path) -> None:
    words = ("genome", "generate", "--people", "50", "--snps", "30", "--out", tmp_path / "made")
    found = document(call(*words, "--cases", "10", "--causal", "s3:4", "--causal", "7:0.5", "--seed", "9", "--json"))
    note = json.loads(Path(found["note"]).read_text())
    assert (note["cases"], note["seed"]) == (10, 9)
    assert [(each["snp"], each["odds_ratio"]) for each in note["causal"]] == [("s3", 4.0), ("s7", 0.5)]
    again = call(*words)
    assert (again.exit_code, again.stdout) == (74, "")
    mixed = document(call(*words[:-1], tmp_path / "mixed", "--populations", "2", "--json"))
    assert json.loads(Path(mixed["note"]).read_text())["populations"] == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--causal", "s3"], "--causal is not a SNP and an odds ratio above 0; write it like s10:2.5"),
        (["--causal", "rs3:2"], "causal names a SNP that is not s and a number; write it like s10:2.5"),
        (["--causal", ":2"], "--causal is not a SNP and an odds ratio"),
        (["--causal", "s3:-1"], "--causal is not a SNP and an odds ratio"),
        (["--causal", "s3:2", "--causal", "3:2"], "causal names a SNP twice"),
        (["--causal", "s3:2", "--causal", "s3:2"], "--causal names a SNP twice"),
        (["--causal", "s31:2"], "causal are not numbers from 1 to 30"),
        (["--cases", "50"], "cases is not a whole number from 1 to 49"),
        (["--seed", "-1"], "seed is not a whole number"),
        (["--linkage", "some"], "Invalid value for '--linkage'"),
    ],
)
def test_generate_refuses_what_is_no_study(call: Call, tmp_path: Path, words: list[str], says: str) -> None:
    refused = call("genome", "generate", "--people", "50", "--snps", "30", "--out", tmp_path / "made", *words)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert says in refused.stderr
    assert not (tmp_path / "made").exists()
