"""Invented groups as the files that a release reads: records, regions, and a note that says they are invented.

Memory holds the cells and some rows, however many groups there are.
"""

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from starling.engine.new_folder import new_folder
from starling.errors import ParameterError
from starling.groups.generate import ORDER, World, stream
from starling.groups.optimise.tree import Int64
from starling.groups.plan import Kind, Plan
from starling.groups.plan.regions import regions_text
from starling.groups.plan.register import read_register
from starling.planfile.invented import NOTE, PLAN, write_note
from starling.release.described import Generated
from starling.text_format import PLAIN, TextFormat

Format: TypeAlias = Literal["csv", "parquet"]

REGIONS: Final = "regions.csv"
NOTICE: Final = (
    "Invented data. No group or member of one is described: every size was drawn from the public seed below. Tables made from it are no "
    "statistics of any place."
)
ROWS: Final = 1 << 20
"""Rows that are written at a time."""


def write(
    world: World,
    out: Path,
    *,
    seed: int,
    kind: Kind = "groups",
    format: Format = "parquet",
    plan: Plan | None = None,
) -> Generated:
    """Write an invented world into the folder `out`.

    Args:
        world: The groups.
        out: Folder to make; must not exist.
        seed: What the world was made from.
        kind: "groups": region, size; "counts": region, size, groups; "persons": person, group; "events": group.
        format: Of the records: "csv", as `[format]` of the plan says them, or "parquet".
        plan: The plan that the world was made for; persons and events need one, with a register.

    Raises:
        ParameterError: there is no such kind or format, or no register where one is needed.
        OutputError: when `out` exists or cannot be written.
    """
    if format not in ("csv", "parquet"):
        raise ParameterError("format", "is not csv or parquet", 'write "parquet"')
    batches = _batches(world, seed, kind, plan)
    note = {
        "seed": seed,
        "levels": dict(zip(world.regions.levels, map(len, world.regions.ids), strict=True)),
        "groups": world.groups,
        "members": world.members,
        "numpy": np.__version__,
    }
    with new_folder(out) as folder:
        (folder / REGIONS).write_text(regions_text(world.regions), encoding="utf-8")
        _write_rows(batches, folder / f"{kind}.{format}", format, PLAIN if plan is None else plan.format)
        if plan is None:
            (folder / PLAN).write_text(_plan_text(world, kind), encoding="utf-8")
        write_note(folder, NOTICE, note)
    sizes = {"groups": world.groups, "members": world.members, "leaves": len(world.regions.leaves)}
    files = {"records": out / f"{kind}.{format}"}
    return Generated(files, out / NOTE, sizes, out / PLAN if plan is None else None)


def write_records(world: World, path: Path, *, seed: int, kind: Kind, plan: Plan) -> None:
    """Write the records of an invented world alone, as Parquet; arguments as those of `write`. Raises OSError."""
    _write_rows(_batches(world, seed, kind, plan), path, "parquet")


def _batches(world: World, seed: int, kind: Kind, plan: Plan | None) -> Iterator[pa.RecordBatch]:
    """The records: a row for each group, in an order that the seed shuffles within a leaf, for each size of a leaf, or for each member."""
    if kind == "groups":
        return (_batch(world, leaf, {"size": size}) for leaf, size in _sizes(world, seed))
    if kind == "counts":
        leaf, size = np.nonzero(world.leaves)
        return iter([_batch(world, leaf, {"size": size, "groups": world.leaves[leaf, size]})])
    register = None if plan is None or plan.register is None else plan.register.path
    if plan is None or register is None:
        raise ParameterError("kind", "is none of groups and counts", "give a plan with a register")
    listed = read_register(register, plan.format)[0]
    place = pc.index_in(listed["region"], pa.array(plan.regions.leaves, pa.string()))
    names = listed["group"].take(pc.array_sort_indices(place.combine_chunks())).combine_chunks()
    return _member_batches(world, seed, names, kind, plan.quantity > 1)


def _plan_text(world: World, kind: Kind) -> str:
    """A plan file for a world: pure epsilon 1 for a member, split equally over the levels."""
    return f'''title = "{world.title}"
group = "{world.group}"
member = "{world.member}"

[regions]
file = "{REGIONS}"
levels = {json.dumps(world.regions.levels)}

[sizes]
largest = {world.leaves.shape[1] - 1}

[totals]
public = "root"
groups = {world.groups}

[input]
kind = "{kind}"

[privacy]
unit = "member"
neighbours = "add-remove"
epsilon = "1"
'''


def _member_batches(world: World, seed: int, names: pa.Array, kind: Kind, quantity: bool) -> Iterator[pa.RecordBatch]:
    """One row a member: group, for persons led by person, perhaps followed by a quantity, which is 1; `names` has all groups, leaf by
    leaf.
    """
    before = people = 0
    for _, size in _sizes(world, seed):
        ends = np.cumsum(size)
        members = int(ends[-1]) if len(ends) else 0
        for first in range(0, max(members, 1), ROWS):
            rows = np.arange(first, min(first + ROWS, members))
            group = names.take(pa.array(before + np.searchsorted(ends, rows, side="right")))
            person = {"person": pa.array(people + rows).cast(pa.string())} if kind == "persons" else {}
            amount = {"quantity": pa.array(np.ones(len(rows), dtype=np.int64))} if quantity else {}
            yield pa.record_batch({**person, "group": group, **amount})
        before, people = before + len(size), people + members


def _write_rows(batches: Iterator[pa.RecordBatch], path: Path, format: Format, form: TextFormat = PLAIN) -> None:
    """Write batches, of which there is one at least, to a file; `form` is how text says them."""
    first = next(batches)
    if format == "parquet":
        with pq.ParquetWriter(path, first.schema) as file:
            for batch in chain([first], batches):
                file.write_batch(batch)
        return
    with path.open("xb") as lines:
        lines.write(form.beginning)
        for place, batch in enumerate(chain([first], batches)):
            text = pa.BufferOutputStream()
            pacsv.write_csv(batch, text, pacsv.WriteOptions(include_header=place == 0, delimiter=form.mark))
            encoded = text.getvalue().to_pybytes()
            lines.write(encoded if form.encoding == PLAIN.encoding else form.encode(encoded.decode()))


def _sizes(world: World, seed: int) -> Iterator[tuple[Int64, Int64]]:
    """Leaf and size of each group, leaf by leaf, within one in an order that the seed shuffles; one array each at least."""
    rng = stream(seed, ORDER)
    leaf, size = np.nonzero(world.leaves)
    ends = np.cumsum(world.leaves[leaf, size])
    for first in range(0, max(world.groups, 1), ROWS):
        rows = np.arange(first, min(first + ROWS, world.groups))
        cell = rng.permutation(np.searchsorted(ends, rows, side="right"))
        cell = cell[np.argsort(leaf[cell], kind="stable")]
        yield leaf[cell], size[cell]


def _batch(world: World, leaf: Int64, columns: dict[str, Int64]) -> pa.RecordBatch:
    regions = pa.DictionaryArray.from_arrays(
        pa.array(leaf.astype(np.int32)), pa.array(world.regions.leaves, pa.string())
    )
    arrays = {name: pa.array(each) for name, each in columns.items()}
    return pa.record_batch({"region": regions.cast(pa.string()), **arrays})
