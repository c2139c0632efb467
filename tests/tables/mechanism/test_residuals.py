"""The residuals as they are drawn: what is measured, with which noise, in which order, and what wrong ones would cost."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import TypeAlias
from unittest import mock

import numpy as np
import numpy.typing as npt
import pytest

from starling.privacy.budget import Epsilon
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.tables.mechanism.residuals import Residuals, residuals
from starling.tables.plan import Plan
from starling.tables.plan.cross import noise_of_part, replacement
from starling.tables.plan.residuals import Shape, Table
from starling.tables.plan.residuals import noise as noise_of
from tests.tables.cross_plans import LEVELS, cross_plan
from tests.tables.dense_tables import residual

Int64 = npt.NDArray[np.int64]
Records: TypeAlias = list[tuple[int, ...]]
"""Region and values of each."""


class Counts:
    """Invented counts of a plan's regions and cells."""

    def __init__(self, shape: Shape, seed: int = 0) -> None:
        self.cells = np.random.default_rng(seed).integers(0, 9, (shape.regions[-1], *shape.sizes))
        self.shape = shape

    def part(self, level: int, part: Table, /) -> Int64:
        cells = self.cells
        for parents in reversed(self.shape.parents[level:]):
            above = np.zeros((max(parents) + 1, *self.shape.sizes), dtype=np.int64)
            np.add.at(above, list(parents), cells)
            cells = above
        others = tuple(1 + at for at in range(len(self.shape.sizes)) if at not in part)
        summed: Int64 = cells.sum(axis=others)
        return summed


@pytest.mark.parametrize("levels", [(), LEVELS])
@pytest.mark.parametrize("records", [1, 3])
def test_each_part_of_each_level_is_drawn_once_with_the_noise_of_its_event(levels: Sequence[str], records: int) -> None:
    plan = cross_plan(levels=tuple(levels), records=records)
    drawn_with: list[tuple[Fraction, tuple[int, ...]]] = []

    def draw(distribution: DiscreteGaussian, size: tuple[int, ...]) -> Int64:
        drawn_with.append((distribution.sigma_squared, size))
        return np.zeros(size, dtype=np.int64)

    counts = Counts(plan.cross_shape)
    with mock.patch("starling.tables.mechanism.residuals.draw", draw):
        measured = list(Residuals(plan).draw(counts))
    events = [each.event for level in plan.guarantee.parts for each in level.parts]
    assert [sigma for sigma, _ in drawn_with] == [event.sigma_squared for event in events]  # type: ignore[union-attr]
    shape = plan.cross_shape
    assert [(level, place) for level, place, _ in measured] == [
        (level, place) for level in range(len(shape.regions)) for place in range(len(shape.parts))
    ]
    for (level, place, numbers), (_, size) in zip(measured, drawn_with, strict=True):
        part = shape.parts[place]
        assert size == (shape.regions[level], *(shape.sizes[column] for column in part))
        whole = counts.part(level, tuple(range(len(shape.sizes)))).reshape(shape.regions[level], -1)
        assert np.array_equal(numbers, whole @ residual(shape.sizes, part).T)
        assert not numbers.flags.writeable


def test_noise_is_added_to_every_number_and_is_never_the_same() -> None:
    plan = cross_plan(rho="1/100")
    first, second = (
        np.concatenate([each.ravel() for _, _, each in Residuals(plan).draw(Counts(plan.cross_shape))])
        for _ in range(2)
    )
    assert np.mean(first == second) < 0.1


def test_a_noisy_number_beyond_64_bits_is_an_error_and_no_wrong_number() -> None:
    plan = cross_plan()
    huge = mock.Mock(part=lambda _, part: np.full((1, *(plan.cross_shape.sizes[each] for each in part)), 2**62))
    with (
        mock.patch("starling.tables.mechanism.residuals.draw", lambda _, size: np.full(size, 2**62)),
        pytest.raises(OverflowError),
    ):
        Residuals(plan).draw(huge)


def loss(shape: Shape, share: Fraction, part: Table, change: Int64, noise: DiscreteGaussian) -> Fraction:
    moved = residuals(change[np.newaxis])
    return Fraction(int((moved * moved).sum())) / (2 * noise.sigma_squared) - share


