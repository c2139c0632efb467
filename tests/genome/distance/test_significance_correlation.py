"""Gain and loss of correlations: equal to breadth-first search on all small tables, and 1-Lipschitz over all moves."""

from fractions import Fraction

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.genome.distance.rules import decide, of_correlation
from starling.genome.distance.significance import distance_to_correlation
from starling.genome.statistics.association import Correlation
from tests.genome.small_tables import all_tables, most_changed, searched


@pytest.mark.parametrize(
    ("measure", "delta_c"), [("r2", "0.05"), ("r2", "0.2"), ("r2", "0.5"), ("dprime", "0.5"), ("dprime", "0.9")]
)
def test_distance_is_that_of_breadth_first_search(measure: Correlation, delta_c: str) -> None:
    for n in range(2, 26 if measure == "r2" else 21):
        if measure == "r2" and n * Fraction(delta_c) < 1:
            continue
        tables = all_tables(n)
        rule = of_correlation(measure, Fraction(delta_c), n)
        found = distance_to_correlation(tables, measure, delta_c)
        assert np.array_equal(found, searched(n, [decide(rule, *table) != 0 for table in tables.tolist()]))
        assert most_changed(found, n) <= 1


def test_the_smallest_table_decides_whether_the_threshold_fits() -> None:
    with pytest.raises(ParameterError, match="delta_c"):
        distance_to_correlation([[30, 1, 1, 30], [2, 1, 1, 2]], "r2", "0.05")
