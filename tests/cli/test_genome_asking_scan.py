"""A scan on the command line: of a study with covariates, paid by a ledger of phenotypes, drawn, exported and verified."""

from pathlib import Path

import pytest

from starling.cli.genome_asking import QUESTIONS
from starling.genome.plan.choices import WHOLE_PERSON
from tests.cli.conftest import Call, document
from tests.genome.worlds import a_trait_plan, write_traits

ASKED = "scan"


@pytest.mark.slow
def test_a_study_is_scanned_drawn_and_exported(
    call: Call, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    text = (study / "plan.toml").read_text().replace('unit = "person"', 'unit = "phenotype"')
    text = text.replace('model = "dominant"', 'model = "additive"\ncovariates = ["age"]\ncomponents = 1')
    plan, covariates, phenotypes = (tmp_path / name for name in ("plan.toml", "covariates.txt", "phenotypes.txt"))
    plan.write_text(text.replace('tests = ["g"]', 'tests = ["score"]').replace('"array.bim"', f'"{study}/array.bim"'))
    covariates.write_text("IID age\n" + "".join(f"p{row} {row % 60}\n" for row in range(1, 301)))
    phenotypes.write_text("IID t\n" + "".join(f"p{row} {2 if row <= 150 else 1}\n" for row in range(1, 301)))
    ledger, out = tmp_path / "ledger.sqlite", tmp_path / "out"
    for step in (
        ("create", ledger),
        ("population", ledger, "x", "--measure", "epsilon", "--neighbours", "replace-one-phenotype", "--cap", "50"),
        ("dataset", ledger, "study", "--population", "x"),
        ("grant", ledger, "x", "ann", "--cap", "50"),
    ):
        assert call("ledger", *step).exit_code == 0
    given = ("genome", ASKED, plan, "--genotypes", study / "study", "--phenotype", phenotypes)
    paid = ("--ledger", ledger, "--dataset", "study", "--analyst", "ann", "--request-id", "r1", "--unvalidated")
    bare = call(*given, "--epsilon", "9", "--out", out, *paid, "--yes")
    assert (bare.exit_code, "covariates are missing; give covariates: a file with age" in bare.stderr) == (65, True)
    words = (*given, "--covariates", covariates, "--epsilon", "9", "--out", out, *paid, "--yes")
    result = call(*words, "--zip", tmp_path / "out.zip")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Genotypes, covariates and who takes part are not protected")
    assert "SNPs at or below the threshold by the score test, adjusted for age, 1 principal component" in lines[1]
    assert "charged epsilon 9 for replace one person's phenotype" in [" ".join(line.split()) for line in lines]
    found = document(call(*words, "--json"))
    assert (found["charged_now"], found["answer"]["adjusted"]) == (False, 2)
    assert call("verify", out, "--ledger", ledger).exit_code == 7
    assert (
        call("genome", "plot", out, "--kind", "scan", "--kind", "scan-qq", "--out", tmp_path / "pictures").exit_code
        == 0
    )
    assert call("genome", "export", out, "--format", "plink-glm", "--out", tmp_path / "scan.glm").exit_code == 0
    preview = call("genome", "preview", plan, "--question", ASKED, "--epsilon", "1,2")
    assert "Share of the sample that the coins leave" in preview.stdout
    assert "an odds ratio of every SNP" in call("genome", "plan", plan).stdout
    most = call(*given, "--covariates", covariates, "--margin", "1.0001", "--out", tmp_path / "most", *paid, "--yes")
    assert (most.exit_code, "is kept at no epsilon" in most.stderr) == (2, True)


def test_a_plan_of_persons_has_no_scan(call: Call, study: Path, tmp_path: Path) -> None:
    words = ("--genotypes", study / "study", "--epsilon", "1", "--out", tmp_path / "out", "--unvalidated", "--yes")
    refused = call("genome", ASKED, study / "plan.toml", *words)
    assert refused.exit_code == 2
    assert "question is scan, which shows exact genotypes and protects phenotypes alone" in refused.stderr
    assert ASKED in QUESTIONS


def test_a_median_is_paid_by_a_part_of_epsilon(call: Call, study: Path, tmp_path: Path) -> None:
    """Of a quantitative phenotype alone, and the response has as many intervals as the rest suits."""
    text = (study / "plan.toml").read_text().replace('unit = "person"', 'unit = "phenotype"')
    text = text.replace('model = "dominant"', 'model = "additive"').replace('"array.bim"', f'"{study}/array.bim"')
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_text(text.replace('tests = ["g"]', 'tests = ["score"]'))
    words = (
        "genome",
        ASKED,
        plan,
        "--genotypes",
        study / "study",
        "--out",
        out,
        "--unvalidated",
        "--yes",
        "--epsilon",
        "2.4",
    )
    refused = call(*words, "--median-epsilon", "0.5")
    assert (refused.exit_code, "median_epsilon is of a quantitative phenotype" in refused.stderr) == (2, True)
    plan.write_text(plan.read_text().replace("people = 300", 'people = 300\nbetween = ["1", "2"]\nsteps = 1'))
    assert "--median-epsilon is not above 0" in call(*words, "--median-epsilon", "0").stderr
    found = document(call(*words, "--median-epsilon", "0.5", "--json"))
    assert found["question"]["median_epsilon"] == "1/2"
    assert "intervals" not in found["question"]
    assert found["answer"]["median"] == {"step": 0, "value": 1.5, "people": 0}
    assert call("verify", out, "--json").exit_code in (0, 7)


@pytest.mark.slow
def test_effects_of_snps_that_were_named_have_wider_intervals(call: Call, study: Path, tmp_path: Path) -> None:
    """And are exported."""
    text = (study / "plan.toml").read_text().replace('unit = "person"', 'unit = "phenotype"')
    text = text.replace('model = "dominant"', 'model = "additive"').replace('"array.bim"', f'"{study}/array.bim"')
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_text(text.replace('tests = ["g"]', 'tests = ["score"]'))
    words = ("genome", "snp-effects", plan, "--genotypes", study / "study", "--snp", "s1", "--epsilon", "2", "--chosen")
    found = document(call(*words, "--out", out, "--unvalidated", "--yes", "--json"))
    assert found["question"]["chosen"] is True
    (slope,) = [each["slope"] for each in found["answer"]["effects"]]
    assert slope["low"] < slope["estimate"] < slope["high"]
    report = (out / "report.html").read_text()
    assert "although the same phenotypes named the SNPs" in report
    for form in ("plink-glm", "gwas-ssf"):
        assert call("genome", "export", out, "--format", form, "--out", tmp_path / form).exit_code == 0
        assert "s1" in (tmp_path / form).read_text()


@pytest.mark.slow
def test_slopes_of_whole_persons_are_planned_asked_drawn_and_exported(call: Call, tmp_path: Path) -> None:
    """And no other question is."""
    plan, given = a_trait_plan(), ("--genotypes", write_traits(tmp_path), "--phenotype", tmp_path / "trait.txt")
    plan.save(tmp_path / "plan.toml")
    assert (
        "a phenotype is from 10 to 50 in 40 steps, a missing one left out"
        in call("genome", "plan", tmp_path / "plan.toml").stdout
    )
    previewed = call("genome", "preview", tmp_path / "plan.toml", "--question", "snp-effects", "--epsilon", "1")
    assert previewed.exit_code == 0
    paid = ("--out", tmp_path / "out", "--unvalidated", "--yes")
    refused = call("genome", "num-sig", tmp_path / "plan.toml", *given, "--epsilon", "1", *paid)
    assert (refused.exit_code, "ask snp-effects, or take a plan with above" in refused.stderr) == (2, True)
    asked = ("genome", "snp-effects", tmp_path / "plan.toml", *given, "--snp", "rs2", "--snp", "rs7", "--epsilon", "1")
    result = call(*asked, *paid)
    assert result.exit_code == 0, result.stderr
    first, *effects = result.stdout.splitlines()[:3]
    assert first == f"{WHOLE_PERSON}."
    assert [line.partition(": the phenotype grows by about ")[0] for line in effects] == ["rs2", "rs7"]
    assert "charged      epsilon 1 for replace one person" in result.stdout
    assert call("verify", tmp_path / "out").exit_code == 7
    assert call("genome", "plot", tmp_path / "out", "--out", tmp_path / "pictures").exit_code == 0
    assert "rs7" in (tmp_path / "pictures" / "effects.svg").read_text()
    exported = call("genome", "export", tmp_path / "out", "--format", "plink-glm", "--out", tmp_path / "out.glm")
    assert exported.exit_code == 0
    assert [line.split("\t")[2] for line in (tmp_path / "out.glm").read_text().splitlines()] == ["ID", "rs2", "rs7"]
