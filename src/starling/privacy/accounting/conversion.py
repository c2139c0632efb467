"""From what a release declares to (epsilon, delta): one `Guarantee` read by several accountants, all on the safe side.

Definition. (epsilon, delta)-DP is meant in its set form: P[M(x) in S] <= e^epsilon P[M(x') in S] + delta for all neighbours and all sets
S of outputs. (SafeTab 2022, Definition 2, has single outputs for S, which is weaker where delta > 0.)

Accountants:

- "sum": pure DP, the exact sum (Lemmas 1 and 9); it holds at delta 0.
- "analytic": zCDP, rho + sqrt(4 rho ln(1/delta)) (Lemma 5).
- "renyi": the least over orders of Lemma 4; for pure DP with the exact divergence of the discrete Laplace, for zCDP with rho a.
- "pld": the privacy loss distribution; for pure DP exact by binomials where these are few, else on a grid by dp-accounting.
- "tightest": the least of those that apply. Where candidates are selected by the exponential mechanism, "renyi" also of the rho that
  the range of its losses gives (zcdp.py): k rounds of epsilon are k epsilon^2/8, where pure DP says k epsilon^2/2.

Any cost has an epsilon at any delta in (0, 1): where no privacy loss distribution is to be had, because a loss is not known, is too
large, or delta is too small for the grid's rounding, the Renyi divergences answer. `approximate` says which of them did. Where budgets
were chosen after earlier results (`FullyAdaptive`), no privacy loss distribution is used: the Renyi divergences answer.

zCDP has no epsilon at delta 0: the discrete Gaussian is not pure DP for any epsilon. Nothing here asks for data or draws.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, inf, nextafter
from typing import Final, Literal, TypeAlias, get_args

from flint import arb

from starling.errors import ParameterError
from starling.privacy.accounting import binomial, privacy_loss, renyi
from starling.privacy.accounting.composition import (
    Events,
    OverlappingEvents,
    alternatives,
    detailed_events_of,
    events_of,
)
from starling.privacy.accounting.zcdp import rho_of
from starling.privacy.budget import Epsilon, Exact, exact
from starling.privacy.distributions.tails import ball
from starling.privacy.events import ZCDP, ExponentialMechanism
from starling.privacy.guarantee import Guarantee
from starling.privacy.precision import precision

Method: TypeAlias = Literal["tightest", "sum", "analytic", "renyi", "pld"]

BY: Final[dict[Method, str]] = {
    "sum": "pure differential privacy, which holds at delta 0 too",
    "analytic": "conversion of zCDP by SafeTab 2022, Lemma 5, rounded up",
    "renyi": "conversion of Renyi divergences, which zCDP bounds, rounded up",
    "pld": "privacy loss distribution, rounded up",
}
"""How an accountant found its epsilon, for those who read a release."""

PLACES = 6
"""Decimals of an epsilon that is not exact; rounded up."""
_BITS = 128


@dataclass(frozen=True, slots=True)
class Approximate:
    """(epsilon, delta)-DP of something: the epsilon, rounded up, and the accountant that found it."""

    epsilon: Fraction
    method: Method

    @property
    def by(self) -> str:
        """How the epsilon was found, in words."""
        return BY[self.method]


def approximate(guarantee: Guarantee, delta: Exact) -> Approximate:
    """The tightest epsilon at `delta` in (0, 1), and which accountant found it; for every guarantee, of whatever cost.

    >>> from starling.privacy.guarantee import measurement
    >>> from starling.privacy.distributions.discrete import DiscreteGaussian
    >>> from starling.privacy.neighbours import ADD_REMOVE_PERSON
    >>> approximate(measurement("a count", ADD_REMOVE_PERSON, DiscreteGaussian(Fraction(50))), "1e-10").by
    'privacy loss distribution, rounded up'
    """
    result = approximate_events(events_of(guarantee), delta, fully_adaptive=guarantee.fully_adaptive)
    detailed = detailed_events_of(guarantee)
    if _has_selections(detailed):
        by_range = approximate_events(frozenset({(ZCDP(rho_of(detailed)), 1)}), delta)
        result = min(result, by_range, key=lambda each: each.epsilon)
    if isinstance(guarantee.cost, Epsilon) and guarantee.cost.amount <= result.epsilon:
        return Approximate(guarantee.cost.amount, "sum")
    return result


def approximate_events(events: Events, delta: Exact, *, fully_adaptive: bool = False) -> Approximate:
    """The tightest epsilon of events, pure and zCDP ones together: what a ledger has charged.

    Args:
        events: The events.
        delta: The delta, exact, in (0, 1).
        fully_adaptive: Whether some were chosen after the results of others, so that no privacy loss distribution is used.

    >>> from starling.privacy.events import DiscreteGaussianNoise, PureDP
    >>> events = frozenset({(PureDP(Fraction(1, 10)), 40), (DiscreteGaussianNoise(Fraction(50)), 1)})
    >>> float(approximate_events(events, "1e-10").epsilon)
    3.737759
    """
    chance = exact(delta, field="delta", exponent=True)
    if not 0 < chance < 1:
        raise _no_epsilon()
    return _of_alternatives(events, chance, "renyi" if fully_adaptive else "tightest")


def epsilon_at_delta(guarantee: Guarantee, delta: Exact, *, method: Method = "tightest") -> Fraction:
    """An epsilon for which `guarantee` is (epsilon, delta)-DP under its own neighbour relation.

    Args:
        guarantee: What is spent: a measurement or any composition.
        delta: The delta, exact, in [0, 1); 0 for pure DP by "sum" or "tightest" alone.
        method: The accountant, one of those that the module describes; "pld" is for budgets that were fixed beforehand.

    Returns:
        Exact for "sum"; otherwise rounded up to a millionth.

    Raises:
        ParameterError: where the method does not apply to the guarantee or the delta, with one that does.

    >>> from starling.privacy.guarantee import measurement
    >>> from starling.privacy.distributions.discrete import DiscreteGaussian
    >>> from starling.privacy.neighbours import ADD_REMOVE_PERSON
    >>> count = measurement("a count", ADD_REMOVE_PERSON, DiscreteGaussian(Fraction(50)))
    >>> [float(epsilon_at_delta(count, "1e-10", method=method)) for method in ("analytic", "renyi", "pld")]
    [0.969706, 0.864322, 0.824101]
    """
    if method not in get_args(Method):
        raise ParameterError("method", "is unknown", f"use one of {', '.join(get_args(Method))}")
    chance = exact(delta, field="delta", exponent=True)
    if not 0 <= chance < 1:
        raise ParameterError("delta", "is not in [0, 1)", 'give a small number such as "1e-10"')
    if method == "sum" or (method == "tightest" and chance == 0):
        return _sum(guarantee)
    if chance == 0:
        raise _no_epsilon()
    if method == "analytic":
        return _analytic(guarantee, chance)
    if method == "tightest":
        return approximate(guarantee, chance).epsilon
    if method == "pld":
        _refuse_chosen_after(guarantee)
    epsilon = _of_alternatives(events_of(guarantee), chance, method).epsilon
    return min(epsilon, guarantee.cost.amount) if isinstance(guarantee.cost, Epsilon) else epsilon


def delta_at_epsilon(guarantee: Guarantee, epsilon: Exact) -> float:
    """A delta for which `guarantee` is (epsilon, delta)-DP, for an exact epsilon of at least 0, from the privacy loss distribution;
    rounded up.

    Raises:
        ParameterError: for a negative epsilon, or where the loss of a part is not known.
    """
    bound = exact(epsilon, field="epsilon")
    if bound < 0:
        raise ParameterError("epsilon", "is negative", "give 0 or more")
    if isinstance(guarantee.cost, Epsilon) and bound >= guarantee.cost.amount:
        return 0.0
    _refuse_chosen_after(guarantee)
    below = nextafter(float(bound), -inf)
    return max(delta_of_events(each, below) for each in alternatives(events_of(guarantee)))


def _has_selections(events: Events) -> bool:
    return any(
        any(map(_has_selections, event.parts))
        if isinstance(event, OverlappingEvents)
        else isinstance(event, ExponentialMechanism)
        for event, _ in events
    )


def _refuse_chosen_after(guarantee: Guarantee) -> None:
    if guarantee.fully_adaptive:
        problem = "has parts that were chosen after the results of others, and privacy loss distributions do not compose there"
        raise ParameterError("guarantee", problem, 'use epsilon_at_delta with the method "tightest" or "renyi"')


def losses_known(events: Events) -> bool:
    """Whether the privacy loss distribution of the events is to be had."""
    return binomial.atoms(events) is not None or privacy_loss.composable(events)


@lru_cache(maxsize=1024)
def delta_of_events(events: Events, epsilon: float) -> float:
    """A delta for which events, not a choice among several, are (epsilon, delta)-DP; rounded up. Raises ParameterError where the loss of a
    part is not known.
    """
    if exactly := binomial.atoms(events):
        return exactly.delta(epsilon)
    return privacy_loss.delta(events, epsilon)


def renyi_divergence(guarantee: Guarantee, order: Exact) -> float:
    """The Renyi divergence of `order` > 1 between neighbours, at most; rounded up (SafeTab 2022, Definitions 3 and 5).

    >>> from starling.privacy.guarantee import measurement
    >>> from starling.privacy.distributions.discrete import DiscreteLaplace
    >>> from starling.privacy.neighbours import ADD_REMOVE_PERSON
    >>> count = measurement("a count", ADD_REMOVE_PERSON, DiscreteLaplace(1 / Fraction("0.427")))
    >>> round(renyi_divergence(count, 2), 4)
    0.1698
    """
    number = exact(order, field="order")
    if number <= 1:
        raise ParameterError("order", "is not above 1", "give an order above 1")
    with precision(_BITS):
        upper = max(float(renyi.divergence(each, number).upper()) for each in alternatives(events_of(guarantee)))
    return nextafter(upper, inf)


def _sum(guarantee: Guarantee) -> Fraction:
    if not isinstance(guarantee.cost, Epsilon):
        raise ParameterError(
            "guarantee",
            "is zCDP, which is not pure DP for any epsilon",
            'give a delta above 0, and the method "tightest", "pld", "renyi" or "analytic"',
        )
    return guarantee.cost.amount


def _analytic(guarantee: Guarantee, delta: Fraction) -> Fraction:
    if isinstance(guarantee.cost, Epsilon):
        raise ParameterError("method", "is of zCDP, and this is pure DP", 'use "tightest"')
    with precision(_BITS):
        rho = ball(guarantee.cost.amount)
        return _rounded_up(rho + 2 * (rho * -ball(delta).log()).sqrt())


def _no_epsilon() -> ParameterError:
    return ParameterError("delta", "is 0, at which only pure DP has an epsilon", "give a delta above 0 and below 1")


def _of_alternatives(events: Events, delta: Fraction, method: Method) -> Approximate:
    return max((_of_events(each, delta, method) for each in alternatives(events)), key=lambda result: result.epsilon)


@lru_cache(maxsize=256)
def _of_events(events: Events, delta: Fraction, method: Method) -> Approximate:
    if method == "renyi":
        return _by_renyi(events, delta)
    epsilon = _by_losses(events, delta)
    if method == "tightest":
        by_renyi = _by_renyi(events, delta)
        return by_renyi if epsilon is None or by_renyi.epsilon < epsilon else Approximate(epsilon, "pld")
    if epsilon is None:
        raise ParameterError(
            "method",
            f"needs a delta above {privacy_loss.least_delta(events):z.0e} here, and a known loss of every part",
            'use "tightest" or "renyi"',
        )
    return Approximate(epsilon, "pld")


def _by_renyi(events: Events, delta: Fraction) -> Approximate:
    return Approximate(max(_rounded_up(renyi.epsilon(events, delta)), Fraction(0)), "renyi")


def _by_losses(events: Events, delta: Fraction) -> Fraction | None:
    """None where no privacy loss distribution is to be had."""
    below = nextafter(float(delta), 0)
    if exactly := binomial.atoms(events):
        return _millionths(Fraction(exactly.epsilon(below)))
    if not privacy_loss.composable(events) or below < privacy_loss.least_delta(events):
        return None
    epsilon = privacy_loss.epsilon(events, below)
    return None if epsilon == inf else _millionths(Fraction(epsilon))


def _rounded_up(value: arb) -> Fraction:
    return Fraction(int((value * 10**PLACES).upper().ceil().unique_fmpz()), 10**PLACES)


def _millionths(value: Fraction) -> Fraction:
    return Fraction(ceil(value * 10**PLACES), 10**PLACES)
