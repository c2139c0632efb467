"""Closed forms of residual tables against dense linear algebra, and their costs by enumeration over all neighbours."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import prod
from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.privacy.residual_events import MOST_COLUMNS, factor_of_part
from starling.tables.plan.residuals import (
    Shape,
    Shares,
    best_shares,
    cost,
    noise,
    replace_one,
    squared_sensitivity,
    subsets,
    variances,
)
from tests.tables.dense_tables import covariance, leaves, marginal, residual, shapes, shared, up_to


@pytest.mark.examples(12)
@given(shared())
def test_variances_are_those_of_dense_least_squares(case: tuple[Shape, Shares]) -> None:
    shape, shares = case
    spread = covariance(shape, shares)
    for rows, reached in zip(leaves(shape), variances(shape, shares), strict=True):
        for table, variance in zip(shape.tables, reached, strict=True):
            query = np.kron(rows, marginal(shape.sizes, table))
            dense = np.einsum("ij,jk,ik->i", query, spread, query)
            assert variance == pytest.approx(dense.max(), rel=1e-8)


def neighbours(shape: Shape) -> list[tuple[int, ...]]:
    """All records, each by its value of every column."""
    return list(product(*map(range, shape.sizes)))


def sizes_of(shape: Shape, part: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(shape.sizes[column] for column in part)


def one_hot(shape: Shape, record: tuple[int, ...]) -> npt.NDArray[np.int64]:
    x = np.zeros(prod(shape.sizes), dtype=np.int64)
    x[np.ravel_multi_index(record, shape.sizes)] = 1
    return x


def loss(shape: Shape, level: Sequence[Fraction], change: npt.NDArray[np.int64]) -> Fraction:
    """Rho of a change of the counts of one region, by the Gaussian's own formula and the parameters that are drawn with."""
    moved = ((residual(shape.sizes, part) @ change) for part in shape.parts)
    return sum(
        (
            Fraction(int(each @ each)) / (2 * noise(shape, part, share).sigma_squared)
            for each, part, share in zip(moved, shape.parts, level, strict=True)
        ),
        Fraction(0),
    )


@pytest.mark.examples(12)
@given(shared(regions=False))
def test_every_record_costs_exactly_the_sum_of_the_shares(case: tuple[Shape, Shares]) -> None:
    shape, shares = case
    for record in neighbours(shape):
        change = one_hot(shape, record)
        assert loss(shape, shares[0], change) == cost(shares)
        for part in shape.parts:
            moved = residual(shape.sizes, part) @ change
            assert int(moved @ moved) == squared_sensitivity(shape, part)


@pytest.mark.examples(12)
@given(shared(regions=False), st.integers(1, 3))
def test_no_records_of_one_person_cost_more_than_their_square(case: tuple[Shape, Shares], records: int) -> None:
    shape, shares = case
    every = neighbours(shape)[:4]
    for some in product(every, repeat=records):
        change = sum((one_hot(shape, each) for each in some), np.zeros(prod(shape.sizes), dtype=np.int64))
        assert loss(shape, shares[0], change) <= records**2 * cost(shares)
    assert loss(shape, shares[0], records * one_hot(shape, every[0])) == records**2 * cost(shares)


@pytest.mark.examples(12)
@given(shared())
def test_a_replacement_costs_the_most_of_all_pairs_of_records_in_all_pairs_of_regions(
    case: tuple[Shape, Shares],
) -> None:
    shape, shares = case
    paths: list[tuple[int, ...]] = [(leaf,) for leaf in range(shape.regions[-1])]
    for parents in reversed(shape.parents):
        paths = [(parents[path[0]], *path) for path in paths]
    changes = {
        (a, b): one_hot(shape, a) - one_hot(shape, b) for a, b in product(neighbours(shape)[:1], neighbours(shape))
    }
    largest = cost(shares)
    for mine, yours in product(paths, repeat=2):
        for change in changes.values():
            whole = Fraction(0)
            for level, here, there in zip(shares, mine, yours, strict=True):
                whole += loss(shape, level, change) if here == there else 2 * sum(level)
            largest = max(largest, whole)
    stated = replace_one(shape, shares)
    # Where no region of a level has two below it, no two records part there, and the statement may be of more than there is.
    parting = all(len(set(parents)) < len(parents) for parents in shape.parents)
    assert largest <= stated
    assert largest == stated or not parting
    assert stated <= 4 * cost(shares)


