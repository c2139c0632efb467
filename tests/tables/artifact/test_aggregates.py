"""Noisy numbers of aggregates are read back as they were drawn, and nothing else is taken for them."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.release.checks import InvalidRelease
from starling.tables.artifact.aggregates import (
    aggregate_path,
    keep_aggregates,
    numbers_of,
    parameters,
    read_aggregates,
    sheets,
)
from starling.tables.plan import Plan, aggregate_pieces, read_regions
from tests.release.plain import plain
from tests.tables.test_publish_aggregates import VALUES

PLAN = Plan.of(VALUES)
REGIONS = read_regions(PLAN)
SELECTED = aggregate_path(PLAN, PLAN.aggregates[0])
SUMS = aggregate_path(PLAN, PLAN.aggregates[1])


def stored_arrays(folder: Path) -> list[np.ndarray]:
    """Numbers of every group, written into the folder."""
    (folder / SUMS).parent.mkdir(parents=True)
    drawn = []
    for piece in aggregate_pieces(PLAN, REGIONS):
        shape = piece.groups, numbers_of(PLAN, PLAN.aggregates[piece.level])
        drawn.append((piece, np.arange(shape[0] * shape[1]).reshape(shape) % 6))
    result = list(keep_aggregates(folder, plain(folder), PLAN, REGIONS, drawn))
    assert [piece for piece, _ in result] == [piece for piece, _ in drawn]
    assert all(np.array_equal(one, other) for (_, one), (_, other) in zip(result, drawn, strict=True))
    return [numbers for _, numbers in drawn]


def test_numbers_are_read_back_as_often_as_they_are_asked_for(tmp_path: Path) -> None:
    drawn = stored_arrays(tmp_path)
    second = read_aggregates(tmp_path, PLAN, REGIONS)
    for _ in range(2):
        assert all(np.array_equal(one, other) for one, (_, other) in zip(drawn, second, strict=True))


def changed(table: pa.Table, change: str) -> pa.Table:
    """Measurements that are not those of the plan."""
    match change:
        case "a row less":
            return table.slice(1)
        case "another order":
            return table.take(pa.array([1, 0, *range(2, len(table))]))
        case "another column":
            return table.append_column("more", table["numbers"])
        case "a number more":
            return table.set_column(
                2, table.schema.field("numbers"), pa.array([[1, 2, 3]] * len(table), table.schema[2].type)
            )
        case "no numbers":
            return table.set_column(
                2, table.schema.field("numbers"), pa.array([None] * len(table), table.schema[2].type)
            )
        case _:
            return table.set_column(
                2, table.schema.field("numbers"), pa.array([[99]] * len(table), table.schema[2].type)
            )


@pytest.mark.parametrize(
    ("name", "change"),
    [
        (SUMS, "a row less"),
        (SUMS, "another order"),
        (SUMS, "another column"),
        (SUMS, "a number more"),
        (SUMS, "no numbers"),
        (SELECTED, "a class that is not there"),
    ],
)
def test_other_numbers_are_refused(tmp_path: Path, name: str, change: str) -> None:
    stored_arrays(tmp_path)
    table = pq.read_table(tmp_path / name)
    pq.write_table(changed(table, change).cast(changed(table, change).schema), tmp_path / name)
    with pytest.raises(InvalidRelease, match="aggregate"):
        list(read_aggregates(tmp_path, PLAN, REGIONS))


def test_no_file_is_refused(tmp_path: Path) -> None:
    stored_arrays(tmp_path)
    (tmp_path / SUMS).write_bytes(b"PAR1")
    with pytest.raises(InvalidRelease, match="cannot be read"):
        list(read_aggregates(tmp_path, PLAN, REGIONS))


def test_the_release_says_what_was_drawn() -> None:
    text: Any = parameters(PLAN, REGIONS)["aggregates"]
    assert [each["measurements"] for each in text] == [aggregate_path(PLAN, each) for each in PLAN.aggregates]
    assert len(sheets(PLAN)) == 4
    without = {key: value for key, value in VALUES.items() if key not in ("sums", "quantiles")}
    assert parameters(Plan.of(without), REGIONS) == {}
