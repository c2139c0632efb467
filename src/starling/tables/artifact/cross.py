"""The cross tables of a release: their files of noisy numbers, a table for each set of columns, and what a release says of them.

    part                  the columns of the part, or of the table, by their names in the tables, joined by commas; empty for everybody
    region_id             the region
    values                N P x, or of tables the counts x, plus noise, 64-bit integers, the last column first

A file a level of regions, a row group a part, every region of the plan in the order of ids.
"""

from collections.abc import Iterator
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from starling.privacy import events
from starling.release.checks import FORMS, Checks, InvalidRelease
from starling.release.claims import amount
from starling.release.codec import Json
from starling.release.datapackage import Column, Sheet
from starling.release.encrypted import Create
from starling.release.table_files import Table as Published
from starling.release.table_files import Text
from starling.release.table_files import column as described
from starling.tables.artifact.columns import ACCURACY, FOLDER, GROUPS, INTEGRALITY, WORDS
from starling.tables.artifact.group_files import LABELS, Repeated, lists_of, numbers_in, reading, write_pieces
from starling.tables.inference.totals import CONFIDENCE
from starling.tables.measurements import CrossMeasurements, Int64
from starling.tables.plan import Geography, Plan
from starling.tables.plan.counting_sql import cross_answer_sql
from starling.tables.plan.cross import Cross, events_by_level, replacement
from starling.tables.plan.residuals import Table, variances
from starling.tables.postprocess.cross import REGION, column_names, has_regions, margin, schema_of, table_names
from starling.tables.postprocess.rows import coded

SCHEMA: Final = pa.schema(
    [("part", LABELS), ("region_id", LABELS), ("values", pa.large_list(pa.field("item", pa.int64(), nullable=False)))]
)
MOST_CSV_ROWS: Final = 50_000
"""A longer table is there as Parquet alone."""
CONSISTENCY: Final = "consistency"
CHECKS: Final = Checks(
    own={
        GROUPS: "measured is every part of the plan's tables in every region; published is every cell of every table",
        ACCURACY: "margins of error, standard deviations and intervals are those of the noise",
        INTEGRALITY: "every measurement is an integer",
        CONSISTENCY: "a count is what the measurements give by the plan alone, and every two tables agree",
    },
    privacy="noise and cost are the plan's, for one person more or less; nothing is exact",
    columns={"count": CONSISTENCY, **dict.fromkeys(("standard_deviation", "lower", "upper"), ACCURACY)},
    parameters={
        **dict.fromkeys(("geography", "regions"), GROUPS),
        **dict.fromkeys(("confidence", "margins_of_error"), ACCURACY),
    },
    types=INTEGRALITY,
    other=GROUPS,
)
WHOLE_NUMBERS: Final = (
    "running totals are rounded to whole records, in public: tables agree exactly, and every number, also the sum of a box of cells, is off"
    " by at most half of 2 for each column, and for regions, multiplied; intervals are wider by that"
)
SOURCE: Final = "ResidualPlanner (Xiao, He, Zhang and Kifer 2023, arXiv 2305.08175), in integers"
LAPLACE: Final = "SafeTab 2022, Lemma 6: discrete Laplace noise in each cell of whole tables"


def of_plan(plan: Plan) -> Cross:
    """The cross tables of a plan that has them."""
    assert plan.cross is not None
    return plan.cross


def part_name(cross: Cross, part: Table) -> str:
    """What a part is called in the files of measurements."""
    return ",".join(column_names(cross)[column] for column in part)


def cross_path(level: int) -> str:
    """The file of the measurements of a level, in the folder of a release."""
    return f"{FOLDER}/cross-{level + 1}.parquet"


def keep_cross(
    folder: Path, create: Create, plan: Plan, geography: Geography, drawn: CrossMeasurements
) -> CrossMeasurements:
    """Write the parts as they come; what is read from `folder` once they are there.

    Raises:
        OSError: the disk is full or fails, or there are measurements already.
    """
    cross = of_plan(plan)

    def table(each: tuple[int, int, Int64]) -> tuple[int, pa.Table]:
        level, place, numbers = each
        regions = np.arange(len(numbers))
        part = part_name(cross, plan.cross_shape.parts[place])
        names = [coded(np.zeros_like(regions), (part,)), coded(regions, geography.regions[cross.levels[level]])]
        return level, pa.table([*names, lists_of(numbers, SCHEMA.field("values").type)], schema=SCHEMA)

    write_pieces(create, [(cross_path(level), SCHEMA) for level in range(len(cross.levels))], drawn, table)
    return read_cross(folder, plan, geography)


def read_cross(folder: Path, plan: Plan, geography: Geography) -> CrossMeasurements:
    """What `keep_cross` wrote; iterating raises InvalidRelease where a file is not that."""
    return Repeated(partial(_parts, folder, plan, geography))


