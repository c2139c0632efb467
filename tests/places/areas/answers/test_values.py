"""Points, sums and means of a value by area: what every neighbour costs, unbiased estimates that add up, and intervals that hold."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from starling import places
from starling.errors import PlanError
from starling.hierarchy.trees import Estimated
from starling.places.areas.answers.unions import LEVEL, deviations, difference, number
from starling.places.areas.answers.values import means_of, points_of, sums_of
from starling.places.areas.artifact.columns import ends_of_sums, pieces
from starling.places.areas.artifact.map_page import views
from starling.places.areas.measurements import noises
from starling.places.areas.mechanism import AreaCounts, sums
from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.postprocess import estimates
from starling.places.plan.choices import Value
from starling.privacy.budget import Epsilon, Rho
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.verification import Outcome
from tests.places.areas.worlds import plan
from tests.privacy.distributions.enumerated import masses

BOUNDS = {"lower": -1, "upper": 3}
RELEASES = 4000
POINTS = (40, 0, 25, 1, 90)
VALUES = (3, 0, 1, -1, 2)
"""Of each area, how many points there are and the value of all of them."""


def valued(folder: Path, measure: str = "epsilon", amount: str = "2", k: int = 1, **changes: Any) -> AreasPlan:
    person = {"person": "who"} if k > 1 else {}
    unit = {"unit": "person", "points_per_person": k} if k > 1 else {"unit": "point"}
    named = {"area": "zone", "value": "fare", **person, **changes.pop("input", {})}
    return plan(
        folder, input=named, privacy={**unit, measure: amount, "shares": [1, 2, 3]}, **{"value": BOUNDS, **changes}
    )


@pytest.mark.parametrize("k", [1, 2])
def test_of_all_neighbours_the_worst_costs_the_budget_exactly(tmp_path: Path, k: int) -> None:
    """One unit more: every multiset of 1 to k records, over areas and all values from bound to bound; exact fractions."""
    pure, gaussian = valued(tmp_path, k=k), valued(tmp_path, "rho", k=k)
    scales = [each.scale for each in noises(pure) if isinstance(each, DiscreteLaplace)]
    spreads = [each.sigma_squared for each in noises(gaussian) if isinstance(each, DiscreteGaussian)]
    costs, concentrated = [], []
    for size in range(1, k + 1):
        for records in product(product(range(5), range(5)), repeat=size):
            unit = np.zeros((2, 5), dtype=np.int64)
            for area, above in records:
                unit[:, area] += (above, 4 - above)
            moved = sums(pure, unit.reshape(-1))
            one = [Fraction(int(np.abs(each).sum())) for each in moved]
            two = [Fraction(int((each * each).sum())) for each in moved]
            costs.append(sum(a / b for a, b in zip(one, scales, strict=True)))
            concentrated.append(sum(a / (2 * b) for a, b in zip(two, spreads, strict=True)))
    assert max(costs) == 2
    assert max(concentrated) == 2
    assert AreaCounts(pure).guarantee.cost == Epsilon(Fraction(2))
    assert AreaCounts(gaussian).guarantee.cost == Rho(Fraction(2))


def simulated(folder: Path, measure: str) -> tuple[AreasPlan, list[Estimated]]:
    """As many slices as RELEASES, each a release of its own kind of the same points."""
    names = [str(each) for each in range(RELEASES)]
    chosen = valued(folder, measure, "1/2", input={"time": "when"}, slices={"names": names})
    above = [n * (v + 1) for n, v in zip(POINTS, VALUES, strict=True)]
    below = [n * (3 - v) for n, v in zip(POINTS, VALUES, strict=True)]
    return chosen, estimates(chosen, AreaCounts(chosen).draw(np.tile(np.array([*above, *below]), RELEASES)))


@pytest.mark.cover
@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_unions_and_means_are_unbiased_and_their_intervals_hold(tmp_path: Path, measure: str) -> None:
    """A bias of .1 deviations, a deviation 10 % off or coverage below 93 % would be seen; six standard errors, of which that of a deviation
    is sqrt((6 - 1) / 4 / 4,000) = 1.8 % if its kurtosis is Laplace's, 1.5 % for two draws as here: false alarms below 1e-7."""
    chosen, estimated = simulated(tmp_path, measure)
    assert chosen.value is not None
    areas, true_points = estimated[-1], np.array(POINTS)
    true_sums = true_points * VALUES
    for weights in np.array([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 1, 1], [1, 1, 1, 1, 1]], dtype=float):
        stated = number(chosen, [areas.count[:, :2]], weights, "")
        assert stated.sum is not None
        assert stated.mean is not None
        points, total = (weights @ each.count for each in (points_of(chosen, areas), sums_of(chosen.value, areas)))
        error = (points - weights @ true_points) / stated.deviation
        assert abs(error.mean()) < 6 / np.sqrt(RELEASES)
        assert abs(error.std() - 1) < 0.1
        half = stated.sum.upper - weights @ areas.count[:, :2] @ (0.75, -0.25)
        off = total - weights @ true_sums
        assert abs(off.mean()) < 6 * off.std() / np.sqrt(RELEASES)
        assert (np.abs(off) <= half).mean() > 0.95 - 6 * np.sqrt(0.0475 / RELEASES)
        draws = [number(chosen, [areas.count[:, 2 * at : 2 * at + 2]], weights, "").mean for at in range(200)]
        true = weights @ true_sums / (weights @ true_points)
        assert np.mean([each is not None and each.lower <= true <= each.upper for each in draws]) >= 0.845


