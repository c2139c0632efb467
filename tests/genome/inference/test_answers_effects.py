"""Odds ratios and shares: PLINK's and statsmodels' where nothing is noisy, and ranges that hold those of all tables within reach."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import Table2x2

from starling.genome.inference.answers import effect, odds_ratio, two_by_two
from starling.genome.inference.ranges import share
from starling.genome.mechanism.noisy_tables import SnpPvalMechanism
from starling.genome.plan import SnpPval
from starling.genome.statistics.association import allele_tables
from tests.genome.mechanism.distributions import TinyStudy, tiny_plan
from tests.genome.small_tables import all_tables

N = 14
STARTS = ((4, 3, 2, 5), (0, 7, 7, 0), (7, 0, 0, 7), (1, 1, 0, 12), (0, 0, 6, 8), (2, 5, 1, 6))


def odds(table: list[int]) -> Fraction:
    """With an empty cell as one half."""
    a, b, c, d = (Fraction(cell) if cell else Fraction(1, 2) for cell in table)
    return a * d / (b * c)


def of_row(have: int, have_not: int) -> Fraction:
    return Fraction(have, have + have_not) if have + have_not else Fraction(1, 2)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("steps", [0, 1, 2, 4, 9])
def test_ranges_are_those_of_all_tables_within_reach(start: Any, steps: int) -> None:
    tables = all_tables(N, 4)
    within = tables[np.abs(tables - np.array(start)).sum(axis=1) <= 2 * steps].tolist()
    found = odds_ratio(start, steps)
    assert found.estimate == odds(list(start))
    assert (found.low, found.high) == (min(map(odds, within)), max(map(odds, within)))
    for first in (0, 2):
        shares = [of_row(table[first], table[first + 1]) for table in within]
        found = share(start[first], start[first + 1], steps)
        assert found.low <= min(shares) <= max(shares) <= found.high
        assert found.low <= found.estimate <= found.high
        if sum(start[first : first + 2]) > 0:
            assert (found.low, found.high) == (min(shares), max(shares))


def test_an_odds_ratio_is_statsmodels() -> None:
    for table in np.random.default_rng(4).integers(1, 500, (40, 4)).tolist():
        wanted = Table2x2(np.array(table).reshape(2, 2)).oddsratio
        assert float(odds_ratio(tuple(table), 0).estimate) == pytest.approx(wanted)


def test_of_alleles_where_copies_are_counted() -> None:
    counts = (10, 20, 5, 30, 12, 3)
    alleles = allele_tables(np.array([counts]))[0].tolist()
    assert list(two_by_two(counts, 80, "genotypic")) == list(two_by_two(counts, 80, "allelic")) == alleles
    assert two_by_two((10, 20, 5, 45), 80, "dominant") == (10, 20, 5, 45)


@pytest.mark.statistical
@pytest.mark.parametrize("noise", ["lattice", "laplace"])
@pytest.mark.parametrize("model", ["dominant", "genotypic"])
def test_ranges_hold_the_exact_values(model: Any, noise: Any) -> None:
    """Each at 80 %, so that a miss of a fifth is allowed; a range without the noise's reach would miss nearly always."""
    random = np.random.default_rng(8)
    cases = np.arange(400) < 180
    copies = random.binomial(2, np.where(cases, 0.4, 0.3))[:, np.newaxis].astype(np.int8)
    plan, study = tiny_plan(400, 1, model), TinyStudy(copies, cases, model)
    query = SnpPval("rs0", "g", Fraction(1, 2), noise)
    table = study.tables()[0].tolist()
    a, b, c, d = two_by_two(table, 400, model)
    truth = (odds([a, b, c, d]), of_row(a, b), of_row(c, d))
    mechanism = SnpPvalMechanism(plan, query)
    held = []
    for _ in range(300):
        found = effect(plan, query, mechanism.draw(study), Fraction(1, 5))
        held.append(all(each.low <= exact <= each.high for each, exact in zip(found, truth, strict=True)))
        assert all(each.low <= each.estimate <= each.high for each in found)
    assert np.mean(held) > 0.7
