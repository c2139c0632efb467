"""Answers with missing calls apart: from files to what a release tells, its report and its exports, for persons and for phenotypes."""

from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency, fisher_exact

from starling.errors import ParameterError
from starling.genome import preview
from starling.genome.plan import NumSig, SnpCorr, SnpPval
from starling.genome.plan.choices import UNPROTECTED
from starling.genome.session import Plan
from starling.privacy.least import LEAST_LATTICE_RATE
from tests.genome.studies import MISSING, Study, plan_of, write_bed
from tests.genome.worlds import HUGE, PEOPLE, a_study

TESTS = {"person": "g", "phenotype": "score"}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    """That of `worlds`, of which 30 cases and 10 controls lack a call of rs2, and 10 of each one of rs3."""
    folder, whole = tmp_path_factory.mktemp("missing"), a_study()
    copies = whole.copies.copy()
    copies[1, :30], copies[1, 150:160], copies[2, :10], copies[2, 100:110] = (MISSING,) * 4
    lacking = Study(copies, whole.alleles, whole.phenotypes, whole.places)
    write_bed(lacking, folder / "study")
    return lacking, folder


def a_plan(study: tuple[Study, Path], unit: str) -> Plan:
    plan = replace(plan_of(study[0], study[1], "dominant", TESTS[unit]), missing="cell")
    assert plan.unit == unit
    return Plan.of(plan.values())


@pytest.mark.parametrize("unit", ["person", "phenotype"])
def test_the_answer_is_of_people_with_a_call_and_tells_who_lacks_one(
    study: tuple[Study, Path], tmp_path: Path, unit: str
) -> None:
    plan = a_plan(study, unit)
    release = plan.release(study[1] / "study", SnpPval("rs2", TESTS[unit], HUGE), tmp_path / "one")
    release.verify()
    cases, copies = np.arange(PEOPLE) < PEOPLE // 2, study[0].copies[1]
    cells = [[int(((copies == kind) & who).sum()) for kind in (1, 0, MISSING)] for who in (cases, ~cases)]
    answer: Any = release.answer
    assert answer.counts == (*cells[0], *cells[1])
    called = np.array(cells)[:, :2]
    wanted = chi2_contingency(called, correction=False, lambda_="log-likelihood" if unit == "person" else "pearson")
    assert answer.p == pytest.approx(wanted.pvalue, rel=1e-3)
    (a, b), (c, d) = called.tolist()
    assert answer.effect.odds_ratio.estimate == pytest.approx(a * d / (b * c), rel=1e-5)
    assert (answer.missing.cases.estimate, answer.missing.controls.estimate) == (0.3, 0.1)
    # Twice the smaller tail; here there are as many cases as controls, and it is the usual one.
    assert answer.missing.p == pytest.approx(fisher_exact([[30, 70], [10, 90]])[1], rel=1e-3)
    frame = release.to_pandas("snps")
    assert (frame["CASES_MISSING"][0], frame["CONTROLS_MISSING"][0]) == (30, 10)
    assert (frame["P_MISS"][0], frame["F_MISS_A_LOW"][0]) == (answer.missing.p, answer.missing.cases.low)
    text, page = str(release), unescape((tmp_path / "one" / "report.html").read_text())
    for says in (
        "About 30 % (30 to 30) of cases lack a call, and 10 % (10 to 10) of controls",
        "not to be trusted before",
    ):
        assert says in text
        assert says in page
    assert "Who lacks a call, of the same noisy counts" in page
    assert "who lacks a call is counted in a cell of their own" in page
    if unit == "phenotype":
        assert text.index(UNPROTECTED) < text.index("rs2: p")
        assert "on the cases of each column of a table, sensitivity 1 phenotype" in page
    alike: Any = plan.release(study[1] / "study", SnpPval("rs3", TESTS[unit], HUGE), tmp_path / "alike").answer
    assert alike.missing.p == 1
    noisy = plan.release(study[1] / "study", SnpPval("rs3", TESTS[unit], "0.05"), tmp_path / "noisy")  # type: ignore[arg-type] # made exact
    assert "which leaves open whether cases and controls differ" in str(noisy)


