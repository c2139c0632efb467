"""A preview: what it invents, what it tries, what it refuses, and that it finds what is nearer."""

from typing import Any

import pytest

from starling.errors import ParameterError, PlanError
from starling.places.measurements import Measured
from starling.places.plan import Plan
from starling.places.plan.choices import Purpose
from starling.places.postprocess import Estimate, estimate
from starling.places.preview import CITY, EVERYWHERE, GATHERED, WORLDS, Error, Preview, preview, variants
from tests.places.plans import plan

GRID = {"grid": {"box": ["0", "0", "64", "64"], "crs": "plain", "crs_name": "cells", "rows": 64, "columns": 64}}
ADAPTIVE = {"method": {"name": "adaptive"}, "expected": 20_000}


@pytest.fixture(scope="module")
def seen() -> Preview:
    return preview(plan(GRID, ADAPTIVE), sizes=(5.0, 50.0), trials=2)


def test_the_plan_and_other_methods_are_tried_in_all_worlds(seen: Preview) -> None:
    assert seen.own == "adaptive"
    assert {"adaptive for streets", "adaptive_grid", "uniform_grid of 32", "singular"} <= set(seen.plans)
    assert all(list(errors) == [GATHERED, EVERYWHERE, CITY] for errors in seen.errors.values())
    # Of squares smaller than its boxes a coarse grid knows little where points gather; the noise of single cells is small beside that.
    coarse, cells = (seen.errors[label][GATHERED][0].points for label in ("uniform_grid of 16", "singular"))
    assert coarse > 2 * cells


def test_what_is_best_is_said_as_the_plan_file_would() -> None:
    errors = {world: (Error(3.0, 2.0),) for world in WORLDS}
    better = {world: (Error(3.0, 0.5),) for world in WORLDS}
    own, other = plan(ADAPTIVE), plan({"method": {"name": "uniform_grid", "boxes": 2}})
    created = Preview(own, 5, (1.0,), {"adaptive": own, "coarse": other}, {"adaptive": errors, "coarse": better})
    assert created.best == "coarse"
    assert created.why().endswith('that of adaptive is 4 times as large ([method] name = "uniform_grid", boxes = 2)')
    near = {world: (Error(3.0, 1.99),) for world in WORLDS}
    assert Preview(own, 5, (1.0,), created.plans, {"adaptive": errors, "coarse": near}).best == "adaptive"
    apart = {**errors, CITY: (Error(3.0, 1.0),)}
    in_a_city = Preview(own, 5, (1.0,), created.plans, {"adaptive": errors, "coarse": {**near, CITY: apart[CITY]}})
    assert (in_a_city.best_in(EVERYWHERE), in_a_city.best_in(CITY)) == ("adaptive", "coarse")
    assert in_a_city.why().startswith("coarse has the least error")
    slower = Preview(own, 5, (1.0,), created.plans, {"adaptive": apart, "coarse": errors})
    assert slower.why() == "the plan's method, adaptive, has the least error for these sizes, as far as can be told"
    other_way = {**better, CITY: (Error(3.0, 6.0),)}
    assert (
        Preview(own, 5, (1.0,), created.plans, {"adaptive": errors, "coarse": other_way})
        .why()
        .endswith("; of points in a city it is adaptive")
    )
    # Points that lie everywhere are weighed only where nothing else is simulated.
    flat = {**errors, EVERYWHERE: (Error(3.0, 0.1),)}
    assert Preview(own, 5, (1.0,), created.plans, {"adaptive": errors, "coarse": flat}).best == "adaptive"
    only = {label: {EVERYWHERE: each[EVERYWHERE]} for label, each in (("adaptive", errors), ("coarse", flat))}
    assert Preview(own, 5, (1.0,), created.plans, only).best == "coarse"
    alone = Preview(own, 5, (1.0,), {"adaptive": own}, {"adaptive": errors})
    assert alone.why() == "the plan's method, adaptive, has the least error for these sizes, as far as can be told"
    assert alone.sections()[0].tables[0].rows == (("adaptive", "3 (2 %)"),)


def test_a_slice_has_its_part_of_the_points(seen: Preview) -> None:
    assert seen.expected == 20_000
    parts = {
        "input": {"time": "t"},
        "slices": {"bounds": ["2020-01-01", "2020-02-01", "2020-03-01"], "names": ["a", "b"]},
    }
    assert preview(plan(ADAPTIVE, parts), sizes=(50.0,), trials=1).expected == 10_000


def test_a_plan_that_says_no_number_of_points_and_impossible_sizes_are_refused() -> None:
    chosen: Plan = plan(GRID)
    with pytest.raises(PlanError, match="expected is missing"):
        preview(chosen)
    for sizes in ((), (0.0,), (101.0,), (float("nan"),)):
        with pytest.raises(ParameterError, match="sizes are not all above 0"):
            preview(chosen, expected=10, sizes=sizes)
    large = plan({"grid": {**GRID["grid"], "rows": 4096, "columns": 4096}})
    with pytest.raises(PlanError, match="16,777,216 cells"):
        preview(large, expected=10)


@pytest.mark.series(3)
@pytest.mark.parametrize("worlds", [tuple(WORLDS), (CITY,), [EVERYWHERE, GATHERED]])
@pytest.mark.parametrize("trials", [1, 3])
def test_a_first_look_draws_one_release_of_each_method_in_each_world(
    worlds: tuple[str, ...], trials: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a preview costs is counted in releases, not in seconds."""
    estimated: list[str] = []

    def counted(method: str, measured: Measured, purpose: Purpose) -> Estimate:
        estimated.append(method)
        return estimate(method, measured, purpose)

    monkeypatch.setattr("starling.places.preview.estimate", counted)
    chosen = plan(GRID, ADAPTIVE)
    tried = dict(variants(chosen))
    seen = preview(chosen, sizes=(50.0,), worlds=worlds) if trials == 1 else preview(chosen, trials=3, worlds=worlds)
    assert len(estimated) == len(tried) * len(worlds) * trials
    assert (seen.trials, set(seen.worlds), set(seen.plans)) == (trials, set(worlds), set(tried))


@pytest.mark.slow
def test_a_preview_of_a_dense_city_advises_no_tree_for_single_cells() -> None:
    city = {"grid": {**GRID["grid"], "box": ["0", "0", "256", "256"], "rows": 256, "columns": 256}}
    seen = preview(plan(city, ADAPTIVE, {"privacy": {"epsilon": "0.1"}}), expected=4_000_000, sizes=(0.24,))
    # The tree's error is some four times as large, one simulation apart from the next by a few percent.
    assert seen.best_in(CITY) == "singular"


@pytest.mark.parametrize("changes", [{"trials": 0}, {"trials": 101}, {"worlds": ()}, {"worlds": ("a village",)}])
def test_impossible_trials_and_worlds_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"{next(iter(changes))} are not"):
        preview(plan(GRID, ADAPTIVE), **changes)
