"""Intervals of a quantitative phenotype: who is in which, what they count as, and how much of a normal phenotype they leave."""

from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.genome.plan import Scan
from starling.genome.plan.intervals import CUTS, Intervals, intervals_at, median_value, normal_share, response_gain
from starling.genome.scores.medians import median_scores
from starling.privacy.budget import Epsilon
from starling.privacy.events import MedianResponse, RandomizedResponse, StoredResponse
from starling.privacy.sampling.response import randomized_choice
from starling.privacy.sampling.selection import exponential_mechanism
from tests.genome.plan.test_model_phenotypes import PHENOTYPES

ENDS = (Fraction(15), Fraction(45))
RANGED = replace(PHENOTYPES, between=ENDS, steps=600)


@pytest.mark.parametrize("number", CUTS)
@pytest.mark.parametrize("steps", [1, 7, 30, 600])
def test_a_step_is_in_the_interval_of_its_number(number: int, steps: int) -> None:
    """Of every step, by the number that it stands for; in two intervals as cases and controls were made of it."""
    divided = Intervals.of(replace(RANGED, steps=steps), number)
    every = np.arange(steps + 1)
    numbers = [ENDS[0] + step * (ENDS[1] - ENDS[0]) / steps for step in range(steps + 1)]
    assert divided.of_steps(every).tolist() == [sum(value > cut for cut in divided.cuts) for value in numbers]
    if number == 2:
        assert divided.of_steps(every).astype(bool).tolist() == (2 * every > steps).tolist()


@pytest.mark.parametrize("number", CUTS)
def test_an_interval_counts_as_the_mean_of_the_supposed_law(number: int) -> None:
    divided = Intervals.of(RANGED, number)
    assert (divided.scores[0], divided.scores[-1]) == (0, 1)
    values = np.random.default_rng(1).normal(30, 5, 400_000)
    where = np.searchsorted(np.array([float(cut) for cut in divided.cuts]), values)
    means = np.array([values[where == each].mean() for each in range(number)])
    assert (means - means[0]) == pytest.approx(np.array(divided.scores) * divided.width, abs=0.1)


@pytest.mark.parametrize("epsilon", [1, 2, 3, 4, 6])
def test_the_share_is_what_drawn_responses_leave(epsilon: int) -> None:
    """Within 5 %: the squared correlation of 400,000 answers with normal phenotypes, clipped and in steps, is off by 1.2 % at epsilon 1
    in one standard deviation (false alarm 2e-5); another number of intervals, or coins of another epsilon, are rejected.
    """
    number, rate = intervals_at(Fraction(epsilon)), Fraction(epsilon)
    values = np.random.default_rng(epsilon).normal(30, 5, 400_000)
    steps = np.rint((np.clip(values, 15, 45) - 15) * 20).astype(np.int64)
    divided = Intervals.of(RANGED, number)
    # The channel's distribution is proved elsewhere; here it is drawn by NumPy, which is quick.
    random, exact = np.random.default_rng([7, epsilon]), divided.of_steps(steps)
    kept = random.random(values.size) < response_gain(rate, number)
    told = divided.counted(np.where(kept, exact, random.integers(0, number, values.size)))
    share = float(np.corrcoef(values, told)[0, 1]) ** 2
    assert share == pytest.approx(normal_share(rate, number), rel=0.05)
    assert share != pytest.approx(normal_share(rate + Fraction(1, 4), number), rel=0.05) or epsilon > 3
    assert normal_share(rate, number) >= max(normal_share(rate, each) for each in CUTS) - 0.002


@pytest.mark.slow
def test_the_channel_keeps_as_much_more_as_is_said() -> None:
    """80,000 answers: a share less the mean of the others is off by .0026 in a deviation, and six are a chance of 1e-8 or less."""
    for epsilon, number in ((1, 3), (3, 8)):
        told = randomized_choice(np.full(80_000, 1), epsilon, number)
        counts = np.bincount(told, minlength=number) / told.size
        assert counts[1] - np.delete(counts, 1).mean() == pytest.approx(
            response_gain(Fraction(epsilon), number), abs=6 * 0.0026
        )


def test_a_question_takes_what_suits_its_epsilon_and_states_no_two() -> None:
    assert Scan(Fraction(2)).at_best(RANGED) == Scan(Fraction(2))
    assert Scan(Fraction(4)).at_best(RANGED) == Scan(Fraction(4), intervals=5)
    assert Scan(Fraction(4), intervals=2).at_best(RANGED).values == 2
    assert Scan(Fraction(4)).at_best(PHENOTYPES) == Scan(Fraction(4))
    assert Scan(Fraction(4), intervals=5).event == RandomizedResponse(Fraction(4), Fraction(5))
    assert Scan(Fraction(4), 9, 5).event == StoredResponse(Fraction(4), Fraction(9))
    assert "intervals" not in Scan(Fraction(4)).as_json()


