"""The rivals of the exact distance are shown wrong: neighbours whose distance differs by more than one patient."""

import numpy as np

from starling.audit.wrong_distances import greedy_distance, wald_distance
from starling.genome.distance.significance import distance_to_significance
from starling.genome.statistics.association import p_values, wald_statistic
from tests.genome.small_tables import all_tables, most_changed, searched


def test_the_greedy_distance_is_wrong_and_not_private() -> None:
    tables = all_tables(16)
    greedy = greedy_distance(tables, "0.05")
    exact = distance_to_significance(tables, "g", "0.05")
    assert most_changed(exact, 16) == 1
    assert most_changed(greedy, 16) == 4
    assert round(float((greedy != exact).mean()), 3) == 0.041


def test_a_greedy_counterexample() -> None:
    here, there = [0, 2, 3, 11], [1, 1, 3, 11]
    found = greedy_distance([here, there], "0.05").tolist()
    assert abs(found[0] - found[1]) == 4
    exact = distance_to_significance([here, there], "g", "0.05").tolist()
    assert abs(exact[0] - exact[1]) <= 1


def test_the_wald_distance_is_wrong_and_not_private() -> None:
    """Wald's statistic put into the search by a nested path. Its true distance is 1-Lipschitz like any; the search does not find it."""
    tables = all_tables(12)
    by_path = wald_distance(tables, "0.05")
    exact = searched(12, p_values(tables, "wald") <= 0.05)
    assert most_changed(exact, 12) == 1
    assert most_changed(by_path, 12) == 2
    assert round(float((by_path != exact).mean()), 2) == 0.33


def test_wald_is_not_monotone_where_an_effect_becomes_extreme() -> None:
    """Hauck and Donner: one more carrier among the cases, and the statistic falls; G grows."""
    tables = np.array([[3, 1, 1, 1133], [4, 0, 1, 1133]])
    z = np.sqrt(wald_statistic(tables))
    assert z.round(2).tolist() == [5.32, 5.19]
    # Without 1/2 in every cell it is not even defined: ln of a ratio over 0.
    with np.errstate(divide="ignore"):
        assert np.isinf(np.log(4 * 1133 / (np.float64(0) * 1)))
    g = p_values(tables, "g")
    assert g[1] < g[0]


def test_they_have_the_right_sign() -> None:
    tables = all_tables(9)
    assert np.array_equal(greedy_distance(tables, "0.05") <= 0, p_values(tables, "g") <= 0.05)
    assert np.array_equal(wald_distance(tables, "0.05") <= 0, p_values(tables, "wald") <= 0.05)
