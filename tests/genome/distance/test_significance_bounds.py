"""The bounds of 2x3 tables and of allele counts: right sign, never beyond breadth-first search, 1-Lipschitz over all moves."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.genome.distance.constants import quantile, threshold_p
from starling.genome.distance.significance import (
    GenotypicTest,
    allelic_distance,
    distance_to_significance,
    genotypic_distance,
)
from starling.genome.statistics.association import p_values
from tests.genome.small_tables import all_tables, most_changed, searched


@pytest.mark.parametrize("test", ["g", "chi2"])
@pytest.mark.parametrize("p", [0.3, 0.05, 0.002])
def test_genotypic_bound(test: GenotypicTest, p: float) -> None:
    for n in (3, 6, 10):
        tables = all_tables(n, 6)
        found = genotypic_distance(tables, test, p)
        significant = p_values(tables, test) <= p
        assert np.array_equal(found <= 0, significant)
        exact = searched(n, significant, 6)
        assert (np.where(found >= 1, found <= exact, found >= exact)).all()
        assert most_changed(found, n, 6) <= 1


@pytest.mark.parametrize("test", ["g", "chi2"])
def test_genotypic_significance_at_the_threshold_is_exact(test: GenotypicTest) -> None:
    """Statistics of tables that are scaled grow in proportion; near t both sides of it are found."""
    t = quantile(threshold_p(0.05), 2)
    tables = np.random.default_rng(2).multinomial(4000, [0.1, 0.2, 0.2, 0.12, 0.2, 0.18], 3000)
    found = genotypic_distance(tables, test, 0.05)
    values = p_values(tables, test)
    far = np.abs(values / 0.05 - 1) > 1e-9
    assert np.array_equal((found <= 0)[far], (values <= 0.05)[far])
    assert t > 0


def test_pearson_of_six_cells_at_exactly_the_threshold() -> None:
    from starling.genome.distance import significance

    table = [30, 20, 10, 10, 20, 30]
    exact = Fraction(20)  # 120 ((30^2 + 10^2)/(60 40) 2 + (20^2)/(60 40) 2 - 1)
    assert significance._decide(table, "chi2", exact)
    assert not significance._decide(table, "chi2", exact + Fraction(1, 10**40))
    assert not significance._decide([0, 0, 0, 1, 2, 3], "g", exact)


def people(n: int) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Allele tables of all 2x3 tables of n people."""
    return {
        tuple(table): (
            table[1] + 2 * table[2],
            2 * table[0] + table[1],
            table[4] + 2 * table[5],
            2 * table[3] + table[4],
        )
        for table in all_tables(n, 6).tolist()
    }


@pytest.mark.parametrize("p", [0.3, 0.05])
def test_allelic_bound(p: float) -> None:
    for n in (3, 6, 9):
        alleles = np.array(list(people(n).values()))
        found = allelic_distance(alleles, "g", p)
        significant = distance_to_significance(alleles, "g", p) <= 0
        assert np.array_equal(found <= 0, significant)
        exact = searched(n, significant, 6)
        assert (np.where(found >= 1, found <= exact, found >= exact)).all()
        assert most_changed(found, n, 6) <= 1


def test_halves_are_rounded_towards_the_safe_side() -> None:
    tables = np.array(list(product([2, 14, 30], repeat=4)))
    whole = distance_to_significance(tables, "g", 0.01)
    assert np.array_equal(allelic_distance(tables, "g", 0.01), np.ceil(whole / 2))


def test_other_tests_are_refused() -> None:
    with pytest.raises(ParameterError, match="2x3"):
        genotypic_distance(np.ones((1, 6), dtype=np.int64), "fisher", 0.05)  # type: ignore[arg-type]
