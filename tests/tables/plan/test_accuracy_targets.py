"""A promise is judged by the exact probabilities of every draw behind its number: against both stages played through."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.privacy.budget import Measure
from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution
from starling.tables.plan.accuracy_targets import NUMBERS, AccuracyTarget, Number
from starling.tables.plan.accuracy_targets import ages as ages_of
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.plan.variants import noise_of_stages
from tests.tables.plan.priced import targets

THRESHOLDS = (5, 9, 14)
DRAWS = {"total": SEX_BY_AGE.sizes, "sex total": (0, 4, 9, 23), "cell": (0, 1, 1, 1)}
"""By branch, written out."""


def probabilities(distribution: Distribution, reach: int = 90) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The slow twin: by the definition, over -reach .. reach."""
    x = np.arange(-reach, reach + 1)
    exponent = (
        np.abs(x) / float(distribution.scale)
        if isinstance(distribution, DiscreteLaplace)
        else x**2 / (2 * float(distribution.sigma_squared))
    )
    weight = np.exp(-exponent)
    shares: np.ndarray[tuple[int], np.dtype[np.float64]] = weight / weight.sum()
    return shares


@cache
def summed(distribution: Distribution, draws: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The law of a sum, by convolution."""
    return np.convolve(summed(distribution, draws - 1), probabilities(distribution)) if draws else np.ones(1)


def beyond(distribution: Distribution, draws: int, margin: int) -> float:
    """P(|sum| > margin)."""
    whole = summed(distribution, draws)
    centre = len(whole) // 2
    return float(1 - whole[max(centre - margin, 0) : centre + margin + 1].sum())


def threshold_of_keeping(target: AccuracyTarget, stage_noise: object, missed: float) -> None:
    """The promise is kept at a confidence just below 1 - missed and broken just above."""
    for sure, remaining in ((1 - missed - 1e-7, True), (1 - missed + 1e-7, False)):
        confidence = Fraction(sure).limit_denominator(10**12)
        if 0 < confidence < 1:
            request = AccuracyTarget(target.number, target.within, target.ages, target.persons, confidence)
            assert request.is_met(stage_noise, SEX_BY_AGE, THRESHOLDS) is remaining  # type: ignore[arg-type]


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
@pytest.mark.parametrize("ages", [None, 4, 9, 23])
@pytest.mark.parametrize("number", ["cell", "sex total", "total"])
def test_a_class_by_detail_has_as_many_draws_as_its_cells(number: Number, ages: int | None, measure: Measure) -> None:
    stage_noise = noise_of_stages(measure, Fraction(1, 2), Fraction(1, 10))
    branch = 3 if ages is None else ages_of(SEX_BY_AGE).index(ages)
    for margin in (1, 4, 12):
        target = AccuracyTarget(number, margin, ages)
        threshold_of_keeping(target, stage_noise, beyond(stage_noise.stage2, DRAWS[number][branch], margin))


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_numbers_measured_apart_have_one_draw_of_their_law(measure: Measure) -> None:
    stage_noise = noise_of_stages(measure, Fraction(2), Fraction(1, 10))
    for number, distribution in (
        ("bare total", stage_noise.stage2),
        ("total only", stage_noise.total_only),
        ("deciding total", stage_noise.stage1),
    ):
        threshold_of_keeping(AccuracyTarget(number, 6), stage_noise, beyond(distribution, 1, 6))  # type: ignore[arg-type]


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
@pytest.mark.parametrize("persons", [1, 4, 5, 8, 9, 12, 14, 60])
def test_a_group_of_a_true_size_is_played_through_both_stages(persons: int, measure: Measure) -> None:
    """Every deciding total, with the branch it leads to; a threshold at or below the size counts as reached."""
    stage_noise = noise_of_stages(measure, Fraction(3, 2), Fraction(1, 5))
    first = probabilities(stage_noise.stage1)
    least = sum(threshold <= persons for threshold in THRESHOLDS)
    for number in ("total", "sex total", "cell"):
        if persons < THRESHOLDS[0] and number != "total":
            continue
        for margin in (2, 6):
            missed = plain = 0.0
            for noise, chance in zip(range(-90, 91), first, strict=True):
                branch = sum(threshold <= persons + noise for threshold in THRESHOLDS)
                missed += chance * beyond(stage_noise.stage2, DRAWS[number][max(branch, least)], margin)
                plain += chance * beyond(stage_noise.stage2, DRAWS[number][branch], margin)
            threshold_of_keeping(AccuracyTarget(number, margin, persons=persons), stage_noise, missed)
            assert plain <= missed + 1e-12, "what is promised is not less than what will be"


@pytest.mark.examples(30)
@given(targets(), st.sampled_from(["epsilon", "rho"]), st.fractions(Fraction(1, 50), 3, max_denominator=50))
def test_more_budget_keeps_what_less_budget_kept(target: AccuracyTarget, measure: Measure, share: Fraction) -> None:
    for gamma in (Fraction(1, 10), Fraction(1, 2)):
        remaining = [
            target.is_met(noise_of_stages(measure, share * factor, gamma), SEX_BY_AGE, THRESHOLDS)
            for factor in (1, Fraction(11, 10), 3)
        ]
        assert remaining == sorted(remaining)


def test_a_share_of_a_size_is_a_whole_margin() -> None:
    target = AccuracyTarget("total", Fraction(1, 100), persons=1250)
    assert target.margin == 12
    assert str(target) == "total of 1,250 persons within 1 %"
    assert str(target.wider(Fraction(3, 2))) == "total of 1,250 persons within 1.5 %"


def test_wider_margins_are_whole_and_at_least_one() -> None:
    assert [AccuracyTarget("cell", 11).wider(Fraction(text)).within for text in ("1.5", "0.01")] == [16, 1]


def test_every_number_and_class_has_words() -> None:
    stated = {str(AccuracyTarget(number, 5)) for number in NUMBERS}
    assert len(stated) == len(NUMBERS)
    assert (
        str(AccuracyTarget("cell", 1234, ages=23, confidence=Fraction("0.995")))
        == "cell of 23 ages within 1,234 at 99.5 %"
    )


def test_a_wider_class_is_never_kept_where_a_narrower_one_is_broken() -> None:
    """A promise without a class holds in every class."""
    for measure, number in product(("epsilon", "rho"), ("total", "sex total", "cell")):
        stage_noise = noise_of_stages(measure, Fraction(1, 3), Fraction(1, 10))
        for margin in range(1, 80, 7):
            target = AccuracyTarget(number, margin)  # type: ignore[arg-type]
            every = target.is_met(stage_noise, SEX_BY_AGE, THRESHOLDS)
            each = [replace(target, ages=ages).is_met(stage_noise, SEX_BY_AGE, THRESHOLDS) for ages in (4, 9, 23)]
            assert every is all(each)


def test_laplace_tails_of_a_share_are_those_of_the_formula() -> None:
    """2 q^(M+1)/(1 + q), the spec's."""
    stage_noise = noise_of_stages("epsilon", Fraction(2, 3), Fraction(1, 4))
    q = exp(-0.5)
    threshold_of_keeping(AccuracyTarget("bare total", 7), stage_noise, 2 * q**8 / (1 + q))
