"""A guarantee in plain words: what it means for one person, for a reader who knows no formula.

The one number a review board can use is how well the best possible attacker does. He knows everything about everybody
else, sees the whole release, and must say whether one given person's record was in the data; his rule raises a false alarm
with probability at most `alpha`. `detection` bounds how often he is right when the record was there.
"""

import math

from starling.privacy.budget import Cost, Epsilon
from starling.privacy.guarantee import Guarantee

UNITS = {
    "person": "one person: everything that the data say about them",
    "household": "one household with all its members",
    "group": "one group with all its members",
    "point": "one point",
    "trip": "one trip",
}
"""Each protected unit, in words."""

ALARMS = 5
"""False alarms in 100 cases that the attacker of the report accepts."""


def detection(cost: Cost, alpha: float) -> float:
    """The most that any test with false-alarm probability at most `alpha` can detect, in [alpha, 1].

    Pure DP: the set inequality and its complement, min(e^epsilon alpha, 1 - e^-epsilon (1 - alpha)).
    zCDP: for every order a, P(S) <= (e^(rho a) Q(S))^((a-1)/a) (Hoelder; van Erven and Harremoes 2014, on Renyi divergence). The
    best a is sqrt(ln(1/alpha)/rho) and gives exp(-(sqrt(ln(1/alpha)) - sqrt(rho))^2) where rho < ln(1/alpha), else 1; the same on
    the complement gives 1 - exp(-(sqrt(rho) + sqrt(ln(1/(1 - alpha))))^2).

    Args:
        cost: Of the whole release.
        alpha: False alarms, in (0, 1).
    """
    amount = float(cost.amount)
    if isinstance(cost, Epsilon):
        return min(math.exp(min(amount, 700)) * alpha, 1 - math.exp(-amount) * (1 - alpha))
    alarm, quiet = -math.log(alpha), -math.log1p(-alpha)
    direct = math.exp(-((math.sqrt(alarm) - math.sqrt(amount)) ** 2)) if amount < alarm else 1.0
    return min(direct, -math.expm1(-((math.sqrt(amount) + math.sqrt(quiet)) ** 2)))


def percent_up(probability: float) -> str:
    """A probability as a percentage with one decimal, rounded up; "nearly 100 %" from there.

    >>> percent_up(0.13512), percent_up(0.99999)
    ('13.6 %', 'nearly 100 %')
    """
    tenths = math.ceil(round(probability * 1000, 6))
    return "nearly 100 %" if tenths > 999 else f"{tenths / 10:g} %"


def dearest(guarantee: Guarantee) -> Guarantee:
    """The single measurement that costs most."""
    return max((dearest(part) for part in guarantee.parts), key=lambda leaf: leaf.cost.amount, default=guarantee)


def plainly(guarantee: Guarantee, together: Cost | None = None) -> str:
    """What the guarantee means for the protected unit: paragraphs with an empty line between them.

    Args:
        guarantee: Of the charge.
        together: Cost of the release and of all that it adds to; without it, it stands alone.
    """
    unit, change = guarantee.relation.unit, guarantee.relation.change
    whether = (
        f"whether the data hold a given {unit} at all" if change == "add-remove" else f"what a given {unit}'s data are"
    )
    all_of_it, one = together or guarantee.cost, dearest(guarantee).cost
    earlier = "" if all_of_it == guarantee.cost else ", the measurements of earlier releases in it included"
    found = [percent_up(detection(cost, ALARMS / 100)) for cost in (all_of_it, one)]
    return f"""
        Every published number was made noisy on purpose. The noise hides {UNITS[unit]}. Somebody who knows everything about
        everybody else, sees the whole release, and has any computer and any other data, still cannot tell with certainty
        {whether}.

        How far that goes is one number, the privacy loss. Take the best possible attacker, who accepts a false alarm in
        {ALARMS} of 100 cases: without any release he finds {ALARMS} % of those who are there. From one published measurement
        alone ({one} at most) he finds at most {found[1]}. From everything at once{earlier} ({all_of_it}) the bound is {found[0]}; it
        is a worst case, reached only if every number of the release tells against the same {unit}.

        The promise holds for everybody alike, for good, and against future data and methods. It does not say that nothing
        can be learned about a group: what is true of many people stays visible, which is the purpose of the release.
    """
