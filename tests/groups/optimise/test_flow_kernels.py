"""Kernels of flows against plain Python: the cheapest flow at given prices, shortest distances, units along free edges."""

import numpy as np
import pytest

from starling.groups.optimise import flow_kernels as kernels
from starling.groups.optimise.tree import Int64, Tree
from starling.groups.optimise.water_kernels import Families
from tests.groups.optimise.random_trees import random_parents

Edge = tuple[int, int, int]


class Network:
    """A small network with random prices and the flow that is cheapest at them. Nodes: where children meet, the sink, the leaf regions."""

    def __init__(self, seed: int) -> None:
        numbers = np.random.default_rng(seed)
        parents = random_parents(numbers, 3)
        self.tree = Tree.of(parents)
        regions, self.sizes, self.inner = int(self.tree.starts[-1]), 3, int(self.tree.starts[-2])
        self.parent = np.concatenate([[-1], *(rows + self.tree.starts[level] for level, rows in enumerate(parents))])
        self.weights = np.repeat([3, 2, 1], self.tree.regions)
        self.noisy = numbers.integers(-3, 6, (regions, self.sizes))
        self.rows = numbers.integers(-9, 10, regions - self.inner)
        self.meets = numbers.integers(-9, 10, (self.inner, self.sizes))
        self.counts: Int64 = np.empty_like(self.noisy)
        self.rows_left: Int64 = np.zeros_like(self.rows)
        self.meets_left: Int64 = np.zeros_like(self.meets)
        kernels.cheapest_flow(self.arrays, self.counts, self.rows_left, self.meets_left)
        self.sink = self.inner * self.sizes

    @property
    def arrays(self) -> kernels.Network:
        """As kernels take it."""
        return kernels.Network(self.noisy, self.parent, self.weights, self.rows, self.meets)

    def ends(self, v: int, s: int) -> tuple[int, int]:
        """The nodes of a cell's edge."""
        start = v * self.sizes + s if v < self.inner else self.sink + 1 + v - self.inner
        return start, self.sink if v == 0 else int(self.parent[v]) * self.sizes + s

    def costs(self) -> list[Edge]:
        """Every way for one unit: from, to, and what it costs at these prices."""
        price = np.concatenate([self.meets.ravel(), [0], self.rows])
        found = []
        for v, s in np.ndindex(self.counts.shape):
            start, end = self.ends(v, s)
            difference = int(price[start] - price[end])
            off, w = int(self.counts[v, s] - self.noisy[v, s]), int(self.weights[v])
            found.append((start, end, w * (2 * off + 1) - difference))
            if self.counts[v, s] > 0:
                found.append((end, start, difference - w * (2 * off - 1)))
        return found


def test_no_other_flow_is_cheaper_at_the_prices_and_it_is_booked_at_its_ends() -> None:
    for seed in range(20):
        network = Network(seed)
        assert min(cost for _, _, cost in network.costs()) >= 0
        left = np.zeros(network.sink + 1 + len(network.rows), dtype=np.int64)
        for v, s in np.ndindex(network.counts.shape):
            start, end = network.ends(v, s)
            left[start] -= network.counts[v, s]
            left[end] += network.counts[v, s]
        assert left[: network.sink].tolist() == network.meets_left.ravel().tolist()
        assert left[network.sink + 1 :].tolist() == network.rows_left.tolist()


@pytest.mark.series(1)
@pytest.mark.parametrize("seeds", [range(6), range(6, 20)])
def test_distances_are_the_shortest(seeds: range) -> None:
    for seed in seeds:
        network = Network(seed)
        far = [kernels.FAR] * (network.sink + 1 + len(network.rows))
        source = seed % len(far)
        far[source] = 0
        row_far, meet_far = (
            np.array(far[network.sink + 1 :]),
            np.array(far[: network.sink]).reshape(network.meets.shape),
        )
        sink_far = kernels.distances(network.arrays, network.counts, row_far, meet_far, far[network.sink], 1)
        for _ in far:
            for start, end, cost in network.costs():
                far[end] = min(far[end], far[start] + cost)
        assert [*meet_far.ravel().tolist(), sink_far, *row_far.tolist()] == far


@pytest.mark.slow
@pytest.mark.series(1)
@pytest.mark.parametrize("seeds", [range(12), range(12, 40)])
def test_units_move_along_edges_that_cost_nothing_and_none_is_lost(seeds: range) -> None:
    moves = 0
    for seed in seeds:
        network = Network(seed)
        network.rows_left += 2
        before = int(network.rows_left.sum() + network.meets_left.sum())
        counts = network.counts.copy()
        moved = kernels.move_units(
            network.arrays,
            Families(network.tree.children, network.tree.offsets),
            counts,
            network.rows_left,
            network.meets_left,
            int(network.counts[0].sum()) + 5,
            1,
        )
        entered = int(counts[0].sum() - network.counts[0].sum())
        assert int(network.rows_left.sum() + network.meets_left.sum()) == before - entered
        network.counts[:] = counts
        assert min(cost for _, _, cost in network.costs()) >= 0
        assert counts.min() >= 0
        moves += moved
    assert moves > len(seeds) // 2


def test_active_leaves_are_those_above_zero_at_the_prices() -> None:
    cells = np.array([[1, -5], [3, 2], [0, 2]])
    families = Families(np.array([0, 2, 1]), np.array([0, 2, 3]))
    prices, own = np.array([[-2.0, 0.0], [4.0, -3.0]]), np.array([2.0, 0.0, -2.0])
    counts, sums, active, reached = kernels.active_at(cells, families, prices, own, 2.0)
    # Region 0: 1 + 1 - 1 and -5 + 1; region 2: 0 - 1 - 1 and 2 - 1; region 1 alone: 3 + 2 and 2 - 1.5.
    assert counts.tolist() == [[1, 1], [1, 1]]
    assert sums.tolist() == [[2, 1], [3, 2]]
    assert active.tolist() == [1, 2, 1]
    assert reached.tolist() == [1, 5.5, 1]
