"""Whether a kept response is of the people and of the phenotype that a further scan is of: by what is public, so far as that goes.

Plans say how many people there are, the phenotype's name and what a case is; questions, in how many intervals. The list of people and the
name of the file of phenotypes stand with the response alone (counts/responses.py).
"""

import json
from collections.abc import Mapping
from typing import Final

from starling.errors import Problem
from starling.genome.plan.model import Plan
from starling.genome.plan.quantitative import phenotype_json

NEW: Final = "leave it out: a new response is drawn and charged"
_WORDS: Final = (
    ("people", "is of other people, or of these in another order", "give the study that it was drawn of"),
    ("phenotype", "is of the phenotype {!r}, and the plan names {!r}", "correct phenotype in the plan"),
    ("case", "was drawn where the plan says {} of a case, and it says {} now", "correct that in the plan"),
    ("file", "was drawn of the phenotypes in {!r}, and {!r} is given", "give that file, which is not read"),
)


def differences(then: tuple[Plan, int], now: tuple[Plan, int]) -> list[Problem]:
    """Where plan and number of values were others when a response was drawn: of the first such thing."""
    wrong = difference(public_of(then[0]), public_of(now[0])) or other_intervals(then[1], now[1])
    return [] if wrong is None else [wrong]


def public_of(plan: Plan) -> dict[str, str | None]:
    """What a plan says of a response: its people by their number."""
    return {"people": str(plan.people), "phenotype": plan.phenotype, "case": json.dumps(phenotype_json(plan))}


def difference(drawn: Mapping[str, str | None], now: Mapping[str, str | None]) -> Problem | None:
    """The first of what `now` states that was another when the response was drawn."""
    for name, problem, fix in _WORDS:
        if name in now and drawn[name] != now[name]:
            return Problem("response", problem.format(drawn[name], now[name]), f"{fix}, or {NEW}")
    return None


def other_intervals(held: int, wanted: int) -> Problem | None:
    """Where a response has another number of values than are asked for."""
    if held == wanted:
        return None
    problem = f"was drawn of {held} intervals of the phenotype, and {wanted} are asked for"
    return Problem("response", problem, f"name {held} intervals, or {NEW}")
