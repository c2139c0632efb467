"""Quantitative phenotypes as a plan has them: numbers between two public ends, in equal steps.

A phenotype becomes a whole number from 0 to L: where it lies between the ends, in L steps, to the nearest; beyond an end it is that
end. A missing one, -9 included, is the middle, L // 2. So what a line says never makes a run fail, and a person's phenotype, whatever it
is, can move a sum by L at most. Of phenotypes that are cases or controls L is 1. Where all of a person is protected, who has none is left
out (plan/moments.py).
"""

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from starling.errors import Problem
from starling.genome.plan.choices import CASE, MOST_ABOVE, UNPROTECTED, WHOLE_PERSON
from starling.planfile.values import exact_text
from starling.release.codec import Json

if TYPE_CHECKING:
    from starling.genome.plan.model import Plan

STEPS: Final = 100
"""Steps between the ends unless the plan says otherwise."""
MOST_STEPS: Final = 1 << 14
"""distance/adjusted.py has why."""
MOST_CASE: Final = 40
"""Characters of the word for a case."""
ENDS_FIX: Final = 'write two public numbers such as ["15", "45"], the lower first'


def step_of(value: float, between: tuple[Fraction, Fraction], steps: int) -> int:
    """The whole number from 0 to `steps` that a phenotype becomes.

    >>> [step_of(value, (Fraction(15), Fraction(45)), 30) for value in (20.4, 7.0, float("inf"))]
    [5, 0, 30]
    """
    low, high = map(float, between)
    return round((min(max(value, low), high) - low) / (high - low) * steps)


def phenotype_problems(plan: "Plan") -> list[Problem]:
    """What is wrong with what a plan says of phenotypes: the word for a case, or what is in its place."""
    wrong = [
        Problem("study.case", f"stands beside {name}", "state one of the two")
        for name in ("above", "between")
        if getattr(plan, name) is not None and plan.case != CASE
    ]
    if plan.above is not None and abs(plan.above) > MOST_ABOVE:
        wrong.append(Problem("study.above", f"is beyond {MOST_ABOVE}", "write what divides the phenotypes"))
    if not plan.case or plan.case != plan.case.strip() or len(plan.case) > MOST_CASE or " " in plan.case:
        wrong.append(Problem("study.case", "is not a word", 'write what stands for a case, such as "2"'))
    return [*wrong, *_range_problems(plan)]


def _range_problems(plan: "Plan") -> list[Problem]:
    """What is wrong with the ends and steps, and with what stands beside them."""
    if plan.between is None:
        return []
    low, high = plan.between
    wrong = []
    if not -MOST_ABOVE <= low < high <= MOST_ABOVE or not float(low) < float(high):
        wrong.append(Problem("study.between", f"are not two ends apart, within {MOST_ABOVE}", ENDS_FIX))
    if not 1 <= plan.steps <= MOST_STEPS:
        wrong.append(Problem("study.steps", f"are not 1 to {MOST_STEPS}", "write how many steps are between the ends"))
    if plan.above is not None:
        fix = "keep between for the phenotype as it is, above for cases and controls made of it"
        wrong.append(Problem("study.above", "stands beside between", fix))
    return wrong


def phenotype_in_words(plan: "Plan") -> str:
    """What a phenotype is, as a clause."""
    if plan.between is None:
        return f"a case is {plan.case_in_words}, everybody else a control"
    low, high = map(exact_text, plan.between)
    missing = "left out" if plan.by_moments else "in the middle"
    return f"a phenotype is from {low} to {high} in {plan.steps:,} steps, a missing one {missing}"


def phenotype_json(plan: "Plan") -> dict[str, Json]:
    """What a phenotype is, as the JSON of the plan has it."""
    if plan.between is not None:
        return {"between": list[Json](map(str, plan.between)), "steps": plan.steps}
    return {"case": plan.case} if plan.above is None else {"above": str(plan.above)}


def protected_in_words(plan: "Plan") -> list[str]:
    """The sentence that an answer begins with, where it is not of whole persons who are cases or controls."""
    if plan.by_moments:
        return [f"{WHOLE_PERSON}."]
    return [] if plan.unit == "person" else [f"{UNPROTECTED}: each person's phenotype alone is."]


def missing_in_words(plan: "Plan") -> str:
    """What a person without a phenotype counts as."""
    if plan.by_moments:
        return "left out"
    return "a control" if plan.between is None else "in the middle of the plan's range"
