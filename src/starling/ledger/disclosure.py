"""What the charges of a population reveal together, and what a budget means to the people it is spent on.

Each charge is chained with its events (charged_noise.py). Under the population's neighbour relation they give
(epsilon, delta) by the accountant, which is usually far less than the sum of what each gives alone. It is shown and never capped: caps
are in the population's measure, which adds up exactly however the analysts choose. (epsilon, delta) of what was spent so far is a
statement about costs that were not chosen in view of earlier answers.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from starling.errors import ParameterError
from starling.ledger.charged_noise import events_met
from starling.ledger.rules import UNIT, Population, shown
from starling.privacy.accounting.composition import Accounted
from starling.privacy.budget import Exact, decimal_up, exact
from starling.privacy.events import ZCDP, PureDP

DELTA = "1e-10"
"""The delta at which epsilon is shown unless another is asked for."""

MOST = 256
"""Different charges that are composed event by event; a population with more is told by its total."""


@dataclass(frozen=True, slots=True)
class JointDisclosure:
    """What the charges of a population reveal together.

    Attributes:
        spent: What was spent, in units of the population's measure; exact.
        epsilon: The epsilon at `delta`, rounded up.
        delta: The delta, in (0, 1).
        composed: Whether epsilon comes from the events of the charges; otherwise from their total alone.
    """

    spent: int
    epsilon: Fraction
    delta: Fraction
    composed: bool


def joint_disclosure(
    population: Population, spent: int, kinds: Sequence[tuple[Mapping[str, Any], int]], delta: Exact = DELTA
) -> JointDisclosure:
    """Compose what was charged.

    Args:
        population: The population that was charged.
        spent: The total of its charges, in units.
        kinds: Each kind of noise as it was chained, with how often it was charged.
        delta: The delta, above 0 and below 1.

    Raises:
        ParameterError: for another delta.
    """
    # Heavy, and needed here alone.
    from starling.privacy.accounting.conversion import approximate_events

    chance = exact(delta, field="delta", exponent=True)
    if not 0 < chance < 1:
        raise ParameterError("delta", "is not between 0 and 1", "give a small one, such as 1e-10")
    total = Fraction(spent, UNIT)
    composed = 0 < len(kinds) <= MOST
    met: Counter[Accounted] = Counter()
    if composed:
        for fields, charges in kinds:
            for event, times in events_met(population, fields):
                met[event] += times * charges
    elif spent:
        met[PureDP(total) if population.measure == "epsilon" else ZCDP(total)] = 1
    # Who asked for a second charge had seen what the first one gave.
    several = not composed or sum(charges for _, charges in kinds) > 1
    result = approximate_events(frozenset(met.items()), chance, fully_adaptive=several) if spent else None
    epsilon = Fraction(0) if result is None else result.epsilon
    if population.measure == "epsilon":
        epsilon = min(epsilon, total)
    elif spent:
        # Selections cost less in rho than the losses of pure DP that they are composed as.
        epsilon = min(epsilon, approximate_events(frozenset({(ZCDP(total), 1)}), chance).epsilon)
    return JointDisclosure(spent, epsilon, chance, composed)


def meaning(population: Population, units: int) -> str:
    """What a budget of `units` may reveal about one of the population's protected units, in plain words."""
    from starling.privacy.accounting.conversion import approximate_events

    amount, unit = Fraction(units, UNIT), population.relation.unit
    sentence = f"{population.measure} {shown(units)} lets everybody who sees the releases"
    guess = f"change the odds of any guess about one {unit} by a factor of at most e^"
    if population.measure == "epsilon":
        return f"{sentence} {guess}{decimal_up(amount, 2)}"
    epsilon = approximate_events(frozenset({(ZCDP(amount), 1)}), DELTA).epsilon
    return f"{sentence} {guess}{decimal_up(epsilon, 2)}, but for a chance of {DELTA}"
