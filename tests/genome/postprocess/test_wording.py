"""Answers in words."""

from dataclasses import replace
from fractions import Fraction
from math import exp, floor
from typing import Any

import pytest

from starling.genome.inference.answers import SelectionError
from starling.genome.inference.intervals import Interval
from starling.genome.inference.scans import Region
from starling.genome.measurements import Block, Number, SelectedSnps
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, Scan, SnpCorr, SnpPval
from starling.genome.postprocess.estimates import Correlated, Exploration, ExplorationError, ScanAnswer
from starling.genome.postprocess.p_values import Effect, PValue
from starling.genome.postprocess.wording import answer_text, error_text, p_text, verdict
from starling.genome.scores.locations import num_sig_outputs
from tests.genome.mechanism.distributions import tiny_plan
from tests.genome.plan.test_model_phenotypes import PHENOTYPES

ONE, FIFTH = Fraction(1), Fraction(1, 5)
PLAN = tiny_plan(60, 30, p=Fraction(1, 1000))
NUMBER, EXPLORE = NumSig("g", 2, ONE), Explore("g", "r2", FIFTH, ONE)
CHANCE = "an estimate that is exact at least {} of the time, whatever the study is."
SURE = ", with a chance of at least 95 %"
EFFECT = Effect(Interval(1.5, 1.25, 1.875), Interval(0.3, 0.28, 0.32), Interval(0.25, 0.2, 0.3))
ODDS = "Odds ratio of carriers about 1.5 (1.25 to 1.88); shares of cases about 0.3 (0.28 to 0.32), of controls about 0.25 (0.2 to 0.3)."
P = PValue("rs1", "g", (1, 2, 3, 4), Interval(-5.0, -7.0, -3.5), EFFECT)
WIDE = PValue("rs2", "g", (1, 2, 3, 4), Interval(-5.0, -700.0, -1.0), EFFECT)


@pytest.mark.parametrize(
    ("question", "answer", "words"),
    [
        (NUMBER, Number(0, 0), f"About 0 SNPs are significant by the test G: {CHANCE.format('24.7 %')}"),
        (NUMBER, Number(1, 1), f"About 1 SNP is significant by the test G: {CHANCE.format('24.7 %')}"),
        (NUMBER, Number(2, 2), f"About 2 SNPs are significant by the test G: {CHANCE.format('24.7 %')}"),
        (
            NUMBER,
            Number(4, 7),
            f"About 4 to 7 SNPs are significant by the test G: {CHANCE.format('24.7 %')}",
        ),
        (
            LocSig("g", 2, ONE),
            SelectedSnps(("rs3", "rs1")),
            "Selected as the most significant, or the nearest to it: rs3, rs1 (an estimate).",
        ),
        (
            LocBlock("r2", FIFTH, ("rs1",), ONE),
            Block(None, None, 0),
            f"Selected: no block of correlated SNPs is valid there: {CHANCE.format('2.7 %')}",
        ),
        (
            LocBlock("r2", FIFTH, ("rs1",), ONE),
            Block("rs1", "rs1", 1),
            f"Selected as the longest valid block: one SNP, rs1 (chromosome 1, 2 to 2): {CHANCE.format('2.7 %')}",
        ),
        (
            LocBlock("r2", FIFTH, ("rs1",), ONE),
            Block("rs0", "rs3", 4),
            f"Selected as the longest valid block: 4 SNPs, rs0 to rs3 (chromosome 1, 1 to 4): {CHANCE.format('2.7 %')}",
        ),
        (
            SnpPval("rs1", "g", ONE),
            P,
            f"rs1: p is about 1e-05, and from 1e-07 to 0.0003163{SURE[1:]} by the test G: all of it significant. {ODDS}",
        ),
        (
            SnpCorr("rs1", "rs2", "dprime", ONE),
            Correlated("rs1", "rs2", "dprime", (1, 2, 3, 4), Interval(0.5, 0.25, 1.0)),
            f"|D'| of rs1 and rs2 is about 0.5, and from 0.25 to 1{SURE[1:]}.",
        ),
    ],
)
def test_an_answer_is_a_sentence(question: Any, answer: Any, words: str) -> None:
    assert answer_text(PLAN, question, answer) == [words]


def test_many_snps_are_not_all_named() -> None:
    (words,) = answer_text(PLAN, LocSig("g", 25, ONE), SelectedSnps(tuple(f"rs{at}" for at in range(25))))
    assert words.endswith("rs19 and 5 more (an estimate).")


