"""Every column of a tables release, declared once: its type, and what it says to whoever reads the data package."""

from collections.abc import Mapping, Sequence
from typing import Final

import pyarrow as pa

from starling.release.datapackage import Column, Sheet
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

TYPES: Final = ((pa.types.is_boolean, "boolean"), (pa.types.is_integer, "integer"), (pa.types.is_floating, "number"))

GROUP: Final = ("region_type", "region_id", "iteration_code")
CELL: Final = (*GROUP, "age_start", "age_end", "sex")
MEASURED: Final = ("region_id", "iteration_code", "stage_1", "branch", "stage_2")
TABLES: Final = {
    "t1": ("T1: totals of population groups", T1_SCHEMA, GROUP),
    "t2": ("T2: population groups by sex and age", T2_SCHEMA, CELL),
}
"""Title, columns and key of each table."""


def sheets(
    plan: Plan, paths: dict[str, str], csv: tuple[str, ...], earlier: Sequence[Mapping[str, str]]
) -> list[Sheet]:
    """The tables of a release for its data package.

    Args:
        plan: Of the release.
        paths: File of the measurements of each level, by the level's name.
        csv: Tables that are there as CSV too: "t1", "t2".
        earlier: As `paths`, of each release that this one adds to, the last first.
    """
    found: list[Sheet] = []
    for name, (title, schema, key) in TABLES.items():
        columns = tuple(_column(field.name, field.type) for field in schema)
        found.append(Sheet(f"data/{name}.parquet", title, columns, key))
        if name in csv:
            words = tuple(_column(column, pa.string()) for column in labels.columns(schema.names))
            found.append(Sheet(f"data/{name}.csv", title, (*columns, *words), key, delimiter=","))
        census = tuple(
            _column(column, schema.field(column).type, text)
            for column, text in CENSUS.items()
            if column in schema.names
        )
        census_key = tuple(CENSUS[column] for column in key)
        found.append(
            Sheet(f"data/{name}.txt", f"{title}, in the format of the Census Bureau", census, census_key, delimiter="|")
        )
    for level in plan.levels:
        title = f"Noisy measurements of level {level.name} before post-processing, in plan order"
        found.append(Sheet(paths[level.name], title, tuple(map(_measured, MEASURED)), GROUP[1:]))
    for top_up, files in zip(plan.variants.releases, earlier, strict=True):
        for level in plan.levels:
            title = f"Noisy measurements of level {level.name} by the earlier release of request {top_up.request_id}"
            found.append(Sheet(files[level.name], title, tuple(map(_measured, MEASURED)), GROUP[1:]))
    return found


def _column(name: str, kind: pa.DataType, called: str = "") -> Column:
    return Column(called or name, next((word for is_it, word in TYPES if is_it(kind)), "string"), WORDS[name])


def _measured(name: str) -> Column:
    types = {"stage_1": "integer", "branch": "integer", "stage_2": "array"}
    return Column(name, types.get(name, "string"), WORDS[name], required=name != "stage_1")
