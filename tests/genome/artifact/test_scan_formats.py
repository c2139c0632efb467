"""The columns of PLINK 2's --glm, as PLINK 2 writes a SNP and one that says nothing."""

from dataclasses import replace
from fractions import Fraction
from math import exp, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from starling.errors import ParameterError
from starling.genome.artifact.scan_formats import GLM_COLUMNS, LINEAR, glm, note, of_effects, of_scan
from starling.genome.inference.scans import scan_rows
from starling.genome.measurements import FIXED, ExploredEffects, NoisyScores, Number, SelectedSnps
from starling.genome.plan import ExploreEffects, Scan, SnpEffects
from starling.genome.plan.effects import SCALE
from tests.genome.inference.test_scans import FAR, PLAN, scanned
from tests.genome.plink import plink


def test_a_line_for_every_snp_in_the_order_of_the_list() -> None:
    drawn = scanned([3.0, 0.0, -1.0, 1.0, 1.0, 1.0])
    exported = of_scan(PLAN, Scan(FAR), drawn, scan_rows(PLAN, Scan(FAR), drawn))
    header, first, silent, *others = [line.rstrip("\n").split("\t") for line in glm(exported)]
    assert tuple(header) == GLM_COLUMNS
    start = [
        "1",
        "10",
        "rs0",
        "C",
        "A",
        "A",
        "0.25",
        "ADD",
        "1000",
        "1.34986",
        "0.1",
        "1.1096",
        "1.64213",
        "3",
        "0.0027",
        ".",
    ]
    assert first == start
    assert silent[9:] == ["NA"] * 6 + ["CONST_ALLELE"]
    assert [line[2] for line in others] == ["rs2", "rs3", "rs4", "rs5"]


def test_the_note_says_what_is_not_protected_first() -> None:
    text = note(PLAN, Scan(FAR), None)
    assert text.startswith("Genotypes, covariates and who takes part are not protected")
    assert "Adjusted for: age, sex, 2 principal components" in text


def test_plink2_reads_its_own_columns(tmp_path: Path) -> None:
    drawn = scanned([5.0, 0.0, -1.0, 0.5, 0.25, -2.0])
    rows = scan_rows(PLAN, Scan(FAR), drawn)
    path = tmp_path / "scan.glm"
    path.write_text("".join(glm(of_scan(PLAN, Scan(FAR), drawn, rows))))
    plink("plink2", "--adjust-file", path, "test=ADD", "--out", tmp_path / "read")
    header, *lines = [line.split("\t") for line in (tmp_path / "read.adjusted").read_text().splitlines()]
    adjusted = {line[header.index("ID")]: float(line[header.index("UNADJ")]) for line in lines}
    assert adjusted == {
        name: pytest.approx(p) for name, p in zip(PLAN.snps.ids, rows.p, strict=True) if not np.isnan(p)
    }


FIVE = SnpEffects(("rs4", "rs1", "rs2"), Fraction(3))
SCORES = NoisyScores(
    (4 * SCALE, -SCALE // 4, 7), FIXED, (400 * FIXED, 100 * FIXED, 0), (1000, 990, 3), (FIXED // 4,) * 3
)


def test_effects_are_told_in_the_order_of_the_list() -> None:
    """Of rs4 s is 4 and |r| is 20; without a number of cases the variance is 1/4 and the noise has scale 1/3."""
    header, first, silent, last = [line.rstrip("\n").split("\t") for line in glm(of_effects(PLAN, FIVE, SCORES))]
    assert header == [LINEAR.get(name, name) for name in GLM_COLUMNS]
    assert [line[2] for line in (first, silent, last)] == ["rs1", "rs2", "rs4"]
    assert silent[9:] == ["NA"] * 6 + ["CONST_ALLELE"]
    assert last[6:9] == ["0.25", "ADD", "1000"]
    beta, se, low, high, z, p = map(float, last[9:15])
    error = sqrt(1 / 4 + 2 / 9) / 20
    assert [beta, se, z] == pytest.approx([4 / 20, error, beta / se], rel=1e-5)
    assert high - beta == pytest.approx(beta - low, rel=1e-5)
    assert p > float(2 * norm.sf(z)), "the noise has longer tails than the normal distribution"
    assert float(first[9]) == pytest.approx(-0.25 / 10)


def test_effects_with_a_number_of_cases_are_odds_ratios() -> None:
    question, drawn = replace(FIVE, prevalence_epsilon=Fraction(1)), replace(SCORES, cases=200)
    header, *_, last = [line.rstrip("\n").split("\t") for line in glm(of_effects(PLAN, question, drawn))]
    assert tuple(header) == GLM_COLUMNS
    ratio, se, low, high = map(float, last[9:13])
    assert ratio == pytest.approx(exp(4 / 20 / 0.16), rel=1e-5)
    assert se == pytest.approx(sqrt(0.16 + 2 / 4) / 20 / 0.16, rel=1e-5)
    assert low < ratio < high


def test_the_note_of_effects_says_what_they_are_and_who_named_them() -> None:
    text = of_effects(PLAN, FIVE, SCORES).about
    assert text.startswith("Genotypes, covariates and who takes part are not protected")
    assert "epsilon 3 for all of them together" in text
    assert "BETA is by how much the share of cases grows with one more copy" in text
    assert "not corrected for the 6 SNPs of the study" in text
    assert "named these SNPs" not in text
    explore = ExploreEffects("score", Fraction(9), most=3, prevalence_epsilon=Fraction(3))
    number = Number(3, 6, 200)
    explored = of_effects(PLAN, explore, ExploredEffects(number, SelectedSnps(FIVE.snps), SCORES))
    assert "The same phenotypes named these SNPs" in explored.about
    assert "epsilon 2 for all of them together" in explored.about
    assert not explored.linear
    with pytest.raises(ParameterError, match="holds no effects: nothing was followed up"):
        of_effects(PLAN, explore, ExploredEffects(Number(0, 0, 200), SelectedSnps(()), None))
