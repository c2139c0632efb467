"""The rivals' sensitivities against all neighbours of small studies, and what they say of themselves."""

import numpy as np
import pytest

from bench.rivals import (
    PROMISES,
    Neighbours,
    Statistic,
    exponential_top,
    noisy_statistics,
    noisy_top,
    sensitivity,
)
from starling.errors import ParameterError
from starling.genome.statistics.association import chi_squared_statistic, p_values
from tests.genome.small_tables import all_tables, most_changed

pytestmark = pytest.mark.slow

TABLES = np.array([[90, 10, 50, 50], [50, 50, 50, 50], [52, 48, 49, 51]])


def of(tables: np.ndarray, statistic: Statistic) -> np.ndarray:
    return chi_squared_statistic(tables) if statistic == "chi2" else p_values(tables, "chi2")


@pytest.mark.parametrize("statistic", ["chi2", "p"])
@pytest.mark.parametrize("people", [6, 10, 14])
def test_sensitivity_is_the_most_that_neighbours_differ_by(people: int, statistic: Statistic) -> None:
    tables = all_tables(people)
    # `most_changed` is for integers: billionths.
    changed = most_changed((of(tables, statistic) * 1e9).astype(np.int64), people) / 1e9
    assert float(sensitivity(people, statistic, "unrestricted")) == pytest.approx(changed, abs=1e-8)
    half = people // 2
    grid = np.array([[a, half - a, c, half - c] for a in range(half + 1) for c in range(half + 1)])
    values = of(grid, statistic).reshape(half + 1, half + 1)
    worst = max(np.abs(np.diff(values, axis=axis)).max() for axis in (0, 1))
    # A replaced patient of a group moves at most one unit of that group's row.
    assert float(sensitivity(people, statistic, "restricted")) == pytest.approx(worst, abs=1e-8)


@pytest.mark.parametrize("neighbours", ["restricted", "unrestricted"])
def test_answers_say_what_they_hide(neighbours: Neighbours) -> None:
    answer = noisy_statistics(TABLES, "chi2", 10**6, neighbours)
    assert answer.promise == PROMISES[neighbours]
    assert answer.answer == pytest.approx(chi_squared_statistic(TABLES), abs=0.02)
    assert noisy_statistics(TABLES, "p", 10**6, neighbours).answer == pytest.approx(p_values(TABLES, "chi2"), abs=1e-4)
    assert noisy_top(TABLES, 2, 10**6, neighbours).answer.tolist() == [0, 2]
    chosen = exponential_top(TABLES, 2, 10**6, neighbours)
    assert (chosen.answer.tolist(), chosen.promise) == ([0, 2], PROMISES[neighbours])
    assert not hasattr(answer, "guarantee")


def test_the_noise_has_the_stated_scale() -> None:
    """20,000 draws: the mean size of Laplace noise is its scale within 3 % but for a chance below 1e-4; twice the scale is far away."""
    many = np.repeat(TABLES[1:2], 20_000, axis=0)
    wanted = float(sensitivity(200, "chi2", "restricted")) / 2
    assert np.abs(noisy_statistics(many, "chi2", 2, "restricted").answer).mean() == pytest.approx(wanted, rel=0.03)


@pytest.mark.slow
def test_the_exponential_mechanism_has_the_stated_scale() -> None:
    """10,000 choices of one of two: the share of the better one within 5 standard deviations; with twice the scale it is 12 off."""
    statistics = chi_squared_statistic(TABLES[[0, 1]])
    odds = np.exp(0.1 * statistics[0] / (2 * float(sensitivity(200, "chi2", "restricted"))))
    first = sum(int(exponential_top(TABLES[[0, 1]], 1, "0.1", "restricted").answer[0]) == 0 for _ in range(10_000))
    assert first / 10_000 == pytest.approx(odds / (1 + odds), abs=0.025)


@pytest.mark.parametrize(
    ("tables", "field"),
    [(np.array([[1, 2, 3, 4]]), "tables"), (np.array([[1, 1, 1, 1], [2, 2, 2, 2]]), "tables")],
)
def test_what_they_do_not_hold_for_is_refused(tables: np.ndarray, field: str) -> None:
    with pytest.raises(ParameterError, match=field):
        noisy_statistics(tables, "chi2", 1, "restricted")
    with pytest.raises(ParameterError, match="k is not"):
        noisy_top(TABLES, 4, 1, "restricted")
    with pytest.raises(ParameterError, match="k is not"):
        exponential_top(TABLES, 0, 1, "restricted")
    with pytest.raises(ParameterError, match="people"):
        sensitivity(7, "p", "restricted")
