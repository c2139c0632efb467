"""Losses on a grid: never below the exact ones, by how little above, and what the FFT's rounding costs."""

from fractions import Fraction

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution

from starling.privacy.accounting import privacy_loss
from starling.privacy.accounting.binomial import atoms
from starling.privacy.accounting.composition import Accounted, Events, OverlappingEvents
from starling.privacy.events import ZCDP, DiscreteGaussianNoise, PureDP


def one(event: Accounted, times: int = 1) -> Events:
    return frozenset({(event, times)})


def gaussians(s2: Fraction, times: int, epsilon: float) -> float:
    """Slow twin: delta of `times` counts with discrete Gaussian noise. Their loss depends on the sum of the draws alone."""
    reach = int(14 * float(s2) ** 0.5) + 2
    x = np.arange(-reach, reach + 1)
    draw = np.exp(-(x**2) / (2 * float(s2)))
    draw /= draw.sum()
    total = draw
    for _ in range(times - 1):
        total = np.convolve(total, draw)
    sums = np.arange(len(total)) - len(total) // 2
    losses = (times - 2 * sums) / (2 * float(s2))
    over = losses > epsilon
    return float((-np.expm1(epsilon - losses[over]) * total[over]).sum())


@pytest.mark.parametrize("s2", [Fraction(1, 2), Fraction(843, 100), Fraction(500)])
@pytest.mark.parametrize("times", [1, 9])
def test_gaussian_counts_are_above_the_convolution_and_close(s2: Fraction, times: int) -> None:
    events = one(DiscreteGaussianNoise(s2), times)
    for epsilon in (0.0, 0.5, 1.0, 2.0):
        exactly = gaussians(s2, times, epsilon)
        found = privacy_loss.delta(events, epsilon)
        assert exactly <= found <= exactly * 1.001 + 1e-6


def test_gaussian_counts_agree_with_dp_accountings_own() -> None:
    rho = 0.159 / 9
    theirs = privacy_loss_distribution.from_discrete_gaussian_mechanism(
        (1 / (2 * rho)) ** 0.5, value_discretization_interval=1e-4, use_connect_dots=True
    ).self_compose(18)
    ours = privacy_loss.epsilon(one(DiscreteGaussianNoise(1 / (2 * Fraction("0.159") / 9)), 18), 1e-8)
    assert ours == pytest.approx(theirs.get_epsilon_for_delta(1e-8), rel=1e-3)


def test_pure_events_agree_with_dp_accountings_own() -> None:
    theirs = privacy_loss_distribution.from_discrete_laplace_mechanism(
        0.25, value_discretization_interval=1e-4
    ).self_compose(30)
    assert privacy_loss.epsilon(one(PureDP(Fraction(1, 4)), 30), 1e-8) == pytest.approx(
        theirs.get_epsilon_for_delta(1e-8), rel=1e-3
    )


@pytest.mark.parametrize(("rate", "times"), [("0.3", 20), ("1/3", 60), ("1/2", 200), ("0.1", 1000), ("0.01", 4000)])
def test_the_fft_stays_well_within_its_slack(rate: str, times: int) -> None:
    """Composed losses dominate the exact ones, so whatever is below them is rounding: less than a tenth of the slack."""
    events = one(PureDP(Fraction(rate)), times)
    exactly = atoms(events)
    assert exactly is not None
    composed = privacy_loss._composed(events, privacy_loss._interval(events))
    for epsilon in np.linspace(0, exactly.losses.max(), 100):
        over = exactly.losses > epsilon
        true = float((-np.expm1(epsilon - exactly.losses[over]) * exactly.probabilities[over]).sum())
        assert float(composed.get_delta_for_epsilon(epsilon)) - true > -privacy_loss.slack(events) / 10


def test_the_price_of_the_grid_is_small() -> None:
    events = frozenset(
        {(PureDP(Fraction(427, 900)), 18), (PureDP(Fraction(249, 900)), 18), (PureDP(Fraction(59, 900)), 27)}
    )
    exactly = atoms(events)
    assert exactly is not None
    assert exactly.epsilon(1e-8) <= privacy_loss.epsilon(events, 1e-8) <= exactly.epsilon(1e-8) + 1e-4


