"""A scan with a paid median: the exact distribution of median and response in small studies, and what all neighbours differ by."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import exp
from typing import TypeAlias

import numpy as np
import pytest

from starling.audit.genome_mechanisms import SmallStudy, small_plan
from starling.genome.arrays import Int64
from starling.genome.measurements import SavedResponse
from starling.genome.mechanism.scan import ScanMechanism
from starling.genome.plan import Scan
from starling.genome.plan.intervals import Intervals, response_gain
from starling.genome.scores.medians import median_scores

Output: TypeAlias = tuple[int | None, tuple[int, ...]]
"""A median and everybody's answer."""
STEPS = 2
MEDIAN, RESPONSE = Fraction(1), Fraction(1, 2)
QUESTION = Scan(MEDIAN + RESPONSE, median_epsilon=MEDIAN)


class Ranged(SmallStudy):
    """Of phenotypes in steps, which the cases of the study stand for; it remembers what is kept."""

    steps: Int64
    kept: SavedResponse

    def levels(self) -> Int64:
        return self.steps

    def stored(self, response: SavedResponse, /) -> bytes:
        object.__setattr__(self, "kept", response)
        return b""


def studied(levels: tuple[int, ...]) -> Ranged:
    study = Ranged(np.arange(len(levels))[:, np.newaxis] % 3, np.zeros(len(levels), dtype=np.bool_), "additive")
    object.__setattr__(study, "steps", np.array(levels))
    return study


def distribution(
    levels: tuple[int, ...], median: Fraction = MEDIAN, response: Fraction = RESPONSE
) -> dict[Output, float]:
    """Of median and answers, in two intervals: written down from its definition."""
    plan = replace(small_plan(len(levels), 1, "additive"), between=(Fraction(0), Fraction(1)), steps=STEPS)
    scores = median_scores(np.array(levels), STEPS)
    weights = np.exp(float(median) / 2 * scores) / np.exp(float(median) / 2 * scores).sum()
    keep, chances = exp(response) / (1 + exp(response)), dict[Output, float]()
    for step, told in product(range(STEPS), product((0, 1), repeat=len(levels))):
        exact = Intervals.of(plan, 2, step).of_steps(np.array(levels))
        same = int((exact == np.array(told)).sum())
        chances[step, told] = float(weights[step]) * keep**same * (1 - keep) ** (len(levels) - same)
    return chances


def largest_loss(median: Fraction, response: Fraction) -> float:
    """Over all studies of three people and all their neighbours, the largest ratio of chances of an output, as a logarithm."""
    worst = 0.0
    chances = {levels: distribution(levels, median, response) for levels in product(range(STEPS + 1), repeat=3)}
    for levels, person, other in product(chances, range(3), range(STEPS + 1)):
        neighbour = chances[*levels[:person], other, *levels[person + 1 :]]
        worst = max(worst, *(np.log(chances[levels][each] / neighbour[each]) for each in neighbour))
    return worst


def test_no_neighbours_differ_by_more_than_epsilon() -> None:
    """Over all of them; a response that has the whole of epsilon beside the median exceeds it."""
    assert largest_loss(MEDIAN, RESPONSE) <= float(QUESTION.epsilon) + 1e-12
    assert largest_loss(MEDIAN, QUESTION.epsilon) > float(QUESTION.epsilon) + 0.05


def test_what_is_drawn_has_that_distribution() -> None:
    """700 draws of 16 outputs: chi-squared of 15 degrees of freedom, above 62 with a chance of 1.1e-7; other parts are rejected."""
    levels, number = (2, 0, 1), 700
    plan = replace(small_plan(3, 1, "additive"), between=(Fraction(0), Fraction(1)), steps=STEPS)
    study, counts = studied(levels), Counter[Output]()
    mechanism = ScanMechanism(plan, QUESTION)
    for _ in range(number):
        drawn = mechanism.draw(study)
        kept = study.kept
        assert (kept.values, kept.median_epsilon, kept.median) == (2, MEDIAN, drawn.median)
        counts[drawn.median, tuple(kept.answers.tolist())] += 1

    def distance(chances: dict[Output, float]) -> float:
        return sum((counts[each] - number * chance) ** 2 / (number * chance) for each, chance in chances.items())

    assert distance(distribution(levels)) < 62
    assert distance(distribution(levels, MEDIAN, QUESTION.epsilon)) > 62
    assert response_gain(QUESTION.response_epsilon, 2) == pytest.approx(response_gain(RESPONSE, 2))


def test_the_median_follows_its_scores() -> None:
    """Two steps that divide 41 people alike are drawn as often; one step alone that does is drawn but for .0018 of times. Of 200 draws both
    fail with a chance below 1e-9.
    """
    levels = (0,) * 20 + (1,) + (2,) * 20
    plan = replace(small_plan(41, 1, "additive"), between=(Fraction(0), Fraction(1)), steps=STEPS)
    skewed = replace(small_plan(41, 1, "additive"), between=(Fraction(0), Fraction(1)), steps=40)
    medians = Counter(ScanMechanism(plan, QUESTION).draw(studied(levels)).median for _ in range(200))
    assert abs(medians[0] - medians[1]) < 90
    right = Counter(ScanMechanism(skewed, QUESTION).draw(studied((3,) * 20 + (4,) * 21)).median for _ in range(200))
    assert right[3] > 190
