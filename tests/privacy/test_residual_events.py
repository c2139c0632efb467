"""What residuals cost together when a unit is replaced: brute force over all neighbours of small worlds, and formulas that are wrong."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from random import Random

import pytest

from starling.errors import ParameterError
from starling.privacy.accounting.composition import detailed_events_of, events_of, replaced_events, without_details
from starling.privacy.accounting.zcdp import replace_one_cost, rho_of
from starling.privacy.events import ZCDP, DiscreteGaussianNoise
from starling.privacy.guarantee import (
    Guarantee,
    JointResiduals,
    bounded_overlap,
    by_events,
    forms,
    sequential,
    without_factors,
)
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.privacy.residual_events import ResidualEvents, factor_of_part, replaced_rho

Record = tuple[tuple[int, ...], tuple[int, ...]]
"""Its region in each level, and its value of each column."""
Number = tuple[int, int, tuple[int, ...], tuple[int, ...]]
"""What is measured: a level, a region, a part, and a cell of it."""
WORLDS = [
    ((2,), ((0,),), 1, 1),
    ((2,), ((), (0,)), 2, 1),
    ((2, 3), ((), (0,), (1,), (0, 1)), 1, 1),
    ((2, 3), ((0,), (1,)), 1, 2),
    ((3, 2), ((), (0,), (1,), (0, 1)), 2, 2),
    ((2, 2, 2), ((0,), (1,), (2,), (0, 1, 2)), 1, 1),
]
"""Sizes, parts, regions of the first level, levels; of every region of a level two are in the next."""


def worlds() -> Iterator[tuple[ResidualEvents, int]]:
    for seed, (sizes, columns, roots, levels) in enumerate(WORLDS):
        random = Random(seed)
        for records in (1, 2):
            parameters = tuple(tuple(Fraction(random.randint(1, 40)) for _ in columns) for _ in range(levels))
            yield ResidualEvents(sizes, columns, records, roots > 1, parameters), roots


def added(events: ResidualEvents, record: Record) -> dict[Number, int]:
    """What a record adds to every measured number."""
    regions, values = record
    numbers: dict[Number, int] = {}
    for level, region in enumerate(regions):
        for part in events.columns:
            for cell in product(*(range(events.sizes[column]) for column in part)):
                number = 1
                for column, value in zip(part, cell, strict=True):
                    number *= events.sizes[column] - 1 if values[column] == value else -1
                numbers[level, region, part, cell] = number
    return numbers


def loss(events: ResidualEvents, one: tuple[Record, ...], other: tuple[Record, ...]) -> Fraction:
    """Rho of the Gaussian noise where one unit's records are there in place of another's."""
    moved: dict[Number, int] = {}
    for records, sign in ((one, 1), (other, -1)):
        for each in records:
            for number, amount in added(events, each).items():
                moved[number] = moved.get(number, 0) + sign * amount
    whole = Fraction(0)
    for (level, _, part, _), amount in moved.items():
        whole += Fraction(amount**2) / (2 * events.sigma_squared[level][events.columns.index(part)])
    return whole


def largest_loss(events: ResidualEvents, roots: int) -> Fraction:
    """The most of all pairs of units, one of whose records is the first of all: every column and every region is like any other."""
    paths: list[tuple[int, ...]] = [(root,) for root in range(roots)]
    for _ in events.sigma_squared[1:]:
        paths = [(*path, 2 * path[-1] + child) for path in paths for child in (0, 1)]
    every = [(path, values) for path in paths for values in product(*map(range, events.sizes))]
    units = [some for k in range(events.records + 1) for some in combinations_with_replacement(every, k)]
    mine = [unit for unit in units if all(each == every[0] for each in unit)] if events.records > 1 else units[:2]
    return max(loss(events, one, other) for one, other in product(mine, units))


@pytest.mark.parametrize(("events", "roots"), list(worlds()))
def test_the_most_of_all_neighbours_is_what_is_charged(events: ResidualEvents, roots: int) -> None:
    largest = largest_loss(events, roots)
    assert events.replaced == largest
    assert all(wrong(events) <= largest for wrong in WRONG.values())
    alone = sum((each.cost.amount * each.replacement_factor for level in events.noise for each in level), Fraction(0))
    assert largest <= alone


WRONG: dict[str, Callable[[ResidualEvents], Fraction]] = {
    "twice the cost": lambda events: min(2 * events.cost.amount, events.replaced),
    "regions are forgotten": lambda events: replaced_rho(events.sizes, events.columns, False, events.shares),
    "k in place of k^2": lambda events: events.replaced / events.records,
    "-1/n in place of -1/(n - 1)": lambda events: min(
        replaced_rho(tuple(n + 1 for n in events.sizes), events.columns, events.apart, events.shares), events.replaced
    ),
    "the first level alone": lambda events: replaced_rho(events.sizes, events.columns, events.apart, events.shares[:1]),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_formula_that_is_wrong_charges_too_little(wrong: str) -> None:
    assert any(WRONG[wrong](events) < events.replaced for events, _ in worlds())


def test_one_of_more_columns_than_are_looked_at_costs_what_its_parts_cost_alone() -> None:
    columns = tuple((at,) for at in range(17))
    events = ResidualEvents((3,) * 17, columns, 1, False, ((Fraction(5),) * 17,))
    assert events.replaced == 3 * events.cost.amount == factor_of_part((3,)) * events.cost.amount
    few = ResidualEvents((3,) * 16, columns[:16], 1, False, ((Fraction(5),) * 16,))
    assert few.replaced == 3 * few.cost.amount


EVENTS = ResidualEvents(
    (2, 2), ((), (0,), (1,), (0, 1)), 1, False, ((Fraction(9), Fraction(6), Fraction(3), Fraction(40)),)
)


def residuals(events: ResidualEvents = EVENTS) -> Guarantee:
    levels = tuple(
        sequential(f"level {at}", [Guarantee("a part", ADD_REMOVE_PERSON, each) for each in level])
        for at, level in enumerate(events.noise)
    )
    return Guarantee("tables", ADD_REMOVE_PERSON, JointResiduals(levels, events))


def test_accountants_see_the_same_noise_and_a_charge_sees_it_together() -> None:
    guarantee = residuals()
    joint, alone, plain = forms(guarantee)
    assert joint.cost == alone.cost == plain.cost == EVENTS.cost
    assert replace_one_cost(joint).amount == EVENTS.replaced
    assert replace_one_cost(joint).amount < replace_one_cost(alone).amount < replace_one_cost(plain).amount
    assert replace_one_cost(plain).amount == 4 * EVENTS.cost.amount
    detailed = detailed_events_of(joint)
    assert events_of(joint) == events_of(alone) == without_details(detailed) == events_of(without_factors(guarantee))
    assert replaced_events(detailed) == frozenset({(ZCDP(EVENTS.replaced), 1)})
    assert rho_of(detailed) == EVENTS.cost.amount
    two = sequential("both", [guarantee, guarantee])
    assert replace_one_cost(two).amount == 2 * EVENTS.replaced
    assert by_events(two).cost == two.cost


def test_within_a_parallel_composition_parts_count_one_by_one() -> None:
    """A unit of one group is replaced by one of another, who pays in it too: never less than twice the cost."""
    total = residuals(ResidualEvents((2,), ((),), 1, False, ((Fraction(1, 2),),)))
    assert replace_one_cost(total) == total.cost
    for overlap, groups in ((1, [total, total]), (2, [total, residuals()])):
        either = bounded_overlap("groups", overlap, groups)
        assert replace_one_cost(either).amount >= 2 * either.cost.amount


@pytest.mark.parametrize(
    "changes",
    [
        {"sizes": (2, 1)},
        {"sizes": (2, True)},
        {"sizes": (2,)},
        {"columns": ((), (0,), (0,), (0, 1))},
        {"columns": ((), (0,), (1,), (1, 0))},
        {"columns": ((), (0,), (1,))},
        {"records": 0},
        {"records": "1"},
        {"apart": 1},
        {"sigma_squared": ()},
        {"sigma_squared": ((Fraction(1), Fraction(1), Fraction(1), Fraction(0)),)},
    ],
)
def test_what_are_no_residuals_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match="residuals"):
        replace(EVENTS, **changes)  # type: ignore[arg-type]


def test_the_parts_are_the_noise_that_is_charged() -> None:
    good = residuals().event
    assert isinstance(good, JointResiduals)
    other = Guarantee("a part", ADD_REMOVE_PERSON, DiscreteGaussianNoise(Fraction(9)))
    parts = (sequential("level", [other, *good.parts[0].parts[1:]]),)
    for bad in (replace(good, parts=parts), replace(good, parts=()), replace(good, joint=replace(EVENTS, records=2))):
        with pytest.raises(ParameterError, match="not the noise of the residuals"):
            Guarantee("tables", ADD_REMOVE_PERSON, bad)
