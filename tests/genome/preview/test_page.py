"""The page of a preview: every question with its tables and pictures, and no file written over."""

import re
from dataclasses import replace
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from starling.errors import OutputError
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, Question, SnpCorr, SnpPval
from starling.genome.plan.choices import OF_CARRIERS, UNPROTECTED
from starling.genome.preview.grids import grids
from starling.genome.preview.page import expected_errors
from starling.genome.preview.typical import Assumed
from starling.release.report.pages import PREVIEW
from tests.genome.preview.conftest import a_plan

ONE = Fraction(1)
QUESTIONS: dict[str, Question] = {
    "loc-sig": LocSig("g", 2, ONE),
    "snp-pval": SnpPval("s1", "g", ONE),
    "snp-corr": SnpCorr("s1", "s2", "r2", ONE),
    "explore": Explore("g", "r2", Fraction(1, 5), ONE),
}


def test_a_preview_of_phenotypes_says_what_is_protected_and_what_the_threshold_supposes() -> None:
    """At a prevalence of .05 the threshold asks for a chi-squared that is 1/(4 .05 .95) times as large."""
    plan = replace(a_plan(2000, 1, "additive", ("score",), unit="phenotype"), alpha=Fraction(1, 15_000_000))
    questions: dict[str, Any] = {"num-sig": NumSig("score", 1, ONE), "loc-sig": LocSig("score", 1, ONE)}
    found = expected_errors(Assumed.of(plan, cases=100), questions, (ONE,))
    for text in (unescape(found.page()), str(found)):
        assert f"{UNPROTECTED}" in text
        assert "With 100 cases a SNP has to reach a chi-squared of 153.5 in place of 29.2" in text
    even = expected_errors(Assumed.of(plan), questions, (ONE,))
    assert "The threshold supposes as many cases as controls. Covariates are not supposed here" in str(even)
    for name in questions:
        needed = [[one.needed[1].significant for one in each.expected[name]] for each in (found, even)]  # type: ignore[union-attr]
        assert needed[0] > needed[1]
    paid = {name: replace(question, prevalence_epsilon=Fraction(1, 10)) for name, question in questions.items()}
    follows = expected_errors(Assumed.of(plan, cases=100), paid, (ONE,))
    assert "The threshold follows from the noisy number of cases" in str(follows)
    for name in questions:
        ratios: list[Any] = [each.expected[name][0] for each in (follows, found)]
        assert ratios[0].needed[1].significant < ratios[1].needed[1].significant


def test_all_that_was_foreseen_is_on_it(assumed: Assumed) -> None:
    found = expected_errors(assumed, QUESTIONS, (ONE, Fraction(2)), followed=2)
    text = found.page()
    assert text == found.page()
    for name, expected in found.expected.items():
        assert f"{name}: " in text
        for grid in grids(expected):
            assert grid.title.replace("'", "&#39;") in text
    # Patients of both selections, odds ratios of one, and intervals of both kinds of table.
    assert text.count("<svg") == 2
    assert len({*re.findall(r'<td class="heat-(\d)"', text)}) > 3, "errors are shaded"
    assert "1,000 of the people are cases" in " ".join(text.split())


def test_who_asks_for_correlations_reads_whose_they_are(assumed: Assumed) -> None:
    """It stood in the terminal's preview alone."""
    blocks: dict[str, Question] = {
        "loc-block": LocBlock("r2", Fraction(1, 5), (), ONE),
        "snp-corr": QUESTIONS["snp-corr"],
    }
    for name, question in (blocks | {"snp-pval": QUESTIONS["snp-pval"]}).items():
        text = " ".join(unescape(expected_errors(assumed, {name: question}, (ONE,)).page()).split())
        assert (OF_CARRIERS in text) is (name in blocks)


def test_it_is_never_written_over(assumed: Assumed, tmp_path: Path) -> None:
    found = expected_errors(assumed, {"loc-sig": QUESTIONS["loc-sig"]}, (ONE,))
    assert found.write(tmp_path / "new") == tmp_path / "new" / PREVIEW
    with pytest.raises(OutputError, match="exists"):
        found.write(tmp_path / "new")
