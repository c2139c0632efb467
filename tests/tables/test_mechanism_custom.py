"""The exact law of whole two-stage releases of plans of custom tables, over all neighbours: no more tells worlds apart than the plan costs.

The mechanism runs on both worlds with stage 1 forced to each value in turn and silent stage 2. So it says what it asks of each group after
that value, and of which distribution it draws each number; its draws are independent. From this the law of all that it releases follows.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, log
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.privacy.budget import Measure
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.trust import inspect
from starling.tables import mechanism
from starling.tables.counts import GroupCounts, count
from starling.tables.mechanism import SafeTab
from starling.tables.plan import Piece, Plan, read_regions
from starling.tables.source import open_records
from tests.tables.custom_worlds import World, worlds

Int64 = npt.NDArray[np.int64]
FAR = 3
"""Beyond the thresholds by as much, stage 1 says no more than there."""


@dataclass
class Script:
    """Draws that force stage 1 of every group to one value, and are 0 otherwise; and exact counts that it looks at.

    Attributes:
        counts: The exact counts.
        value: What stage 1 says.
        drawn: The distribution and the number of the draws since the last piece began.
    """

    counts: GroupCounts
    value: int
    drawn: list[tuple[Distribution, int]] = field(default_factory=list)
    _totals: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))

    def totals(self, piece: Piece, /) -> Int64:
        self._totals = self.counts.totals(piece)
        self.drawn = []
        return self._totals

    def cells(self, piece: Piece, groups: Int64, /) -> Int64:
        return self.counts.cells(piece, groups)

    def draw(self, distribution: Distribution, count: int) -> Int64:
        self.drawn.append((distribution, count))
        if len(self.drawn) == 1 and count:
            assert count == len(self._totals)
            return self.value - self._totals
        return np.zeros(count, np.int64)


Answer = dict[tuple[int, int], Int64]
"""Of a level and a group, the exact numbers that stage 2 asks."""
Noise = dict[int, tuple[Distribution, Distribution]]
"""Of a level, that of both stages."""
Requests = dict[int, tuple[Answer, Noise]]
"""After each value of stage 1."""


def record_request(plan: Plan, counts: GroupCounts, value: int) -> tuple[Answer, Noise]:
    """What is asked of each group once stage 1 has said this value, and the noise of both stages of each level."""
    script, answers, noise = Script(counts, value), {}, {}
    with mock.patch.object(mechanism, "draw", script.draw):
        for piece, measured in SafeTab(plan, read_regions(plan), keep=iter).draw(script):
            starts = measured.offsets(plan.detail)
            second = [each for each, count in script.drawn[1:] if count]
            assert len(set(second)) <= 1
            if second:
                noise[piece.level] = script.drawn[0][0], second[0]
            for group in range(piece.groups):
                answers[piece.level, piece.first * piece.iterations + group] = measured.values[
                    starts[group] : starts[group + 1]
                ]
    return answers, noise


def counted(world: World) -> GroupCounts:
    plan = world.plan
    return inspect(count(plan, read_regions(plan), open_records(world.table(), plan))).value


def weight(distribution: Distribution, value: int) -> float:
    """The logarithm of the probability, but for a constant."""
    if isinstance(distribution, DiscreteLaplace):
        return float(-abs(value) / distribution.scale)
    assert isinstance(distribution, DiscreteGaussian)
    return float(-(value**2) / (2 * distribution.sigma_squared))


def requested(world: World) -> Requests:
    """What is asked in a world after each value of stage 1."""
    plan, counts = world.plan, counted(world)
    values = range(-FAR, max((len(level.thresholds or ()) for level in plan.levels), default=0) + FAR + 1)
    return {value: record_request(plan, counts, value) for value in values}


def apart(plan: Plan, here: Requests, there: Requests, order: float) -> dict[int, float]:
    """Of each level how far the law of all that it releases tells two worlds apart: under epsilon the largest logarithm of a ratio of
    probabilities, under rho the Renyi divergence of this order, divided by it."""
    values = list(here)
    result: dict[int, float] = dict.fromkeys(range(len(plan.levels)), 0.0)
    groups, noise = here[0]
    for level, group in groups:
        first, second = noise[level]
        moves = {value: here[value][0][level, group] - there[value][0][level, group] for value in values}
        total = int(moves[values[0]].sum())
        if not any(move.any() for move in moves.values()):
            continue
        two_stages = bool(plan.levels[level].thresholds) and not plan.levels[level].total_only[0]
        here_total = int(here[values[0]][0][level, group].sum())
        result[level] += _of_group(first if two_stages else None, second, here_total, total, moves, order)
    return result


def _of_group(
    first: Distribution | None, second: Distribution, total: int, more: int, moves: dict[int, Int64], order: float
) -> float:
    """What one group tells: stage 1 takes every value, and stage 2 asks what it asks after that value."""
    low, high = min(moves), max(moves)
    if isinstance(second, DiscreteLaplace):
        cost = {value: float(np.abs(move).sum() / second.scale) for value, move in moves.items()}
        if first is None:
            return cost[low]
        return max(
            abs(weight(first, value - total) - weight(first, value - total + more)) + cost[value] for value in moves
        )
    assert isinstance(second, DiscreteGaussian)
    cost = {value: order * float((move**2).sum() / (2 * second.sigma_squared)) for value, move in moves.items()}
    if first is None:
        return cost[low] / order
    assert isinstance(first, DiscreteGaussian)
    reach = int(12 * float(first.sigma_squared) ** 0.5 * order) + abs(more) * int(order + 1) + 10
    normaliser = sum(exp(weight(first, value)) for value in range(-reach, reach + 1))
    expected = sum(
        exp(
            order * weight(first, value - total)
            + (1 - order) * weight(first, value - total + more)
            + (order - 1) * cost[min(max(value, low), high)]
        )
        for value in range(total - reach, total + reach + 1)
    )
    return log(expected / normaliser) / (order - 1) / order


def neighbours(world: World) -> Iterator[World]:
    """All worlds of a person less."""
    if "person" in world.values["records"]:
        for person in {each["who"] for each in world.records}:
            yield world.with_records([each for each in world.records if each["who"] != person])
    else:
        for gone in range(len(world.records)):
            yield world.with_records([*world.records[:gone], *world.records[gone + 1 :]])


@st.composite
def measured_worlds(draw: st.DrawFn) -> World:
    """Worlds under either measure, of single records or of up to two of a person."""
    world = draw(worlds(most=3))
    values: dict[str, Any] = {**world.values, "privacy": {**world.values["privacy"], "measure": draw(MEASURES)}}
    records = world.records
    if draw(st.booleans()):
        values["records"] = {"of-a-person": draw(st.integers(1, 2)), "person": "who"}
        person = draw(st.lists(st.sampled_from("ab"), min_size=len(records), max_size=len(records)))
        records = tuple({**each, "who": name} for each, name in zip(records, person, strict=True))
    return World(values, records)


MEASURES: st.SearchStrategy[Measure] = st.sampled_from(["epsilon", "rho"])


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(measured_worlds(), st.sampled_from([1.5, 2.0, 8.0]))
def test_no_neighbours_are_told_apart_by_more_than_the_plan_costs(world: World, order: float) -> None:
    plan = world.plan
    with mock.patch("starling.tables.counts.counting.fresh_bytes", bytes):
        whole = requested(world)
        for rest in map(requested, neighbours(world)):
            for one, other in ((whole, rest), (rest, whole)):
                for level, report in apart(plan, one, other, order).items():
                    assert report <= float(plan.levels[level].budget) * (1 + 1e-9)


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_some_neighbours_are_told_apart_by_all_that_it_costs(measure: Measure) -> None:
    """A record in every group that the stability counts: half of the noise would be found."""
    values: dict[str, Any] = {
        "title": "Skills",
        "privacy": {"unit": "person", "neighbours": "add-remove", "measure": measure, "stage-1-share": "0.1"},
        "records": {"of-a-person": 1},
        "columns": [
            {"name": "skills", "values": ["p", "q", "r"], "separator": ";", "most": 2},
            {"name": "age", "from": 0, "to": 9},
        ],
        "groups": [{"name": "skills", "columns": ["skills"]}],
        "publication": {"negative-counts": True},
        "detail": {"columns": ["age"], "steps": [{"age": [0, 5]}]},
        "levels": [{"groups": "skills", "budget": "1", "thresholds": [1]}],
    }
    world = World(values, ({"skills": "p;q", "age": "3"},))
    plan, result = world.plan, []
    some, none = requested(world), requested(world.with_records([]))
    for one, other in ((some, none), (none, some)):
        result.append(apart(plan, one, other, 2.0)[0])
    assert max(result) == pytest.approx(1, rel=1e-6)
    assert Fraction(plan.cost.amount) == 1
