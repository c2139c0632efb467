"""Fresh measurements within a rectangle and those that hold it: the same as of a slow walk, and on both sides of the truth."""

from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.places.answers.cover import MOST_CHILDREN, NEAR, SIDES, FreshCover, grouped
from starling.places.arrays import Float64, Int64
from starling.places.measurements import MeasuredTree, Tree
from starling.places.mechanism.singular import of_cells
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import DiscreteLaplace
from tests.places.answers.trees import measured_trees


@st.composite
def queries(draw: st.DrawFn) -> Float64:
    """Rectangles with whole and fractional ends, some beyond the grid."""
    ends = st.one_of(st.integers(-1, 10).map(float), st.floats(-1, 10))
    pairs = [[*sorted((draw(ends), draw(ends))), *sorted((draw(ends), draw(ends)))] for _ in range(4)]
    return np.array(pairs)[:, [0, 2, 1, 3]]


Used: TypeAlias = tuple[str, int]
"""A measurement that is summed: fresh or steered, and its box."""


class Slow:
    """Measurements of a tree, chosen by recursion: for each box the best of its own, and what tiles it best."""

    def __init__(self, measured: MeasuredTree) -> None:
        self.boxes, self.parents = measured.tree.boxes.tolist(), measured.tree.parents.tolist()
        self.children: list[list[int]] = [[] for _ in self.boxes]
        for child, parent in enumerate(self.parents):
            if parent >= 0:
                self.children[parent].append(child)
        self.own: dict[Used, tuple[float, int]] = {}
        self.taken: set[int] = set()
        for node, value, kind, steered in zip(
            measured.node.tolist(), measured.value.tolist(), measured.noise.tolist(), measured.steered, strict=True
        ):
            spread, name = standard_deviation(measured.noises[kind]) ** 2, "steered" if steered else "fresh"
            if (name, node) not in self.own or spread < self.own[name, node][0]:
                self.own[name, node] = spread, value

    def best(self, node: int) -> list[Used] | None:
        """Fresh measurements that tile a box."""
        below = [self.best(child) for child in self.children[node]]
        tiles = None if not below or None in below else [each for part in below for each in part or ()]
        own = self.own.get(("fresh", node))
        if own is not None and (tiles is None or own[0] <= sum(self.own[each][0] for each in tiles)):
            return [("fresh", node)]
        return tiles

    def steers(self, node: int) -> bool:
        """Whether a steered measurement lies in a box."""
        return ("steered", node) in self.own or any(self.steers(child) for child in self.children[node])

    def looked(self, node: int) -> bool:
        """Whether a box below an unmeasured depth has the first steered measurement below the grid's."""
        path = [node]
        while path[-1]:
            path.append(self.parents[path[-1]])
        return len(path) > 2 and not any(("steered", above) in self.own for above in path[1:-1])

    def inner(self, node: int, near: float) -> list[Used] | None:
        """What is added of a box within the query, whose nearest steered value above is `near`; None: what its children give."""
        cover, steered = self.best(node), self.own.get(("steered", node))
        if steered is not None and self.looked(node):
            steered = None
        if steered is not None and near >= NEAR * steered[0] ** 0.5:
            return [("steered", node)]
        if cover is not None and (cover == [("fresh", node)] or steered is not None or not self.steers(node)):
            return cover
        return None

    def sides(self, node: int, query: Float64, near: float = np.inf) -> tuple[list[Used], list[Used]]:
        """Measurements of boxes within the query, and of boxes that hold it."""
        y0, y1, x0, x1 = self.boxes[node]
        left, bottom, right, top = query
        if min(right, x1) <= max(left, x0) or min(top, y1) <= max(bottom, y0):
            return [], []
        within = left <= x0 and x1 <= right and bottom <= y0 and y1 <= top
        if within and (taken := self.inner(node, near)) is not None:
            self.taken.add(node)
            return taken, taken
        if ("steered", node) in self.own:
            near = self.own["steered", node][1]
        parts = [self.sides(child, query, near) for child in self.children[node]]
        inside = [each for part, _ in parts for each in part]
        if not parts or any(self.best(child) is None for child in self.children[node]):
            return inside, [("fresh", node)]
        return inside, [each for _, part in parts for each in part]


@pytest.mark.slow
@pytest.mark.examples(8)
@given(case=measured_trees(), asked=queries())
def test_sums_are_those_of_a_slow_walk_and_hold_the_truth(case: tuple[Int64, MeasuredTree], asked: Float64) -> None:
    cells, measured = case
    cover, slow = FreshCover(measured), Slow(measured)
    result = cover.sums(asked)
    for row, query in enumerate(asked):
        for boxes, total, terms in zip(
            slow.sides(0, query),
            (result.inside[row], result.touched[row]),
            (result.inside_terms[row], result.touched_terms[row]),
            strict=True,
        ):
            spread = sum(slow.own[each][0] for each in boxes)
            variances = [standard_deviation(each) ** 2 for each in cover.noises]
            assert float(terms @ variances) == pytest.approx(spread)
            # Two tilings of equal variance may differ; without noise their sums do not.
            assert total == sum(slow.own[each][1] for each in boxes)
        x0, y0, x1, y1 = query
        least = cells[max(int(np.ceil(y0)), 0) : max(int(y1), 0), max(int(np.ceil(x0)), 0) : max(int(x1), 0)].sum()
        most = cells[max(int(y0), 0) : max(int(np.ceil(y1)), 0), max(int(x0), 0) : max(int(np.ceil(x1)), 0)].sum()
        assert result.inside[row] <= most
        assert result.touched[row] >= least or x0 == x1 or y0 == y1


