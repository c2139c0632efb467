"""Intervals hold every table that the noise could have come from, and the exact one as often as they promise."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.genome.inference.intervals import (
    Noise,
    allelic_interval,
    correlation_interval,
    genotypic_interval,
    p_value_interval,
    reach,
    repaired,
    trend_interval,
)
from starling.genome.statistics.association import PTest, allele_tables, correlation, log10_p_values
from starling.privacy.sampling.lattice import lattice_noise
from starling.privacy.sampling.noise import discrete_laplace
from tests.genome.small_tables import all_tables

TESTS: tuple[PTest, ...] = tuple(test for test in get_args(PTest) if test != "trend")
SMALL = 1e-9


def steps_between(table: np.ndarray, tables: np.ndarray) -> np.ndarray:
    """Replaced patients between a table and others of the same n."""
    return np.asarray(np.maximum(tables - table, 0).sum(axis=1))


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("noisy", [(6, 2, 1, 5), (9, 0, 2, 3), (4, 3, 4, 3), (12, 1, 1, 0)])
def test_the_range_is_that_of_all_tables_within_reach(test: PTest, noisy: tuple[int, ...]) -> None:
    tables = all_tables(14)
    values = log10_p_values(tables, test)
    for steps in (0, 1, 3, 5):
        within = values[steps_between(np.array(noisy), tables) <= steps]
        found = p_value_interval(noisy, 14, test, steps)
        assert found.low <= within.min() + SMALL
        assert found.high >= within.max() - SMALL
        if test in ("g", "chi2", "logistic"):
            assert found.low == pytest.approx(within.min(), abs=SMALL)
            # Where Delta may have either sign, 0 is in the range though no table may have it.
            assert found.high in (pytest.approx(within.max(), abs=SMALL), 0.0)


@pytest.mark.parametrize("measure", ["r2", "dprime"])
def test_the_range_of_a_correlation_too(measure: str) -> None:
    tables = all_tables(14)
    values = correlation(tables, measure)  # type: ignore[arg-type]
    for noisy in ((6, 2, 1, 5), (9, 0, 2, 3), (1, 6, 5, 2)):
        for steps in (0, 2, 4):
            within = values[steps_between(np.array(noisy), tables) <= steps]
            found = correlation_interval(noisy, 14, measure, steps)  # type: ignore[arg-type]
            assert found.high == pytest.approx(within.max(), abs=SMALL)
            assert found.low in (pytest.approx(within.min(), abs=SMALL), 0.0)


@given(st.tuples(*[st.integers(-9, 30)] * 4), st.integers(1, 60))
def test_repaired_counts_are_a_table_no_farther_from_any_other(noisy: tuple[int, int, int, int], people: int) -> None:
    found = np.array(repaired(noisy, people))
    assert found.min() >= 0
    assert found.sum() == people
    others = np.random.default_rng(3).multinomial(people, [0.25] * 4, 20)
    off = abs(sum(noisy) - people)
    size = np.abs(others - np.array(noisy)).sum(axis=1)
    assert (2 * steps_between(found, others) <= size + off).all()


@pytest.mark.statistical
@pytest.mark.parametrize("noise", ["lattice", "laplace"])
@pytest.mark.parametrize("table", [(30, 470, 60, 440), (2, 498, 0, 500)])
def test_coverage(noise: Noise, table: tuple[int, int, int, int]) -> None:
    """300 draws at 90 %: fewer than 240 hits have a chance below 1e-7."""
    draws, epsilon = 300, "0.5"
    exact = np.array(table)
    drawn = lattice_noise(epsilon, draws).reshape(-1, 4) if noise == "lattice" else discrete_laplace(4, (draws, 4))
    truth = float(log10_p_values(exact[np.newaxis], "g")[0])
    square = float(correlation(exact[np.newaxis], "r2")[0])
    hits = square_hits = 0
    for noisy in (exact + drawn).tolist():
        steps = reach(noise, epsilon, "0.1", noisy, 1000)
        p, r = p_value_interval(noisy, 1000, "g", steps), correlation_interval(noisy, 1000, "r2", steps)
        hits += p.low - SMALL <= truth <= p.high + SMALL
        square_hits += r.low - SMALL <= square <= r.high + SMALL
    assert min(hits, square_hits) >= 240


def test_nothing_but_noise_gives_the_whole_range() -> None:
    found = p_value_interval((-3, 2, 1, 4), 4, "g", 4)
    assert found.high == 0.0
    assert found.low == pytest.approx(log10_p_values(np.array([[2, 0, 0, 2]]), "g")[0])


def test_an_unknown_noise_is_refused() -> None:
    with pytest.raises(ParameterError, match="noise"):
        reach("gauss", 1, "0.05", (1, 1, 1, 1), 4)  # type: ignore[arg-type]


SIX = ((4, 2, 1, 1, 3, 5), (8, 0, 1, 0, 2, 5), (3, 3, 2, 3, 3, 2), (0, 0, 0, 9, 5, 2))


@pytest.mark.parametrize("noisy", SIX)
def test_the_ranges_of_six_cells_hold_all_tables_within_reach(noisy: tuple[int, ...]) -> None:
    tables = all_tables(16, 6)
    apart = steps_between(np.array(noisy), tables)
    for steps in (0, 1, 3):
        within = tables[apart <= steps]
        for test in ("g", "chi2"):
            values = log10_p_values(within, test)
            found = genotypic_interval(noisy, 16, test, steps)
            assert found.low <= values.min() + SMALL
            assert found.high >= values.max() - SMALL
            assert found.low - SMALL <= found.estimate <= found.high + SMALL
        values = log10_p_values(within, "trend")
        found = trend_interval(noisy, 16, steps)
        assert found.low == pytest.approx(values.min())
        assert found.high >= values.max() - SMALL
        assert found.low - SMALL <= found.estimate <= found.high + SMALL
        for test in TESTS:
            values = log10_p_values(allele_tables(within), test)
            found = allelic_interval(noisy, 16, test, steps)
            assert found.low <= values.min() + SMALL
            assert found.high >= values.max() - SMALL


@pytest.mark.parametrize("noisy", [(7, -2, 3, 4, 5, 1), (-3, -1, 9, 9, 9, 9), (0, 0, 0, 0, 0, 0)])
def test_six_noisy_counts_are_repaired_without_a_detour(noisy: tuple[int, ...]) -> None:
    """Step 2 of the argument for every table of 16 that lattice noise can have come from, or Laplace noise of the least size."""
    start = np.array(repaired(noisy, 16))
    assert start.sum() == 16
    assert start.min() >= 0
    tables = all_tables(16, 6)
    least = np.abs(np.array(noisy) - tables).sum(axis=1)
    assert (steps_between(start, tables) <= (least + abs(sum(noisy) - 16)) // 2).all()
