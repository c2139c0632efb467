"""Weighted sums of rounded cells: their variance by every draw, and draws with slack that hold every outcome."""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.distributions.probability_mass import probability_mass
from starling.privacy.sampling.noise import draw
from starling.release.intervals import Value, total
from starling.tables.inference.cell_errors import Apart, BothStages, Draws, Pair
from starling.tables.inference.combined import corrections, later_weight, spread, standard_deviation
from starling.tables.plan import CombinedStageNoise, StageNoise
from starling.tables.plan.combined_stages import stage1_weight

NARROW = DiscreteGaussian(Fraction(1, 4))
LAWS = {
    "gaussian": StageNoise(NARROW, DiscreteGaussian(Fraction(2)), DiscreteGaussian(Fraction(1, 2))),
    "laplace": StageNoise(NARROW, DiscreteLaplace(Fraction(1, 2)), DiscreteLaplace(Fraction(1, 3))),
    "sharp": StageNoise(NARROW, NARROW, DiscreteGaussian(Fraction(1, 5))),
}
WEIGHTS = {
    "total": (Fraction(1), Fraction(1), Fraction(1)),
    "cell": (Fraction(0), Fraction(1), Fraction(0)),
    "run": (Fraction(1), Fraction(1), Fraction(0)),
    "others": (Fraction(1, 3), Fraction(-2), Fraction(5, 2)),
}


def variance(distribution: Distribution) -> float:
    return float(probability_mass(distribution).variance)


def likely(distribution: Distribution, terms: int = 1) -> list[tuple[int, float]]:
    listed = probability_mass(distribution, terms)
    pairs = ((place - listed.last, float(mass)) for place, mass in enumerate(listed.mass))
    return [(value, mass) for value, mass in pairs if mass > 1e-9]


def published(stage_noise: StageNoise, z: int, cells: tuple[int, ...]) -> np.ndarray:
    """Errors of the cells of a group as they are published, by the functions that publish them."""
    correction = corrections(np.array([z]), np.array([sum(cells)]), stage1_weight(stage_noise, len(cells)))
    moved: np.ndarray = np.array(cells) + spread(correction, len(cells))[0]
    return moved


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name == "laplace" else ()) for name in LAWS]
)
def test_the_variance_is_that_of_every_draw(name: str) -> None:
    stage_noise = LAWS[name]
    squares, combined = dict.fromkeys(WEIGHTS, 0.0), 0.0
    group = BothStages("group", stage_noise, 3)
    for (z, chance), *cells in product(likely(stage_noise.stage1), *[likely(stage_noise.stage2)] * 3):
        mass = chance * prod(each for _, each in cells)
        errors = published(stage_noise, z, tuple(cell for cell, _ in cells))
        combined += mass
        for case, weights in WEIGHTS.items():
            squares[case] += mass * float(np.dot([float(each) for each in weights], errors)) ** 2
    assert combined == pytest.approx(1, abs=1e-6)
    for case, weights in WEIGHTS.items():
        assert group.variance(weights) == pytest.approx(squares[case], rel=1e-5), case
    # What leaves the roundings out is another number: the mistake would be seen.
    linear = sum(
        float(weight) ** 2 * variance(distribution) for distribution, weight in group.draws((Fraction(1),) * 3).values()
    )
    assert group.variance((Fraction(1),) * 3) > linear * 1.01


@pytest.mark.series(1)
@pytest.mark.parametrize("case", WEIGHTS)
def test_draws_and_slack_hold_every_outcome(case: str) -> None:
    stage_noise, weights = LAWS["gaussian"], WEIGHTS[case]
    group = BothStages("group", stage_noise, 3)
    drawn, slack = group.draws(weights), group.slack(weights)
    farthest = Fraction(0)
    for z, *cells in product(range(-6, 7), *[range(-3, 4)] * 3):
        values = {("group", "first"): z} | {("group", at): cell for at, cell in enumerate(cells)}
        linear = sum((weight * values[name] for name, (_, weight) in drawn.items()), Fraction(0))  # type: ignore[index]
        errors = published(stage_noise, z, tuple(cells)).tolist()
        off = abs(sum(weight * each for weight, each in zip(weights, errors, strict=True)) - linear)
        farthest = max(farthest, off)
        assert off <= slack
    assert farthest > slack / 2, "the bound is near"


def test_a_total_less_its_cells_is_nothing() -> None:
    group = BothStages("group", LAWS["gaussian"], 3)
    nothing = (Fraction(0),) * 3
    assert not group.draws(nothing)
    assert group.slack(nothing) == group.variance(nothing) == 0


