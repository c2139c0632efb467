"""Plan and measurements on the disk: what is written is read back, and what nobody writes is refused."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.errors import StarlingError
from starling.places.artifact.public_plan import (
    BOXES,
    COUNTS,
    FILES,
    SLICES,
    VALUES,
    read_measurements,
    read_plan,
    spent,
    write_measurements,
    write_plan,
)
from starling.places.measurements import Measured, MeasuredCoefficients, MeasuredTree
from starling.places.mechanism.table import mechanism_of
from starling.places.plan import METHODS, Plan
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.release.checks import InvalidRelease
from tests.places.plans import PERSON, SLICED, plan

EXACT = np.arange(16).reshape(2, 2, 4) * 10


def written(folder: Path, measured: tuple[Measured, ...]) -> Path:
    def create(name: str) -> BinaryIO:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        return (folder / name).open("wb")

    write_measurements(cast("Any", create), plan({}), measured)
    return folder


def same(one: Measured, other: Measured) -> bool:
    if isinstance(one, MeasuredCoefficients):
        return isinstance(other, MeasuredCoefficients) and np.array_equal(one.value, other.value)
    assert isinstance(other, MeasuredTree)
    pairs = [(getattr(one, name), getattr(other, name)) for name in ("node", "value", "noise", "steered", "searched")]
    pairs += [(one.tree.boxes, other.tree.boxes), (one.tree.parents, other.tree.parents)]
    equal = all(np.array_equal(*pair) and pair[0].dtype == pair[1].dtype for pair in pairs)
    return equal and one.noises == other.noises and one.tree.shape == other.tree.shape


@pytest.mark.parametrize("changes", [(), (PERSON, SLICED, {"grid": {"crs": "plain", "crs_name": "EPSG:2263"}})])
def test_a_plan_is_read_as_it_was_written(changes: tuple[Any, ...], tmp_path: Path) -> None:
    chosen = plan(*changes)
    write_plan(tmp_path, chosen)
    result = read_plan(tmp_path)
    assert (result.digest, result.title, result.grid) == (chosen.digest, chosen.title, chosen.grid)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("changes", [(SLICED,), (PERSON, SLICED)])
def test_measurements_are_read_as_they_were_drawn(method: str, changes: tuple[Any, ...], tmp_path: Path) -> None:
    chosen = plan(*changes, {"method": {"name": method}})
    drawn = mechanism_of(chosen).draw(EXACT)
    result = read_measurements(written(tmp_path, drawn), chosen)
    assert all(same(one, other) for one, other in zip(drawn, result, strict=True))
    for each in result:
        assert isinstance(each, MeasuredCoefficients if method == "privlet" else MeasuredTree)
        if isinstance(each, MeasuredTree):
            assert spent(each, chosen.points) <= float(chosen.epsilon) * (1 + 1e-9)


def test_coefficients_and_other_values_are_read_as_they_were_drawn(tmp_path: Path) -> None:
    chosen = plan(SLICED)
    (tree, _) = mechanism_of(chosen).draw(EXACT)
    assert isinstance(tree, MeasuredTree)
    object.__setattr__(tree, "searched", np.array([5, -7]))
    coefficients = MeasuredCoefficients((2, 4), np.arange(8).reshape(2, 4), DiscreteLaplace(Fraction(25, 2)))
    orders: list[tuple[Measured, ...]] = [(tree, coefficients), (coefficients, tree)]
    for drawn in orders:
        (tmp_path / "x").mkdir(exist_ok=True)
        read_as = plan(SLICED, {"method": {"name": "privlet"}})
        result = read_measurements(written(tmp_path / "x", drawn), read_as)
        assert all(same(one, other) for one, other in zip(drawn, result, strict=True))


@pytest.mark.parametrize(
    ("shape", "scale", "problem"),
    [((2, 4), 5, "costs more than the plan's epsilon"), ((2, 8), 6, "another number of coefficients"), ((2, 4), 6, "")],
)
def test_coefficients_are_those_of_the_grid_and_cost_no_more_than_the_plan(
    shape: tuple[int, int], scale: int, problem: str, tmp_path: Path
) -> None:
    """One point is in 6 coefficients of 2 x 4 cells: at epsilon 1 their noise has a scale of 6."""
    values = np.arange(shape[0] * shape[1]).reshape(shape)
    measured = MeasuredCoefficients((2, 4), values, DiscreteLaplace(Fraction(scale)))
    folder = written(tmp_path, (measured,))
    if problem:
        with pytest.raises(InvalidRelease, match=problem):
            read_measurements(folder, plan({"method": {"name": "privlet"}}))
    else:
        assert same(read_measurements(folder, plan({"method": {"name": "privlet"}}))[0], measured)


def changed(name: str, column: str, change: Callable[[Any], Any]) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        table = pq.read_table(folder / name)
        values = change(table[column].to_numpy().copy())
        at = table.column_names.index(column)
        table = table.set_column(at, FILES[name].field(column), pa.array(values, FILES[name].field(column).type))
        pq.write_table(table, folder / name)

    return act


def first(value: int) -> Callable[[Any], Any]:
    def change(values: Any) -> Any:
        values[0] = value
        return values

    return change


def restated(change: Callable[[Any], None]) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        stated = json.loads((folder / SLICES).read_text())
        change(stated["slices"])
        (folder / SLICES).write_text(json.dumps(stated, indent=1) + "\n")

    return act


def cut(folder: Path) -> None:
    pq.write_table(pq.read_table(folder / COUNTS).slice(1), folder / COUNTS)


@pytest.mark.parametrize(
    ("act", "cause"),
    [
        (changed(BOXES, "south", first(1)), "does not begin with the whole grid"),
        (changed(BOXES, "parent", first(0)), "does not begin with the whole grid"),
        (changed(COUNTS, "box", first(99)), "names a box or a noise that there is not"),
        (changed(COUNTS, "noise", first(-1)), "names a box or a noise that there is not"),
        (changed(COUNTS, "box", lambda boxes: np.full_like(boxes, 1)), "costs more than the plan's epsilon"),
        (restated(lambda slices: slices.pop()), "another number of slices"),
        (restated(lambda slices: slices[0].update(counts=1)), "another number of rows"),
        (restated(lambda slices: slices[0].update(scales=["1/100"])), "costs more than the plan's epsilon"),
        (restated(lambda slices: slices[0].update(scales=["0"])), "noise of no scale"),
        (restated(lambda slices: slices[0].update(scales=["0.5"])), "is not as Starling writes it"),
        (cut, "another number of rows"),
        (lambda folder: (folder / VALUES).write_bytes(b"PAR1"), "cannot be read as Parquet"),
        (lambda folder: pq.write_table(pa.table({"other": [1]}), folder / VALUES), "has other columns"),
    ],
)
def test_what_nobody_writes_is_refused(act: Callable[[Path], None], cause: str, tmp_path: Path) -> None:
    chosen = plan(SLICED)
    written(tmp_path, mechanism_of(chosen).draw(EXACT))
    act(tmp_path)
    with pytest.raises(StarlingError, match=cause) as refused:
        read_measurements(tmp_path, chosen)
    assert isinstance(refused.value, InvalidRelease) or "as Starling writes it" in cause


def test_one_measurement_has_one_text(tmp_path: Path) -> None:
    chosen: Plan = plan(SLICED)
    drawn = mechanism_of(chosen).draw(EXACT)
    both = [tmp_path / name for name in "ab"]
    for folder in both:
        folder.mkdir()
        written(folder, drawn)
    assert all((both[0] / name).read_bytes() == (both[1] / name).read_bytes() for name in (SLICES, *FILES))
