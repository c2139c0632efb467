"""OpenDP's counts, sums, means and medians by public groups, through its Polars context; a mean is a sum over a count, of half each."""

import json
from pathlib import Path
from time import perf_counter
from typing import Any

import opendp.prelude as dp
import polars as pl

from bench.peers.answering import answer

dp.enable_features("contrib")
LONGEST = 10**8
"""A bound on the records of a group, which OpenDP asks for."""


def measure(query: str, data: str, groups: list[str], low: int, high: int, epsilon: float, out: str) -> float:
    """Seconds from Parquet to the answer of each group, which is written to `out`; each record is a person of its own."""
    began = perf_counter()
    context = dp.Context.compositor(
        data=pl.scan_parquet(data).with_columns(pl.col("value").cast(pl.Int64)),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=epsilon),
        split_evenly_over=1,
        margins=[dp.polars.Margin(by=["group"], max_length=LONGEST, max_groups=len(groups), invariant="keys")],
    )
    value: Any = pl.col("value").fill_null(0)
    whole = value.dp.sum((low, high)).alias("sum")
    asked = {
        "count": [dp.len(signed=True).alias("count")],
        "sum": [whole],
        "mean": [dp.len(signed=True).alias("count"), whole],
        "median": [value.dp.median(list(range(low, high + 1))).alias("median")],
    }[query]
    rows = context.query().group_by("group").agg(asked).release().collect().to_dicts()
    found = {row["group"]: row["sum"] / max(row["count"], 1) if query == "mean" else float(row[query]) for row in rows}
    took = perf_counter() - began
    Path(out).write_text(json.dumps(found))
    return took


if __name__ == "__main__":
    answer(("opendp", "polars"), measure)