def test_intervals_of_means_are_as_wide_as_they_must_be() -> None:
    """Coverage of normal noise in 20,000 draws is 95 %, .8 % off at most (5 deviations); half the deviations miss it by far."""
    random, value = np.random.default_rng(1), Value(10, 30)
    noise = random.normal(0, 30, (20_000, 2))
    for points, mean in ((40, 22.0), (40, 10.0), (9, 29.0)):
        true = np.array([points * (mean - 10), points * (30 - mean)])
        drawn = (noise + true).T.reshape(2, -1)
        both = Estimated(np.stack(drawn, axis=1), np.full((20_000, 2), 900.0))
        middle, lower, upper = (each[:, 0] for each in means_of(value, both, 1.959964))
        assert np.mean((lower <= mean) & (mean <= upper)) > 0.942
        assert (lower <= upper).all()
        assert ((middle >= 10) & (middle <= 30) | np.isnan(middle)).all()
        _, low, high = (each[:, 0] for each in means_of(value, both, 0.9))
        assert np.mean((low <= mean) & (mean <= high)) < 0.9


def test_a_release_has_points_sums_and_means_that_add_up(tmp_path: Path) -> None:
    stated = valued(tmp_path, amount="4000000")
    chosen = places.AreasPlan.of(stated.values(), folder=tmp_path)
    records = tmp_path / "records.csv"
    records.write_text("zone,fare\na,0.6\na,9\nb,2\nc,-7\ne,1\ne,2\nnone,3\nd,x\n")
    release = chosen.release(records)
    rows = release.area_rows().to_pydict()
    assert np.rint(rows["points"]).tolist() == [2, 1, 1, 0, 2]
    assert np.rint(rows["sum"]).tolist() == [4, 2, -1, 0, 3]
    means = [None if each is None else round(each, 3) for each in rows["mean"]]
    assert means == [2.0, 2.0, -1.0, None, 1.5]
    assert (rows["mean_lower"][3], rows["mean_upper"][3]) == (-1, 3), "of nothing every mean is possible"
    asked: Any = release.tell({"kind": "count_areas", "areas": ["north"]})
    assert round(asked["sum"]["estimate"]) == 6
    assert round(asked["mean"]["estimate"], 3) == 2
    assert "mean" in repr(release.number("south"))
    assert "trust the interval" in str(replace(release.number("south"), points=-1.0))
    assert release.verify().outcome is Outcome.CONSISTENT
    assert chosen.validate(records).problems.total == 2
    saved = {each.name for each in release.plot().save(tmp_path / "pictures")}
    assert {"areas.svg", "means.svg"} <= saved
    shown_on_map = release.map()
    assert list(shown_on_map.kinds) == ["points (visit)", "sum of fare", "mean fare"]
    assert "Mean fare" in shown_on_map.make(0, kind="mean fare").headline.label
    shown = chosen.preview(expected=1000)
    assert shown.levels[0].mean == pytest.approx(deviations(chosen, 1 - LEVEL) * 4e-6 * 3 * 2**0.5 / 1000, rel=1)


