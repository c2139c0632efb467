"""Composition of privacy losses on a grid, by dp-accounting: for the discrete Gaussian, and where binomials would be too many.

An event is a pair of distributions, seen as atoms (p, p e^(-L)) of loss L. Here an atom between two points of the grid is split between
them so that both its masses are kept. Joining the two halves again is post-processing, so the split event dominates the true one, in
adaptive composition too; the price is of second order in the interval. (This is the pessimistic "Connect the Dots" of
Doroshenko et al. 2022, without its differences of nearly equal numbers.) A loss that is cut off counts as infinite.

The discrete Gaussian, on counts of which one differs by 1: L = (1 - 2x)/(2 s2), x drawn from it; by symmetry the same in both
directions.

`OverlappingEvents`: which parts a unit meets is fixed, so it meets a mix of them, `overlap` in number. The largest of the mixes' delta
at each epsilon is again such a curve (a maximum of convex functions of e^epsilon), and the atoms that meet it at the points of the
grid dominate every mix. (The maximum over parts, composed `overlap` times, is looser; it serves where the mixes would be more than
MOST_MIXES.)

Rounding. dp-accounting convolves by FFT, with errors that are absolute and grow with the number of events: at most 3e-17 an event was
seen against exact binomials, for 60 to 100,000 events (`test_privacy_loss.py` repeats it up to 4,000). `slack` allows thirty times that
and is taken off delta, so answers are only given where delta is ten times the slack. This is measured, not proved.
"""

from collections.abc import Iterator
from functools import lru_cache, reduce
from itertools import combinations_with_replacement
from math import ceil, comb, expm1, frexp, inf, sqrt
from typing import TYPE_CHECKING, TypeAlias, assert_never

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.privacy.accounting.composition import Accounted, Events, OverlappingEvents, order_of, ordered
from starling.privacy.events import ZCDP, DiscreteGaussianNoise, ExponentialMechanism, PureDP
from starling.privacy.residual_events import ResidualEvents

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

Floats: TypeAlias = npt.NDArray[np.float64]
Losses: TypeAlias = "PrivacyLossDistribution"

_SLACK = 1e-15
"""What delta may be off by for each event, and for as many as _FIXED events besides."""
_FIXED = 100
_RAISE = 1 + 1e-9
"""A factor that covers float64 roundings outside of the FFT."""
_FINEST = 2.0**-10
_POINTS = 2.0**16
_CUT = 12
"""Standard deviations at which Gaussian noise is cut: beyond lies less than _LOST."""
_LOST = 1e-30
"""What is cut off of a Gaussian event, and each of its atoms that is less likely: both count as infinite losses."""
_WIDEST = 2**16
"""The widest noise in standard deviations; wider noise has more atoms than are worth composing."""
MOST_MIXES = 64
_FARTHEST = 700
"""Largest loss of `OverlappingEvents` whose curve is looked for, and the end of the grid that it is looked for on: e to it is a float."""
_SMALL = 1e-16
"""Mass that a composition within overlapping events may move to infinite loss."""


def composable(events: Events) -> bool:
    """Whether every event has a loss that is known here, and no `OverlappingEvents` one that is too large for its curve."""
    return all(_composable(event) for event, _ in events)


def _composable(event: Accounted) -> bool:
    match event:
        case PureDP() | ExponentialMechanism():
            return True
        case DiscreteGaussianNoise(sigma_squared):
            return sigma_squared <= _WIDEST**2
        case ZCDP() | ResidualEvents():
            return False
        case OverlappingEvents(parts):
            if not all(map(composable, parts)):
                return False
            mean, variance = _event_moments(event)
            return mean + _CUT * sqrt(variance) <= _FARTHEST
        case _:
            assert_never(event)


def slack(events: Events) -> float:
    """What delta may be off by for the FFT's rounding."""
    return _SLACK * (_FIXED + _events(events))


def least_delta(events: Events) -> float:
    """The least delta for which an answer is given."""
    return 10 * slack(events)


def epsilon(events: Events, delta: float) -> float:
    """The smallest epsilon at `delta` >= least_delta, rounded up; the events are composable. Infinite where none is found."""
    return float(_composed(events, _interval(events)).get_epsilon_for_delta(delta - slack(events))) * _RAISE


def delta(events: Events, epsilon: float) -> float:
    """The smallest delta at `epsilon` >= 0, rounded up and at least the slack; the events are composable."""
    losses = _composed(events, _interval(events))
    return min(float(losses.get_delta_for_epsilon(epsilon)) * _RAISE + slack(events), 1.0)


def _events(events: Events) -> int:
    return sum(
        times * (event.overlap * max(map(_events, event.parts)) if isinstance(event, OverlappingEvents) else 1)
        for event, times in events
    )


def _interval(events: Events) -> float:
    """The distance between points of the grid: a power of two, so that sums of losses stay on it."""
    reach = _CUT * sqrt(_moments(events)[1]) * 2
    return float(_FINEST * 2.0 ** max(0, frexp(reach / _FINEST / _POINTS)[1]))


def _moments(events: Events) -> tuple[float, float]:
    """Bounds on mean and variance of the loss: e and e^2 for binary randomized response, rho and 2 rho for the Gaussian."""
    means, variances = 0.0, 0.0
    for event, times in events:
        mean, variance = _event_moments(event)
        means, variances = means + times * mean, variances + times * variance
    return means, variances


def _event_moments(event: Accounted) -> tuple[float, float]:
    match event:
        case PureDP(epsilon) | ExponentialMechanism(epsilon):
            return float(epsilon), float(epsilon) ** 2
        case DiscreteGaussianNoise(sigma_squared):
            return float(1 / (2 * sigma_squared)), float(1 / sigma_squared)
        case ZCDP() | ResidualEvents():
            raise _unknown()
        case OverlappingEvents(parts, overlap):
            means, variances = zip(*map(_moments, parts), strict=True)
            return overlap * max(means), overlap * max(variances)
        case _:
            assert_never(event)


