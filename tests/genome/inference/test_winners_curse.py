"""Corrected effects hold the true one as often as they promise, of those that are shown; the usual interval does not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from starling.genome.arrays import Flags
from starling.genome.inference.winners_curse import corrected


@pytest.mark.examples(20)
@given(st.floats(0, 8), st.floats(0, 4))
def test_signs_turn_and_far_beyond_the_threshold_nothing_is_corrected(threshold: float, above: float) -> None:
    z = threshold + above
    (middle,), (low,), (high,) = corrected(np.array([z]), threshold)
    assert low < middle < high
    assert middle <= z + 1e-9
    turned = corrected(np.array([-z]), threshold)
    if z > 0:
        assert [float(value[0]) for value in turned] == pytest.approx([-middle, -high, -low])
    (far,), (far_low,), (far_high,) = corrected(np.array([threshold + 12]), threshold)
    assert far == pytest.approx(threshold + 12, abs=1e-3)
    assert (far_high - far_low) == pytest.approx(2 * 1.959964, abs=1e-3)


THRESHOLD = 5.0


@pytest.mark.parametrize("mu", [0.0, 1.0, 3.0, 5.0, 7.0])
def test_the_interval_holds_95_of_100_of_what_is_shown(mu: float) -> None:
    """By the trapezoidal rule over what is shown, not by draws: no alarm is false."""
    beyond, step = np.linspace(THRESHOLD, THRESHOLD + mu + 9, 4001, retstep=True)
    shown = np.array([beyond, -beyond])
    chance = norm.pdf(shown - mu) / (norm.sf(THRESHOLD - mu) + norm.cdf(-THRESHOLD - mu))
    middle, low, high = corrected(shown, THRESHOLD)

    def share(those: Flags) -> float:
        return float(np.trapezoid(chance * those, dx=step).sum())

    assert share((low <= mu) & (mu <= high)) == pytest.approx(0.95, abs=3e-3)
    assert share(middle > mu) == pytest.approx(0.5, abs=3e-3)
    if mu <= 3:
        assert share(np.abs(shown - mu) <= 1.959964) < 0.6, "the mutant: the usual interval"