def test_a_missing_call_is_no_copy_without_it(study: tuple[Study, Path], tmp_path: Path) -> None:
    """The bias that the key takes away: the same files, and another table."""
    plan = Plan.of(replace(a_plan(study, "person"), missing=None).values())
    release: Any = plan.release(study[1] / "study", SnpPval("rs2", "g", HUGE), tmp_path / "one")
    assert len(release.answer.counts) == 4
    assert release.answer.missing is None
    assert "lack a call" not in str(release)
    assert "P_MISS" not in release.to_pandas("snps")
    assert "missing" not in str(release.answer)


@pytest.mark.parametrize("unit", ["person", "phenotype"])
def test_calls_that_are_missing_in_cases_make_no_snp_significant(tmp_path: Path, unit: str) -> None:
    """A SNP that everybody carries, of whose calls 60 of 100 cases lack one: by the one rule it is a hit, and the only one."""
    whole, copies = a_study(), np.ones((1, PEOPLE), dtype=np.int8)
    copies[0, :60], copies[0, 150:155] = MISSING, 0
    lacking = Study(copies, whole.alleles[:1], whole.phenotypes, whole.places[:1])
    write_bed(lacking, tmp_path / "study")
    plan = a_plan((lacking, tmp_path), unit)
    counted: dict[bool, Any] = {}
    for apart in (True, False) if unit == "person" else (True,):
        asked = Plan.of((plan if apart else replace(plan, missing=None)).values())
        preview(asked, NumSig(TESTS[unit], 1, HUGE))
        release = asked.release(tmp_path / "study", NumSig(TESTS[unit], 1, HUGE), tmp_path / f"apart-{apart}")
        release.verify()
        counted[apart] = (release.answer.low, release.answer.high)  # type: ignore[union-attr] # a number
    assert counted == ({True: (0, 0), False: (1, 1)} if unit == "person" else {True: (0, 0)})


@pytest.mark.parametrize("unit", ["person", "phenotype"])
def test_an_export_has_the_people_with_a_call(study: tuple[Study, Path], tmp_path: Path, unit: str) -> None:
    release = a_plan(study, unit).release(study[1] / "study", SnpPval("rs2", TESTS[unit], HUGE), tmp_path / "one")
    release.export(tmp_path / "one.tsv", "gwas-ssf")
    header, row = ((line.split("\t")) for line in (tmp_path / "one.tsv").read_text().splitlines())
    told = dict(zip(header, row, strict=True))
    answer: Any = release.answer
    a, b, _, c, d, _ = answer.counts
    assert told["n"] == str(PEOPLE - 40)
    assert float(told["standard_error"]) == pytest.approx((1 / a + 1 / b + 1 / c + 1 / d) ** 0.5, rel=1e-3)
    assert "People without a call of a SNP are left out" in (tmp_path / "one.tsv-meta.yaml").read_text()


@pytest.mark.series(1)
@pytest.mark.parametrize("unit", ["person", "phenotype"])
def test_the_least_budget_is_answered_and_a_preview_says_what_it_is_worth(
    study: tuple[Study, Path], tmp_path: Path, unit: str
) -> None:
    plan = a_plan(study, unit)
    for least in (LEAST_LATTICE_RATE, HUGE):
        question = SnpPval("rs2", TESTS[unit], least)
        noises = {each.noise for each in preview(plan, question).intervals}  # type: ignore[union-attr] # of tables
        assert noises == ({"lattice", "laplace"} if unit == "person" else {"lattice"})
    low: Any = plan.release(study[1] / "study", SnpPval("rs2", TESTS[unit], LEAST_LATTICE_RATE), tmp_path / "least")
    low.verify()
    assert low.answer.high == 1


def test_other_questions_are_refused_before_a_file_is_opened(study: tuple[Study, Path], tmp_path: Path) -> None:
    question = SnpCorr("rs1", "rs2", "r2", HUGE)
    with pytest.raises(ParameterError, match="is snp-corr, which does not count missing calls apart"):
        a_plan(study, "person").release(tmp_path / "no such file", question, tmp_path / "out")
    assert not (tmp_path / "out").exists()