def test_a_coarse_grid_is_still_above() -> None:
    """Losses beyond the finest grid's length get a coarser one."""
    events = one(PureDP(Fraction(4)), 60)
    assert privacy_loss._interval(events) > privacy_loss._FINEST
    exactly = atoms(events)
    assert exactly is not None
    for epsilon in (120.0, 200.0, 230.0):
        assert exactly.delta(epsilon) <= privacy_loss.delta(events, epsilon) * (1 + 1e-8)


PARTS = (
    one(DiscreteGaussianNoise(Fraction(9))),
    frozenset({(DiscreteGaussianNoise(Fraction(90)), 1), (DiscreteGaussianNoise(Fraction(10)), 1)}),
)


def mixed(times: int, degree: int) -> Events:
    """`times` of the first part and the rest of the second."""
    first, second = (dict(part) for part in PARTS)
    events = {event: count * times for event, count in first.items()}
    events |= {event: count * (degree - times) for event, count in second.items()}
    return frozenset((event, count) for event, count in events.items() if count)


def test_overlapping_events_dominate_every_mix_and_hardly_more() -> None:
    overlapping = one(OverlappingEvents(frozenset(PARTS), 4))
    for epsilon in (0.0, 0.7, 2.0, 3.1):
        mixes = [privacy_loss.delta(mixed(times, 4), epsilon) for times in range(5)]
        found = privacy_loss.delta(overlapping, epsilon)
        assert max(mixes) * (1 - 1e-9) - 1e-12 <= found <= max(mixes) * 1.01


def test_overlapping_events_of_many_mixes_are_bounded_by_their_worst_part_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    overlapping = one(OverlappingEvents(frozenset(PARTS), 4))
    tight = privacy_loss.epsilon(overlapping, 1e-6)
    monkeypatch.setattr(privacy_loss, "MOST_MIXES", 4)
    privacy_loss._composed.cache_clear()
    loose = privacy_loss.epsilon(overlapping, 1e-6)
    privacy_loss._composed.cache_clear()
    assert tight < loose < tight * 1.02


@pytest.mark.slow
def test_families_within_families() -> None:
    inner = OverlappingEvents(frozenset(PARTS), 2)
    outer = OverlappingEvents(frozenset({one(inner), one(DiscreteGaussianNoise(Fraction(4)))}), 2)
    assert privacy_loss.epsilon(one(outer), 1e-6) >= privacy_loss.epsilon(one(inner, 2), 1e-6)


def test_the_slack_counts_every_event() -> None:
    assert privacy_loss.slack(one(OverlappingEvents(frozenset(PARTS), 4), 3)) == pytest.approx(1e-15 * (100 + 24))
    assert privacy_loss.least_delta(one(PureDP(Fraction(1)), 900)) == pytest.approx(1e-11)


def test_what_has_a_known_loss() -> None:
    assert privacy_loss.composable(one(OverlappingEvents(frozenset(PARTS), 4)))
    assert not privacy_loss.composable(one(ZCDP(Fraction(1))))
    assert not privacy_loss.composable(one(OverlappingEvents(frozenset({PARTS[0], one(ZCDP(Fraction(1)))}), 4)))
    assert not privacy_loss.composable(one(DiscreteGaussianNoise(Fraction(2**33))))


@pytest.mark.parametrize("times", [1, 40])
def test_the_curve_is_that_of_dp_accounting_to_the_last_bit(times: int) -> None:
    """So that what is printed of a plan stays; of few losses, which are listed, and of many."""
    interval = 2.0**-8
    grid = np.arange(-3000, 3001, dtype=np.float64) * interval
    for event in (PureDP(Fraction(1, 3)), DiscreteGaussianNoise(Fraction(5))):
        losses = privacy_loss._composed(one(event, times), interval)
        assert np.array_equal(privacy_loss._deltas(losses, grid), losses.get_delta_for_epsilon(grid))
