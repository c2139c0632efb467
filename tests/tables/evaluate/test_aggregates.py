"""Errors of a release are those of its numbers; a release of another plan is refused."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from starling.errors import SourceError
from starling.tables.evaluate.aggregates import compare_aggregates
from starling.tables.plan import Piece, Plan, read_regions
from tests.tables.test_publish_aggregates import VALUES

PLAN = Plan.of(VALUES | {"quantiles": VALUES["quantiles"][:1]})
REGIONS = read_regions(PLAN)


class Exact:
    """Two records in every group, of ages 40 and 60 and spending of 10 and 20."""

    def aggregate(self, piece: Piece, /) -> np.ndarray:
        """The exact numbers of a piece."""
        request = PLAN.aggregates[piece.level]
        if request.quantiles is None:
            pair = [98, 100] if request.column == "age" else [97_000, 5_000]
            return np.tile(pair, (piece.groups, 1))
        return np.tile(np.isin(np.arange(100), (40, 60)).astype(np.int64), (piece.groups, 1))


def write(folder: Path, **off: float) -> Path:
    """T3 with the true numbers, plus what is said for a statistic; every interval reaches 1 either way."""
    rows = []
    for aggregate in PLAN.aggregates:
        names = ("quantile 0.5", "quantile 0.9") if aggregate.quantiles else ("size", "sum", "mean")
        true = {
            "size": 2,
            "sum": 100 if aggregate.column == "age" else 30,
            "mean": 50 if aggregate.column == "age" else 15,
        }
        true |= {"quantile 0.5": 40, "quantile 0.9": 60}
        groups = len(REGIONS.regions[aggregate.level.geography]) * len(aggregate.level.iterations)
        for _ in range(groups):
            for name in names:
                value = true[name] + off.get(name.replace(" 0.", "_"), 0)
                rows.append((aggregate.column, name, value, value - 1, value + 1, None))
    columns = ("column", "statistic", "value", "lower", "upper", "rank_margin")
    (folder / "data").mkdir(parents=True)
    frame = pd.DataFrame(rows, columns=columns).astype({"rank_margin": float})
    frame.to_parquet(folder / "data" / "t3.parquet")
    return folder


def test_errors_are_those_of_the_numbers(tmp_path: Path) -> None:
    right = compare_aggregates(PLAN, REGIONS, write(tmp_path / "right"), Exact())
    assert all((each.mean_absolute_error, each.coverage) == (0, 1) for each in right)
    assert [each.groups for each in right] == [2, 2, 2, 12, 12, 12, 12, 12]
    wrong = compare_aggregates(PLAN, REGIONS, write(tmp_path / "wrong", mean=3, size=0.5, quantile_9=-10), Exact())
    result = {(each.title, each.statistic): [each.mean_absolute_error, each.coverage] for each in wrong}
    assert result["sums of age, town all", "mean"] == [3, 0]
    assert result["sums of age, town all", "size"] == [0.5, 1]
    # Between both records: one of two lies below, and 0.9 times 2 should.
    assert result["quantiles of age, ward by sex", "quantile 0.9"] == [pytest.approx(0.8), 0]
    assert result["quantiles of age, ward by sex", "quantile 0.5"] == [0, 1]


def test_a_table_of_another_plan_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "release")
    table = pq.read_table(folder / "data" / "t3.parquet")
    others = [table.slice(1), table.take(list(range(len(table)))[::-1])]
    for wrong in others:
        pq.write_table(wrong, folder / "data" / "t3.parquet")
        with pytest.raises(SourceError, match="plan"):
            compare_aggregates(PLAN, REGIONS, folder, Exact())
    (folder / "data" / "t3.parquet").unlink()
    with pytest.raises(SourceError, match="missing"):
        compare_aggregates(PLAN, REGIONS, folder, Exact())
