"""Aggregates are measured with the noise that the plan prices, every group of them, and neighbours are no further apart than they may
be.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import exp, inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from starling.privacy.budget import Measure
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.tables.measurements import Int64
from starling.tables.mechanism.aggregates import Aggregation, measure, nodes, scores
from starling.tables.plan import Aggregate, Piece, Plan, aggregate_pieces, read_regions
from starling.tables.plan.aggregates import sensitivity, tree
from tests.tables.aggregate_worlds import aggregate_worlds
from tests.tables.counts.test_spread_records import exact
from tests.tables.custom_worlds import World
from tests.tables.test_publish_aggregates import VALUES

GROUPS = 20_000


def of_measure(chosen: Measure) -> Plan:
    """The plan by that measure."""
    return Plan.of(VALUES | {"privacy": {**VALUES["privacy"], "measure": chosen}})


class Same:
    """Every group has the same exact numbers.

    Args:
        plan: The plan.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.asked: list[Piece] = []

    def aggregate(self, piece: Piece, /) -> Int64:
        """The numbers 0, 1, 2 ... in every group."""
        self.asked.append(piece)
        return np.tile(np.arange(self._plan.aggregates[piece.level].cells), (piece.groups, 1))


def test_every_group_of_every_aggregate_is_measured_once() -> None:
    plan = of_measure("rho")
    geography, exact = read_regions(plan), Same(plan)
    drawn = list(Aggregation(plan, geography).draw(exact))
    assert tuple(piece for piece, _ in drawn) == aggregate_pieces(plan, geography) == tuple(exact.asked)
    shapes = [numbers.shape for _, numbers in drawn]
    # A class for each share; two numbers; the nodes of a tree over 100 classes; two numbers.
    assert shapes == [(6, 1), (2, 2), (12, tree(100, "rho").nodes), (12, 2)]
    assert not any(numbers.flags.writeable for _, numbers in drawn)


@pytest.mark.statistical
@pytest.mark.parametrize("chosen", ["epsilon", "rho"])
@pytest.mark.parametrize("number", [2, 3])
def test_the_noise_is_that_of_the_plan(number: int, chosen: Measure) -> None:
    """Mean and variance of 20,000 groups, each within 6.5 standard errors: a false alarm below 10^-9; twice the noise is rejected."""
    plan = of_measure(chosen)
    aggregate = plan.aggregates[number]
    exact = np.full((GROUPS, aggregate.cells), 50, np.int64)
    result = measure(plan, aggregate, exact)[:, -1] - 50
    deviation = standard_deviation(aggregate.noise(plan.measure, plan.share(aggregate)))
    assert abs(result.mean()) < 6.5 * deviation / GROUPS**0.5
    # The fourth moment of Laplace noise is six times the square of its variance.
    error = deviation**2 * (5 / GROUPS) ** 0.5
    assert abs(result.var() - deviation**2) < 6.5 * error
    assert abs(result.var() - 4 * deviation**2) > 6.5 * error


@pytest.mark.statistical
def test_selection_follows_the_scores() -> None:
    """The share of the best class in 20,000 groups, within 6.5 standard errors."""
    plan = of_measure("epsilon")
    aggregate = plan.aggregates[0]
    request = aggregate.quantiles
    assert request is not None
    exact = np.tile(np.array([3, 9, 2, 0, 4, 1]), (GROUPS, 1))
    result = measure(plan, aggregate, exact)[:, 0]
    rate = float(request.epsilon("epsilon", plan.share(aggregate))) / (2 * sensitivity(request.shares[0]))
    weights = np.exp(rate * scores(exact[:1], 1, 4)[0])
    chance = weights / weights.sum()
    seen = np.bincount(result, minlength=6) / GROUPS
    assert (np.abs(seen - chance) < 6.5 * np.sqrt(chance * (1 - chance) / GROUPS)).all()
    assert norm.sf(6.5) < 1e-9


def divergence(noise: Distribution, moves: Int64) -> Fraction:
    """Epsilon, or rho, of numbers that neighbours move so: with discrete Laplace noise the sum of all moves over the scale; with discrete
    Gaussian noise half the sum of squares over sigma squared."""
    if isinstance(noise, DiscreteLaplace):
        return Fraction(int(np.abs(moves).sum())) / noise.scale
    assert isinstance(noise, DiscreteGaussian)
    return Fraction(int((moves**2).sum())) / (2 * noise.sigma_squared)


