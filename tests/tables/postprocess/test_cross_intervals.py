"""Intervals of published cells hold as often as they say, by enumerating all draws that are in a cell."""

from collections.abc import Iterator
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.privacy.distributions.discrete import Distribution
from starling.tables.plan.cross import Cross, noise_of_part
from starling.tables.plan.residuals import Shape, Shares, Table
from starling.tables.postprocess.cross import margin
from tests.privacy.distributions.enumerated import beyond
from tests.tables.dense_tables import Floats, covariance, leaves, marginal, measured_rows, up_to, variance

EVERY = up_to(2, 2)


def draws_of(shape: Shape, shares: Shares, best: Floats) -> list[tuple[Distribution, float]]:
    """The draws in an estimate, each with its weight; `best` is the covariance times the cell that is asked for."""
    draws: list[tuple[Distribution, float]] = []
    for inside, level in zip(leaves(shape), shares, strict=True):
        for part, share in zip(shape.parts, level, strict=True):
            if share:
                weights = np.kron(inside, measured_rows(shape, part)) @ best / variance(shape, part, share)
                noise = noise_of_part(shape, part, share, max(shape.laplace, 1))
                draws += [(noise, weight) for weight in weights.tolist() if abs(weight) > 1e-9]
    return draws


def misses(shape: Shape, shares: Shares) -> Iterator[tuple[Table, float, float]]:
    """Of a cell of each table at each level, how often its interval misses, and one that is half a step narrower."""
    columns = tuple(map(str, range(len(shape.sizes))))
    cross = Cross(columns, ((),) * len(columns), shape.tables, tuple(map(str, range(len(shape.regions)))), shares)
    spread = covariance(shape, shares)
    for table in shape.tables:
        for inside in leaves(shape):
            asked = np.kron(inside, marginal(shape.sizes, table))[0]
            best = spread @ asked
            half = margin(cross, shape, table, max(shape.laplace, 1) * sqrt(float(asked @ best)))
            drawn = draws_of(shape, shares, best)
            yield table, beyond(drawn, half), beyond(drawn, half - shape.step(table) / 2)


@pytest.mark.parametrize(
    ("tables", "laplace", "shares", "before"),
    [
        (((), (0, 1)), 1, "0 0 0 4.9", 0.057),
        (((), (0, 1)), 2, "0 0 0 9.8", 0.057),
        (EVERY, 0, "0.685 7.295 8.451 4.741", 0.06),
    ],
)
def test_cells_hold_where_noise_is_narrow(tables: tuple[Table, ...], laplace: int, shares: str, before: float) -> None:
    shape = Shape((2, 2), tables, laplace=laplace)
    found = [*misses(shape, (tuple(map(Fraction, shares.split())),))]
    assert max(now for _, now, _ in found) <= 0.05
    assert max(narrower for _, _, narrower in found) > before


@st.composite
def narrow(draw: st.DrawFn) -> tuple[Shape, Shares]:
    """Budgets of whole counts, with little noise, and some tables and levels of regions."""
    sizes = draw(st.sampled_from([(2,), (3,), (2, 2), (3, 2)]))
    every = up_to(len(sizes), len(sizes))
    tables = tuple(sorted({every[-1], *draw(st.sets(st.sampled_from(every)))}, key=lambda each: (len(each), each)))
    parents = draw(st.sampled_from([(), ((0, 0),), ((0, 0, 0),)])) if len(sizes) == 1 else ()
    shape = Shape(sizes, tables, 1, parents, draw(st.integers(0, 2)))
    shares = st.integers(2, 64).map(lambda each: Fraction(each, 8) * max(shape.laplace, 1))
    return shape, tuple(tuple(draw(shares) for _ in shape.parts) for _ in shape.regions)


@pytest.mark.slow
@settings(max_examples=25)
@given(narrow())
def test_no_cell_of_any_shape_misses_more_often_than_it_says(case: tuple[Shape, Shares]) -> None:
    assert max(now for _, now, _ in misses(*case)) <= 0.05
