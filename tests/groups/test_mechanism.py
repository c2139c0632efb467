"""The mechanism: sensitivities by enumeration over all neighbours of a small world, and the exact distribution of whole releases.

Rows 33, 37, 38 and 46: Lemma 4, Theorem 1, Lemma 6.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import exp, log
from pathlib import Path

import numpy as np
import pytest

from starling.groups.mechanism import NoisyCounts
from starling.groups.optimise.tree import Int64
from starling.groups.plan import METHODS, Plan
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.events import ANY, MONOTONE, DiscreteGaussianNoise, DiscreteLaplaceNoise
from tests.groups.worlds import CELLS, world
from tests.privacy.leaves import factors

BANDS = '[[privacy.bands]]\nfrom = 0\nsplit = ["1/4", "1/4", "1/2"]\n[[privacy.bands]]\nfrom = 2\nsplit = ["1/2", "1/4", "1/4"]\n'


def neighbours(quantity: int, sizes: int = 5, groups: int = 3) -> Iterator[tuple[Int64, Int64]]:
    """The cells of every world of so many groups in two leaves of the small land, and of each neighbour with a member more."""
    for world_sizes in product(range(sizes), repeat=groups):
        for which in range(groups):
            for more in range(1, quantity + 1):
                moved = list(world_sizes)
                moved[which] = min(moved[which] + more, sizes - 1)
                yield cells(world_sizes, sizes), cells(tuple(moved), sizes)


def cells(world_sizes: tuple[int, ...], sizes: int) -> Int64:
    """Groups by leaf (east's first county, east's second, west's) and size; the groups go round the leaves."""
    result = np.zeros((3, sizes), dtype=np.int64)
    for which, size in enumerate(world_sizes):
        result[which % 3, size] += 1
    return result


@pytest.mark.parametrize("quantity", [1, 2])
def test_lemma_4_and_lemma_6_sensitivities_of_every_level_in_both_norms(quantity: int, tmp_path: Path) -> None:
    plan = world(tmp_path, quantity=quantity)
    largest = np.zeros((2, 2, plan.levels), dtype=np.int64)
    for one, other in neighbours(quantity):
        for level, (a, b) in enumerate(zip(plan.regions.sums(one), plan.regions.sums(other), strict=True)):
            for kind, apart in enumerate((a - b, np.cumsum(a, axis=1) - np.cumsum(b, axis=1))):
                norms = (np.abs(apart).sum(), (apart * apart).sum())
                largest[kind, :, level] = np.maximum(largest[kind, :, level], norms)
            assert np.array_equal(a.sum(axis=1), b.sum(axis=1)), "the totals of regions are public"
            assert (np.cumsum(b, axis=1) <= np.cumsum(a, axis=1)).all(), "a member more never raises a cumulative count"
    assert largest[0].tolist() == [[2] * 3, [2] * 3]
    assert largest[1].tolist() == [[quantity] * 3, [quantity] * 3]
    for method in METHODS:
        assert factors(made(tmp_path, method, quantity).guarantee) == {MONOTONE if method.startswith("c_") else ANY}
        declared = [part.event for part in made(tmp_path, method, quantity).guarantee.parts]
        for level, event in enumerate(declared):
            assert isinstance(event, DiscreteLaplaceNoise)
            assert event.l1_sensitivity == largest[int(method.startswith("c_")), 0, level]


def made(folder: Path, method: str, quantity: int = 1) -> Plan:
    return world(folder, quantity=quantity, more=f'method = "{method}"')


def losses(plan: Plan) -> Iterator[float]:
    """The largest privacy loss of a whole release over all outcomes, for each pair of neighbours.

    The draws are independent, so that it is the sum over all cells of |shift| / scale: the loss of a discrete Laplace at a shift.
    """
    for one, other in neighbours(plan.quantity):
        whole = Fraction(0)
        for level, (a, b) in enumerate(zip(plan.regions.sums(one), plan.regions.sums(other), strict=True)):
            apart = np.abs(np.cumsum(a - b, axis=1) if plan.cumulative else a - b)
            for noise, sizes in zip(plan.noise(level), plan.bands, strict=True):
                assert isinstance(noise, DiscreteLaplace)
                whole += int(apart[:, sizes].sum()) / noise.scale
        yield float(whole)


@pytest.mark.parametrize("quantity", [1, 2])
def test_theorem_1_the_largest_loss_of_whole_releases_is_the_charge(quantity: int, tmp_path: Path) -> None:
    for method in METHODS:
        plan = made(tmp_path, method, quantity)
        assert max(losses(plan)) == pytest.approx(1, abs=1e-12)
    if "c_eb" in METHODS:
        plan = world(tmp_path, quantity=quantity, more='method = "c_eb"', bands=BANDS)
        assert plan.cost.amount == 1
        assert max(losses(plan)) <= 1 + 1e-12


@pytest.mark.slow
def test_exact_distribution_of_releases_of_a_tiny_world(tmp_path: Path) -> None:
    """One region, two sizes: the joint probability of every release on a grid, by convolution, over both neighbours."""
    (tmp_path / "regions.csv").write_text("region,parent\nland,\n")
    text = (
        'title = "t"\ngroup = "g"\nmember = "m"\n[regions]\nfile = "regions.csv"\nlevels = ["land"]\n[sizes]\nlargest = 1\n'
        '[totals]\npublic = "root"\ngroups = 2\n[input]\nkind = "groups"\n'
        '[privacy]\nunit = "member"\nneighbours = "add-remove"\nepsilon = "1"\nmethod = "h"\n'
    )
    (tmp_path / "plan.toml").write_text(text)
    plan = Plan.load(tmp_path / "plan.toml")
    grid = range(-12, 15)

    def law(exact: tuple[int, int]) -> dict[tuple[int, ...], float]:
        return {out: probability(out[0] - exact[0]) * probability(out[1] - exact[1]) for out in product(grid, repeat=2)}

    laws = [law(exact) for exact in ((2, 0), (1, 1), (0, 2))]
    assert all(sum(each.values()) > 0.99 for each in laws)
    for one, other in ((0, 1), (1, 2)):
        ratios = [abs(log(laws[one][out] / laws[other][out])) for out in laws[one]]
        assert max(ratios) == pytest.approx(1, abs=1e-9)
    drawn = [NoisyCounts(plan).draw(np.array([[2, 0]]))[0][0] for _ in range(4000)]
    same = np.mean([tuple(each) == (2, 0) for each in drawn])
    # The chance of a false alarm is below 1e-6 by Hoeffding's bound; a scale of half the size gives .34 for .18 and is found.
    assert abs(same - laws[0][2, 0]) < 0.043


def probability(x: int) -> float:
    """Of the discrete Laplace of scale 2, which the tiny world has."""
    q = exp(-0.5)
    return (1 - q) / (1 + q) * q ** abs(x)


def test_totals_are_exact_where_they_are_public_and_nowhere_else(tmp_path: Path) -> None:
    if "c_joint" not in METHODS:
        return
    exact = np.array(CELLS)
    plan = world(tmp_path, more='method = "c_joint"', budget='epsilon = "1/1000"')
    drawn = NoisyCounts(plan).draw(exact)
    assert drawn[0][0, -1] == 9
    cumulative = plan.regions.sums(np.cumsum(exact, axis=1))
    # The chance that noise of scale 3,000 is 0 in all five regions is below 1e-18.
    assert any((drawn[level][:, -1] != cumulative[level][:, -1]).any() for level in (1, 2))


def test_every_cell_is_measured_whatever_the_records_say(tmp_path: Path) -> None:
    plan = world(tmp_path, budget='rho = "1/8"', more='method = "h"')
    assert isinstance(plan.noise(0)[0], DiscreteGaussian)
    assert isinstance(plan.guarantee.parts[0].event, DiscreteGaussianNoise)
    empty = NoisyCounts(plan).draw(np.zeros((3, 5), dtype=np.int64))
    full = NoisyCounts(plan).draw(np.array(CELLS))
    assert [each.shape for each in empty] == [each.shape for each in full] == [(1, 5), (2, 5), (3, 5)]
