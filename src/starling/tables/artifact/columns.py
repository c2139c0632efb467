"""Every column of a tables release, declared once: its type, what it says to whoever reads the data package, and its check.

What SafeTab 2022, Section 1, asks of a release of tables: each desideratum of the paper is a check that verification runs by its name. What
is compared is the release with the public plan and with its own noisy measurements, so a check holds for the folder, whatever program wrote
it, and says nothing of how the noise was drawn.
"""

from functools import partial
from typing import Final

import pyarrow as pa

from starling.release.checks import Checks
from starling.release.datapackage import Column, Sheet
from starling.release.table_files import Table, Text, column
from starling.tables.plan import Level, Plan, labels
from starling.tables.plan.detail import one_of
from starling.tables.postprocess import T1_SCHEMA, t2_schema

CENSUS: Final = {
    "region_id": "REGION_ID",
    "region_type": "REGION_TYPE",
    "iteration_code": "ITERATION_CODE",
    "count": "COUNT",
}
"""Columns of the Census text, and what they are called there; those of the detail, as AGESTART, AGEEND and SEX, stand before the last."""

WORDS: Final = {
    "count": "Persons: the noisy estimate",
    "standard_deviation": "Of the noise in the count, in persons",
    "lower": "Lower end, included, of an interval that holds the true count with a probability of at least 95 %",
    "upper": "Upper end, included, of the same interval",
    "post_processed": "Whether post-processing changed the count: a negative noisy number in it was published as 0, so that it is"
    " too high on average. A sum of noisy numbers as they were drawn is not marked",
    "region_kind": "What the region is, in words",
    "stage_1": "First noisy total, in persons, which chose the detail; missing where the plan measures a group once",
}
"""What the columns say whatever the plan."""

GROUP: Final = ("region_type", "region_id", "iteration_code")
MEASURED: Final = {
    "region_id": pa.string(),
    "iteration_code": pa.string(),
    "stage_1": pa.int64(),
    "branch": pa.int8(),
    "stage_2": pa.large_list(pa.int64()),
}
MOST_CSV_ROWS: Final = 10_000_000
"""A longer table is there as Parquet, and in the Census format, alone."""


FOLDER: Final = "data/measurements"
EARLIER: Final = "data/earlier"
"""The folder, in a release that tops up an earlier one, of what that one drew, file by file as it published it."""


def place_of(back: int) -> str:
    """The folder of the measurements that were drawn so many releases back: data/measurements, data/earlier, data/earlier-2, ..."""
    return (FOLDER, EARLIER)[back] if back < 2 else f"{EARLIER}-{back}"


def measurements_path(level: Level, place: str = FOLDER) -> str:
    """The file of the measurements of a level, in the folder of a release: data/measurements/county-2.parquet."""
    return f"{place}/{str(level.geography).lower()}-{level.iteration_level}.parquet"


def words(plan: Plan) -> dict[str, str]:
    """What every column says."""
    detail = plan.detail
    of_detail = {
        name: text
        for each in detail.attributes
        for name, text in zip((*each.columns, each.text_column), each.column_words, strict=True)
    }
    # Up to the last attribute its values repeat: "sex by sex, ages ascending".
    orders = [f"{each.name} by {each.name}" for each in detail.attributes[:-1]]
    orders += [f"{each.plural} ascending" for each in detail.attributes[-1:]]
    steps = f"1 to {detail.steps} {detail.steps_text}" if detail.steps > 1 else f"1 {detail.steps_text}"
    steps = f", {steps}" if detail.steps else ""
    measured = {
        "branch": f"How many thresholds lie at or below it: 0 a bare total{steps}; -1 measured once",
        "stage_2": f"Second noisy measurement: {', '.join([f'{one_of(detail.sizes)} numbers of persons', *orders])}",
    }
    return {**WORDS, **plan.wording.columns, **of_detail, **measured}


