"""The aggregates of a release: their files of noisy numbers, and the table T3 with its columns."""

from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from starling.release.checks import FORMS
from starling.release.claims import noise
from starling.release.codec import Json
from starling.release.datapackage import Column, Sheet
from starling.release.encrypted import Create
from starling.release.table_files import Table as Published
from starling.release.table_files import Text
from starling.release.table_files import column as described
from starling.tables.artifact.columns import FOLDER, GROUP, MOST_CSV_ROWS, WORDS
from starling.tables.artifact.group_files import GROUP as GROUP_COLUMNS
from starling.tables.artifact.group_files import GroupFile, labels, lists_of, numbers_in, read_pieces, write_pieces
from starling.tables.measurements import AggregateMeasurements, GroupNumbers, Int64
from starling.tables.plan import Aggregate, Geography, Piece, Plan
from starling.tables.plan.aggregates import tree
from starling.tables.plan.columns import places_of
from starling.tables.postprocess.aggregates import T3_SCHEMA

COLUMN_WORDS: Final = {
    "column": "The column of numbers that the statistic is of",
    "statistic": "size: records with a number; sum; mean; or quantile q: the least number that at least a share q of the records do"
    " not exceed",
    "value": "The noisy estimate, in the unit of the column, or in records for a size; of a quantile the least number of its class;"
    " missing for a mean of a group whose noisy size is not above 0",
    "standard_deviation": "Of the noise in the value; missing for means and quantiles",
    "lower": "Lower end, included, of an interval that holds the true value with a probability of at least 95 %; missing for"
    " quantiles that were selected",
    "upper": "Upper end, included, of the same interval; of a quantile the largest number of its last class",
    "rank_margin": "Of a quantile that was selected: by how many records its rank is off at the most, with a probability of at least"
    " 95 %",
    "post_processed": "Whether a value of an impossible sign was published as 0",
}


def aggregate_path(plan: Plan, aggregate: Aggregate) -> str:
    """The file of its noisy numbers, in the folder of a release."""
    return f"{FOLDER}/aggregate-{plan.aggregates.index(aggregate) + 1}.parquet"


def schema_of(aggregate: Aggregate, *, before: bool = False) -> pa.Schema:
    """The columns of the file of an aggregate.

    Its numbers are 64-bit integers, of wide sums decimals of 128 bits. That none can be missing is said since intervals of means are of all
    numbers where a group may be empty; `before`, nothing was said.
    """
    kind = pa.decimal128(38) if aggregate.wide else pa.int64()
    return pa.schema([*GROUP_COLUMNS, ("numbers", pa.large_list(pa.field("item", kind, nullable=before)))])


def numbers_of(plan: Plan, aggregate: Aggregate) -> int:
    """How many noisy numbers each group has."""
    quantiles = aggregate.quantiles
    if quantiles is None:
        return aggregate.cells
    return len(quantiles.shares) if quantiles.way == "selection" else tree(aggregate.cells, plan.measure).nodes


def keep_aggregates(
    folder: Path, create: Create, plan: Plan, geography: Geography, drawn: AggregateMeasurements
) -> AggregateMeasurements:
    """Write the pieces as they come; what is read from `folder` once they are there. Raises OSError as `write_pieces` does."""

    def table(each: tuple[Piece, GroupNumbers]) -> tuple[int, pa.Table]:
        piece, numbers = each
        aggregate = plan.aggregates[piece.level]
        schema = schema_of(aggregate)
        lists = lists_of(numbers, schema.field("numbers").type)
        return piece.level, pa.table([*labels(geography, aggregate.level, piece), lists], schema=schema)

    files = [(aggregate_path(plan, each), schema_of(each)) for each in plan.aggregates]
    write_pieces(create, files, drawn, table)
    return read_aggregates(folder, plan, geography)


def read_aggregates(folder: Path, plan: Plan, geography: Geography) -> AggregateMeasurements:
    """What `keep_aggregates` wrote; iterating raises InvalidRelease where a file is not that."""
    return read_pieces(
        lambda: (_AggregateFile(folder, plan, geography, number) for number in range(len(plan.aggregates)))
    )


def means_hidden(folder: Path, plan: Plan) -> bool:
    """Whether intervals of means are of all numbers where a group may be empty: not in releases made before that was so."""
    return not any(_has_earlier_form(folder, plan, each) for each in plan.aggregates)


def _has_earlier_form(folder: Path, plan: Plan, aggregate: Aggregate) -> bool:
    try:
        return bool(pq.read_schema(folder / aggregate_path(plan, aggregate)).equals(schema_of(aggregate, before=True)))
    except (OSError, pa.ArrowException):
        return False  # its reader refuses it