def test_an_exploration_is_told_from_number_to_blocks() -> None:
    nothing = Exploration(Number(0, 0), SelectedSnps(()), (), ())
    assert answer_text(PLAN, EXPLORE, nothing)[-1] == "So nothing was followed up."
    found = Exploration(Number(2, 2), SelectedSnps(("rs1", "rs2")), (Block("rs1", "rs2", 2),), (P, WIDE))
    assert [line.split(":")[0].split(" (")[0] for line in answer_text(PLAN, EXPLORE, found)] == [
        "About 2 SNPs are significant by the test G",
        "Selected as the most significant, or the nearest to it",
        "rs1",
        "rs2",
        "Selected as the longest valid block",
    ]


def test_no_answer_of_a_selection_is_told_as_a_fact() -> None:
    """ "1 SNP is significant" was said of a noisy answer, as if it were known."""
    for question, answer in ((NUMBER, Number(1, 1)), (LocSig("g", 1, ONE), SelectedSnps(("rs1",)))):
        (words,) = answer_text(PLAN, question, answer)
        assert "an estimate" in words


def test_the_stated_chance_is_that_of_the_worst_study() -> None:
    """At a budget of 20 the true one of 6 ranges is selected with a chance of at least 1/(1 + 5 e^-10)."""
    (words,) = answer_text(PLAN, NumSig("g", 2, Fraction(20)), Number(1, 1))
    right = exp(0) / (1 + (len(num_sig_outputs(2, 30)) - 1) * exp(-10))
    assert f"at least {floor(1000 * right) / 10:g} %" in words


@pytest.mark.parametrize(
    ("low", "snps", "warned"), [(19, 60, False), (20, 60, True), (999, 200_000, False), (1000, 200_000, True)]
)
def test_many_significant_snps_bring_a_warning_of_confounding(low: int, snps: int, warned: bool) -> None:
    plan = tiny_plan(30, snps, p=Fraction(1, 10**7))
    words = " ".join(answer_text(plan, NUMBER, Number(low, low)))
    assert ("population stratification" in words) == warned


def test_how_far_an_answer_may_be_off_is_told_in_snps_and_persons() -> None:
    one, two = SelectionError(16, ONE), SelectionError(30, ONE, 2)
    number = f"each would cross the threshold if the records of at most 11 persons were others{SURE}."
    assert error_text(PLAN, NUMBER, one)[0].endswith(number)
    (places,) = error_text(PLAN, LocSig("g", 2, ONE), two)
    assert places.startswith("No SNP is ahead of one that was named before it by more than 28 persons:")
    assert places.endswith(f"{SURE} for all of them.")
    assert error_text(PLAN, SnpPval("rs1", "g", ONE), P.log10)[0].startswith("Each interval holds")
    all_parts = error_text(PLAN, EXPLORE, ExplorationError(one, two, (one, one), (P.log10,)))
    assert all_parts[0].endswith(number)
    assert all_parts[1] == places
    assert [line.split(" is right")[0] for line in all_parts[2:4]] == ["Block 1", "Block 2"]
    assert all("the records of at most 11 persons" in line for line in all_parts[2:4])
    assert all_parts[4].startswith("Each interval holds")
    (alone,) = error_text(PLAN, EXPLORE, ExplorationError(one, None, (), ()))
    assert alone.endswith(number)
    assert not any(word in " ".join(all_parts) for word in ("score", "candidates", "patients"))


def test_where_distances_are_lower_bounds_it_is_said() -> None:
    plan = replace(PLAN, model="allelic")
    assert "lower bound under the allelic model" in error_text(plan, NUMBER, SelectionError(16, ONE))[-1]


def test_an_interval_tells_what_is_significant() -> None:
    assert [verdict(PLAN, each) for each in (P, WIDE)] == ["yes", "open"]
    assert verdict(PLAN, PValue("rs1", "g", (), Interval(-0.5, -1.0, 0.0), EFFECT)) == "no"


def test_a_p_value_below_all_floats_is_written_from_its_logarithm() -> None:
    assert p_text(WIDE) == ("1e-05", "1e-700", "0.1")


@pytest.mark.parametrize(
    ("inflation", "words"), [(1.09, "about 1 where nothing but chance"), (1.1, "such as ancestry")]
)
def test_a_scan_that_is_inflated_says_so(inflation: float, words: str) -> None:
    answer = ScanAnswer(5, 1, inflation, 0.5, 2, (Region("2", 10, 20, 2, "rs3", -8.0, 1.5, (1.4, 1.1, 1.7)),))
    text = " ".join(answer_text(PHENOTYPES, Scan(Fraction(1)), answer))
    assert text.startswith("Genotypes, covariates and who takes part are not protected")
    assert (
        "1 of 5 SNPs at or below the threshold by the score test, adjusted for age, sex, 2 principal components."
        in text
    )
    assert "Only 2 of 4 covariates and components say anything beside the others." in text
    assert "The strongest SNP of each region: rs3 (chromosome 2)." in text
    assert words in text
