"""Numbers of a SNP are rounded outward, repeat on any machine, and are told beside who lacks a call."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from starling.genome.inference.intervals import Interval
from starling.genome.measurements import Cells
from starling.genome.plan import SnpPval
from starling.genome.postprocess.p_values import Effect, Missingness, PValue, p_value_of, rounded
from tests.genome.mechanism.distributions import tiny_plan

EFFECT = Effect(*(Interval(0.5, 0.25, 0.75),) * 3)
LOGS = st.floats(-5000, 0)


@given(st.tuples(LOGS, LOGS, LOGS))
def test_rounding_goes_outward_and_a_second_time_changes_nothing(logs: tuple[float, float, float]) -> None:
    low, estimate, high = sorted(logs)
    found = rounded(Interval(estimate, low, high))
    assert found.low <= low
    assert high <= found.high
    assert low - found.low < 1e-5
    assert found.high - high < 1e-5
    assert abs(found.estimate - estimate) <= 6e-7
    value = PValue("rs1", "g", (1, 2, 3, 4), found, EFFECT)
    assert value.low <= 10**found.low * (1 + 1e-9)
    assert value.high >= 10**found.high * (1 - 1e-9) > -1
    assert value.low <= value.p <= value.high
    assert value.high > 0


def test_the_last_bits_of_a_logarithm_do_not_matter() -> None:
    random = np.random.default_rng(1)
    for value in (-random.exponential(20, 200)).tolist():
        near = float(np.nextafter(value, 0))
        assert rounded(Interval(value, value, value)) == rounded(Interval(near, near, near))


def test_no_p_value_is_zero_and_none_is_above_one() -> None:
    assert PValue("rs1", "g", (), Interval(0.0, 0.0, 0.0), EFFECT).high == 1.0
    tiny = PValue("rs1", "g", (), Interval(-4000.0, -5000.0, -3000.0), EFFECT)
    assert (tiny.low, tiny.p) == (0.0, 0.0)
    assert tiny.high > 0


def test_who_lacks_a_call_is_told_where_the_plan_counts_them_apart() -> None:
    plan, question = tiny_plan(60, 9), SnpPval("rs1", "g", Fraction(2))
    assert p_value_of(plan, question, Cells((20, 10, 12, 18))).missing is None
    found = p_value_of(replace(plan, missing="cell"), question, Cells((18, 8, 4, 12, 18, 0))).missing
    assert isinstance(found, Missingness)
    assert found.cases.low < found.cases.estimate == 0.133333 < found.cases.high
    assert found.controls.low == found.controls.estimate == 0 < found.controls.high
    assert found.low < found.p < found.high == 1