@pytest.mark.parametrize("chosen", ["epsilon", "rho"])
def test_no_record_costs_a_group_more_than_its_share(chosen: Measure) -> None:
    """Every number a record can have, by what it moves: sums and the nodes of a tree. Some record costs the whole share."""
    plan = of_measure(chosen)
    for aggregate in plan.aggregates[1:4]:
        share = plan.share(aggregate)
        noise = aggregate.noise(plan.measure, share)
        if aggregate.quantiles is None:
            width = aggregate.width
            moves = [np.array([width - units, units]) for units in {0, 1, width // 2, width}]
        else:
            shape = tree(aggregate.cells, plan.measure)
            moves = [nodes(row[np.newaxis], shape)[0] for row in np.eye(aggregate.cells, dtype=np.int64)]
        costs = [divergence(noise, move) for move in moves]
        assert max(costs) == share


@pytest.mark.parametrize("chosen", ["epsilon", "rho"])
def test_no_neighbours_of_a_tiny_world_select_further_apart_than_a_share_allows(chosen: Measure) -> None:
    """The law of every selection over all histograms of three classes with up to three records: the largest ratio of probabilities is at
    most e^epsilon, and under rho the Renyi divergence of every order tried is at most alpha rho."""
    plan = of_measure(chosen)
    aggregate = plan.aggregates[0]
    share = plan.share(aggregate)
    assert aggregate.quantiles is not None
    for quantile in (Fraction(1, 2), Fraction(1, 4), Fraction(9, 10)):
        request = replace(aggregate.quantiles, shares=(quantile,))
        epsilon = float(request.epsilon(chosen, share))

        def law(
            histogram: tuple[int, ...], rate: float = epsilon / (2 * sensitivity(quantile)), q: Fraction = quantile
        ) -> np.ndarray:
            weights = np.exp(rate * scores(np.array([histogram]), q.numerator, q.denominator)[0])
            return np.asarray(weights / weights.sum())

        for histogram in product(range(4), repeat=3):
            for place in range(3):
                more = tuple(number + (at == place) for at, number in enumerate(histogram))
                for one, other in ((law(histogram), law(more)), (law(more), law(histogram))):
                    assert (one / other).max() <= exp(epsilon) * (1 + 1e-12)
                    if chosen == "rho":
                        for order in (1.5, 2, 8, 50):
                            renyi = np.log((one**order * other ** (1 - order)).sum()) / (order - 1)
                            assert renyi <= order * float(share) * (1 + 1e-9) < inf


@pytest.mark.examples(5)
@settings(max_examples=25, deadline=None)
@given(st.sampled_from(["epsilon", "rho"]).flatmap(lambda chosen: aggregate_worlds(most=4, measure=chosen)))
def test_no_neighbours_of_a_small_world_are_told_apart_by_more_than_the_plan_costs(world: World) -> None:
    """All that a release of sums and quantiles draws, over all worlds of a record less. Its numbers are independent, so that the largest
    ratio of probabilities, or under rho the divergence, is the product, or the sum, over all groups: exact for noise, and for a selection
    its law by the definition."""
    plan, whole = world.plan, exact(world.plan, world.table())
    for gone in range(len(world.records)):
        rest = exact(plan, world.with_records([*world.records[:gone], *world.records[gone + 1 :]]).table())
        for aggregate, before, after in zip(plan.aggregates, whole, rest, strict=True):
            nothing = [0] * aggregate.cells
            report = [
                distinguishable(
                    plan, aggregate, np.array(before.get(group, nothing)), np.array(after.get(group, nothing))
                )
                for group in before.keys() | after.keys()
            ]
            assert sum(report) <= aggregate.level.budget * (1 + Fraction(1, 10**9))


def distinguishable(plan: Plan, aggregate: Aggregate, before: Int64, after: Int64) -> Fraction:
    """Epsilon, or rho, by which the numbers of one group tell both worlds apart; of a selection under rho the divergence of order 2 halved,
    which rho bounds."""
    share, request = plan.share(aggregate), aggregate.quantiles
    if request is None or request.way == "counts":
        moves = before - after
        if request is not None:
            moves = nodes(moves[np.newaxis], tree(aggregate.cells, plan.measure))[0]
        return divergence(aggregate.noise(plan.measure, share), moves)
    total = 0.0
    for quantile in request.shares:
        rate = float(request.epsilon(plan.measure, share)) / (2 * sensitivity(quantile))
        weights = np.exp(rate * scores(np.stack([before, after]), quantile.numerator, quantile.denominator))
        one, other = weights / weights.sum(axis=1, keepdims=True)
        apart = np.abs(np.log(one / other)).max() if plan.measure == "epsilon" else np.log((one**2 / other).sum()) / 2
        total += float(apart)
    return Fraction(total)