@pytest.mark.slow
def test_wide_laws_have_the_variance_of_their_draws() -> None:
    """Roundings are lost in noise of thousands of persons; the transform keeps nine digits."""
    stage_noise = StageNoise(NARROW, DiscreteGaussian(Fraction(4_000_000)), DiscreteGaussian(Fraction(1_000_000)))
    group, weights = BothStages("group", stage_noise, 46), (Fraction(1),) * 46
    linear = sum(float(weight) ** 2 * variance(distribution) for distribution, weight in group.draws(weights).values())
    assert group.variance(weights) == pytest.approx(linear, rel=1e-6)


def test_combined_cells_are_independent_with_their_own_rounding() -> None:
    """A false alarm of the draws: below 1 in 10^8."""
    noise = CombinedStageNoise(DiscreteGaussian(Fraction(3, 4)), DiscreteGaussian(Fraction(1, 2)))
    group = Apart(("now", "before"), noise)
    one = standard_deviation(noise) ** 2
    assert group.variance((Fraction(1), Fraction(-2))) == pytest.approx(5 * one)
    weight = later_weight(noise)
    assert dict(group.draws((Fraction(1), Fraction(2)))) == {
        ("now", 0): (noise.later, weight),
        ("before", 0): (noise.earlier, 1 - weight),
        ("now", 1): (noise.later, 2 * weight),
        ("before", 1): (noise.earlier, 2 - 2 * weight),
    }
    assert group.slack((Fraction(1), Fraction(-2))) == Fraction(3, 2)
    # 200,000 draws: the standard error of a variance is 0.3 %, six of them.
    drawn = [draw(distribution, (200_000,)) for distribution in (DiscreteGaussian(Fraction(3, 4)), noise.later)]
    result = drawn[0] + corrections(drawn[1], drawn[0], weight)
    assert float(np.var(result)) == pytest.approx(one, rel=0.02)


def test_plain_cells_are_their_draws() -> None:
    group, weights = Apart(("group",), NARROW), (Fraction(1), Fraction(0), Fraction(-2))
    drawn: Draws = {("group", 0): (NARROW, Fraction(1)), ("group", 2): (NARROW, Fraction(-2))}
    assert group.draws(weights) == drawn
    assert group.slack(weights) == 0
    assert group.variance(weights) == pytest.approx(5 * variance(NARROW))


@pytest.mark.statistical
@pytest.mark.parametrize("bounds", [(0, 50_000), (-20_000, 30_000)])
@pytest.mark.parametrize("noise", [DiscreteLaplace(Fraction(50_000)), DiscreteGaussian(Fraction(40_000**2))], ids=repr)
def test_sums_and_means_of_groups_of_pairs_hold(noise: Distribution, bounds: tuple[int, int]) -> None:
    """Three groups in 20,000 worlds: 95 % within 6 standard errors, a false alarm in 10^9, and at most 96 %.

    Mutants that forget one of the two draws, or take a size and a sum for independent, leave that.
    """
    worlds, groups = 20_000, 3
    low, high = bounds
    width = high - low
    drawn = draw(noise, (worlds, groups, 2)).sum(axis=1).astype(float)
    size = [Fraction(1, width)] * 2
    whole = [Fraction(low, width), Fraction(high, width)]
    share = Fraction(1, 2)
    # A mean of low + share W: of the sum less so much of the size only noise is left.
    mean = [b - (low + share * width) * a for a, b in zip(size, whole, strict=True)]
    for weights in (size, whole, mean):
        value = total(
            Value(Fraction(0), cells={Pair(group, noise): tuple(weights)}, whole=False) for group in range(groups)
        )
        error = drawn @ [float(weight) for weight in weights]
        assert float(error.std()) == pytest.approx(value.standard_deviation, rel=6 * (6 / worlds) ** 0.5)
        assert 0.95 - 6 * (0.95 * 0.05 / worlds) ** 0.5 < np.mean(np.abs(error) <= value.margin()) < 0.96
    forgotten = total(
        Value(Fraction(0), cells={Pair(group, noise): (Fraction(0), mean[1])}, whole=False) for group in range(groups)
    )
    error = drawn @ [float(weight) for weight in mean]
    assert np.mean(np.abs(error) <= forgotten.margin()) < 0.9
    if not low:
        apart = total(
            Value(Fraction(0), cells={Pair((group, part), noise): tuple(weights)}, whole=False)
            for group in range(groups)
            for part, weights in (("sum", whole), ("size", [-share * width * each for each in size]))
        )
        assert np.mean(np.abs(error) <= apart.margin()) > 0.98
