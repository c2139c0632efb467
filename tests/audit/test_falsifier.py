"""The falsifier: its bounds are right, it finds what can be found, and it says nothing against the innocent."""

from fractions import Fraction
from math import exp, inf, log

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import betaincinv
from scipy.stats import binom, norm

from starling.audit import falsifier
from starling.audit.falsifier import Finding, Sampler, falsify, lower_bound
from starling.errors import ParameterError
from starling.privacy.budget import Epsilon, Rho


@pytest.mark.parametrize("draws", [5, 100, 4_000])
@pytest.mark.parametrize("level", [0.05, 1e-7])
def test_clopper_pearson_bound(draws: int, level: float) -> None:
    """Never above SciPy's (an independent computation), and nearly as high; the tail at the bound is at most the level."""
    for hits in {0, 1, 2, draws // 3, draws // 2, draws - 1, draws}:
        bound = lower_bound(hits, draws, level)
        if hits == 0:
            assert bound == 0
            continue
        best = float(betaincinv(hits, draws - hits + 1, level))
        assert best * (1 - 3e-5) <= bound <= best * (1 + 1e-12)
        assert float(binom.sf(hits - 1, draws, bound)) <= level * (1 + 1e-9)


def test_clopper_pearson_covers() -> None:
    """Exactly, by summing over all hits: the bound exceeds the truth with probability at most the level."""
    draws, level = 60, 0.05
    bounds = np.array([lower_bound(hits, draws, level) for hits in range(draws + 1)])
    for truth in (0.01, 0.2, 0.5, 0.77, 0.999):
        wrong = float(binom.pmf(np.arange(draws + 1), draws, truth)[bounds > truth].sum())
        assert wrong <= level


def test_a_finding_speaks_in_every_measure() -> None:
    finding = Finding(0.6, 0.2, (60, 20), 100, 1)
    assert finding.epsilon == pytest.approx(log(3), rel=1e-6)
    assert finding.epsilon_at(0.2) == pytest.approx(log(2), rel=1e-6)
    assert finding.epsilon_at(0.5) == 0
    assert finding.delta(log(2)) == pytest.approx(0.2, rel=1e-6)
    assert finding.refutes(Epsilon(Fraction(1)))
    assert not finding.refutes(Epsilon(Fraction(2)))
    # Order 2 alone: log(0.6^2/0.2 + 0.4^2/0.8) / 2.
    assert finding.rho >= log(0.6**2 / 0.2 + 0.4**2 / 0.8) / 2 - 1e-9
    assert finding.refutes(Rho(Fraction(0)))
    assert not finding.refutes(Rho(Fraction(1)))


def test_a_finding_of_nothing_refutes_nothing() -> None:
    nothing = Finding(0.2, 0.3, (0, 0), 100, 0)
    assert (nothing.epsilon, nothing.rho, nothing.delta(0)) == (0, 0, 0)
    assert Finding(0.5, 0.0, (5, 0), 10, 1).epsilon == inf


def test_the_bound_on_rho_is_never_above_a_gaussian() -> None:
    """Sets of a shifted Gaussian with known probabilities: D_a / a is rho for all of it, so less for any set."""
    cuts = np.linspace(-3, 4, 50)
    for shift in (0.5, 1.0, 2.0):
        bounds = falsifier._rho(norm.sf(cuts - shift), norm.sf(cuts))
        assert 0.3 * shift**2 / 2 < bounds.max() <= shift**2 / 2 + 1e-9


def two_values(probability: float, seed: int) -> Sampler:
    generator = np.random.default_rng(seed)
    return lambda draws: generator.binomial(1, probability, draws)


def test_randomized_response_is_measured_closely() -> None:
    """The bound approaches the truth, from below."""
    truth = 1.0
    share = exp(truth) / (1 + exp(truth))
    bounds = [
        falsify(two_values(share, 1), two_values(1 - share, 2), draws).epsilon for draws in (1_000, 10_000, 100_000)
    ]
    assert bounds == sorted(bounds)
    assert 0.93 * truth < bounds[-1] <= truth


def test_the_direction_does_not_matter() -> None:
    """A set that only the second side has: found as well."""

    def rare(draws: int) -> npt.NDArray[np.int64]:
        return np.array([int(place % 20 == 0) for place in range(draws)], dtype=np.int64)

    def never(draws: int) -> npt.NDArray[np.int64]:
        return np.zeros(draws, dtype=np.int64)

    assert falsify(rare, never, 10_000).epsilon > 2
    assert falsify(never, rare, 10_000).epsilon > 2


def test_rows_are_one_output() -> None:
    """Two fair bits: alone each says nothing, together they are equal under one neighbour and different under the other."""

    def pair(turned: int, seed: int) -> Sampler:
        generator = np.random.default_rng(seed)

        def draw(draws: int) -> npt.NDArray[np.int64]:
            bits = generator.integers(0, 2, draws)
            return np.column_stack((bits, bits ^ turned))

        return draw

    assert falsify(pair(0, 1), pair(1, 2), 400).epsilon > 2


def test_the_set_does_not_depend_on_the_half_that_tests_it() -> None:
    """Outputs that are all different: whatever is learned is worth nothing, and the test says so."""

    def noise(seed: int) -> Sampler:
        return lambda draws: np.random.default_rng(seed).integers(0, 2**62, draws)

    finding = falsify(noise(1), noise(2), 2_000, false_alarm=0.05)
    assert finding.epsilon == 0
    assert finding.hits == (0, 0)


@pytest.mark.slow
@pytest.mark.statistical
def test_false_alarms_stay_below_their_level() -> None:
    """Randomized response at exactly its claim, 300 audits at a false alarm of 0.1. More than 60 would have probability 1e-7."""
    share = exp(0.5) / (1 + exp(0.5))
    alarms = sum(
        falsify(two_values(share, 2 * seed), two_values(1 - share, 2 * seed + 1), 400, false_alarm=0.1).epsilon > 0.5
        for seed in range(300)
    )
    assert alarms <= 60


@pytest.mark.parametrize(("draws", "false_alarm"), [(3, 0.1), (100, 0.0), (100, 1.0)])
def test_parameters_out_of_range_are_refused(draws: int, false_alarm: float) -> None:
    with pytest.raises(ParameterError):
        falsify(two_values(0.5, 1), two_values(0.5, 2), draws, false_alarm=false_alarm)
