"""The study of places: its queries, its errors, who wins, and what goes on where it was."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench import places_accuracy as study
from bench import places_held_out
from bench.kept import Kept
from bench.places_data import GROUPS, HELD_OUT, Box, counted, gaussian
from bench.places_methods import BEST, RIVALS, Rival, leaves
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.mechanism.singular import Singular
from starling.privacy.neighbours import ADD_REMOVE_POINT

pytestmark = pytest.mark.slow

CELLS = np.zeros((64, 32), dtype=np.int64)
CELLS[5, 7], CELLS[60, 3] = 1000, 200


def test_queries_lie_on_the_grid_and_have_their_sizes() -> None:
    asked = study.queries(CELLS, 1)
    assert tuple(asked) == (*study.LARGE, *study.SMALL)
    for kind, each in asked.items():
        assert each.shape == (study.QUERIES, 4), kind
        assert (each >= 0).all(), kind
        assert (each <= [32, 64, 32, 64]).all(), kind
        assert (each[:, :2] <= each[:, 2:]).all(), kind
    whole = asked["2 %"][(asked["2 %"] > 0).all(axis=1) & (asked["2 %"] < [32, 64, 32, 64]).all(axis=1)]
    assert np.prod(whole[:, 2:] - whole[:, :2], axis=1) == pytest.approx(0.02 * 64 * 32)


def test_small_squares_are_centred_on_points() -> None:
    small = study.queries(CELLS, 2)["side 0.24 %"]
    middle = np.floor((small[:, :2] + small[:, 2:]) / 2).astype(int)
    assert {tuple(each) for each in middle.tolist()} == {(7, 5), (3, 60)}


def test_without_noise_there_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = Rival(lambda shape, _: Singular(shape, ADD_REMOVE_POINT, Fraction(1000)), leaves)
    monkeypatch.setitem(RIVALS, "exact", exact)
    asked = study.queries(CELLS, 3)
    true = {kind: CumulativeGrid(CELLS).count(each).counts for kind, each in asked.items()}
    row = study.measured_run(CELLS, Fraction(1), "exact", asked, true)
    assert max(row["mre"].values()) == pytest.approx(0, abs=1e-9)


def test_errors_are_relative_to_what_the_study_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """A grid without points is off by the whole count: 100 % of it where it is at least 20, and less of a smaller one."""
    empty = Rival(lambda shape, epsilon: Singular(shape, ADD_REMOVE_POINT, epsilon), lambda _: np.zeros(CELLS.shape))
    monkeypatch.setitem(RIVALS, "empty", empty)
    asked = {"rand": np.array([[0.0, 0, 32, 64], [7, 5, 7.1, 5.1]]), "side 2 %": np.array([[3.0, 60, 4, 61]])}
    true = {kind: CumulativeGrid(CELLS).count(each).counts for kind, each in asked.items()}
    row = study.measured_run(CELLS, Fraction(1), "empty", asked, true)
    assert row["mre"] == pytest.approx({"rand": (100 + 100 * 10 / 20) / 2, "side 2 %": 100})
    assert row["bias"] == pytest.approx({"rand": -100, "side 2 %": -100})


def test_the_earth_movers_distance_is_that_of_city_blocks() -> None:
    one, other, third = (np.zeros((64, 128)) for _ in range(3))
    one[0, 0] = 3
    other[63, 127] = 5
    third[0, 0], third[0, 4 * 16] = 1, 1
    assert study.earth_movers_distance(one, one) == pytest.approx(0, abs=1e-9)
    assert study.earth_movers_distance(one, other) == pytest.approx(2 * 31 / 32)
    assert study.earth_movers_distance(one, third) == pytest.approx(0.5 * 16 / 32)
    assert study.earth_movers_distance(one, -one) == 1
    assert study.blocks(np.ones((64, 128))).tolist() == [[8.0] * 32] * 32


def test_who_wins_and_by_far() -> None:
    kinds = (*study.LARGE, *study.SMALL)
    rows = [
        {"data": "uber", "epsilon": "0.1", "method": method, "run": run, "mre": dict.fromkeys(kinds, value)}
        for method, values in {"one": (1.0, 2.0), "two": (3.0, 4.0), "three": (1.5, 9.0)}.items()
        for run, value in enumerate(values)
    ]
    assert study.wins(rows) == {"one": (8, 0), "two": (0, 0), "three": (0, 0)}
    assert study.wins(rows[:4]) == {"one": (8, 8), "two": (0, 0)}
    oracle = [{**row, "method": f"{row['method']}*"} for row in rows]
    assert study.wins([*rows, *oracle]) == study.wins(rows)


def test_points_are_counted_where_they_lie_and_dropped_outside() -> None:
    box = Box(-10, 10, 0, 20)
    found = box.count(np.array([-10.0, 9.99, 10, -1]), np.array([0.0, 19.99, 5, 20]), 4)
    assert found.tolist() == [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
    assert counted(np.array([1.5, -0.1]), np.array([0.5, 1.0]), 2).tolist() == [[0, 1], [0, 0]]


def test_gaussians_are_those_of_their_seeds_and_held_out_sets_exist() -> None:
    one = gaussian(20, 1)
    assert (one == gaussian(20, 1)).all()
    assert (one != gaussian(20, 2)).any()
    assert 0 < one.sum() <= 1_000_000
    assert {name for sets in GROUPS.values() for name in sets} >= HELD_OUT


def test_runs_that_are_done_are_kept(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "new" / "study.part")
    kept.add([{"data": "a", "run": 0, "mre": 1.5}])
    again = Kept(tmp_path / "new" / "study.part")
    assert again.has(data="a", run=0)
    assert not again.has(data="a", run=1)


KINDS = (*study.LARGE, *study.SMALL)


def run(data: str, method: str, mre: dict[str, float]) -> dict[str, Any]:
    return {
        "data": data,
        "epsilon": "0.1",
        "method": method,
        "mre": mre,
        "bias": dict.fromkeys(KINDS, -1.0),
        "emd": 0.5,
        "seconds": 2.0,
    }


def test_an_oracle_takes_the_best_height_of_each_kind_of_query() -> None:
    best, names = next(iter(BEST.items()))
    low, high = dict.fromkeys(KINDS, 1.0), dict.fromkeys(KINDS, 5.0)
    rows = [run("uber", names[0], low | {"rand": 9.0}), run("uber", names[1], high), run("uber", "other", high)]
    refused = {"data": "uber", "epsilon": "0.1", "method": names[2], "refused": True}
    found = study.with_best([*rows, refused])
    assert [(row["method"], row["mre"]) for row in found] == [("other", high), (best, low | {"rand": 5.0})]


def test_columns_are_geometric_means_over_sets_with_the_ends_of_single_runs() -> None:
    values = {"uber": (1.0, 3.0), "crime": (8.0, 8.0), "earthquakes": (8.0, 8.0)}
    rows = [run(data, "one", dict.fromkeys(KINDS, value)) for data, both in values.items() for value in both]
    found = {row["data"]: row for row in study.summary(rows)}
    assert list(found) == ["uber", "crime", "earthquakes", "pts"]
    assert (found["uber"]["2 %"], found["uber"]["small_least"], found["uber"]["small_most"]) == (2, 1, 3)
    assert (found["pts"]["large"], found["pts"]["large_least"], found["pts"]["large_most"]) == (5.04, 4, 5.77)
    assert found["pts"]["bias_large"] == -1
    assert study.columns(["twitter", "Adult_2D"]) == {
        "twitter": ["twitter"],
        "Adult_2D": ["Adult_2D"],
        "dp2": ["twitter", "Adult_2D"],
    }


@pytest.mark.parametrize("name", RIVALS)
def test_every_rival_gives_a_grid_with_the_right_total_where_noise_is_small(name: str) -> None:
    cells = np.zeros((16, 16), dtype=np.int64)
    cells[:8, :8] = 1000
    rival = RIVALS[name]
    made = rival.grid(rival.method((16, 16), Fraction(20)).draw(cells))
    assert made.shape == (16, 16)
    assert made.sum() == pytest.approx(64_000, rel=0.01)


def test_held_out_data_are_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "places_held_out.json").write_text("{}")
    monkeypatch.setattr("sys.argv", ["places_held_out", "--out", str(tmp_path)])
    with pytest.raises(SystemExit):
        places_held_out.main()