@pytest.mark.parametrize("number", CUTS)
def test_intervals_lie_about_a_median_and_within_the_range(number: int) -> None:
    """Two are cut at the step itself, wherever it is; more lie about it as they do about the middle, and never beyond an end."""
    middle = Intervals.of(RANGED, number)
    for step in (0, 60, 299, 310, 500, 599):
        divided, value = Intervals.of(RANGED, number, step), median_value(RANGED, step)
        moves = {one - other for one, other in zip(divided.cuts, middle.cuts, strict=True)}
        assert len(moves) == 1
        assert ENDS[0] <= divided.cuts[0] <= divided.cuts[-1] <= ENDS[1]
        assert moves == {value - 30} or (number > 2 and ENDS[0] in divided.cuts) or ENDS[1] in divided.cuts
        assert (divided.scores, divided.width) == (middle.scores, middle.width)
        if number == 2:
            assert divided.edges == (step,)
    assert median_value(RANGED, 299) == Fraction("29.975")


def test_a_median_is_a_part_of_epsilon_and_the_response_has_the_rest() -> None:
    question = Scan(Fraction(4), intervals=5, median_epsilon=Fraction(1, 4))
    assert question.event == MedianResponse(Fraction(1, 4), Fraction(15, 4), Fraction(5))
    assert question.guarantee.cost == Epsilon(Fraction(4))
    assert "a median, and one randomized response" in question.guarantee.name
    assert Scan(Fraction("3.6"), median_epsilon=Fraction(1, 4)).at_best(RANGED).values == 3
    assert Scan(Fraction(4), 9, 5, Fraction(1, 4)).event == StoredResponse(Fraction(4), Fraction(9))
    assert Scan(Fraction(4), median_epsilon="1/4").median_epsilon == Fraction(1, 4)  # type: ignore[arg-type]
    assert "median_epsilon" not in Scan(Fraction(4)).as_json()


def test_what_is_no_median_is_refused() -> None:
    with pytest.raises(ParameterError, match="median_epsilon is of a quantitative phenotype, and the plan has cases"):
        Scan(Fraction(4), median_epsilon=Fraction(1)).check(PHENOTYPES)
    for part in ("1/1025", "4", "5", "4095/1024", "-1", "0"):
        problem = "median_epsilon does not leave 1/1024 of epsilon at least to the median, and to the response"
        with nullcontext() if part == "4095/1024" else pytest.raises(ParameterError, match=problem):
            Scan(Fraction(4), median_epsilon=Fraction(part)).check(RANGED)


def test_a_paid_median_leaves_more_of_a_skewed_trait_that_lies_aside() -> None:
    """A gamma trait of mean 16 and deviation 11 in a range of 0 to 100, at epsilon 3: .45 is left with a tenth for the median, .04 without.
    Of 40,000 people a share is off by .005 in a standard deviation: false alarm below 1e-9.
    """
    plan, random = replace(RANGED, between=(Fraction(0), Fraction(100)), steps=200), np.random.default_rng(5)
    trait = random.gamma(2, 8, 40_000)
    levels = np.rint(np.clip(trait, 0, 100) * 2).astype(np.int64)
    shares = []
    for part in (Fraction(0), Fraction(1, 10)):
        rest = 3 - part
        number, median = intervals_at(rest), None
        if part:
            median = int(exponential_mechanism(median_scores(levels, plan.steps), part)[0])
            assert median_value(plan, median) == pytest.approx(np.median(trait), abs=1)
        divided = Intervals.of(plan, number, median)
        exact = divided.of_steps(levels)
        kept = random.random(exact.size) < response_gain(rest, number)
        told = divided.counted(np.where(kept, exact, random.integers(0, number, exact.size)))
        shares.append(float(np.corrcoef(trait, told)[0, 1]) ** 2)
    assert shares[0] < 0.1
    assert shares[1] > 0.35


def test_what_are_no_intervals_is_refused() -> None:
    with pytest.raises(
        ParameterError, match="intervals are of a quantitative phenotype, and the plan has cases and contr"
    ):
        Scan(Fraction(4), intervals=5).check(PHENOTYPES)
    with pytest.raises(ParameterError, match="intervals are not 2, 3, 5, 8"):
        Scan(Fraction(4), intervals=4).check(RANGED)
