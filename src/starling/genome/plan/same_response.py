"""Whether a kept response is of the people and of the phenotype that a further scan is of: by what is public, so far as that goes.

Plans say how many people there are, the phenotype's name and what a case is; questions, in how many intervals, and what a median cost. The
list of people and the column of phenotypes stand with the response alone (counts/responses.py).
"""

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Final, TypeAlias

from starling.errors import Problem
from starling.genome.plan.model import Plan
from starling.genome.plan.quantitative import phenotype_json

Draw: TypeAlias = tuple[int, Fraction | None]
"""How many values a response has, and what its median cost; None without one."""
NEW: Final = "leave it out: a new response is drawn and charged"
_WORDS: Final = (
    ("people", "is of other people, or of these in another order", "give the study that it was drawn of"),
    ("phenotype", "is of the phenotype {!r}, and the plan names {!r}", "correct phenotype in the plan"),
    ("case", "was drawn where the plan says {} of a case, and it says {} now", "correct that in the plan"),
    ("column", "is of the column {!r} of phenotypes, and {!r} is given", "give the file that has that column"),
    ("file", "was drawn of the phenotypes in {!r}, and {!r} is given", "give that file, which is not read"),
)


def differences(then: tuple[Plan, Draw], now: tuple[Plan, Draw]) -> list[Problem]:
    """Where plan and draw were others when a response was drawn: of the first such thing."""
    wrong = difference(public_of(then[0]), public_of(now[0])) or other_draw(then[1], now[1])
    return [] if wrong is None else [wrong]


def public_of(plan: Plan) -> dict[str, str | None]:
    """What a plan says of a response: its people by their number."""
    return {"people": str(plan.people), "phenotype": plan.phenotype, "case": json.dumps(phenotype_json(plan))}


def difference(drawn: Mapping[str, str | None], now: Mapping[str, str | None]) -> Problem | None:
    """The first of what `now` states that was another when the response was drawn."""
    for name, problem, fix in _WORDS:
        if name in now and drawn.get(name) != now[name]:
            return Problem("response", problem.format(drawn.get(name), now[name]), f"{fix}, or {NEW}")
    return None


def other_draw(held: Draw, wanted: Draw) -> Problem | None:
    """Where a response was drawn of another number of values, or at another cost of its median, than are asked for."""
    if held[0] != wanted[0]:
        problem = f"was drawn of {held[0]} intervals of the phenotype, and {wanted[0]} are asked for"
        return Problem("response", problem, f"name {held[0]} intervals, or {NEW}")
    if held[1] != wanted[1]:
        problem = f"was drawn at median_epsilon {held[1] or 'none'}, and {wanted[1] or 'none'} is asked for"
        stated = "no median_epsilon" if held[1] is None else f"median_epsilon {held[1]}"
        return Problem("response", problem, f"state {stated}, or {NEW}")
    return None
