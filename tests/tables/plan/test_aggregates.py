"""What aggregates cost, and why: sensitivities over all small neighbours, trees that hold every class once, costs that add up."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from starling.privacy.budget import Epsilon, Measure, Rho
from starling.privacy.events import ANY, MONOTONE
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.privacy.sampling.noise import draw
from starling.privacy.sampling.selection_rows import exponential_rows
from starling.tables.inference.ranks import quantile_classes
from starling.tables.mechanism.aggregates import nodes, scores
from starling.tables.plan import Iteration, Level
from starling.tables.plan.aggregates import (
    Aggregate,
    Quantiles,
    Tree,
    better_way,
    quantile_noise,
    rank_errors,
    sensitivity,
    statistic_names,
    tree,
)
from tests.privacy.leaves import factors

GROUP = Iteration("all: everybody", "everybody", "all", 1, False, False, False, ("all: everybody",))
LEVEL = Level("all", 1, Fraction(1), (), (GROUP,), 1)
SUMS = Aggregate(LEVEL, "x", -4, 6)
SHARES = (Fraction(1, 4), Fraction(1, 2), Fraction(9, 10))
MEASURES: list[Measure] = ["epsilon", "rho"]


def quantiles(way: str, classes: int = 20) -> Aggregate:
    """Quantiles of that many classes."""
    return Aggregate(LEVEL, "x", 0, classes - 1, Quantiles(SHARES, tuple(range(classes)), way))  # type: ignore[arg-type]


@pytest.mark.parametrize("share", sorted({Fraction(a, b) for b in range(2, 8) for a in range(1, b)}))
def test_no_neighbours_have_scores_further_apart_than_the_sensitivity(share: Fraction) -> None:
    """All histograms of four classes of up to two records each, with one record more; and the bound is reached."""
    apart = 0
    for histogram in product(range(3), repeat=4):
        before = np.array([histogram])
        for place in range(4):
            after = before.copy()
            after[0, place] += 1
            a, b = share.numerator, share.denominator
            apart = max(apart, int(np.abs(scores(after, a, b) - scores(before, a, b)).max()))
    assert apart == sensitivity(share)


def test_the_class_of_the_quantile_alone_has_the_best_score() -> None:
    for share, histogram in product(SHARES, product(range(4), repeat=3)):
        if not any(histogram):
            continue
        result = scores(np.array([histogram]), share.numerator, share.denominator)[0]
        upto = np.cumsum(histogram)
        true = int(np.argmax(share.denominator * upto >= share.numerator * upto[-1]))
        assert result[true] == 0
        # Another class is as good only where the quantile lies between two neighbours among the records.
        for other in np.flatnonzero(result == 0).tolist():
            assert other >= true
            assert other == true or share.denominator * upto[other - 1] == share.numerator * upto[-1]


@pytest.mark.series(3)
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("classes", [2, 3, 7, 16, 17, 81, 256])
def test_both_sides_of_an_edge_hold_every_class_once(classes: int, measure: Measure) -> None:
    for shape in (tree(classes, measure), Tree(classes, (4, 1)), Tree(classes, (1,))):
        for edge in range(classes + 1):
            held = np.zeros(classes, np.int64)
            for side in (shape.below(edge), shape.above(edge)):
                for width, size, (first, last) in zip(shape.widths, shape.sizes, side, strict=True):
                    assert 0 <= first <= last <= size or first >= last
                    for node in range(first, last):
                        held[node * width : (node + 1) * width] += 1
            assert held.tolist() == [1] * classes
            assert sum(shape.terms(edge)) == sum(
                max(last - first, 0) for side in (shape.below(edge), shape.above(edge)) for first, last in side
            )


@pytest.mark.slow
def test_trees_are_deeper_where_that_pays() -> None:
    assert tree(8, "rho").depth == 1
    assert tree(256, "rho").depth > tree(256, "epsilon").depth > 1


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(
    "aggregate", [SUMS, quantiles("counts"), quantiles("selection")], ids=["sums", "counts", "choice"]
)
def test_a_group_costs_its_share(aggregate: Aggregate, measure: Measure) -> None:
    share = Fraction(3, 7)
    cost = aggregate.guarantee(measure, share, ADD_REMOVE_PERSON).cost
    assert type(cost) is (Epsilon if measure == "epsilon" else Rho)
    assert cost.amount == share
    if aggregate.quantiles is not None and measure == "rho":
        epsilon = aggregate.quantiles.epsilon(measure, share)
        # The exponential mechanism of this epsilon is epsilon^2 / 8-zCDP, and there are three of them.
        assert share * (1 - Fraction(1, 10**9)) < 3 * epsilon**2 / 8 <= share


@pytest.mark.parametrize("measure", MEASURES)
def test_what_is_monotone_is_declared_where_it_is(measure: Measure) -> None:
    """The two numbers of a sum and the nodes of a tree never fall when a record is added; scores of a selection do."""
    for number in range(SUMS.low, SUMS.high + 1):
        assert min(SUMS.high - number, number - SUMS.low) >= 0
    one_more = np.eye(4, dtype=np.int64)
    assert (nodes(one_more, tree(4, measure)) >= 0).all()
    assert (scores(one_more, 1, 2) < 0).any(), "without records all scores are 0"
    for each, factor in ((SUMS, MONOTONE), (quantiles("counts"), MONOTONE), (quantiles("selection"), ANY)):
        assert factors(each.guarantee(measure, Fraction(1), ADD_REMOVE_PERSON)) == {factor} == {each.replacement_factor}


def test_a_sum_has_noise_of_the_width_of_its_column() -> None:
    assert SUMS.noise("epsilon", Fraction(1, 2)).width == 20
    assert SUMS.noise("rho", Fraction(1, 2)).width == 10


def test_statistics_have_names() -> None:
    assert statistic_names(SUMS) == ("size", "sum", "mean")
    assert statistic_names(quantiles("counts")) == ("quantile 0.25", "quantile 0.5", "quantile 0.9")


@pytest.mark.parametrize("measure", MEASURES)
def test_the_better_way_is_that_of_fewer_ranks(measure: Measure) -> None:
    for classes in (2, 10, 200):
        for shares in ((Fraction(1, 2),), SHARES, tuple(Fraction(each, 10) for each in range(1, 10))):
            errors = rank_errors(classes, shares, measure, Fraction(1, 5))
            way = better_way(classes, shares, measure, Fraction(1, 5))
            assert sum(errors[way]) == min(map(sum, errors.values()))


@pytest.mark.statistical
@pytest.mark.parametrize("measure", MEASURES)
def test_ranks_off_are_about_what_is_said(measure: Measure) -> None:
    """The median of 200 classes of ten records each, in 2,000 groups: half to 1.1 times what is said, with a chance of leaving that far
    below 10^-9; and the better way is the one that is said to be."""
    half, share, groups, classes = Fraction(1, 2), Fraction(1, 20 if measure == "epsilon" else 2000), 2000, 200
    exact = np.full((groups, classes), 10, np.int64)
    text = rank_errors(classes, (half,), measure, share)
    off = -scores(exact, 1, 2) / 2
    selected = exponential_rows(scores(exact, 1, 2), Quantiles((half,), (), "selection").epsilon(measure, share))
    shape, noise = tree(classes, measure), quantile_noise(classes, measure, share)
    noisy = nodes(exact, shape)
    noisy = noisy + draw(noise, noisy.size).reshape(noisy.shape)
    counted = quantile_classes(noisy, shape, half, noise, Fraction(1, 20)).classes
    rows = np.arange(groups)
    means = {"selection": off[rows, selected].mean(), "counts": off[rows, counted].mean()}
    assert all(0.5 < means[way] / text[way][0] < 1.1 for way in text)
    assert means["selection"] < means["counts"]
