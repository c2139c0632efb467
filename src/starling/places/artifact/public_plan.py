"""What is public of a release, in its folder: the plan, and the noisy measurements of each slice, as they were drawn.

plan/plan.json                  every choice
measurements/slices.json        for each slice how many boxes, counts and other values there are, and which noise they have
measurements/boxes.parquet      boxes of cells, slice after slice, each after its parent
measurements/counts.parquet     noisy counts of boxes, slice after slice
measurements/values.parquet     other noisy values: of searches for cuts, or coefficients of a transform
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from starling.errors import ParameterError
from starling.places.answers.cover import SIDES
from starling.places.arrays import Int64
from starling.places.artifact.plan_files import MEASUREMENTS, PLAN, has_nulls, read_rows
from starling.places.measurements import Measured, MeasuredCoefficients, MeasuredTree, Tree
from starling.places.mechanism.privlet import coefficients_of_a_point
from starling.places.mechanism.singular import of_cells
from starling.places.plan import Plan
from starling.privacy.compiled import compiled
from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution
from starling.release import public_json
from starling.release.checks import InvalidRelease
from starling.release.codec import decode, encode
from starling.release.encrypted import Create

SLICES: Final = f"{MEASUREMENTS}/slices.json"
BOXES: Final = f"{MEASUREMENTS}/boxes.parquet"
COUNTS: Final = f"{MEASUREMENTS}/counts.parquet"
VALUES: Final = f"{MEASUREMENTS}/values.parquet"
FILES: Final = {
    BOXES: pa.schema([*((side, pa.int32()) for side in SIDES), ("parent", pa.int64())]),
    COUNTS: pa.schema([("box", pa.int64()), ("value", pa.int64()), ("noise", pa.int16()), ("steered", pa.bool_())]),
    VALUES: pa.schema([("value", pa.int64())]),
}
TITLES: Final = {
    BOXES: "Boxes of cells whose points were measured, slice after slice",
    COUNTS: "Noisy numbers of points of boxes, slice after slice",
    VALUES: "Other noisy values: of searches for cuts, or coefficients of a transform",
}
WORDS: Final = {
    "south": "First row of cells; row 0 is the southernmost",
    "north": "Row after the last",
    "west": "First column of cells; column 0 is the westernmost",
    "east": "Column after the last",
    "parent": "Number of the box that it was cut from, from 0 in each slice; -1 for the whole grid",
    "box": "Number of the box, from 0 in each slice",
    "value": "Noisy value; may be negative",
    "noise": "Number of its noise in the list of the slice, from 0",
    "steered": "Whether later cuts depend on it",
}
SLACK: Final = 1e-9
"""Rounding of a sum of costs, relative."""
Numbers: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class TreeOf:
    """A measured tree without its numbers: how many of each there are, and the scales of its discrete Laplace noises."""

    boxes: int
    counts: int
    values: int
    scales: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class CoefficientsOf:
    """Measured coefficients of a padded grid without their numbers; the scale is that of the discrete Laplace noise."""

    rows: int
    columns: int
    scale: Fraction


@dataclass(frozen=True, slots=True)
class SlicesFile:
    """What slices.json states, in the order of the plan."""

    slices: tuple[TreeOf | CoefficientsOf, ...]


def write_plan(folder: Path, plan: Plan) -> None:
    """Write the plan below `folder`."""
    (folder / "plan").mkdir()
    public_json.write(folder, PLAN, encode(Plan, plan))


def read_plan(folder: Path) -> Plan:
    """What `write_plan` wrote. Raises IntegrityError where the file is not what it writes, and PlanError where it states a plan that cannot
    be.
    """
    plan: Plan = public_json.read(folder, PLAN, partial(decode, Plan), partial(encode, Plan))
    return plan


def write_measurements(create: Create, _: Plan, measured: Sequence[Measured]) -> None:
    """Write the measurements of all slices; `create` makes the files."""
    stated = SlicesFile(tuple(_stated(each) for each in measured))
    with create(SLICES) as file:
        file.write(public_json.form(encode(SlicesFile, stated)).encode())
    for name, schema in FILES.items():
        with create(name) as file, pq.ParquetWriter(file, schema, compression="zstd", write_statistics=False) as writer:
            for each in measured:
                writer.write_table(pa.table(_columns(name, each), schema))


def _stated(measured: Measured) -> TreeOf | CoefficientsOf:
    if isinstance(measured, MeasuredCoefficients):
        rows, columns = measured.value.shape
        return CoefficientsOf(rows, columns, _scale(measured.noise))
    counts, values = len(measured.value), len(measured.searched)
    return TreeOf(len(measured.tree.parents), counts, values, tuple(map(_scale, measured.noises)))


def _scale(noise: Distribution) -> Fraction:
    assert isinstance(noise, DiscreteLaplace)
    return noise.scale


def _columns(name: str, measured: Measured) -> list[Numbers]:
    if isinstance(measured, MeasuredCoefficients):
        return [measured.value.reshape(-1)] if name == VALUES else [np.empty(0, np.int64) for _ in FILES[name]]
    if name == BOXES:
        return [*(np.ascontiguousarray(side) for side in measured.tree.boxes.T), measured.tree.parents]
    if name == COUNTS:
        return [measured.node, measured.value, measured.noise, measured.steered]
    return [measured.searched]


def read_measurements(folder: Path, plan: Plan) -> tuple[Measured, ...]:
    """What `write_measurements` wrote. Raises InvalidRelease where a file is not what it writes, a tree is none of the grid, or a path of
    it spent more than the plan's epsilon.
    """
    stated: SlicesFile = public_json.read(folder, SLICES, partial(decode, SlicesFile), partial(encode, SlicesFile))
    if len(stated.slices) != len(plan.slice_names):
        raise InvalidRelease(MEASUREMENTS, SLICES, "has another number of slices than the plan")
    files = {name: _Rows(folder, name) for name in FILES}
    slices = tuple(_read(plan, each, files) for each in stated.slices)
    for each in files.values():
        each.check_end()
    if plan.method == "singular" and not all(_is_singular(each, plan) for each in slices):
        raise InvalidRelease(MEASUREMENTS, COUNTS, "does not measure every cell once, with the noise of the plan")
    return slices


class _Rows:
    """The rows of a file of measurements, taken slice by slice."""

    def __init__(self, folder: Path, name: str) -> None:
        self._name, self._at = name, 0
        self._table = read_rows(folder, name, FILES[name])
        if has_nulls(self._table):
            raise InvalidRelease(MEASUREMENTS, name, "has a missing value")

    def take(self, rows: int) -> Iterator[Numbers]:
        """The columns of the next rows."""
        if not 0 <= rows <= len(self._table) - self._at:
            raise InvalidRelease(MEASUREMENTS, self._name, "has another number of rows than is stated")
        part = self._table.slice(self._at, rows)
        self._at += rows
        return (np.ascontiguousarray(column.to_numpy()) for column in part.columns)

    def check_end(self) -> None:
        """Raises InvalidRelease where rows are left."""
        if self._at != len(self._table):
            raise InvalidRelease(MEASUREMENTS, self._name, "has another number of rows than is stated")


def _read(plan: Plan, stated: TreeOf | CoefficientsOf, files: dict[str, _Rows]) -> Measured:
    scales = stated.scales if isinstance(stated, TreeOf) else (stated.scale,)
    if any(scale <= 0 for scale in scales):
        raise InvalidRelease(MEASUREMENTS, SLICES, "states noise of no scale")
    if isinstance(stated, CoefficientsOf):
        if (stated.rows, stated.columns) != tuple(1 << (side - 1).bit_length() for side in plan.grid.shape):
            raise InvalidRelease(MEASUREMENTS, SLICES, "states another number of coefficients than the grid has")
        if plan.units * coefficients_of_a_point(plan.grid.shape) > plan.epsilon * stated.scale:
            raise InvalidRelease(
                MEASUREMENTS, SLICES, "has coefficients whose noise costs more than the plan's epsilon"
            )
        (value,) = files[VALUES].take(stated.rows * stated.columns)
        shape = (stated.rows, stated.columns)
        return MeasuredCoefficients(plan.grid.shape, value.reshape(shape), DiscreteLaplace(stated.scale))
    *sides, parents = files[BOXES].take(stated.boxes)
    node, value, noise, steered = files[COUNTS].take(stated.counts)
    (searched,) = files[VALUES].take(stated.values)
    tree = Tree(plan.grid.shape, np.ascontiguousarray(np.stack(sides, axis=1)), parents)
    try:
        tree.check()
    except ParameterError as error:
        raise InvalidRelease(MEASUREMENTS, BOXES, error.problems[0].problem) from None
    if len(node) and not (
        0 <= node.min() <= node.max() < stated.boxes and 0 <= noise.min() <= noise.max() < len(scales)
    ):
        raise InvalidRelease(MEASUREMENTS, COUNTS, "names a box or a noise that there is not")
    if len(set(scales)) != len(scales) or len(np.unique(noise)) != len(scales):
        raise InvalidRelease(MEASUREMENTS, SLICES, "states a noise twice, or one that no measurement has")
    noises = tuple(map(DiscreteLaplace, scales))
    measured = MeasuredTree(tree, node, value, noise, noises, steered, searched)
    if spent(measured, plan.units) > float(plan.epsilon) * (1 + SLACK):
        raise InvalidRelease(MEASUREMENTS, COUNTS, "has a path of boxes whose noise costs more than the plan's epsilon")
    return measured


def _is_singular(measured: Measured, plan: Plan) -> bool:
    """Whether all but the values are what "singular" gives whatever is drawn."""
    rows, columns = plan.grid.shape
    if not isinstance(measured, MeasuredTree) or len(measured.value) != rows * columns:
        return False
    expected = of_cells(plan.grid.shape, measured.value, DiscreteLaplace(plan.units / plan.epsilon))
    pairs = (zip(_columns(name, expected), _columns(name, measured), strict=True) for name in (BOXES, COUNTS))
    same = all(np.array_equal(one, other) for columns in pairs for one, other in columns)
    return same and expected.noises == measured.noises


def spent(measured: MeasuredTree, points: int) -> float:
    """The most that the counts on a path from the root to a leaf cost a unit of so many points, by their noise; rounded."""
    scales = np.array([float(_scale(noise)) for noise in measured.noises] or [1.0])
    own: npt.NDArray[np.float64] = np.zeros(len(measured.tree.parents))
    np.add.at(own, measured.node, points / scales[measured.noise])
    _add_parents(own, measured.tree.parents)
    return float(own.max())


@compiled
def _add_parents(total: npt.NDArray[np.float64], parents: Int64) -> None:
    """Make of each box's own number the sum along its path; a parent stands before its child."""
    for box in range(1, len(parents)):
        total[box] += total[parents[box]]
