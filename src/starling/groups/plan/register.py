"""The public register of a plan: the list of all groups, each with the leaf that it lies in."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from starling.errors import PlanError, Problem
from starling.groups.plan.regions import Regions
from starling.planfile.public_text import mark_of
from starling.planfile.spelling import shown
from starling.text_format import PLAIN, TextFormat

if TYPE_CHECKING:
    from starling.groups.plan.model import Plan

REGISTER: Final = ("group", "region")
_HEADER: Final = 1 << 16
"""Bytes of the first line of a register."""


def read_register(path: Path, form: TextFormat) -> tuple[pa.Table, str]:
    """The columns group and region of a public register, CSV (plain, or as `form` says) or Parquet, as text; and the SHA-256 of the file.

    Raises:
        PlanError: it cannot be read so.
    """
    try:
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        if path.suffix == ".parquet":
            table = pq.read_table(path, columns=list(REGISTER))
        else:
            try:
                table = _register_text(path, PLAIN.encoding, form)
            except (pa.ArrowException, KeyError):
                table = _register_text(path, form.encoding, form)
        return table.cast(pa.schema([(name, pa.string()) for name in REGISTER])), sha256
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "no CSV or Parquet with these columns"
        problem = Problem("register", f"cannot be read ({reason})", f"write {','.join(REGISTER)}", path.name)
    raise PlanError(problems=[problem])


def _register_text(path: Path, encoding: str, form: TextFormat) -> pa.Table:
    """A register in an encoding; it may be too large to be held as Python's text."""
    with path.open("rb") as file:
        mark = mark_of(file.readline(_HEADER).decode(encoding, "ignore"), form)
    options = pacsv.ConvertOptions(
        column_types={name: pa.string() for name in REGISTER}, include_columns=list(REGISTER)
    )
    return pacsv.read_csv(path, pacsv.ReadOptions(encoding=encoding), pacsv.ParseOptions(delimiter=mark), options)


def groups_of_leaves(table: pa.Table, regions: Regions, name: str) -> dict[str, int]:
    """How many groups of a register are in each leaf.

    Args:
        table: The register.
        regions: The regions of the plan.
        name: The name of the file.

    Raises:
        PlanError: it lists a group twice, in two regions, without a name, or in a region that is no leaf.
    """
    problems: list[Problem] = []
    fix = "list each group once, with the leaf that it lies in"
    if len(table) != pc.count_distinct(table["group"], mode="all").as_py():
        once = table.group_by("group").aggregate([("region", "count_distinct"), ("region", "count")])
        places = int(pc.sum(pc.greater(once["region_count_distinct"], 1)).as_py())
        repeated = int(pc.sum(pc.greater(once["region_count"], 1)).as_py()) - places
        problems += [Problem("group", f"lies in two regions, {places:,} times", fix, name)] if places else []
        problems += [Problem("group", f"is listed twice, {repeated:,} times", fix, name)] if repeated else []
    place = pc.index_in(table["region"], pa.array(regions.leaves, pa.string()))
    if place.null_count:
        unknown = shown(table["region"].filter(pc.is_null(place))[0].as_py() or "")
        problem = f"is no leaf of the plan, in {place.null_count:,} rows, as in {unknown or 'an empty one'}"
        problems.append(Problem("region", problem, fix, name))
    if table["group"].null_count or pc.any(pc.equal(table["group"], "")).as_py():
        problems.append(Problem("group", "has no name in some row", fix, name))
    PlanError.check(problems)
    totals = dict.fromkeys(regions.leaves, 0)
    return totals | {each["values"]: each["counts"] for each in pc.value_counts(table["region"]).to_pylist()}


def register_totals(plan: "Plan") -> tuple[int, ...] | None:
    """How many groups the register of a plan lists in each leaf; None where it has none.

    Raises:
        PlanError: the register cannot be read, or is not one of the plan's regions.
    """
    if plan.register is None or plan.register.path is None:
        return None
    path = plan.register.path
    return tuple(groups_of_leaves(read_register(path, plan.format)[0], plan.regions, path.name).values())
