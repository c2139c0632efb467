"""What the paid median of a quantitative phenotype tells, and how far it may be off in people."""

from dataclasses import dataclass

from starling.genome.inference.answers import ALPHA, SelectionError
from starling.genome.measurements import Scanned
from starling.genome.plan import Plan, Scan
from starling.genome.plan.intervals import median_value


@dataclass(frozen=True, slots=True)
class Median:
    """Where the people of a study are divided in halves, by a noisy choice.

    Attributes:
        step: The last of the plan's steps below it.
        value: Half way to the next one, in the unit of the phenotype.
        people: Of the best step so many people more, at most, are on the side with fewer, with a chance of 1 - ALPHA or more.
    """

    step: int
    value: float
    people: int


def median_error(plan: Plan, question: Scan) -> int | None:
    """By how many people the side with fewer may lack those of the best step, with a chance of 1 - ALPHA or more; None without a median."""
    part = question.median_epsilon
    return None if part is None else SelectionError(plan.steps, part).within(ALPHA)


def paid_median(plan: Plan, question: Scan, drawn: Scanned) -> Median | None:
    """The median that was drawn; None without one."""
    people = median_error(plan, question)
    if people is None or drawn.median is None:
        return None
    return Median(drawn.median, float(median_value(plan, drawn.median)), people)