def _parts(folder: Path, plan: Plan, geography: Geography) -> Iterator[tuple[int, int, Int64]]:
    cross, shape = of_plan(plan), plan.cross_shape
    for level, name in enumerate(cross.levels):
        path = cross_path(level)
        with reading(path), pq.ParquetFile(folder / path) as file:
            if not file.schema_arrow.equals(SCHEMA):
                raise InvalidRelease(INTEGRALITY, path, "has other columns or types than measurements")
            places = [place for place, share in enumerate(cross.shares[level]) if share]
            if file.num_row_groups != len(places):
                raise InvalidRelease(GROUPS, path, "does not hold every part of the plan's tables")
            for at, place in enumerate(places):
                part, rows = shape.parts[place], file.read_row_group(at).combine_chunks()
                expected = part_name(cross, part), geography.regions[name], shape.cells(part)
                yield level, place, _numbers(path, rows, *expected)


def _numbers(path: str, rows: pa.Table, part: str, regions: tuple[str, ...], cells: int) -> Int64:
    names = [rows[name].cast(pa.string()).to_pylist() for name in ("part", "region_id")]
    if names != [[part] * len(regions), list(regions)]:
        raise InvalidRelease(GROUPS, path, "has its parts or its regions in another order than the plan")
    values = numbers_in(rows["values"], cells)
    if values is None:
        raise InvalidRelease(FORMS, path, "has more or fewer numbers for a region than a part has")
    numbers: Int64 = values.to_numpy().reshape(len(regions), cells)
    return numbers


def tables(plan: Plan) -> tuple[Published, ...]:
    """The published tables."""
    cross, shape = of_plan(plan), plan.cross_shape
    names = column_names(cross)
    words = {
        **plan.wording.columns,
        **WORDS,
        "count": "Records: the estimate; in all tables that count the same records it adds up to the same numbers",
        "standard_deviation": "Of the noise in the count, in records",
        **{called: f"{column}: the code" for column, called in zip(cross.columns, names, strict=True)},
        **{f"{called}_label": f"{column}: the name" for column, called in zip(cross.columns, names, strict=True)},
    }
    region = REGION[:2] if has_regions(cross) else ()
    published = []
    for called, table in zip(table_names(cross), cross.tables, strict=True):
        schema = schema_of(cross, table)
        text = Text("csv", {name: name for name in schema.names}, most_rows=MOST_CSV_ROWS)
        key = (*region, *(names[column] for column in table))
        rows = shape.cells(table) * sum(shape.regions)
        title = f"Records by {cross.name(table)}" if table else "Records in all"
        published.append(Published(called, title, schema, words, key, (), (text,), rows))
    return tuple(published)


def sheets(plan: Plan) -> list[Sheet]:
    """The noisy numbers of parts, for the data package."""
    cross = of_plan(plan)
    residuals = (
        "Of each combination of values of these columns, the last column first: the records there, with noise, as whole"
        " numbers: n times each less the sum along every column of n values"
    )
    counts = "Of each combination of values of these columns, the last column first: the records there, with noise"
    of_parts = plan.measure == "rho"
    unit, measured, values = ("part", "residuals", residuals) if of_parts else ("table", "counts", counts)
    part = f"The columns of the {unit}, joined by commas; empty for everybody"
    return [
        Sheet(
            cross_path(level),
            f"Noisy {measured} of the cross tables, {name}, before post-processing, in plan order",
            (
                described("part", pa.string(), part),
                described("region_id", pa.string(), plan.wording.columns["region_id"]),
                Column("values", "array", values),
            ),
            ("part", "region_id"),
        )
        for level, name in enumerate(cross.levels)
    ]


def parameters(plan: Plan) -> dict[str, Json]:
    """What privacy.json says of the tables: noise of every part, and how far a cell of every table is off."""
    cross, shape, k = of_plan(plan), plan.cross_shape, plan.records_of_one
    noise = events_by_level(plan, cross, shape)
    names, spread = table_names(cross), variances(shape, cross.shares)
    return {
        "name": "residuals of cross tables" if plan.measure == "rho" else "whole cross tables",
        "source": SOURCE if plan.measure == "rho" else LAPLACE,
        "confidence": str(CONFIDENCE),
        "counting": {
            "sql": cross_answer_sql("records", "", len(cross.columns)),
            "tables": {
                "records": "a row for each record that has an area and a value of every column, of all of them, or of a part at a time,"
                f" whose counts are added: region, in {cross.levels[-1]}; x0, x1, ... its values of {', '.join(cross.columns)}"
            },
        },
        "replace_one": amount(replacement(cross, shape)),
        **({"whole_numbers": WHOLE_NUMBERS} if cross.whole else {}),
        "levels": [
            {
                "geography": name,
                "measurements": cross_path(level),
                "regions": shape.regions[level],
                "parts": [
                    {
                        "part": part_name(cross, shape.parts[at]),
                        "budget": {plan.measure: str(cross.shares[level][at])},
                        "noise": {**events.written(event)},
                    }
                    for at, event in noise[level]
                ],
                "margins_of_error": {
                    called: margin(cross, shape, table, k * sqrt(variance))
                    for called, table, variance in zip(names, cross.tables, spread[level], strict=True)
                },
            }
            for level, name in enumerate(cross.levels)
        ],
    }
