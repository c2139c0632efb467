"""A guarantee in plain words: what it means for one person, for a reader who knows no formula.

The one number a review board can use is how well the best possible attacker does (privacy/accounting/detection.py).
"""

import math

from starling.privacy.accounting.detection import detection
from starling.privacy.guarantee import Guarantee

UNITS = {
    "person": "one person: everything that the data say about them",
    "household": "one household with all its members",
    "group": "one group with all its members",
    "point": "one point",
    "trip": "one trip",
    "member": "one member of a group, with all that they add to its size; which groups there are is public",
    "event": "one event of a group, and not all events of one person together; which groups there are is public",
}
"""Each protected unit, in words."""

ALARMS = 5
"""False alarms in 100 cases that the attacker of the report accepts."""


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


def plainly(guarantee: Guarantee, joint: Guarantee | None = None) -> str:
    """What the guarantee means for the protected unit: paragraphs with an empty line between them.

    Args:
        guarantee: The guarantee that was charged.
        joint: The guarantee of the release and of all that it adds to; without it, the release stands alone.
    """
    unit, change = guarantee.relation.unit, guarantee.relation.change
    whether = (
        f"whether the data hold a given {unit} at all" if change == "add-remove" else f"what a given {unit}'s data are"
    )
    everything, one = joint or guarantee, dearest(guarantee)
    earlier = "" if joint is None else ", the measurements of earlier releases in it included"
    finds, finds_one = detection(everything, ALARMS / 100), detection(one, ALARMS / 100)
    how = (
        "computed from the exact distributions of the noise"
        if finds.exact
        else "a bound by the privacy loss alone: the exact distributions are not known, or too many"
    )
    return f"""
        Every published number was made noisy on purpose. The noise hides {UNITS[unit]}. Somebody who knows everything about
        everybody else, sees the whole release, and has any computer and any other data, still cannot tell with certainty
        {whether}.

        How far that goes is one number, the privacy loss. Take the best possible attacker, who accepts a false alarm in
        {ALARMS} of 100 cases: without any release he finds {ALARMS} % of those who are there. From one published measurement
        alone ({one.cost} at most) he finds at most {percent_up(finds_one.chance)}. From everything at once{earlier}
        ({everything.cost}) he finds at most {percent_up(finds.chance)}, {how}; it is a worst case, reached only if every number of the
        release tells against the same {unit}.

        The promise holds for everybody alike, for good, and against future data and methods. It does not say that nothing
        can be learned about a group: what is true of many people stays visible, which is the purpose of the release.
    """
