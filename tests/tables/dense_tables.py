"""Small shapes of cross tables, and what is measured and asked of them as dense matrices over all cells of all columns."""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import exp

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from starling.tables.plan.residuals import Shape, Shares, Table, noise

Floats = npt.NDArray[np.float64]


def up_to(columns: int, most: int) -> tuple[Table, ...]:
    """All tables of up to so many columns."""
    return tuple(table for size in range(most + 1) for table in combinations(range(columns), size))


@lru_cache(maxsize=512)
def residual(sizes: tuple[int, ...], part: Table) -> npt.NDArray[np.int64]:
    """N_A P_A of the marginal, as a matrix over all cells of all columns."""
    matrix = np.ones((1, 1), dtype=np.int64)
    for column, size in enumerate(sizes):
        block = size * np.eye(size, dtype=np.int64) - 1 if column in part else np.ones((1, size), dtype=np.int64)
        matrix = np.kron(matrix, block)
    return matrix


@lru_cache(maxsize=512)
def marginal(sizes: tuple[int, ...], table: Table) -> npt.NDArray[np.int64]:
    """The counts of a table, as a matrix over all cells of all columns."""
    matrix = np.ones((1, 1), dtype=np.int64)
    for column, size in enumerate(sizes):
        matrix = np.kron(
            matrix, np.eye(size, dtype=np.int64) if column in table else np.ones((1, size), dtype=np.int64)
        )
    return matrix


@st.composite
def shapes(draw: st.DrawFn, *, regions: bool = True, below: int = 2) -> Shape:
    """With at most so many levels of regions below the first."""
    sizes = tuple(draw(st.lists(st.integers(2, 4), min_size=1, max_size=2) | st.just([2, 3, 2])))
    every = up_to(len(sizes), len(sizes))
    tables = tuple(each for each in every if draw(st.booleans())) or ((0,),)
    if not regions:
        return Shape(sizes, tables)
    roots, parents = draw(st.integers(1, 2)), []
    above = roots
    for _ in range(draw(st.integers(0, below))):
        # Every region has a child.
        parent = [*range(above), *draw(st.lists(st.integers(0, above - 1), max_size=2))]
        parents.append(tuple(parent))
        above = len(parent)
    return Shape(sizes, tables, roots, tuple(parents))


@st.composite
def shared(draw: st.DrawFn, *, regions: bool = True, below: int = 2) -> tuple[Shape, Shares]:
    shape = draw(shapes(regions=regions, below=below))
    numbers = st.integers(1, 40).map(lambda each: Fraction(each, 100))
    rows = tuple(tuple(draw(numbers) for _ in shape.parts) for _ in shape.regions)
    return shape, rows


@st.composite
def shared_under_epsilon(draw: st.DrawFn, *, below: int = 2) -> tuple[Shape, Shares]:
    """Under pure epsilon, where tables that lie in others may be measured or not."""
    shape, rows = draw(shared(below=below))
    largest = {part for part in shape.parts if not any(set(part) < set(other) for other in shape.parts)}
    some = (
        tuple(share * (part in largest or draw(st.booleans())) for part, share in zip(shape.parts, level, strict=True))
        for level in rows
    )
    return replace(shape, laplace=draw(st.integers(1, 2))), tuple(some)


def shared_in_any_measure() -> st.SearchStrategy[tuple[Shape, Shares]]:
    """Of parts, or of tables under pure epsilon."""
    return shared() | shared_under_epsilon()


def measured_rows(shape: Shape, part: Table) -> npt.NDArray[np.int64]:
    """What is measured of a part, or under pure epsilon of a table, as a matrix over all cells of all columns."""
    return (marginal if shape.laplace else residual)(shape.sizes, part)


def variance(shape: Shape, part: Table, share: Fraction) -> float:
    """The variance of its noise over the square of the records of a person."""
    if not shape.laplace:
        return float(noise(shape, part, share).sigma_squared)
    kept = exp(-share / shape.laplace)
    return 2 * kept / ((1 - kept) * shape.laplace) ** 2


def leaves(shape: Shape) -> list[Floats]:
    """Of each level which leaves lie in each region, (regions, leaves)."""
    inside = [np.eye(shape.regions[-1])]
    for level in reversed(range(len(shape.parents))):
        rows = np.zeros((shape.regions[level], shape.regions[-1]))
        for child, parent in enumerate(shape.parents[level]):
            rows[parent] += inside[0][child]
        inside.insert(0, rows)
    return inside


def covariance(shape: Shape, shares: Shares) -> Floats:
    """Of the best estimates of all cells of all columns in all regions of the finest level; of what tables do not say, of least norm."""
    cells = shape.regions[-1]
    for size in shape.sizes:
        cells *= size
    information = np.zeros((cells, cells))
    for rows, level in zip(leaves(shape), shares, strict=True):
        for part, share in zip(shape.parts, level, strict=True):
            if share:
                matrix = np.kron(rows, measured_rows(shape, part))
                information += matrix.T @ matrix / variance(shape, part, share)
    inverse: Floats = np.linalg.pinv(information, hermitian=True, rcond=1e-11).astype(np.float64)
    return inverse
