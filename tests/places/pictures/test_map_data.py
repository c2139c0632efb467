"""The file that a map's script reads: every number of the release is in it, in the narrowest kind that holds it."""

import doctest
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from starling.pages.packing import packed
from starling.places.answers.cover import FreshCover
from starling.places.answers.sure import Surety
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.singular import of_cells
from starling.places.pictures import map_data
from starling.places.pictures.map_data import BLANK, encoded, has_intervals
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from tests.places.pictures.worlds import ALONE, GRID, HIGH, NAMES, SHOWN, WIDE, decoded, measured


def test_cells_measurements_and_noises_of_every_slice_are_in_it() -> None:
    facts, arrays = decoded(encoded(SHOWN))
    assert [each["name"] for each in facts["slices"]] == list(NAMES)
    assert (facts["rows"], facts["columns"], facts["high"], facts["wide"], facts["fold"]) == (HIGH, WIDE, HIGH, WIDE, 1)
    assert facts["box"] == [-10, 38, 30, 54]
    assert facts["missing"] == 0.05
    for number, of in enumerate(SHOWN.slices):
        assert np.array_equal(arrays[f"{number}.cells"].reshape(HIGH, WIDE), of.grid)
        cover = FreshCover(measured(number))
        for name in ("south", "east", "fresh", "fresh_noise", "steered", "steered_noise", "cover", "looked"):
            assert np.array_equal(arrays[f"{number}.{name}"], cover.nodes[name])
        assert arrays[f"{number}.children"].sum() == len(cover.nodes) - 1
        assert facts["slices"][number]["noises"]["wide_scales"] == [2, 15, 7.5]


def test_boxes_are_marked_where_their_interval_holds_nothing() -> None:
    _, arrays = decoded(encoded(ALONE))
    says, ends = (
        arrays["0.says"],
        np.stack([arrays[f"0.{side}"] for side in ("west", "south", "east", "north")], axis=1),
    )
    tiles = ends[says > 0]
    assert ((tiles[:, 2] - tiles[:, 0]) * (tiles[:, 3] - tiles[:, 1])).sum() == HIGH * WIDE
    lower = Surety([measured(0)]).of(tiles.astype(np.float64)).lower
    assert (lower == 0).tolist() == (says[says > 0] == BLANK).tolist()
    assert 0 < (lower == 0).sum() < len(lower)


def test_sums_of_typical_errors_are_off_by_two_units_at_most() -> None:
    facts, arrays = decoded(encoded(ALONE))
    known, unit = ALONE.slices[0].experience, facts["slices"][0]["typical"]["unit"]
    assert known is not None
    errors = arrays["0.errors"].reshape(known.errors.shape) * unit
    for y0, y1, x0, x1 in [(0, HIGH, 0, WIDE), (3, 20, 5, 6), (10, 11, 30, 40)]:
        off = (errors - known.errors)[:, y0:y1, x0:x1].sum(axis=(1, 2))
        assert np.abs(off).max() <= 2 * unit + 1e-9


def test_the_same_map_is_the_same_file() -> None:
    assert encoded(SHOWN) == encoded(SHOWN)


@pytest.mark.parametrize("kind", ["none", "too many", "another noise"])
def test_without_measurements_of_known_noise_boxes_stand_alone(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tree: MeasuredTree | None = measured(0)
    if kind == "none":
        tree = None
    elif kind == "too many":
        monkeypatch.setattr(map_data, "MOST_BOXES", 5)
    else:
        noise = DiscreteGaussian(Fraction(4))
        tree = of_cells((HIGH, WIDE), np.arange(HIGH * WIDE), DiscreteLaplace(Fraction(4)))
        tree = replace(tree, noises=(noise,))
    (of,) = ALONE.slices
    changed = replace(of, measured=tree)
    assert not has_intervals(changed.measured)
    facts, arrays = decoded(encoded(replace(ALONE, slices=[changed])))
    assert facts["slices"][0]["noises"] is None
    assert np.array_equal(arrays["0.box_north"], of.boxes[:, 1])


def test_cells_of_a_large_grid_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctest.testmod(map_data).failed == 0
    monkeypatch.setattr(map_data, "MOST_CELLS", 3 * HIGH * WIDE // 4)
    assert SHOWN.step == 2
    facts, arrays = decoded(encoded(SHOWN))
    assert (facts["rows"], facts["columns"], facts["fold"]) == (HIGH // 2, WIDE // 2, 2)
    assert arrays["1.cells"].sum() == pytest.approx(SHOWN.slices[1].grid.sum())


def test_arrays_begin_at_multiples_of_eight_bytes_whatever_their_kinds() -> None:
    given = {"a": np.array([1, 2, 3]), "b": np.array([0.5]), "c": np.array([[-300]]), "d": np.empty(0, dtype=np.int64)}
    facts, arrays = decoded(packed({"grid": str(GRID.box)}, given))
    assert [kind for kind, _, _ in facts["arrays"].values()] == ["i1", "f8", "i2", "i1"]
    assert all(offset % 8 == 0 for _, offset, _ in facts["arrays"].values())
    assert all(np.array_equal(arrays[name], array.reshape(-1)) for name, array in given.items())