def test_means_have_the_same_shades_in_all_slices(tmp_path: Path) -> None:
    chosen = valued(tmp_path, amount="1000000", slices={"names": ["am", "pm"]}, input={"time": "when"})
    above = [(2, 40), (62, 41), (30, 42), (30, 43), (30, 44)]
    counted = np.array([(one, 80 - one, other, 80 - other) for one, other in above], dtype=np.float64)
    estimated = [Estimated(counted[:nodes], np.full((nodes, 4), 1e-9)) for nodes in (1, 2, 5)]
    shown = views(chosen, estimated, [0, 1])
    for at in (0, 1):
        drawn = shown.make(at, kind="mean fare").picture.draw()
        assert [each for each in ("mean fare -0.9", "0.6", "2.1") if f">{each}<" not in drawn] == []


def test_a_value_and_its_bounds_stand_together(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"input\.value"):
        plan(tmp_path, value=BOUNDS)
    with pytest.raises(PlanError, match="distinct_areas"):
        plan(
            tmp_path,
            input={"area": "zone", "person": "who", "value": "fare"},
            privacy={"unit": "person", "points_per_person": 2, "distinct_areas": True, "epsilon": "1"},
            value=BOUNDS,
        )


@pytest.mark.parametrize("bounds", [(0, 60), (-60, 0), (-1, 3)])
def test_no_interval_holds_what_no_points_can_have(tmp_path: Path, bounds: tuple[int, int]) -> None:
    """Of a release that is noise alone: points below 0, sums of the other sign and means beyond the bounds are in no table or answer."""
    low, high = bounds
    chosen = valued(tmp_path, amount="1/1000", value={"lower": low, "upper": high})
    random = np.random.default_rng(1)
    drawn = [random.laplace(0, 2000 * (high - low), (len(nodes), 2)).astype(np.int64) for nodes in chosen.areas.nodes]
    estimated = estimates(chosen, tuple(drawn))
    rows = pa.concat_tables(next(iter(each.values())) for each in pieces(chosen, estimated)).to_pydict()
    areas = estimated[-1].count
    asked = [number(chosen, [areas], weights, "") for weights in np.vstack([np.eye(5), np.ones(5)])]
    least, most = (0 if low >= 0 else -np.inf), (0 if high <= 0 else np.inf)
    for name, one, other in (("", 0.0, np.inf), ("sum_", least, most), ("mean_", low, high)):
        whole = [getattr(each, name[:-1]) if name else each for each in asked]
        ends = [
            *zip(rows[f"{name}lower"], rows[f"{name}upper"], strict=True),
            *((each.lower, each.upper) for each in whole),
        ]
        assert [each for each in ends if not one <= each[0] <= each[1] <= other] == []
    assert min(rows["sum"]) < 0 < max(rows["sum"]), "the noise has both signs, so that intervals had to be cut"
    outside = [
        each
        for each in asked
        if each.sum and each.sum.estimate and not each.sum.lower <= each.sum.estimate <= each.sum.upper
    ]
    assert all("trust the interval" in str(each) for each in outside)
    difference = [number(chosen, [areas, 0 * areas], weights, "").sum for weights in np.eye(5)]
    assert min(each.lower for each in difference if each) < 0 < max(each.upper for each in difference if each)


def test_differences_of_means_hold_the_true_one_of_slices_and_of_releases(tmp_path: Path) -> None:
    """Of 200 pairs at least 175, which a coverage of 95 % misses once in ten million; a sixth of their width does for certain."""
    names = [str(each) for each in range(400)]
    chosen = valued(tmp_path, "epsilon", "1/2", input={"time": "when"}, slices={"names": names})
    exact = np.array([[[40, 160, 8, 0, 0], [120, 0, 8, 0, 0]], [[200, 30, 8, 0, 0], [40, 90, 8, 0, 0]]])
    finest = estimates(chosen, AreaCounts(chosen).draw(np.tile(exact.reshape(-1), 200)))[-1].count
    for areas in ([0], [0, 1]):
        weights = np.isin(np.arange(5), areas).astype(np.float64)
        (low, _), (high, _) = units = exact[:, :, areas].sum(axis=2)
        true = float(4 * low / units[0].sum() - 4 * high / units[1].sum())
        pairs = [(finest[:, 4 * at : 4 * at + 2], finest[:, 4 * at + 2 : 4 * at + 4]) for at in range(200)]
        for means in (
            [number(chosen, pair, weights, "").mean for pair in pairs],
            [difference((chosen, chosen), pair, weights, "").mean for pair in pairs],
        ):
            told = [each for each in means if each is not None and each.estimate is not None]
            ends = np.array([(each.lower, each.upper) for each in told])
            assert len(told) == 200
            assert ((ends[:, 0] <= true) & (true <= ends[:, 1])).sum() >= 175
            middle, narrow = ends.mean(axis=1), (ends[:, 1] - ends[:, 0]) / 12
            assert (np.abs(middle - true) <= narrow).sum() < 175
    nothing = number(chosen, [finest[:, :2], finest[:, 2:4]], np.array([0, 0, 0, 1.0, 0]), "").mean
    assert nothing is not None
    assert -4 <= nothing.lower <= nothing.upper <= 4


