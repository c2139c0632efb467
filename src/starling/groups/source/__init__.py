"""The confidential records: their public shape, and their rows as typed columns, part by part.

Two forms, CSV with a header and Parquet, of one file or of a folder of Parquet parts, and four kinds of records (plan/model.py):

    groups   region, size            a group in each row
    counts   region, size, groups    so many groups of that size in that region
    persons  person, group           perhaps quantity: what the person adds to the size of its group
    events   group                   perhaps quantity

Every record follows one rule, so that none can stop a run, and the rule is the same whatever other records there are. A number is what the
text or the value says, rounded down; below 0, not a number or missing, it is 0; beyond the public bound (N for sizes, q for quantities, G
for groups) it is the bound. A record whose region is no leaf of the plan, whose group is not in the register, or that has no person where
persons are asked for, is dropped, as is a record of CSV that has another number of fields than the header (engine/delimited.py). Text
writes numbers as `[format]` of the plan states.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from starling.engine.delimited import Part, labels
from starling.engine.held_records import Held, InMemory
from starling.engine.plain_text import numbers_of
from starling.engine.record_files import Records
from starling.engine.record_parts import no_label, open_tables, tables
from starling.groups.optimise.tree import Int64
from starling.groups.plan import Kind, Plan

__all__ = ["Held", "InMemory", "Records", "open_records"]

COLUMNS: Final[dict[Kind, tuple[str, ...]]] = {
    "groups": ("region", "size"),
    "counts": ("region", "size", "groups"),
    "persons": ("person", "group"),
    "events": ("group",),
}
NUMBERS: Final = ("size", "groups", "quantity")
SIZED: Final = pa.schema([("leaf", pa.int64()), ("size", pa.int64()), ("groups", pa.int64())])
EVENTS: Final = pa.schema([("name", pa.binary()), ("quantity", pa.int64())])
PERSONS: Final = pa.schema([("person", pa.binary()), *EVENTS])
SCHEMAS: Final[dict[Kind, pa.Schema]] = {"groups": SIZED, "counts": SIZED, "persons": PERSONS, "events": EVENTS}
"""What the records of each kind become."""

_NUMBER: Final = r'^[ \t]*"?[ \t]*\+?0*(?P<digits>[0-9]+)(?:\.[0-9]*)?[ \t]*"?[ \t]*$'
_DIGITS: Final = 18
"""Of a number that has 64 bits for certain."""


def open_records(data: str | Path | InMemory, plan: Plan) -> Records | Held:
    """Check the public shape of records: that they are there, their form, columns and types.

    Raises:
        SourceError: with all missing columns at once.
    """
    # A quantity is read only where the plan lets one bring more than 1.
    several = plan.kind in ("persons", "events") and plan.quantity > 1
    columns = (*COLUMNS[plan.kind], "quantity") if several else COLUMNS[plan.kind]
    fix = f"records of the kind {plan.kind} have {','.join(columns)}"
    return open_tables(data, columns, fix, _wanted, plan.format)


def register(plan: Plan) -> tuple[Path, ...]:
    """The public file that a release joins the records with, after its charge."""
    return () if plan.register is None or plan.register.path is None else (plan.register.path,)


def _wanted(name: str, kind: pa.DataType) -> str:
    """As `record_parts.Wanted` says."""
    if name in NUMBERS:
        return "" if pa.types.is_floating(kind) or pa.types.is_integer(kind) else "a number"
    return no_label(kind)


def read_part(records: Records | Held, part: Part) -> Iterator[pa.Table]:
    """The records of a part as they are: of text all columns as bytes, else as stored; raises as `tables` does."""
    return tables(records, part, tuple(name for name in records.columns if name == "region"))


def bounds(plan: Plan) -> dict[str, int]:
    """What no number of a record goes beyond, by its column: public, and the same whatever the records are."""
    return {"size": plan.largest, "groups": plan.groups, "quantity": plan.quantity}


def counted(plan: Plan, records: Records | Held, part: Part) -> Iterator[pa.RecordBatch]:
    """The records of a part as SCHEMAS has them, by the rule of all records; raises as `read_part` does."""
    for table in read_part(records, part):
        yield rows(plan, table)


def rows(plan: Plan, table: pa.Table) -> pa.RecordBatch:
    """Records as SCHEMAS has them, by the rule of all records."""
    number = {
        name: whole(numbers_of(table[name], plan.format), bound)
        for name, bound in bounds(plan).items()
        if name in table.column_names
    }
    ones = np.ones(len(table), np.int64)
    if plan.kind in ("groups", "counts"):
        leaf = leaves(plan, table["region"])
        columns = (leaf, number["size"], number.get("groups", ones))
        return pa.record_batch([pa.array(column[leaf >= 0]) for column in columns], schema=SIZED)
    named = [labels(table[name]) for name in COLUMNS[plan.kind]]
    return pa.record_batch([*named, pa.array(number.get("quantity", ones))], schema=SCHEMAS[plan.kind])


def leaves(plan: Plan, column: pa.ChunkedArray) -> Int64:
    """The leaf of each record; -1 where the plan has no such leaf."""
    names = pa.array([leaf.encode() for leaf in plan.regions.leaves], pa.binary())
    result = column.combine_chunks()
    if pa.types.is_dictionary(result.type):
        # A few names stand in many rows: each is looked up once.
        place = pc.index_in(labels(result.dictionary), names).take(result.indices)
    else:
        place = pc.index_in(labels(result), names)
    leaf: Int64 = place.fill_null(-1).cast(pa.int64()).to_numpy(zero_copy_only=False)
    return leaf


def whole(numbers: pa.Array, most: int) -> Int64:
    """Numbers by the rule of all records: rounded down, 0 where there is none, `most` where it is more."""
    plain: npt.NDArray[Any]
    if pa.types.is_integer(numbers.type):
        plain = numbers.fill_null(0).to_numpy(zero_copy_only=False)
        if plain.dtype == np.uint64:
            plain = np.minimum(plain, np.uint64(most))
        return plain.astype(np.int64).clip(0, most)
    if pa.types.is_floating(numbers.type):
        plain = numbers.cast(pa.float64()).fill_null(0).to_numpy(zero_copy_only=False)
        plain = np.floor(np.nan_to_num(plain, nan=0.0, posinf=2.0**62, neginf=0.0).clip(0, 2.0**62))
        return plain.astype(np.int64).clip(0, most)
    digits = pc.struct_field(pc.extract_regex(numbers, _NUMBER), "digits")
    long = pc.fill_null(pc.greater(pc.binary_length(digits), _DIGITS), False)
    number = pc.if_else(long, b"0", digits).cast(pa.string()).fill_null("0").cast(pa.int64())
    plain = np.minimum(number.to_numpy(zero_copy_only=False), most)
    return np.where(long.to_numpy(zero_copy_only=False), most, plain)
