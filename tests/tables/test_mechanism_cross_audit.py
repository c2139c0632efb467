"""Cross tables from end to end under the falsifier: no draw refutes their cost, and every wrong one is refuted."""

from collections.abc import Callable
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest

from starling.audit.falsifier import Finding, falsify
from starling.audit.tables_mechanisms import BUDGET, crossed
from starling.privacy.budget import Rho
from starling.privacy.distributions.discrete import DiscreteGaussian, Distribution
from starling.privacy.sampling.entropy import system
from starling.tables.plan.cross import noise_of_part
from starling.tables.plan.residuals import Shape, Table, noise

DRAWS = 80_000
Noise = Callable[[Shape, Table, Fraction, int], Distribution]


def finding(wrong: Noise, total: Fraction = Fraction(1, 2)) -> Finding:
    """What the falsifier finds of cross tables with this noise, and this share of the budget for the number of all records."""
    draws = crossed(total)
    with mock.patch("starling.tables.mechanism.residuals.noise_of_part", wrong):
        one, two = (lambda number, records=records: draws(np.array([records]), number, system()) for records in (1, 2))
        return falsify(one, two, DRAWS, goal="rho")


def wrong_cells(shape: Shape, part: Table, share: Fraction, records: int) -> DiscreteGaussian:
    """N s in place of N^2 s."""
    return DiscreteGaussian(noise(shape, part, share / records**2).sigma_squared / shape.cells(part))


def of_plain_table(shape: Shape, part: Table, share: Fraction, records: int) -> DiscreteGaussian:
    """As if a record changed one number of a part by 1: the noise of a plain count, of parameter 1/(2 share)."""
    return DiscreteGaussian(1 / (2 * share * records**2))


@pytest.mark.slow
@pytest.mark.statistical
def test_no_draw_refutes_the_cost_and_a_forgotten_part_is_refuted() -> None:
    """False alarm at most 1e-6. That the half is refuted shows that the audit sees both parts; the bound lies ten deviations above it."""
    output = finding(noise_of_part)
    assert not output.refutes(Rho(BUDGET))
    assert output.refutes(Rho(BUDGET / 2))


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("wrong", [wrong_cells, of_plain_table])
def test_wrong_noise_is_refuted(wrong: Noise) -> None:
    """Power above .999: nearly all of the budget is for the part whose noise is wrong, which then costs twice as much."""
    assert finding(wrong, Fraction(1, 20)).refutes(Rho(BUDGET))
