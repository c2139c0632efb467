"""The signed distances that each model makes of its tables."""

from fractions import Fraction

import numpy as np
import pytest

from starling.genome.plan.choices import TESTS
from starling.genome.plan.distances import signed_distances
from starling.genome.statistics.association import allele_tables, p_values
from tests.genome.mechanism.distributions import tiny_plan
from tests.genome.small_tables import all_tables


@pytest.mark.parametrize("model", TESTS)
def test_the_sign_says_what_is_significant(model: str) -> None:
    """At or below alpha/m by the model's own p-value: on all tables of 9 patients."""
    tables = all_tables(9, 4 if model in ("dominant", "recessive") else 6)
    plan = tiny_plan(9, 2, model, p=Fraction(1, 20))
    for test in ("g", "chi2"):
        wanted = p_values(allele_tables(tables) if model == "allelic" else tables, test) <= 0.05
        assert np.array_equal(signed_distances(plan, tables, test) <= 0, wanted)
