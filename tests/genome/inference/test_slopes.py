"""Slopes from noisy moments: least squares without noise, intervals that hold the truth as often as they say, and always an answer."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.genome.counts.moments import snp_moments, trait_moments
from starling.genome.inference import slopes
from starling.genome.inference.slopes import snp_slopes, sums_of
from starling.genome.measurements import NoisyMoments
from starling.genome.mechanism.moments import MomentsMechanism
from starling.genome.plan import Plan, SnpEffects
from starling.genome.plan.moments import centred
from starling.genome.session import plan as genome_plan

SURE = Fraction(4 * 10**9)
IDS = ("s0", "s1")
ROW = st.tuples(*[st.integers(-(1 << 61), 1 << 61) | st.integers(-(10**10), 10**10)] * 2)


def a_plan(people: int) -> Plan:
    listed = [(name, "1", 1000 + at, "A", "C") for at, name in enumerate(IDS)]
    return genome_plan(listed, people=people, between=("10", "40"), steps=300)


class Sums:
    """A study in memory."""

    def __init__(self, copies: Any, phenotypes: Any, known: Any) -> None:
        t = centred(np.rint((np.clip(phenotypes, 10, 40) - 10) * 10).astype(np.int64), 300)
        self.sums = np.array([snp_moments(row, t, known) for row in copies.astype(np.int8)]), trait_moments(t, known)

    def moments(self, _: Any, /) -> Any:
        return self.sums


def drawn(people: int, study: Sums, epsilon: Fraction) -> tuple[Plan, SnpEffects, NoisyMoments]:
    plan, question = a_plan(people), SnpEffects(IDS, epsilon)
    return plan, question, MomentsMechanism(plan, question).draw(study)  # type: ignore[arg-type]


def invented(random: np.random.Generator, people: int, slope: float) -> tuple[Any, Any]:
    copies = random.binomial(2, [[0.3], [0.1]], (2, people))
    return copies, 22 + slope * copies[0] + random.normal(0, 4, people)


def test_without_noise_they_are_least_squares() -> None:
    random, people = np.random.default_rng(1), 800
    copies, phenotypes = invented(random, people, 1.5)
    known = np.ones(people, dtype=np.bool_)
    plan, question, sums = drawn(people, Sums(copies, phenotypes.round(1), known), SURE)
    for each, column in zip(snp_slopes(plan, question, sums), copies, strict=True):
        y = np.clip(phenotypes.round(1), 10, 40)
        x = column - column.mean()
        assert each.slope.estimate == pytest.approx(x @ y / (x @ x), abs=1e-3)
        error = y.std() / np.sqrt(x @ x)
        assert each.slope.high - each.slope.low == pytest.approx(2 * 1.96 * error, rel=1e-3)
        assert each.frequency == pytest.approx(column.mean() / 2, abs=1e-4)
        assert each.people == people
        assert each.z == pytest.approx(each.slope.estimate / error, rel=1e-3)


def test_people_without_call_or_phenotype_leave_no_bias() -> None:
    """Half of one call and a third of phenotypes are missing, both for some: counted in the middle they would halve the slope."""
    random, people = np.random.default_rng(2), 40_000
    copies, phenotypes = invented(random, people, 2.0)
    known = random.random(people) > 1 / 3
    copies[0, random.random(people) < 0.5] = -1
    copies[0, ~known & (random.random(people) < 0.9)] = -1
    effect = snp_slopes(*drawn(people, Sums(copies, phenotypes, known), SURE))[0]
    assert effect.slope.estimate == pytest.approx(2.0, abs=0.2)
    assert effect.frequency == pytest.approx(0.3, abs=0.01)
    assert effect.people == (known & (copies[0] >= 0)).sum()


@pytest.mark.examples(12)
@given(ROW, ROW, ROW, ROW, st.tuples(*[st.integers(-(1 << 61), 1 << 61)] * 3), st.fractions(Fraction(1, 4096), SURE))
def test_whatever_is_drawn_has_an_answer_within_the_range(
    products: Any, copies: Any, squares: Any, missing: Any, phenotype: Any, epsilon: Fraction
) -> None:
    """Variances below 0, more people missing than there are, and sums of no study."""
    sums = NoisyMoments(products, copies, squares, missing, phenotype)
    for each in snp_slopes(a_plan(50), SnpEffects(IDS, epsilon), sums):
        low, value, high = each.slope.low, each.slope.estimate, each.slope.high
        assert -30 <= low <= value <= high <= 30
        assert each.log10_p <= 0
        assert np.isfinite([each.z, each.log10_p]).all()
        assert each.frequency is not None
        assert each.people is not None
        assert 0 <= each.frequency <= 1 <= each.people <= 50


def test_where_noise_leaves_nothing_the_interval_is_the_range() -> None:
    nothing = NoisyMoments((0, 0), (0, 0), (0, 0), (0, 0), (0, 0, 0))
    for each in snp_slopes(a_plan(200), SnpEffects(IDS, Fraction(1, 4096)), nothing):
        assert (each.slope.low, each.slope.estimate, each.slope.high) == (-30, 0, 30)


@pytest.mark.slow
@pytest.mark.statistical
def test_intervals_hold_the_slope_as_often_as_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """800 intervals of which 70 % of the variance is noise: fewer than 722 with the slope (95 % hold it, or more) have a chance of 1e-8,
    more than 796 (96 % hold it) one of 1e-10.

    Mutant: intervals of sampling alone, of which about 75 % hold it, 722 or more with a chance below 1e-12.
    """
    random, people, slope, runs = np.random.default_rng(4), 2000, 1.0, 400
    exact = [(copies, phenotypes) for copies, phenotypes in (invented(random, people, slope) for _ in range(runs))]
    known = np.ones(people, dtype=np.bool_)
    answers = [drawn(people, Sums(copies, phenotypes, known), Fraction(1)) for copies, phenotypes in exact]
    # What clipping at 10 leaves of the slope, which is what is asked for.
    many = invented(np.random.default_rng(5), 400_000, slope)
    truths = [np.cov(column, np.clip(many[1], 10, 40))[0, 1] / column.var() for column in many[0]]

    def holding() -> int:
        return sum(
            each.slope.low <= truth <= each.slope.high
            for answer in answers
            for each, truth in zip(snp_slopes(*answer), truths, strict=True)
        )

    assert 0.3 < np.mean([each.spread.noise_share for answer in answers for each in sums_of(*answer)]) < 0.7
    assert 722 <= holding() <= 796
    without = lambda *given: tuple(  # noqa: E731 - the mutant
        replace(each, spread=replace(each.spread, fixed=1e-9, linear=0.0, squared=0.0)) for each in sums_of(*given)
    )
    monkeypatch.setattr(slopes, "sums_of", without)
    assert holding() < 722
