"""An exploration of effects on the command line: previewed, asked with every option, verified."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call, document

ASKED = "explore-effects"


@pytest.mark.slow
def test_effects_are_explored_with_every_option(
    call: Call, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    text = (study / "plan.toml").read_text().replace('unit = "person"', 'unit = "phenotype"')
    text = text.replace('model = "dominant"', 'model = "additive"').replace('tests = ["g"]', 'tests = ["score"]')
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_text(text.replace('"array.bim"', f'"{study}/array.bim"'))
    chosen = ("--test", "score", "--most", "2", "--prevalence-epsilon", "900000")
    own = ("--epsilon", "3900000", "--selection", "exponential", "--regions", "1", "--out", out)
    words = ("genome", ASKED, plan, "--genotypes", study / "study", *chosen, *own, "--unvalidated", "--yes")
    result = call(*words, "--request-id", "r1")
    assert result.exit_code == 0, result.stderr
    first, *others = result.stdout.splitlines()
    assert first.startswith("Genotypes, covariates and who takes part are not protected")
    assert sum(": odds ratio of each copy about" in line for line in others) == 2
    assert "About 150 people are cases" in result.stdout
    found = document(call(*words, "--request-id", "r1", "--json"))
    assert (found["charged_now"], found["answer"]["number"]["cases"]) == (False, 150)
    assert len(found["answer"]["effects"]["effects"]) == 2
    assert call("verify", out).exit_code == 7, "its key is new here"
    preview = call("genome", "preview", plan, "--question", ASKED, *chosen[:4], "--epsilon", "1,2", "--k", "2")
    assert "following up 2 SNPs" in preview.stdout
    everything = call("genome", "preview", plan)
    assert f"\n{ASKED}: How many SNPs are significant by the test score, which, with which effects" in everything.stdout
    assert "a third each" in call("genome", "plan", plan).stdout
    assert call("genome", "plot", out, "--kind", "effects", "--out", tmp_path / "pictures").exit_code == 0
    assert "Odds ratios of 2 SNPs, each with its 95 % interval" in (out / "report.html").read_text()
    refused = call("genome", "export", out, "--format", "plink-assoc", "--out", tmp_path / "assoc")
    assert (refused.exit_code, "is plink-assoc, which is of p-values that were asked for" in refused.stderr) == (
        2,
        True,
    )
    explore = call(
        "genome", "explore", *words[2:5], "--epsilon", "1", "--out", tmp_path / "no", "--unvalidated", "--yes"
    )
    assert (explore.exit_code, "or explore-effects" in explore.stderr) == (2, True)
