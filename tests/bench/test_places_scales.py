"""Ratios of studies of places: of means over runs, geometric over data sets; cases in which advice is near."""

import pytest

from bench.kept import Row
from bench.places_advice import part_near
from bench.places_scales import AREA, SIDES, limits, name_of, summary

KINDS = (*map(name_of, SIDES), AREA)
ERRORS = {"earlier": 4.0, "all": 2.0, "streets": 1.0, "64 boxes": 8.0, "single cells": 0.5}


def rows(data: str, times: float) -> list[Row]:
    """Two runs of each method on a data set, half and one and a half times as far off."""
    return [
        {
            "data": data,
            "epsilon": "0.1",
            "method": method,
            "mre": dict.fromkeys(KINDS, run * error * (times if method == "all" else 1)),
            "bias": dict.fromkeys(KINDS, 3.0),
        }
        for run in (0.5, 1.5)
        for method, error in ERRORS.items()
    ]


def test_ratios_are_geometric_means_over_data_sets_of_means_over_runs() -> None:
    found = {(row["data"], row["squares"]): row for row in summary([*rows("uber", 1), *rows("twitter", 4)])}
    assert found["all", name_of(0.24)]["all / before"] == 1.0
    assert found["DPBench", AREA]["all / before"] == 2.0
    assert found["uber", name_of(0.24)]["streets / best uniform grid"] == 2.0
    assert found["uber", name_of(0.24)]["all bias"] == 3.0
    small, large, streets = (each.measured for each in limits([*found.values()]))
    assert [small, large, streets] == pytest.approx([1.0 / 0.75, 2.0, 2.0])


def test_advice_is_near_within_a_tenth() -> None:
    seen = [{"advised_seen": each, "best_seen": 1.0} for each in (1.0, 1.05, 1.2, 3.0)]
    assert part_near(seen) == pytest.approx(0.5)
