"""Selection by rows: the distribution at every boundary, the whole of it against its definition, and its privacy."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pytest
from scipy.stats import chi2

from starling.errors import ParameterError
from starling.privacy.sampling import selection_rows
from starling.privacy.sampling.selection_rows import exponential_rows, reach
from tests.privacy.sources import Scripted, Seeded

CASES = {
    "ties": ([5, 5, 3, 5, 3, 0], Fraction(1), Fraction(1)),
    "one": ([7], Fraction(1), Fraction(1)),
    "sensitivity 2/3": ([0, 1, 2, -4], Fraction(1, 2), Fraction(2, 3)),
    "far": ([0, -(10**6), 2, -(2**61), 1], Fraction(1), Fraction(1)),
    "small": ([0, -700, -3001, -4444, -9999, -1], Fraction(1, 2000), Fraction(1)),
}


def law(scores: list[int], epsilon: Fraction, sensitivity: Fraction) -> list[float]:
    """The probabilities by the definition."""
    rate = float(epsilon / (2 * sensitivity))
    weights = [exp(rate * (score - max(scores))) for score in scores]
    return [weight / sum(weights) for weight in weights]


@pytest.mark.statistical
@pytest.mark.parametrize("name", CASES)
def test_rows_follow_the_definition(name: str) -> None:
    """Chi-squared at level 1e-9 over 40,000 rows; a rate of twice the right one is rejected where scores differ."""
    scores, epsilon, sensitivity = CASES[name]
    rows = np.array([scores] * 40_000)
    found = Counter(exponential_rows(rows, epsilon, sensitivity, source=Seeded(3)).tolist())
    for factor, accepted in ((1, True), (2, name == "one")):
        expected = [40_000 * each for each in law(scores, factor * epsilon, sensitivity)]
        terms = [(found[at], number) for at, number in enumerate(expected) if number >= 5]
        rare = sum(found[at] for at, number in enumerate(expected) if number < 5)
        assert rare <= 60 or not accepted
        statistic = sum((seen - number) ** 2 / number for seen, number in terms)
        assert bool(chi2.sf(statistic, max(len(terms) - 1, 1)) > 1e-9) is accepted


def test_a_word_at_a_boundary_is_decided_by_the_next_ones() -> None:
    scores = np.array([[4, 4]])
    below, above = Scripted([2**63, 0, 1]), Scripted([2**63 - 1, 2**64 - 1])
    assert exponential_rows(scores, Fraction(1), source=below).tolist() == [1]
    assert exponential_rows(scores, Fraction(1), source=above).tolist() == [0]


def test_exact_decisions_agree_with_those_in_doubles(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(5).integers(-40, 0, (300, 7))
    quick = exponential_rows(rows, Fraction(1, 3), source=Seeded(1))
    monkeypatch.setattr(selection_rows, "_choose", lambda *parts: parts[-1].fill(-1))
    assert np.array_equal(exponential_rows(rows, Fraction(1, 3), source=Seeded(1)), quick)


def test_no_neighbours_are_told_apart_by_more_than_epsilon() -> None:
    """All rows of three scores of up to 2, and all rows whose scores differ by 1 at the most."""
    epsilon = Fraction(3, 4)
    moves = list(product((-1, 0, 1), repeat=3))
    for scores in product(range(3), repeat=3):
        before = law([*scores], epsilon, Fraction(1))
        for move in moves:
            after = law([score + step for score, step in zip(scores, move, strict=True)], epsilon, Fraction(1))
            assert all(
                one <= other * exp(float(epsilon)) * (1 + 1e-12) for one, other in zip(before, after, strict=True)
            )


def test_no_rows_are_no_choices() -> None:
    assert exponential_rows(np.zeros((0, 3), np.int64), 1).tolist() == []


@pytest.mark.parametrize("shape", [(2,), (2, 0), (1, 1025)])
def test_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match="candidates"):
        exponential_rows(np.zeros(shape, np.int64), 1)


def test_an_epsilon_whose_table_would_be_too_long_is_refused() -> None:
    assert reach(Fraction(1, 2**20)) > selection_rows.LONGEST
    with pytest.raises(ParameterError, match="too small"):
        exponential_rows(np.zeros((1, 2), np.int64), Fraction(1, 2**19))
