"""How far any weighted sum of numbers errs that were made to add up (consistency.py): its exact variance, in one pass over their tree.

A number of such a group is linear in the total T of the group, which least squares gave, and in the draws e_i of its own k cells: a cell is
T/k + e_i - mean(e), but for rounding (combined.py). The totals depend on a group's cells by their sum alone, so that e_i - mean(e) is
uncorrelated with all totals. A sum of its cells with weights w_i, of mean w, therefore errs by w T, and by a part of its own, of variance
s^2 sum (w_i - w)^2, s^2 the variance of a cell's draw.

Sums of totals. With coefficient c_v of each total, leaves first (trees.py has z, w and t, and the moves down):

    x_u = z_u + (w_u/t_v) (x_v - s_v) for the children u of v, so that
    sum over u of C_u x_u = sum of C_u (z_u - (w_u/t_v) s_v) + g_v x_v,  g_v = (sum of C_u w_u)/t_v,  C_v = c_v + g_v.

The first part is uncorrelated with s_v, and hence with x_v, and has the variance sum w_u (C_u - g_v)^2. At a root the variance is
C^2 w. Families are vectors: with covariances W and T in place of w and t, g = T^-1 sum W C, and (C - g)' W (C - g). All is least squares,
equal to the dense system
(tests/tables/inference/test_nested_totals.py). Sums that hold by construction, a state less its counties, get the variance 0.

Variances are those of the least squares, before totals are rounded to whole persons. By how much rounding moved a sum is known: it is
computed anew from the measurements where no bound says enough. Which branch a group took, and so how exactly it was
measured, is read from them: all groups are in them, those too that were left out of the tables.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property, lru_cache, partial
from itertools import pairwise
from math import fsum, inf
from typing import Any, Final, TypeAlias

import numpy as np

from starling.hierarchy.trees import Estimated, Floats, child_sums, climb
from starling.privacy.budget import Measure
from starling.privacy.distributions.deviations import UNIT, log_concave_deviations, normal_deviations
from starling.tables.inference.chains import Block, Chain
from starling.tables.inference.combined import spread, standard_deviation
from starling.tables.inference.consistency import AtRest, block_at_rest, run_at_rest
from starling.tables.inference.totals import Branches, unrounded_deviation, unrounded_totals
from starling.tables.inference.trees import climb_family, most_moved
from starling.tables.measurements import Int64
from starling.tables.plan import Geography, Level, Plan
from starling.tables.plan.detail import TOTAL_ONLY
from starling.tables.plan.nesting import nested_chains

Totals: TypeAlias = tuple[Int64, Int64]
"""Of each region of a level, the first noisy total and the sum of the noisy values, of one iteration."""
DEVIATIONS: Final[dict[Measure, Callable[[Fraction], float]]] = {
    "rho": normal_deviations,
    "epsilon": log_concave_deviations,
}
"""Margin of what was made to add up, in standard deviations."""
MOST_CACHED: Final = 64
"""Iterations of levels whose totals are kept once they are read."""
_NOTHING: Final = 1e-24
"""A variance that is less, beside the largest part of it, is 0 but for the rounding of doubles."""


@dataclass(frozen=True, slots=True)
class Group:
    """A group of a tree: step of its chain, position of its region in the order of ids, iteration code, and the branch it took."""

    step: int
    region: int
    code: str
    kind: int


@dataclass(frozen=True)
class Tree:
    """The groups whose totals were made to add up together; equal where they are of the same draws.

    Attributes:
        sources: Names of the draws in them: of the measurements of a level, and the iteration.
    """

    sources: frozenset[Hashable]
    _plan: Plan = field(compare=False, repr=False)
    _chain: Chain = field(compare=False, repr=False)
    _block: Block | None = field(compare=False, repr=False)
    _first: int = field(compare=False, repr=False)
    _variances: "Callable[[Sequence[str], int], Floats]" = field(compare=False, repr=False)
    _totals: "Callable[[str, int], tuple[Estimated, Int64]]" = field(compare=False, repr=False)
    """Of an iteration and a step, the totals as measured, (regions, 1), and the sums of the noisy values, (regions,)."""
    _spans: Mapping[str, int] = field(compare=False, repr=False)
    """Each iteration, and the step before which it ends."""

    def deviations(self, alpha: Fraction, _: Mapping[Hashable, Sequence[Fraction]]) -> float:
        """How many standard deviations hold all but `alpha` of what any sum errs."""
        return DEVIATIONS[self._plan.measure](alpha)

    def step(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        """How much further an interval reaches since draws are whole: a unit, as deviations are of the draws themselves.

        Of what no draw is more: of the most that a measured total counts, and what weights of cells are apart from others of their group.
        """
        if not self.variance(weights):
            return 0.0
        return UNIT * (self._largest(weights) + float(max(max(each) - min(each) for each in weights.values())))

    def variance(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        """The variance of the sum of cells of groups, each times its weight."""
        parts: list[float] = []
        for group, each in _groups(weights):
            mean = sum(each, Fraction(0)) / len(each)
            if apart := sum((weight - mean) ** 2 for weight in each):
                level, _ = self._chain.positions[group.step][group.code]
                noise = self._plan.noise(self._plan.levels[level])
                parts.append(float(apart) * standard_deviation(noise) ** 2)
        largest = 0.0
        for part, most, _ in self._folded(self._coefficients(weights)):
            parts.append(part)
            largest = max(largest, most)
        variance = fsum(parts)
        return variance if variance > _NOTHING * largest else 0.0

    def most_moved(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        """By how much rounding may have moved the sum, at most, whatever was measured; infinite where nothing is known."""
        if self._block is not None:
            return inf
        coefficients = self._coefficients(weights)
        # Cells of a group share the change of its total: any run of them gets its part to within one person.
        apart = fsum(abs(float(b - a)) / 2 for each in weights.values() for a, b in pairwise(each))
        if self._plan.variants.evenly:
            on_leaves = np.zeros(1)
            for step, here in coefficients.items():
                on_leaves = (on_leaves[self._chain.parent[step]] if step > self._first else 0) + here[:, 0]
            return apart + most_moved(on_leaves)
        alone = [float(each) for here in coefficients.values() for each in here[here != 0]]
        return apart + abs(sum(alone)) if len(alone) < 2 else inf

    def moved(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        """By how much rounding moved the sum of the cells of groups, each times its weight."""
        parts: list[float] = []
        for group, each in _groups(weights):
            place = self._chain.places[group.step][group.region]
            count, whole = self._at_rest[group.code, group.step]
            mean = float(sum(each, Fraction(0)) / len(each))
            parts.append(mean * (int(whole[place]) - float(count[place])))
            if len({*each}) > 1:
                change = whole[place] - self._totals(group.code, group.step)[1][place]
                shares = spread(change[np.newaxis], len(each))[0] - change / len(each)
                parts += [float(weight) * float(share) for weight, share in zip(each, shares, strict=True)]
        return fsum(parts)

    @cached_property
    def _at_rest(self) -> dict[tuple[str, int], tuple[Floats, Int64]]:
        """Of each iteration and step the totals as least squares gives them, and as they were published, (regions,)."""

        def measured(codes: Sequence[str], step: int) -> Estimated:
            each = [self._totals(code, step)[0] for code in codes]
            return Estimated(np.hstack([one.count for one in each]), np.hstack([one.variance for one in each]))

        evenly = self._plan.variants.evenly
        levels: Iterator[AtRest]
        if self._block is not None:
            levels = block_at_rest(self._chain, self._block, measured, evenly=evenly)
        else:
            ((code, stop),) = self._spans.items()
            levels = run_at_rest(self._chain, [code], (self._first, stop), measured, evenly=evenly)
        return {
            (code, rest.step): (rest.count[:, at], rest.whole[:, at])
            for rest in levels
            for at, code in enumerate(rest.codes)
        }

    def _coefficients(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> dict[int, Floats]:
        """Of each step, what the totals are taken times in a sum, (regions, iterations) in the order of the chain."""
        codes = tuple(self._spans)
        steps = range(self._first, max(self._spans.values()))
        coefficients = {step: np.zeros((len(self._chain.parent[step]), len(codes))) for step in steps}
        for group, each in _groups(weights):
            place = self._chain.places[group.step][group.region]
            coefficients[group.step][place, codes.index(group.code)] += float(sum(each, Fraction(0)) / len(each))
        return coefficients

    def _largest(self, weights: Mapping[Hashable, Sequence[Fraction]]) -> float:
        """The most that a measured total counts in a sum, whichever.

        Roots first: what is left of C_u once g is taken off, and what comes down, is K_u, which z_u is taken times. Of it w_u over its
        variance reaches what was measured, and w_u/t_u each child.
        """
        left = {place: each for _, _, (place, each) in self._folded(self._coefficients(weights))}
        counted, first, last = [0.0], self._first, self._first if self._block is None else self._block.stop - 1
        down: dict[str, Floats] = {}
        if self._block is None:
            down = dict.fromkeys(self._spans, left[first, ""][:, 0])
        else:
            came = reached = np.zeros((1, 1))
            covariances, sums = self._family
            for step in range(first, last + 1):
                taken = came[self._chain.parent[step]] if step > first else came
                if (step, "") in left:
                    taken = taken + left[step, ""]
                taken = np.einsum(
                    "rjk,rk->rj", covariances[step - first], np.broadcast_to(taken, covariances[step - first].shape[:2])
                )
                reached = np.hstack([taken.sum(axis=1, keepdims=True), taken])
                if step < last:
                    counted.append(_most(reached / self._variances(self._block.codes, step)))
                    came = np.linalg.solve(sums[step - first], taken[:, :, np.newaxis])[:, :, 0]
            best = np.hstack([self._tails[code].best[0].variance for code in self._block.codes])
            down = dict(zip(self._block.codes, (reached / best).T, strict=True))
        for code, tail in self._tails.items():
            taken = down[code]
            for step in range(last, self._spans[code]):
                own = taken * tail.best[step - last].variance[:, 0]
                counted.append(_most(own / self._variances([code], step)[:, 0]))
                if step + 1 < self._spans[code]:
                    taken = (own / tail.below[step - last].variance[:, 0])[self._chain.parent[step + 1]]
                    taken = taken + left.get((step + 1, code), np.zeros(1))
        return max(counted)

    def _folded(self, coefficients: dict[int, Floats]) -> Iterator[tuple[float, float, tuple[tuple[int, str], Floats]]]:
        """Leaves first: the parts of the variance, each with the largest term that it could have had, and what is left of coefficients of
        a step of an iteration by itself, or of a family or the first step.
        """
        for at, (code, tail) in enumerate(self._tails.items()):
            first = self._first if self._block is None else self._block.stop - 1
            for step in range(self._spans[code] - 1, first, -1):
                below = tail.below[step - 1 - first].variance[:, 0]
                spread, parent = tail.best[step - first].variance[:, 0], self._chain.parent[step]
                here = coefficients[step][:, at]
                if not here.any():
                    continue
                share = child_sums((here * spread)[:, np.newaxis], parent, len(below))[:, 0]
                moved = np.divide(share, below, out=np.zeros_like(share), where=below > 0)
                left = here - moved[parent]
                yield _squares(left, spread), _squares(here, spread), ((step, code), left)
                coefficients[step - 1][:, at] += moved
        top = coefficients[self._first]
        if self._block is None:
            spread = next(iter(self._tails.values())).best[0].variance[:, 0]
            yield (_squares(top[:, 0], spread),) * 2 + (((self._first, ""), top),)
            return
        covariances, sums = self._family
        members = {step: each[:, 1:] + each[:, :1] for step, each in coefficients.items() if step < self._block.stop}
        for step in range(self._block.stop - 1, self._first - 1, -1):
            here, covariance = members[step], covariances[step - self._first]
            if step == self._first:
                yield (_forms(here, covariance),) * 2 + (((step, ""), here),)
                return
            parent, below = self._chain.parent[step], sums[step - 1 - self._first]
            share = child_sums(np.einsum("rjk,rk->rj", covariance, here), parent, len(below))
            moved = np.linalg.solve(below, share[:, :, np.newaxis])[:, :, 0]
            left = here - moved[parent]
            yield _forms(left, covariance), _forms(here, covariance), ((step, ""), left)
            members[step - 1] = members[step - 1] + moved

    @cached_property
    def _tails(self) -> dict[str, Any]:
        """Each iteration by itself, from the last step of the family, or from the first: after the way up."""
        first = self._first if self._block is None else self._block.stop - 1
        return {
            code: climb(
                [_variances_alone(self._variances([code], step)) for step in range(first, end)],
                self._chain.parent[first + 1 : end],
            )
            for code, end in self._spans.items()
        }

    @cached_property
    def _family(self) -> tuple[list[Floats], list[Floats]]:
        """Of a family, the covariances of each step after the way up, and those of the sums of children."""
        assert self._block is not None
        codes, first, stop = self._block.codes, self._block.first, self._block.stop
        levels = [self._variances(codes, step) for step in range(first, stop)]
        levels[-1] = np.hstack([self._tails[code].best[0].variance for code in codes])
        climbed = climb_family([_variances_alone(each) for each in levels], self._chain.parent[first + 1 : stop])
        return climbed.covariances, [spreads for _, spreads in climbed.sums]


def _groups(
    weights: Mapping[Hashable, Sequence[Fraction]],
) -> Iterator[tuple[Group, Sequence[Fraction]]]:
    for group, each in weights.items():
        assert isinstance(group, Group)
        yield group, each


def _most(counted: Floats) -> float:
    return float(np.abs(counted).max())


def _variances_alone(variance: Floats) -> Estimated:
    return Estimated(np.zeros_like(variance), variance)


def _squares(coefficients: Floats, spread: Floats) -> float:
    return fsum((coefficients * coefficients * spread).tolist())


def _forms(coefficients: Floats, covariance: Floats) -> float:
    return fsum(np.einsum("rj,rjk,rk->r", coefficients, covariance, coefficients).tolist())


class NestedTotals:
    """All groups of a release whose totals were made to add up, by their labels.

    Args:
        plan: The plan of the release.
        geography: Its regions.
        branches: Gives the branch that each group of a level of the plan took, int8 (regions, iterations).
        totals: Gives the totals of a level and the column of an iteration.
        drawn_in: Names of the measurements of a level, of this release and of those that it adds to.
    """

    def __init__(
        self,
        plan: Plan,
        geography: Geography,
        branches: Callable[[int], Branches],
        totals: Callable[[int, int], Totals],
        drawn_in: Callable[[Level], tuple[Hashable, ...]],
    ) -> None:
        self._plan, self._geography, self._drawn_in = plan, geography, drawn_in
        self._totals, self._taken = lru_cache(maxsize=MOST_CACHED)(totals), cache(branches)
        self._ids: dict[str, dict[str, int]] = {}

    def group(self, region_type: str, region_id: str, code: str) -> tuple[Tree, Group]:
        """A group, and the tree that it is of."""
        chain, step, trees = self._places[region_type]
        if region_type not in self._ids:
            self._ids[region_type] = {each: at for at, each in enumerate(self._geography.regions[region_type])}
        region = self._ids[region_type][region_id]
        level, column = chain.positions[step][code]
        return trees[step, code], Group(step, region, code, int(self._taken(level)[region, column]))

    @cached_property
    def _places(self) -> dict[str, tuple[Chain, int, dict[tuple[int, str], Tree]]]:
        """Of each nested level of regions its chain, its step there, and the tree of each step and iteration."""
        places: dict[str, tuple[Chain, int, dict[tuple[int, str], Tree]]] = {}
        for steps in nested_chains(self._plan):
            chain = Chain(self._plan, steps, self._geography.regions)
            trees: dict[tuple[int, str], Tree] = {}
            for block in chain.blocks:
                self._add(trees, chain, block, block.first, {code: block.ends[code] for code in block.codes})
            for run in chain.runs:
                for code in run.codes:
                    self._add(trees, chain, None, run.first, {code: run.stop})
            places |= {level: (chain, step, trees) for step, level in enumerate(steps)}
        return places

    def _add(
        self,
        trees: dict[tuple[int, str], Tree],
        chain: Chain,
        block: Block | None,
        first: int,
        spans: Mapping[str, int],
    ) -> None:
        held = [(step, code) for code, end in spans.items() for step in range(first, end)]
        sources = frozenset(
            (name, code)
            for step, code in held
            for name in self._drawn_in(self._plan.levels[chain.positions[step][code][0]])
        )
        read = partial(self._variances, chain), partial(self._measured, chain)
        tree = Tree(sources, self._plan, chain, block, first, *read, spans)
        trees |= dict.fromkeys(held, tree)

    def _variances(self, chain: Chain, codes: Sequence[str], step: int) -> Floats:
        """The variances of totals as measured, (regions, codes), regions in the order in which the chain works on them."""
        columns = []
        for code in codes:
            index, column = chain.positions[step][code]
            level = self._plan.levels[index]
            of_kind = [unrounded_deviation(self._plan, level, kind) ** 2 for kind in self._plan.detail.branches]
            columns.append(np.array(of_kind)[self._taken(index)[:, column] - TOTAL_ONLY])
        by_id = np.column_stack(columns)
        order: Int64 = np.argsort(chain.places[step])
        return np.ascontiguousarray(by_id[order])

    def _measured(self, chain: Chain, code: str, step: int) -> tuple[Estimated, Int64]:
        """The totals of an iteration as measured, and the sums of its noisy values, in the order in which the chain works on them."""
        index, column = chain.positions[step][code]
        stage1, sums = self._totals(index, column)
        by_id = unrounded_totals(self._plan, self._plan.levels[index], self._taken(index)[:, column], stage1, sums)
        order: Int64 = np.argsort(chain.places[step])
        return Estimated(by_id.count[order, np.newaxis], by_id.variance[order, np.newaxis]), sums[order]