class _AggregateFile(GroupFile[GroupNumbers]):
    def __init__(self, folder: Path, plan: Plan, geography: Geography, number: int) -> None:
        aggregate = plan.aggregates[number]
        schema = schema_of(aggregate, before=_has_earlier_form(folder, plan, aggregate))
        super().__init__(folder, aggregate_path(plan, aggregate), schema, geography, aggregate.level, number)
        self._numbers, self._wide = numbers_of(plan, aggregate), aggregate.wide
        selected = aggregate.quantiles is not None and aggregate.quantiles.way == "selection"
        self._classes = aggregate.cells if selected else None

    def read(self, index: int, piece: Piece) -> GroupNumbers:
        values = numbers_in(self.table(index, piece)["numbers"], self._numbers)
        if values is None:
            raise self.invalid(FORMS, "has more or fewer numbers for a group than its aggregate measures")
        if self._wide:
            # Decimals without places: integers of Python.
            of_python = np.array([int(each) for each in values.to_pylist()], dtype=object)
            return of_python.reshape(piece.groups, self._numbers)
        numbers: Int64 = values.to_numpy().reshape(piece.groups, self._numbers)
        if self._classes is not None and ((numbers < 0) | (numbers >= self._classes)).any():
            raise self.invalid(FORMS, "has a quantile in a class that the plan does not have")
        return numbers


def table(plan: Plan) -> Published:
    """T3."""
    descriptions = {**WORDS, **plan.wording.columns, **COLUMN_WORDS}
    texts = (Text("csv", {name: name for name in T3_SCHEMA.names}, most_rows=MOST_CSV_ROWS),)
    optional = ("value", "standard_deviation", "lower", "upper", "rank_margin")
    title = "T3: sums, means and quantiles of population groups"
    return Published("t3", title, T3_SCHEMA, descriptions, (*GROUP, "column", "statistic"), optional, texts)


def sheets(plan: Plan) -> list[Sheet]:
    """The noisy numbers of aggregates, for the data package."""
    words = plan.wording.columns
    return [
        Sheet(
            aggregate_path(plan, each),
            f"Noisy numbers of {each.name} before post-processing, in plan order",
            (
                *(described(name, pa.string(), words[name]) for name in ("region_id", "iteration_code")),
                Column("numbers", "array", _meaning(plan, each)),
            ),
            GROUP[1:],
        )
        for each in plan.aggregates
    ]


def _meaning(plan: Plan, aggregate: Aggregate) -> str:
    """What the numbers of a group are."""
    column, quantiles = aggregate.column, aggregate.quantiles
    if quantiles is None:
        low, high = aggregate.low, aggregate.high
        return f"Sum of {high:,} less {column}, and sum of {column} less {low:,}, in units of its last place, each with noise"
    if quantiles.way == "selection":
        return "The number of the selected class, from 0 on, for each share"
    widths = ", then of ".join(f"{width:,}" for width in tree(aggregate.cells, plan.measure).widths)
    return f"Records in each node of the tree over the classes, each with noise: nodes of {widths} classes"


def parameters(plan: Plan, geography: Geography) -> dict[str, Json]:
    """What privacy.json says of the aggregates; nothing where there are none."""
    if not plan.aggregates:
        return {}
    return {"aggregates": [_parameters(plan, geography, each) for each in plan.aggregates]}


def _parameters(plan: Plan, geography: Geography, aggregate: Aggregate) -> Json:
    level, quantiles = aggregate.level, aggregate.quantiles
    share, column = plan.share(aggregate), plan.records.by_name[aggregate.column]
    stated: dict[str, Json] = {
        "name": aggregate.name,
        "column": aggregate.column,
        "geography": str(level.geography),
        "iteration_level": level.iteration_level,
        "measurements": aggregate_path(plan, aggregate),
        "budget": {plan.measure: str(level.budget)},
        "stability": level.stability,
        "regions": len(geography.regions[level.geography]),
        "iterations": len(level.iterations),
        "bounds": [aggregate.low, aggregate.high],
        "unit": f"1e{-places_of(column)}" if places_of(column) else "1e-0",
    }
    if quantiles is None:
        drawn = noise(aggregate.noise(plan.measure, share), plan.records_of_one)
        return stated | {"noise": drawn, "l1_sensitivity": aggregate.width}
    stated |= {
        "shares": [str(each) for each in quantiles.shares],
        "classes": list[Json](quantiles.cuts),
        "way": quantiles.way,
    }
    if quantiles.way == "selection":
        return stated | {"epsilon_of_a_selection": str(quantiles.epsilon(plan.measure, share))}
    drawn = noise(aggregate.noise(plan.measure, share), plan.records_of_one)
    return stated | {"noise": drawn, "tree": list[Json](tree(aggregate.cells, plan.measure).widths)}