def tables(plan: Plan, most_csv_rows: int = MOST_CSV_ROWS) -> tuple[Table, Table]:
    """T1 and T2 of a plan.

    The Census format, of plans of the Census, is as SafeTab-P writes it: codes and numbers alone, none of which can hold the delimiter.
    """
    detail, key = plan.detail, (*GROUP, *plan.detail.columns)
    by = " and ".join(each.name for each in detail.attributes) or "nothing more: the plan has no detail"
    return (
        _table("t1", "T1: totals of population groups", plan, T1_SCHEMA, GROUP, most_csv_rows),
        _table("t2", f"T2: population groups by {by}", plan, t2_schema(detail), key, most_csv_rows),
    )


def _table(
    name: str,
    title: str,
    plan: Plan,
    schema: pa.Schema,
    key: tuple[str, ...],
    most_csv_rows: int,
) -> Table:
    chosen = labels.text_columns(plan.regions, plan.detail, schema.names)
    csv = {column: column for column in (*schema.names, *(each.name for each in chosen))}
    classes = {column: column.replace("_", "").upper() for column in plan.detail.columns}
    *group, count = CENSUS.items()
    census = {column: called for column, called in (*group, *classes.items(), count) if column in schema.names}
    texts = [Text("csv", csv, most_rows=most_csv_rows, worded=partial(labels.with_text, chosen=chosen))]
    if plan.wording.census_format:
        texts.append(Text("txt", census, "|", quoted=False, title=", in the format of the Census Bureau"))
    return Table(name, title, schema, words(plan), key, texts=tuple(texts))


def measured_sheets(plan: Plan) -> list[Sheet]:
    """The measurements of a release, and of those that it adds to, for its data package."""
    names = ["before post-processing, in plan order"]
    names += [f"by the earlier release of request {each.request_id}" for each in plan.variants.releases]
    descriptions = words(plan)
    columns = tuple(
        Column(name, "array", descriptions[name])
        if name == "stage_2"
        else column(name, kind, descriptions[name], required=name != "stage_1")
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


GROUPS: Final = "population groups"
ADAPTIVITY: Final = "adaptivity"
ACCURACY: Final = "accuracy"
INTEGRALITY: Final = "integrality"
NO_CONSISTENCY: Final = "no consistency"

CHECKS: Final = Checks(
    own={
        GROUPS: "measured is every group of the plan; published is each that the plan publishes",
        ADAPTIVITY: "a group has the ages and sexes that its first noisy total chooses",
        ACCURACY: "margins of error, standard deviations and intervals are those of the noise",
        INTEGRALITY: "every measurement and every count is an integer",
        NO_CONSISTENCY: "a count is what the measurements give by the plan alone, negative where the plan allows it",
    },
    privacy="noise and cost are the plan's, for one person more or less; nothing is exact",
    columns={
        **dict.fromkeys(("region_id", "region_type", "region_name", "iteration_code", "iteration_name"), GROUPS),
        **dict.fromkeys(("age_start", "age_end", "sex"), ADAPTIVITY),
        **dict.fromkeys(("count", "post_processed"), NO_CONSISTENCY),
        **dict.fromkeys(("standard_deviation", "lower", "upper"), ACCURACY),
    },
    rows={"t1": GROUPS, "t2": ADAPTIVITY},
    parameters={
        **dict.fromkeys(("states", "puerto_rico", "geography", "iteration_level", "regions", "iterations"), GROUPS),
        **dict.fromkeys(("suppression_chance", "suppressed_up_to"), GROUPS),
        **dict.fromkeys(("branches", "thresholds"), ADAPTIVITY),
        **dict.fromkeys(("confidence", "margins_of_error", "given_published"), ACCURACY),
        **dict.fromkeys(("negative_counts_published", "both_stages", "stage_1_weights", "add_up"), NO_CONSISTENCY),
    },
    types=INTEGRALITY,
    other=GROUPS,
)
"""Privacy, the paper's first desideratum, is a check of every domain."""
