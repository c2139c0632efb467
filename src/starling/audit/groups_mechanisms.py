"""The mechanism for group sizes under the falsifier: what a state and its one county release when a member joins a group of theirs.

Many states hold the same groups, so that each, with its county, is one independent run of the mechanism on two levels. The nation's row is
left out: it is one draw, and its part of the cost with it.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Final

import numpy as np

from starling.audit.case import Case, Draws, Int64
from starling.groups.mechanism import NoisyCounts
from starling.groups.optimise.tree import Tree
from starling.groups.plan import Method, Plan, Regions
from starling.groups.plan.budget import SplitBudget
from starling.privacy.budget import Cost, Epsilon, Measure, Rho
from starling.privacy.sampling.entropy import BitSource

BUDGET: Final = Fraction(3)
"""Of three levels."""
LEVELS: Final = 2
"""Those that are looked at, at the cost that they have of it."""
BANDS: Final = SplitBudget(
    (0, 2), ((Fraction(1), Fraction(1, 2), Fraction(3, 2)), (Fraction(1), Fraction(3, 2), Fraction(1, 2)))
)
"""A budget by size: two levels have 2 of 3 at every size."""
LEAST: Final = 2
MOST: Final = 8
"""Noisy numbers are clipped to LEAST to MOST, which is post-processing, so that a histogram of few outputs sees what matters."""
BEFORE: Final = (5, 5, 5, 5)
"""Groups of size 0 to 3 in each county; a member joins one of size 1, and brings as many units as one may."""


def states_plan(
    states: int, method: Method, measure: Measure, *, quantity: int = 1, budget: SplitBudget | None = None
) -> Plan:
    """States of one county each, which hold the groups BEFORE."""
    names = tuple(f"{state:06d}" for state in range(states))
    ids = (("all",), names, tuple(f"{name}-1" for name in names))
    tree = Tree.of([np.zeros(states, dtype=np.int64), np.arange(states)])
    return Plan(
        title="States that are all the same",
        group="household",
        member="person",
        regions=Regions(("nation", "state", "county"), ids, tree, None),
        largest=len(BEFORE) - 1,
        groups=states * sum(BEFORE),
        totals="root",
        kind="counts",
        unit="member",
        quantity=quantity,
        register=None,
        method=method,
        measure=measure,
        budget=budget or SplitBudget.equal(BUDGET, LEVELS + 1),
    )


def released(plan: Plan) -> Draws:
    """What each of many states and its county release: the noisy numbers that the member moves, int64 (states, values)."""
    sizes = range(1, 1 + plan.quantity) if plan.cumulative else (1, 1 + plan.quantity)
    middle = np.cumsum(BEFORE)[list(sizes)] - BEFORE[0] if plan.cumulative else 0

    def draws(exact: Int64, number: int, _: BitSource) -> Int64:
        here = states_plan(number, plan.method, plan.measure, quantity=plan.quantity, budget=plan.budget)
        drawn = NoisyCounts(here).draw(np.tile(exact, (number, 1)))
        values = [level[:, list(sizes)] - middle for level in drawn[-LEVELS:]]
        return np.asarray(np.clip(np.concatenate(values, axis=1), LEAST, MOST))

    return draws


def _case(name: str, method: Method, measure: Measure, *, quantity: int = 1, budget: SplitBudget | None = None) -> Case:
    plan = states_plan(1, method, measure, quantity=quantity, budget=budget)
    after = list(BEFORE)
    after[1] -= 1
    after[1 + quantity] += 1
    amount = plan.budget.whole * LEVELS / (LEVELS + 1)
    cost: Cost = Epsilon(amount) if measure == "epsilon" else Rho(amount)
    return Case(name, "", None, released(plan), BEFORE, tuple(after), 25_000, claim=cost)


DECLARED: Final[tuple[Case, ...]] = (
    _case("histograms of groups", "h", "epsilon"),
    _case("histograms of groups", "h", "rho"),
    _case("histograms of groups, two units a member", "h", "epsilon", quantity=2),
    _case("cumulative groups", "c_joint", "epsilon"),
    _case("cumulative groups", "c_joint", "rho"),
    _case("cumulative groups, two units a member, budget by size", "c_joint", "epsilon", quantity=2, budget=BANDS),
    _case("cumulative groups, two units a member, budget by size", "c_joint", "rho", quantity=2, budget=BANDS),
)
"""What a release of group sizes draws, with what `Plan.guarantee` declares for two of its levels."""

MUTANTS: Final[tuple[Case, ...]] = (
    replace(
        DECLARED[0],
        name="histograms of groups, noise for one cell",
        flaw="a member moves two",
        mechanism=released(states_plan(1, "h", "epsilon", budget=SplitBudget.equal(2 * BUDGET, LEVELS + 1))),
        draws=10_000,
        truth=2 * float(DECLARED[0].claim.amount),
    ),
)
"""Plans that spend more than they declare."""
