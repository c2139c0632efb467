"""A promise is judged by the exact probabilities of every draw behind its number: against both stages played through."""

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
from starling.tables.plan import cells
from starling.tables.plan.accuracy_targets import AGES, NUMBERS, Number, Promise
from starling.tables.plan.stages import stage_laws
from tests.tables.plan.priced import promises

THRESHOLDS = (5, 9, 14)
DRAWS = {"total": cells.BRANCH_CELLS, "sex total": (0, 4, 9, 23), "cell": (0, 1, 1, 1)}
"""By branch, written out."""


def probabilities(law: Distribution, reach: int = 90) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The slow twin: by the definition, over -reach .. reach."""
    x = np.arange(-reach, reach + 1)
    exponent = (
        np.abs(x) / float(law.scale) if isinstance(law, DiscreteLaplace) else x**2 / (2 * float(law.sigma_squared))
    )
    weight = np.exp(-exponent)
    shares: np.ndarray[tuple[int], np.dtype[np.float64]] = weight / weight.sum()
    return shares


@cache
def summed(law: Distribution, draws: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The law of a sum, by convolution."""
    return np.convolve(summed(law, draws - 1), probabilities(law)) if draws else np.ones(1)


def beyond(law: Distribution, draws: int, margin: int) -> float:
    """P(|sum| > margin)."""
    whole = summed(law, draws)
    centre = len(whole) // 2
    return float(1 - whole[max(centre - margin, 0) : centre + margin + 1].sum())


def threshold_of_keeping(promise: Promise, laws: object, missed: float) -> None:
    """The promise is kept at a confidence just below 1 - missed and broken just above."""
    for sure, kept in ((1 - missed - 1e-7, True), (1 - missed + 1e-7, False)):
        confidence = Fraction(sure).limit_denominator(10**12)
        if 0 < confidence < 1:
            asked = Promise(promise.number, promise.within, promise.ages, promise.persons, confidence)
            assert asked.kept(laws, THRESHOLDS) is kept  # type: ignore[arg-type]


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
@pytest.mark.parametrize("ages", [None, 4, 9, 23])
@pytest.mark.parametrize("number", ["cell", "sex total", "total"])
def test_a_class_by_detail_has_as_many_draws_as_its_cells(number: Number, ages: int | None, measure: Measure) -> None:
    laws = stage_laws(measure, Fraction(1, 2), Fraction(1, 10))
    branch = 3 if ages is None else AGES.index(ages)
    for margin in (1, 4, 12):
        promise = Promise(number, margin, ages)
        threshold_of_keeping(promise, laws, beyond(laws.stage2, DRAWS[number][branch], margin))


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_numbers_measured_apart_have_one_draw_of_their_law(measure: Measure) -> None:
    laws = stage_laws(measure, Fraction(2), Fraction(1, 10))
    for number, law in (
        ("bare total", laws.stage2),
        ("total only", laws.total_only),
        ("deciding total", laws.stage1),
    ):
        threshold_of_keeping(Promise(number, 6), laws, beyond(law, 1, 6))  # type: ignore[arg-type]


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
@pytest.mark.parametrize("persons", [1, 4, 5, 8, 9, 12, 14, 60])
def test_a_group_of_a_true_size_is_played_through_both_stages(persons: int, measure: Measure) -> None:
    """Every deciding total, with the branch it leads to; a threshold at or below the size counts as reached."""
    laws = stage_laws(measure, Fraction(3, 2), Fraction(1, 5))
    first = probabilities(laws.stage1)
    least = sum(threshold <= persons for threshold in THRESHOLDS)
    for number in ("total", "sex total", "cell"):
        if persons < THRESHOLDS[0] and number != "total":
            continue
        for margin in (2, 6):
            missed = plain = 0.0
            for noise, chance in zip(range(-90, 91), first, strict=True):
                branch = sum(threshold <= persons + noise for threshold in THRESHOLDS)
                missed += chance * beyond(laws.stage2, DRAWS[number][max(branch, least)], margin)
                plain += chance * beyond(laws.stage2, DRAWS[number][branch], margin)
            threshold_of_keeping(Promise(number, margin, persons=persons), laws, missed)
            assert plain <= missed + 1e-12, "what is promised is not less than what will be"


@given(promises(), st.sampled_from(["epsilon", "rho"]), st.fractions(Fraction(1, 50), 3, max_denominator=50))
def test_more_budget_keeps_what_less_budget_kept(promise: Promise, measure: Measure, share: Fraction) -> None:
    for gamma in (Fraction(1, 10), Fraction(1, 2)):
        kept = [
            promise.kept(stage_laws(measure, share * factor, gamma), THRESHOLDS) for factor in (1, Fraction(11, 10), 3)
        ]
        assert kept == sorted(kept)


def test_a_share_of_a_size_is_a_whole_margin() -> None:
    promise = Promise("total", Fraction(1, 100), persons=1250)
    assert promise.margin == 12
    assert str(promise) == "total of 1,250 persons within 1 %"
    assert str(promise.wider(Fraction(3, 2))) == "total of 1,250 persons within 1.5 %"


def test_wider_margins_are_whole_and_at_least_one() -> None:
    assert [Promise("cell", 11).wider(Fraction(text)).within for text in ("1.5", "0.01")] == [16, 1]


def test_every_number_and_class_has_words() -> None:
    said = {str(Promise(number, 5)) for number in NUMBERS}
    assert len(said) == len(NUMBERS)
    assert str(Promise("cell", 1234, ages=23, confidence=Fraction("0.995"))) == "cell of 23 ages within 1,234 at 99.5 %"


def test_a_wider_class_is_never_kept_where_a_narrower_one_is_broken() -> None:
    """A promise without a class holds in every class."""
    for measure, number in product(("epsilon", "rho"), ("total", "sex total", "cell")):
        laws = stage_laws(measure, Fraction(1, 3), Fraction(1, 10))  # type: ignore[arg-type]
        for margin in range(1, 80, 7):
            every = Promise(number, margin).kept(laws, THRESHOLDS)  # type: ignore[arg-type]
            each = [Promise(number, margin, ages).kept(laws, THRESHOLDS) for ages in (4, 9, 23)]  # type: ignore[arg-type]
            assert every is all(each)


def test_laplace_tails_of_a_share_are_those_of_the_formula() -> None:
    """2 q^(M+1)/(1 + q), the spec's."""
    laws = stage_laws("epsilon", Fraction(2, 3), Fraction(1, 4))
    q = exp(-0.5)
    threshold_of_keeping(Promise("bare total", 7), laws, 2 * q**8 / (1 + q))