@pytest.mark.slow
@pytest.mark.examples(8)
@given(case=measured_trees(), asked=queries(), other=st.integers(-(10**6), 10**6))
def test_what_is_summed_depends_on_no_value_in_a_box_that_is_summed(
    case: tuple[Int64, MeasuredTree], asked: Float64, other: int
) -> None:
    _, measured = case
    y0, y1, x0, x1 = measured.tree.boxes.T
    for query in asked:
        slow = Slow(measured)
        slow.sides(0, query)
        left, bottom, right, top = query
        free = (x0 >= right) | (x1 <= left) | (y0 >= top) | (y1 <= bottom)
        for box, parent in enumerate(slow.parents):
            free[box] |= box in slow.taken or (box > 0 and free[parent])
        changed = replace(measured, value=np.where(free[measured.node] | ~measured.steered, other, measured.value))
        one, two = FreshCover(measured).sums(query[None]), FreshCover(changed).sums(query[None])
        assert one.inside_terms.tolist() == two.inside_terms.tolist()
        assert one.touched_terms.tolist() == two.touched_terms.tolist()


@pytest.mark.parametrize(("crowd", "terms", "total"), [(500, [2, 1, 0], 497), (5, [0, 1, 4], 10)])
def test_below_an_unmeasured_depth_a_steered_count_says_how_its_box_is_added(
    crowd: int, terms: list[int], total: int
) -> None:
    """Halves of sixteen cells are not measured; of the quarters in one of them the first is cut twice, the second is not cut."""
    ends = [(0, 16), (0, 8), (8, 16), (0, 4), (4, 8), (8, 12), (12, 16), (0, 2), (2, 4), (0, 1), (1, 2), (2, 3), (3, 4)]
    parents = np.array([-1, 0, 0, 1, 1, 2, 2, 3, 3, 7, 7, 8, 8])
    tree = Tree((1, 16), np.array([(0, 1, *each) for each in ends], dtype=np.int32), parents)
    tree.check()
    # The whole, quarters, and halves of the first, all steered; then leaves.
    node = [0, 3, 4, 5, 6, 7, 8, 4, 5, 6, 9, 10, 11, 12]
    value = [9000, crowd, 7, 7, 7, 250, 249, -2, 4, 4, 3, 3, 3, 3]
    kind = [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
    noises = tuple(DiscreteLaplace(Fraction(scale)) for scale in (9, 1, 30))
    measured = MeasuredTree(
        tree, np.array(node), np.array(value), np.array(kind, dtype=np.int16), noises, np.arange(14) < 7
    )
    result = FreshCover(measured).sums(np.array([[0.0, 0, 8, 1], [0, 0, 16, 1]]))
    assert (result.inside[0], result.inside_terms[0].tolist()) == (total, terms)
    assert (result.inside[1], result.inside_terms[1].tolist()) == (9000, [1, 0, 0])


@pytest.mark.parametrize("shape", [(1, 1), (1, 300), (37, 41), (64, 64)])
def test_a_grid_measured_cell_by_cell_is_walked_in_groups(shape: tuple[int, int]) -> None:
    cells = np.arange(shape[0] * shape[1]).reshape(shape)
    measured = of_cells(shape, cells.reshape(-1), DiscreteLaplace(Fraction(1)))
    _, parents, original = grouped(measured.tree.boxes, measured.tree.parents)
    assert np.bincount(parents[1:], minlength=1).max() <= MOST_CHILDREN
    assert sorted(original[original >= 0].tolist()) == list(range(len(measured.tree.parents)))
    assert (parents[1:] < np.arange(1, len(parents))).all()
    assert (np.diff(parents) >= 0).all()
    rows, columns = shape
    query = np.array([[0.0, 0, columns, rows], [0.5, 0, columns, rows], [2, 3, columns - 1, rows - 4]])
    query[:, 2:] = np.maximum(query[:, 2:], query[:, :2])
    result = FreshCover(measured).sums(query)
    inner = cells[3 : max(rows - 4, 3), 2 : max(columns - 1, 2)]
    assert result.inside.tolist() == [cells.sum(), cells[:, 1:].sum(), inner.sum()]
    assert result.touched.tolist() == [cells.sum(), cells.sum(), inner.sum()]
    assert result.inside_terms[:, 0].tolist() == [cells.size, cells[:, 1:].size, inner.size]


def test_a_tree_whose_cells_are_not_all_measured_is_refused() -> None:
    measured = of_cells((2, 2), np.zeros(4, dtype=np.int64), DiscreteLaplace(Fraction(1)))
    less = MeasuredTree(
        measured.tree, measured.node[1:], measured.value[1:], measured.noise[1:], measured.noises, measured.steered[1:]
    )
    with pytest.raises(ParameterError, match="do not hold every cell"):
        FreshCover(less)


@given(case=measured_trees())
def test_the_finest_tiling_tiles_the_grid_by_fresh_measurements(case: tuple[Int64, MeasuredTree]) -> None:
    cells, measured = case
    cover = FreshCover(measured)
    nodes = cover.nodes[cover.tiles]
    times = np.zeros(cells.shape, dtype=np.int64)
    for y0, y1, x0, x1, value in nodes[[*SIDES, "fresh"]].tolist():
        times[y0:y1, x0:x1] += 1
        assert cells[y0:y1, x0:x1].sum() == value
    assert (times == 1).all()
    assert nodes["fresh_noise"].min() >= 0


def test_the_finest_tiling_of_measured_leaves_is_the_leaves() -> None:
    measured = of_cells((20, 20), np.arange(400), DiscreteLaplace(Fraction(1)))
    assert sorted((cover := FreshCover(measured)).nodes["fresh"][cover.tiles].tolist()) == list(range(400))
