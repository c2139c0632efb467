"""The study of the paper on homogeneous trees: which methods run where, the oracle of heights, who is better, its pictures."""

import pytest

from bench import places_paper as study
from bench.places_accuracy import LARGE
from bench.places_data import GROUPS, HELD_OUT
from bench.places_pictures import EPSILONS, FAMILIES, FIGURES, PUBLISHED_STOP, STAND_INS, best_of
from starling.places.mechanism.htf import Htf

pytestmark = pytest.mark.slow


def rows_of(values: dict[str, float], data: str = "uber", epsilon: str = "0.1") -> list[dict[str, object]]:
    rows = [
        {"data": data, "epsilon": epsilon, "method": method, "run": run, "mre": dict.fromkeys(LARGE, value + run)}
        for method, value in values.items()
        for run in range(2)
    ]
    return study.summary(rows)


def test_a_summary_has_the_ends_of_runs() -> None:
    (row,) = rows_of({"PrivTree": 3.0})
    assert (row["rand"], row["rand least"], row["rand most"], row["runs"]) == (3.5, 3, 4, 2)


def test_the_best_height_is_an_oracle() -> None:
    rows = rows_of(
        {"kd uniform, height 4": 9.0, "kd uniform, height 8": 5.0, "kd geometric, height 4": 1.0, "PrivTree": 2}
    )
    assert best_of(rows, "uber", "0.1", "kd uniform", "rand")["rand"] == 5.5
    assert best_of(rows, "uber", "0.1", "PrivTree", "2 %")["rand"] == 2.5


def test_who_is_better_and_surely_so() -> None:
    values = dict.fromkeys(study.OTHERS, 5.0) | {f"{each}, height 8": 5.0 for each in FAMILIES}
    rows = rows_of(values | {"HTF 5e-4": 4.5, "PrivTree": 1.0, "Singular": 50.0})
    found = {row["rival"]: row for row in study.against(rows)}
    assert found["Singular"] == {"rival": "Singular", "cells": 4, "better": 4, "surely_better": 4, "surely_worse": 0}
    assert found["PrivTree"] == {"rival": "PrivTree", "cells": 4, "better": 0, "surely_better": 0, "surely_worse": 4}
    assert found["Uniform"] == {"rival": "Uniform", "cells": 4, "better": 4, "surely_better": 0, "surely_worse": 0}


def test_methods_of_all_figures_run() -> None:
    for name in (name for sets in GROUPS.values() for name in sets if name not in HELD_OUT):
        methods = study.wanted(name, "0.1")
        assert set(study.OTHERS) <= set(methods) <= set(study.METHODS)
        assert (name in STAND_INS) == (set(methods) == set(study.METHODS))
        assert all(any(method.startswith(family) for method in methods) for family in FAMILIES)
    assert "Adaptive" not in study.wanted(STAND_INS[0], "0.3")
    assert Htf.__dataclass_fields__["least_points"].default == PUBLISHED_STOP


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_drawn_from_rows(name: str) -> None:
    rows = [
        row
        for data in (*STAND_INS, "g20 seed 1", "crime")
        for epsilon in EPSILONS
        for row in rows_of({method: 5.0 + number for number, method in enumerate(study.METHODS)}, data, epsilon)
    ]
    figure = FIGURES[name](rows)
    titles = [axes.get_title() for axes in figure.axes]
    assert len(titles) == len(set(titles)) == (1 if name.startswith("places-figure6") else 6)
    assert all(axes.lines for axes in figure.axes)