@lru_cache(maxsize=16)
def _composed(events: Events, interval: float, truncation: float = 1e-15) -> Losses:
    from dp_accounting.pld import privacy_loss_distribution

    whole = privacy_loss_distribution.identity(interval)
    for event, times in ordered(events):
        assert not isinstance(event, ResidualEvents)
        one = _overlapping(event, interval) if isinstance(event, OverlappingEvents) else _leaf(event, interval)
        whole = whole.compose(one.self_compose(times, truncation), truncation)
    return whole


def _leaf(event: PureDP | ExponentialMechanism | DiscreteGaussianNoise | ZCDP, interval: float) -> Losses:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

    losses, probabilities, infinite = _atoms(event)
    below = np.floor(losses / interval)
    # Of an atom at l + r the upper neighbour gets (1 - e^(-r))/(1 - e^(-d)): both masses are kept.
    upper = np.clip(np.expm1(below * interval - losses) / expm1(-interval), 0, 1)
    lowest = int(below.min())
    places = below.astype(np.int64) - lowest
    mass = np.bincount(places, probabilities * (1 - upper), places.max() + 2)
    mass[1:] += np.bincount(places, probabilities * upper, places.max() + 1)
    masses = {lowest + int(i): float(mass[i]) for i in np.flatnonzero(mass)}
    return PrivacyLossDistribution.create_from_rounded_probability(masses, infinite, interval)


def _atoms(event: PureDP | ExponentialMechanism | DiscreteGaussianNoise | ZCDP) -> tuple[Floats, Floats, float]:
    """Losses, their probabilities, and the probability of an infinite loss."""
    match event:
        case PureDP(epsilon) | ExponentialMechanism(epsilon):
            rate = float(epsilon)
            odds = np.exp([0.0, -rate])
            return np.array([rate, -rate]), odds / odds.sum(), 0.0
        case DiscreteGaussianNoise(sigma_squared):
            last = ceil(_CUT * sqrt(sigma_squared)) + 1
            x = np.arange(-last, last + 1)
            chances = np.exp(-(x**2) / (2 * float(sigma_squared)))
            chances /= chances.sum()
            chosen = chances >= _LOST
            losses = (1 - 2 * x[chosen]) / (2 * float(sigma_squared))
            return losses, chances[chosen], _LOST + float(chances[~chosen].sum())
        case ZCDP():
            raise _unknown()
        case _:
            assert_never(event)


def _unknown() -> ParameterError:
    return ParameterError("guarantee", "has a part whose loss is not known", "ask for an epsilon at a delta")


def _overlapping(event: OverlappingEvents, interval: float) -> Losses:
    parts = [_composed(part, interval, _SMALL) for part in sorted(event.parts, key=order_of)]
    if comb(event.overlap + len(parts) - 1, event.overlap) > MOST_MIXES:
        return _largest(parts, interval).self_compose(event.overlap, _SMALL)
    return _largest([*_mixes(parts, event.overlap, interval)], interval)


def _mixes(parts: list[Losses], overlap: int, interval: float) -> Iterator[Losses]:
    """The compositions of `overlap` parts, in all ways."""
    from dp_accounting.pld.privacy_loss_distribution import identity

    powers = [[identity(interval)] for _ in parts]
    for part, power in zip(parts, powers, strict=True):
        for _ in range(overlap):
            power.append(power[-1].compose(part, _SMALL))
    for mix in combinations_with_replacement(range(len(parts)), overlap):
        chosen = [powers[i][mix.count(i)] for i in range(len(parts)) if i in mix]
        yield reduce(lambda one, other: one.compose(other, _SMALL), chosen)


def _largest(choices: list[Losses], interval: float) -> Losses:
    """What dominates each of the choices: the curve of their largest delta."""
    from dp_accounting.pld.pld_pmf import create_pmf_pessimistic_connect_dots_fixed_gap
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

    highest, most = 1, int(_FARTHEST / interval)
    while highest < most and any(_finite_delta(choice, highest * interval) > _SMALL for choice in choices):
        highest *= 2
    highest = min(highest, most)
    grid = np.arange(-highest, highest + 1, dtype=np.float64) * interval
    deltas = np.max([_deltas(choice, grid) for choice in choices], axis=0)
    pmf = create_pmf_pessimistic_connect_dots_fixed_gap(interval, -highest, highest, np.clip(deltas, 0, 1))
    return PrivacyLossDistribution(pmf)


def _deltas(losses: Losses, grid: Floats) -> Floats:
    """What `get_delta_for_epsilon` gives at ascending points, from the same sums in the same order, and so to the last bit; that method
    walks points and losses one by one.
    """
    pmf = losses._pmf_remove.to_dense_pmf()  # noqa: SLF001 - nothing public tells; losses are symmetric here
    at = (np.arange(pmf.size) + pmf._lower_loss) * pmf._discretization  # noqa: SLF001
    above = pmf.size - np.searchsorted(at, grid, side="right")
    upper = np.cumsum(np.append(pmf._infinity_mass, pmf._probs[::-1]))  # noqa: SLF001
    lower = np.cumsum(np.append(0.0, (pmf._probs * np.exp(-at))[::-1]))  # noqa: SLF001
    return np.asarray(upper[above] - np.exp(grid) * lower[above], dtype=np.float64)


def _finite_delta(losses: Losses, epsilon: float) -> float:
    """The part of delta that does not come from infinite losses."""
    return float(losses.get_delta_for_epsilon(epsilon) - losses.get_delta_for_epsilon(inf))
