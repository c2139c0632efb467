"""The paper's dynamic program on cost tables, as it is written there: the slow twin of the optimum on histograms.

Fioretto, Van Hentenryck and Zhu (2021), Section 6: a table for each node says what its subtree costs at least for each value of the
node; equations 4a to 4d by trying all values of the children (their constraint program), or Section 7.1, Algorithm 1, which merges
convex tables. A node above the sizes of the root has the public total as its only value (the hierarchy T+).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from tests.groups.optimise.random_trees import Int64

Table = dict[int, int]
"""Value to cost, for each value of the domain that can be reached."""


@dataclass
class Node:
    """A region and size; the node above the sizes has weight 0."""

    domain: range
    noisy: int = 0
    weight: int = 0
    children: list["Node"] = field(default_factory=list)

    def own(self, value: int) -> int:
        """Equation 4a."""
        return self.weight * (value - self.noisy) ** 2


@dataclass
class Counter:
    """How many problems of equation 4 were solved."""

    problems: int = 0


def by_trying(node: Node, counter: Counter) -> Table:
    """The cost table by equations 4a to 4d, one problem for each value of the domain; what cannot be reached is left out."""
    below = [by_trying(child, counter) for child in node.children]
    result: Table = {}
    for value in node.domain:
        counter.problems += 1
        costs = [
            sum(table[part] for table, part in zip(below, parts, strict=True))
            for parts in product(*below)
            if sum(parts) == value
        ]
        if not node.children:
            costs = [0]
        if costs:
            result[value] = node.own(value) + min(costs)
    return result


def merged(tables: Sequence[Table]) -> tuple[Table, dict[int, tuple[int, ...]]]:
    """Algorithm 1: the least cost of each sum of the children's values, and the values that give it.

    From the cheapest value of each child, always the child with the smallest slope moves on: upwards (the list R+), and downwards (R-).
    """
    best = tuple(min((cost, value) for value, cost in table.items())[1] for table in tables)
    cost = sum(table[value] for table, value in zip(tables, best, strict=True))
    costs, parts = {sum(best): cost}, {sum(best): best}
    for sign in (1, -1):
        slopes = sorted(
            (table[value] - table[value - sign], abs(value - start), child)
            for child, (table, start) in enumerate(zip(tables, best, strict=True))
            for value in table
            if sign * (value - start) > 0
        )
        now, spent = list(best), cost
        for slope, _, child in slopes:
            now[child] += sign
            spent += slope
            costs[sum(now)], parts[sum(now)] = spent, tuple(now)
    return costs, parts


def by_merging(node: Node) -> Table:
    """The cost table by Algorithm 1."""
    costs = (
        merged([by_merging(child) for child in node.children])[0] if node.children else dict.fromkeys(node.domain, 0)
    )
    return {value: node.own(value) + costs[value] for value in node.domain if value in costs}


def hierarchy(noisy: Sequence[Int64], parents: Sequence[Int64], total: int, weights: Sequence[int]) -> Node:
    """The hierarchy T+ of a problem; every domain goes from 0 to the total."""
    top = Node(range(total, total + 1))
    for size in range(noisy[0].shape[1]):
        above = [top]
        for level, counts in enumerate(noisy):
            rows = [0] if level == 0 else parents[level - 1]
            here = [Node(range(total + 1), int(count), weights[level]) for count in counts[:, size]]
            for node, row in zip(here, rows, strict=True):
                above[row].children.append(node)
            above = here
    return top


def objective_by_tables(noisy: Sequence[Int64], parents: Sequence[Int64], total: int, weights: Sequence[int]) -> int:
    """The optimum of Model 1, bottom-up phase."""
    return by_merging(hierarchy(noisy, parents, total, weights))[total]
