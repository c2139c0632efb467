"""Every column of a tables release, declared once: its type, and what it says to whoever reads the data package."""

from functools import partial
from typing import Final

import pyarrow as pa

from starling.release.datapackage import Column, Sheet
from starling.release.table_files import Table, Text, column
from starling.tables.artifact.measured import measurements_path, place_of
from starling.tables.plan import Plan, labels
from starling.tables.postprocess import T1_SCHEMA, T2_SCHEMA

CENSUS: Final = {
    "region_id": "REGION_ID",
    "region_type": "REGION_TYPE",
    "iteration_code": "ITERATION_CODE",
    "age_start": "AGESTART",
    "age_end": "AGEEND",
    "sex": "SEX",
    "count": "COUNT",
}
"""Columns of the Census text, in its order, and what they are called there; T1 has no age and sex."""

WORDS: Final = {
    "region_id": "Code of the region: 1 for the nation; state, county and tract codes joined; state and place; AIANNH area",
    "region_type": "USA, STATE, COUNTY, TRACT, PLACE or AIANNH; PR-STATE, PR-COUNTY, PR-TRACT or PR-PLACE",
    "iteration_code": "Code of the characteristic iteration: a group of races or ethnicities, alone or in combination",
    "age_start": "First year of the ages, or * for all ages",
    "age_end": "Last year of the ages, or * for all ages",
    "sex": "1 male, 2 female",
    "count": "Persons: the noisy estimate",
    "standard_deviation": "Of the noise in the count, in persons",
    "lower": "Lower end, included, of an interval that holds the true count with a probability of at least 95 %",
    "upper": "Upper end, included, of the same interval",
    "post_processed": "Whether post-processing changed the count: a negative noisy number in it was published as 0, so that it is"
    " too high on average. A sum of noisy numbers as they were drawn is not marked",
    "region_name": "Name of the region: the one that was given, or what it is and where it lies",
    "iteration_name": "Name of the iteration",
    "region_kind": "What the region is, in words",
    "sex_name": "The sex, in words",
    "ages": "The ages, in words",
    "stage_1": "First noisy total, in persons, which chose the detail; missing where the plan measures a group once",
    "branch": "How many thresholds lie at or below it: 0 a bare total, 1 to 3 sex by 4, 9 or 23 ages; -1 measured once",
    "stage_2": "Second noisy measurement: 1, 8, 18 or 46 numbers of persons, sex by sex, ages ascending",
}

GROUP: Final = ("region_type", "region_id", "iteration_code")
CELL: Final = (*GROUP, "age_start", "age_end", "sex")
MEASURED: Final = {
    "region_id": pa.string(),
    "iteration_code": pa.string(),
    "stage_1": pa.int64(),
    "branch": pa.int8(),
    "stage_2": pa.large_list(pa.int64()),
}
MOST_CSV_ROWS: Final = 10_000_000
"""A longer table is there as Parquet, and in the Census format, alone."""


def tables(most_csv_rows: int = MOST_CSV_ROWS) -> tuple[Table, Table]:
    """T1 and T2. The Census format is as SafeTab-P writes it: codes and numbers alone, none of which can hold the delimiter."""
    return (
        _table("t1", "T1: totals of population groups", T1_SCHEMA, GROUP, most_csv_rows),
        _table("t2", "T2: population groups by sex and age", T2_SCHEMA, CELL, most_csv_rows),
    )


def _table(name: str, title: str, schema: pa.Schema, key: tuple[str, ...], most_csv_rows: int) -> Table:
    names = labels.columns(schema.names)
    csv = {column: column for column in (*schema.names, *names)}
    census = {column: called for column, called in CENSUS.items() if column in schema.names}
    texts = (
        Text("csv", csv, most_rows=most_csv_rows, worded=partial(labels.with_text, chosen=names)),
        Text("txt", census, "|", quoted=False, title=", in the format of the Census Bureau"),
    )
    return Table(name, title, schema, WORDS, key, texts=texts)


def measured_sheets(plan: Plan) -> list[Sheet]:
    """The measurements of a release, and of those that it adds to, for its data package."""
    names = ["before post-processing, in plan order"]
    names += [f"by the earlier release of request {each.request_id}" for each in plan.variants.releases]
    columns = tuple(
        Column(name, "array", WORDS[name])
        if name == "stage_2"
        else column(name, kind, WORDS[name], required=name != "stage_1")
        for name, kind in MEASURED.items()
    )
    return [
        Sheet(
            measurements_path(level, place_of(back)),
            f"Noisy measurements of level {level.name} {which}",
            columns,
            GROUP[1:],
        )
        for back, which in enumerate(names)
        for level in plan.levels
    ]
