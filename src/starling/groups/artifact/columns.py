"""The tables of a release, declared once: one for each level with its sizes, and one of all regions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import pyarrow as pa

from starling.groups.artifact import NOISY_WORDS, REGION_COLUMNS, REGION_FILE, labels, measurements_path
from starling.groups.artifact import REGIONS as PLAN_REGIONS
from starling.groups.inference.intervals import QUANTILES
from starling.groups.measurements import Measured
from starling.groups.optimise.tree import Int64
from starling.groups.plan import Plan
from starling.groups.postprocess import Columns, region_rows, size_rows
from starling.release.datapackage import Sheet
from starling.release.table_files import Table, Text, column

REGIONS: Final = "regions"
MOST_TEXT: Final = 1 << 20
"""Rows from which on a table has no CSV."""
PIECE: Final = 1 << 20
"""Rows that are made at a time."""
_TEXT, _WHOLE, _NUMBER = pa.string(), pa.int64(), pa.float64()
_HOLDS: Final = "of an interval around the measurement that holds the true number with a probability of at least 95 %"

SIZE_WORDS: Final = {
    "region": "Id of the region, public",
    "size": "Size of the groups; the largest size stands for itself and all above",
    "groups": "Groups of this size: whole, not negative, and over sizes and nested regions adding up to the public totals",
    "lower": f"Lower end {_HOLDS}",
    "upper": f"Upper end {_HOLDS}",
    "standard_error": "Standard deviation of the noise in the measured number of groups of this size, exact",
    "at_least": "Groups of at least this size: the sum of groups over the sizes from this one on",
    "at_least_lower": f"Lower end {_HOLDS}, groups of at least this size",
    "at_least_upper": f"Upper end {_HOLDS}, groups of at least this size",
    "at_least_standard_error": "Standard deviation of the noise in the measured number of groups of at least this size, exact",
}
SIZES: Final = pa.schema(
    [("region", _TEXT)] + [(name, _NUMBER if name.endswith("error") else _WHOLE) for name in list(SIZE_WORDS)[1:]]
)
_RANGE: Final = "of an interval that holds the true value with a probability of at least 95 %"
REGION_WORDS: Final = {
    "level": "Name of the level",
    "region": "Id of the region, public",
    "parent": "Id of the region that it lies in; missing for the root",
    "groups": "Groups in the region",
    "groups_lower": f"Lower end {_RANGE}; the number itself where it is public",
    "groups_upper": f"Upper end {_RANGE}; the number itself where it is public",
    "members": "Sum of the published sizes, the largest size counted as itself",
    "mean": "Mean of the published sizes; missing for a region without groups",
    "mean_lower": f"Lower end {_RANGE}",
    "mean_upper": f"Upper end {_RANGE}",
    **{
        f"{name}{end}": words
        for name, share in QUANTILES.items()
        for end, words in (
            ("", f"The least size that at least {share} of the published groups do not exceed"),
            ("_lower", f"Lower end {_RANGE}"),
            ("_upper", f"Upper end {_RANGE}"),
        )
    },
}
REGION_TABLE: Final = pa.schema(
    [
        (name, _TEXT if name in ("level", "region", "parent") else _NUMBER if name.startswith("mean") else _WHOLE)
        for name in REGION_WORDS
    ]
)


def tables(plan: Plan) -> tuple[Table, ...]:
    """The tables of a release, each as Parquet, and as CSV where it is not long."""

    def declared(name: str, title: str, schema: pa.Schema, words: Mapping[str, str], key: tuple[str, ...]) -> Table:
        csv = Text("csv", {column: column for column in schema.names}, most_rows=MOST_TEXT)
        return Table(name, title, schema, words, key, ("parent", "mean"), (csv,))

    named = (
        declared(level, f"Numbers of groups by {level} and size", SIZES, SIZE_WORDS, ("region", "size"))
        for level in plan.regions.levels
    )
    regions = declared(REGIONS, "Regions of all levels", REGION_TABLE, REGION_WORDS, ("region",))
    return (*named, regions)


def sheets(plan: Plan) -> list[Sheet]:
    """The regions and the measurements for the data package."""
    kinds = {"region": _TEXT, "size": _WHOLE, "noisy": _WHOLE}
    columns = tuple(column(name, kind, NOISY_WORDS[name]) for name, kind in kinds.items())
    what = "of at most each size" if plan.cumulative else "of each size"
    described = tuple(
        column(each.name, each.type, REGION_FILE[each.name], required=each.name != "groups") for each in REGION_COLUMNS
    )
    regions = Sheet(PLAN_REGIONS, "The public regions, level by level", described, ("region",))
    return [regions] + [
        Sheet(measurements_path(level), f"Noisy numbers of groups {what}, by {level}", columns, ("region", "size"))
        for level in plan.regions.levels
    ]


def pieces(plan: Plan, measured: Measured, published: Sequence[Int64]) -> Iterator[Mapping[str, pa.Table]]:
    """Rows of all tables, in order, from the noisy and the consistent counts of each level."""
    for level, name in enumerate(plan.regions.levels):
        counts = measured[level], published[level], level
        for ids, numbers in size_rows(plan, *counts, PIECE):
            region, size = labels(plan, ids)
            columns = {column: pa.array(each.reshape(-1)) for column, each in numbers.items()}
            yield {name: pa.table({"region": region.cast(pa.string()), "size": size, **columns}, SIZES)}
        yield {REGIONS: _regions(plan, level, region_rows(plan, *counts))}


def _regions(plan: Plan, level: int, numbers: Columns) -> pa.Table:
    regions = plan.regions
    columns = {
        "level": [regions.levels[level]] * len(regions.ids[level]),
        "region": regions.ids[level],
        "parent": [above or None for above in regions.above[level]],
        **numbers,
        "mean": pa.array(numbers["mean"], mask=numbers["groups"] == 0),
    }
    return pa.table(columns, REGION_TABLE)
