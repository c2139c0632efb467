"""Composition of pure events exactly: binary randomized response, by binomials, without a grid.

At sensitivity 1 the loss of the discrete Laplace of rate e takes two values: +e with probability 1/(1 + q) and -e with q/(1 + q),
q = e^(-e). That is binary randomized response, which dominates every e-DP mechanism. So k equal events have the loss e (2 K - k) with
K ~ Binomial(k, 1/(1 + q)), unequal ones the sum of such, and

    delta(epsilon) = E[max(0, 1 - e^(epsilon - loss))],

the set form of (epsilon, delta)-DP, is a finite sum over at most the product of (k + 1) atoms. SafeTab 2022, Definition 2, states the
pointwise form, P(y) <= e^epsilon P'(y) + delta for each output y, which is weaker; it is not what delta means here.

Rounding. All terms are positive, so float64 loses less than 1e-10 of a sum of MOST_ATOMS terms, and less than 1e-14 of a loss. So delta
is evaluated at an epsilon lowered by 2^-40 of the largest loss, raised by 1e-9 of itself, and by 1e-290 for what underflowed.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from starling.privacy.accounting.composition import Events, ordered
from starling.privacy.distributions.tails import ball
from starling.privacy.events import ExponentialMechanism, PureDP
from starling.privacy.precision import precision

MOST_ATOMS = 1 << 20
_RAISE = 1 + 1e-9
_UNDERFLOW = 1e-290
_STEPS = 40
_BITS = 128


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """The losses above 0 with their probabilities; losses of 0 and below add nothing to delta.

    Attributes:
        losses: float64, shape (atoms,).
        probabilities: float64, shape (atoms,); they add up to less than 1.
    """

    losses: npt.NDArray[np.float64]
    probabilities: npt.NDArray[np.float64]

    def delta(self, epsilon: float) -> float:
        """The smallest delta at `epsilon` >= 0, rounded up."""
        lowered = epsilon - 2.0**-40 * (1 + self._largest)
        over = self.losses > lowered
        terms = -np.expm1(lowered - self.losses[over]) * self.probabilities[over]
        return min(float(terms.sum()) * _RAISE + _UNDERFLOW, 1.0)

    def epsilon(self, delta: float) -> float:
        """The smallest epsilon >= 0 at `delta` > 0, rounded up; at most the largest loss."""
        low, high = 0.0, self._largest
        if self.delta(low) <= delta:
            return low
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.delta(middle) > delta else (low, middle)
        return high

    @property
    def _largest(self) -> float:
        return float(self.losses.max(initial=0.0))


@lru_cache(maxsize=16)
def atoms(events: Events) -> Atoms | None:
    """The losses of pure events; None where another event is among them, or the atoms would be more than MOST_ATOMS."""
    losses, probabilities = np.zeros(1), np.ones(1)
    for event, times in ordered(events):
        if not isinstance(event, PureDP | ExponentialMechanism) or len(losses) * (times + 1) > MOST_ATOMS:
            return None
        steps = float(event.epsilon) * np.arange(times, -times - 1, -2)
        losses = np.add.outer(losses, steps).ravel()
        probabilities = np.multiply.outer(probabilities, _binomial(times, event.epsilon)).ravel()
    keep = losses > 0
    return Atoms(losses[keep], probabilities[keep])


def _binomial(times: int, rate: Fraction) -> npt.NDArray[np.float64]:
    """P(j of `times` losses are negative), j = 0..times: C(times, j) q^j / (1 + q)^times."""
    with precision(_BITS):
        q = (-ball(rate)).exp()
        term = (1 + q) ** -times
        values = [float(term)]
        for j in range(times):
            term = term * q * (times - j) / (j + 1)
            values.append(float(term))
    return np.array(values)