def test_wrong_scales_cost_more_than_they_state() -> None:
    """N in place of N^2, s in place of N^2 s, and noise of the plain table, each against the exact loss of one record."""
    shape, share = Shape((2, 3), ((0, 1),)), Fraction(1, 10)
    for part in shape.parts[1:]:
        cells = shape.cells(part)
        one = np.zeros([shape.sizes[column] for column in part], dtype=np.int64)
        one.ravel()[0] = 1
        right = noise_of(shape, part, share)
        assert loss(shape, share, part, one, right) == 0
        assert loss(shape, share, part, one, DiscreteGaussian(right.sigma_squared / cells)) > 0
        assert loss(shape, share, part, one, DiscreteGaussian(right.sigma_squared / cells**2)) > 0
        # Noise of parameter s on the plain counts, projected afterwards, costs 1/(2 s) and not p/(2 s).
        s = right.sigma_squared / cells**2
        assert Fraction(1) / (2 * s) > share
        assert Fraction(shape.scaled(part), cells) / (2 * s) == share


def losses(plan: Plan, counts: Callable[[Records], Counts], one: Records, other: Records) -> Fraction:
    """Under pure epsilon, the most that the chance of an outcome differs between two sets of records, in the exponent: exact."""
    shape, cross = plan.cross_shape, plan.cross
    assert cross is not None
    loss = Fraction(0)
    for level, shares in enumerate(cross.shares):
        for part, share in zip(shape.parts, shares, strict=True):
            if share:
                noise = noise_of_part(shape, part, share, plan.records_of_one)
                assert isinstance(noise, DiscreteLaplace)
                moved = counts(one).part(level, part) - counts(other).part(level, part)
                loss += int(np.abs(moved).sum()) / noise.scale
    return loss


@pytest.mark.parametrize(("levels", "records"), [((), 1), (LEVELS, 1), (LEVELS, 2)])
def test_under_pure_epsilon_no_neighbour_costs_more_than_the_budget(levels: tuple[str, ...], records: int) -> None:
    """All records that a person may add, remove or have in place of others, at most so many of a person, in a small world.

    The mutant, a scale that forgets the records of a person, costs more than it states.
    """
    plan = cross_plan(((), (0,), (0, 2), (1, 2)), "3/2", levels=levels, records=records, measure="epsilon")
    shape = plan.cross_shape
    every = list(product(range(shape.regions[-1]), *map(range, shape.sizes)))
    sampled = every if records == 1 and not levels else every[:: 7 if records == 1 else 13]

    def counts(rows: Records) -> Counts:
        made = Counts(shape)
        made.cells = np.zeros_like(made.cells)
        for row in rows:
            made.cells[row] += 1
        return made

    whose = [each for some in range(1, records + 1) for each in combinations_with_replacement(sampled, some)]
    added = {each: losses(plan, counts, [*each], []) for each in whose}
    assert set(added.values()) <= {plan.cost.amount * len(each) / records for each in whose}
    assert max(added.values()) == plan.cost.amount == Fraction(3, 2)
    replaced = max(losses(plan, counts, [*one], [*other]) for one, other in combinations(whose[::3], 2))
    assert replaced == 2 * plan.cost.amount == replacement(plan.cross, shape).amount  # type: ignore[arg-type]
    with mock.patch("tests.tables.mechanism.test_residuals.noise_of_part", lambda *each: DiscreteLaplace(1 / each[2])):
        assert (losses(plan, counts, [*whose[-1]], []) > plan.cost.amount) == (records > 1)


@pytest.mark.parametrize("records", [1, 2])
def test_under_pure_epsilon_whole_tables_are_drawn_with_the_noise_of_their_events(records: int) -> None:
    plan = cross_plan(levels=LEVELS, records=records, measure="epsilon")
    assert plan.cost == Epsilon(Fraction(1, 2))
    assert plan.cross is not None
    shape, counts, drawn_with = plan.cross_shape, Counts(plan.cross_shape), list[Fraction]()

    def draw(distribution: DiscreteLaplace, size: tuple[int, ...]) -> Int64:
        drawn_with.append(distribution.scale)
        return np.zeros(size, dtype=np.int64)

    with mock.patch("starling.tables.mechanism.residuals.draw", draw):
        measured = list(Residuals(plan).draw(counts))
    places = [(level, place) for level in range(2) for place, share in enumerate(plan.cross.shares[level]) if share]
    assert [(level, place) for level, place, _ in measured] == places
    events = [each.event for level in plan.guarantee.parts for each in level.parts]
    assert [records / each for each in drawn_with] == [event.cost.amount for event in events]  # type: ignore[union-attr]
    for level, place, numbers in measured:
        assert np.array_equal(numbers.ravel(), counts.part(level, shape.parts[place]).ravel())