@pytest.mark.examples(12)
@given(shared(regions=False))
def test_each_part_has_the_factor_of_its_dearest_replacement(case: tuple[Shape, Shares]) -> None:
    shape, _ = case
    every = neighbours(shape)
    for part in shape.parts:
        moved = [residual(shape.sizes, part) @ one_hot(shape, record) for record in every]
        largest = max(int((one - other) @ (one - other)) for one, other in product(moved, repeat=2))
        assert Fraction(largest, squared_sensitivity(shape, part)) == (
            factor_of_part(sizes_of(shape, part)) if part else 0
        )


@pytest.mark.examples(12)
@given(shared(regions=False))
def test_no_two_persons_of_up_to_two_records_cost_more_than_is_stated(case: tuple[Shape, Shares]) -> None:
    shape, shares = case
    every = [one_hot(shape, each) for each in (neighbours(shape)[:3] + neighbours(shape)[-1:])]
    nobody = np.zeros_like(every[0])
    persons = [nobody, *every, *(one + other for one, other in combinations_with_replacement(every, 2))]
    stated = sum(
        (factor_of_part(sizes_of(shape, part)) * share for part, share in zip(shape.parts, shares[0], strict=True)),
        Fraction(0),
    )
    assert replace_one(shape, shares) <= stated
    for one, other in product(persons, repeat=2):
        assert loss(shape, shares[0], one - other) <= 4 * replace_one(shape, shares)


def test_replacements_of_records_reach_nearly_four_times_the_cost() -> None:
    one_way = Shape((2,) * 8, up_to(8, 1)[1:])
    shares = best_shares(one_way, [[1.0] * 8], Fraction(1))
    assert float(replace_one(one_way, shares)) == pytest.approx(2.955, abs=0.0005)
    lonely = Shape((2,), ((0,),))
    assert replace_one(lonely, ((Fraction(1, 10**6), Fraction(1)),)) == 4
    wide = Shape((2,) * (MOST_COLUMNS + 1), up_to(MOST_COLUMNS + 1, 1))
    shares = best_shares(wide, [[1.0] * len(wide.tables)], Fraction(1, 3))
    assert replace_one(wide, shares) == Fraction(4, 3) - 2 * shares[0][0]


@pytest.mark.examples(20)
@given(shapes(), st.randoms(use_true_random=False))
def test_the_best_shares_add_up_and_no_others_are_better(shape: Shape, random: Random) -> None:
    weights = [[random.uniform(0.1, 5) for _ in shape.tables] for _ in shape.regions]
    shares = best_shares(shape, weights, Fraction(7, 3))
    assert cost(shares) == Fraction(7, 3)
    if any(len(set(kinds.below)) > 1 for kinds in shape.kinds):
        return
    best = weighted(shape, shares, weights)
    for _ in range(5):
        tilted = [[share * Fraction(random.randint(80, 125), 100) for share in level] for level in shares]
        scale = Fraction(7, 3) / sum(map(sum, tilted))
        other = tuple(tuple(share * scale for share in level) for level in tilted)
        assert weighted(shape, other, weights) >= best * (1 - 1e-9)


def weighted(shape: Shape, shares: Shares, weights: Sequence[Sequence[float]]) -> float:
    reached = variances(shape, shares)
    return sum(w * v for level, row in zip(weights, reached, strict=True) for w, v in zip(level, row, strict=True))


def test_one_level_has_the_closed_form() -> None:
    shape = Shape((2, 6, 5), up_to(3, 2))
    (shares,) = best_shares(shape, [[1.0] * len(shape.tables)], Fraction(1))
    v = {}
    for part in shape.parts:
        p = prod((shape.sizes[i] - 1) / shape.sizes[i] for i in part)
        v[part] = sum(
            p / prod(shape.sizes[j] ** 2 for j in table if j not in part)
            for table in shape.tables
            if part in subsets(table)
        )
    pure = {part: prod((shape.sizes[i] - 1) / shape.sizes[i] for i in part) for part in shape.parts}
    whole = sum((pure[part] * v[part]) ** 0.5 for part in shape.parts)
    for part, share in zip(shape.parts, shares, strict=True):
        s = (pure[part] / v[part]) ** 0.5 * whole / 2
        assert float(noise(shape, part, share).sigma_squared) == pytest.approx(shape.cells(part) ** 2 * s, rel=1e-9)