def test_releases_of_other_values_are_compared_by_their_points_alone(tmp_path: Path) -> None:
    one, other = valued(tmp_path), valued(tmp_path, value={"lower": 0, "upper": 3})
    layers = np.full((5, 2), 90.0)
    stated = difference((one, other), (layers, layers), np.ones(5), "")
    assert (stated.sum, stated.mean) == (None, None)
    assert stated.points == 5 * (180 / 4 - 180 / 3)
    same = difference((one, one), (layers, 2 * layers), np.ones(5), "")
    assert same.sum is not None
    assert same.sum.lower <= -5 * 90 * (3 - 1) / 4 <= same.sum.upper
    assert same.mean is not None
    assert same.mean.estimate == 0


def test_a_difference_of_means_has_the_ends_of_both_that_hold_together(tmp_path: Path) -> None:
    """Each misses with half of the chance: of ends at 95 % each both would hold 90 % of the time."""
    chosen, half = valued(tmp_path), Fraction(195, 200)
    pair, weights = (np.full((5, 2), 90.0), np.full((5, 2), [40.0, 120.0])), np.ones(5)
    one, other = (number(chosen, [layers], weights, "", half).mean for layers in pair)
    assert one is not None
    assert other is not None
    for answer in (number(chosen, pair, weights, ""), difference((chosen, chosen), pair, weights, "")):
        assert answer.mean is not None
        assert (answer.mean.lower, answer.mean.upper) == (one.lower - other.upper, one.upper - other.lower)


@pytest.mark.parametrize("bounds", [(0, 1), (9, 10), (-3, 1)])
@pytest.mark.parametrize(("measure", "amounts"), [("epsilon", (2, 5, 7)), ("rho", (2, 4, 6))])
def test_intervals_hold_where_hardly_a_unit_has_noise(
    tmp_path: Path, measure: str, amounts: tuple[int, ...], bounds: tuple[int, int]
) -> None:
    """By the exact distribution of the noise of both layers. Deviations alone held 81 % of means, 83 % of sums."""
    value = Value(*bounds)
    chosen = valued(tmp_path, measure, value={"lower": value.lower, "upper": value.upper})
    for amount in amounts:
        scale = Fraction(2 * value.width, amount)
        noise = DiscreteLaplace(scale) if measure == "epsilon" else DiscreteGaussian(value.width * scale / 2)
        drawn, chances = masses(noise)
        likely = np.outer(chances, chances).ravel()
        for points, above in (3, 1), (10, 5), (40, 12):
            exact = np.array([above, points * value.width - above])
            both = np.stack([each.ravel() for each in np.meshgrid(drawn, drawn)], axis=1) + exact
            estimate = Estimated(both * 1.0, np.full(both.shape, standard_deviation(noise) ** 2))
            total = above + points * value.lower
            _, *means = means_of(value, estimate, deviations(chosen, 1 - LEVEL))
            for (low, high), true in ((means, total / points), (ends_of_sums(chosen, estimate, 0), total)):
                assert likely[((low <= true) & (true <= high)).reshape(-1)].sum() >= float(LEVEL)


@pytest.mark.parametrize("sign", [1, -1])
def test_noise_of_the_least_budgets_leaves_ends_of_sums_within_64_bits(tmp_path: Path, sign: int) -> None:
    bounds = sorted((sign * ((1 << 30) - 1), sign << 30))
    chosen = valued(tmp_path, "epsilon", "1/100000000", value=dict(zip(("lower", "upper"), bounds, strict=True)))
    counts = np.array([[2.0**36, 2.0**36], [-(2.0**36), -(2.0**36)], [0.0, 0.0]])
    ends = np.array(ends_of_sums(chosen, Estimated(counts, np.full(counts.shape, 2.0**62)), 0)).astype(np.int64)
    assert (ends[0] <= ends[1]).all()
    assert np.abs(ends).max() == 1 << 62
    assert (ends[0, 2], ends[1, 2]) == ((0, 1 << 62) if sign > 0 else (-(1 << 62), 0)), "around nothing"
