"""PipelineDP's counts, sums, means and medians by public groups, through its local backend."""

import json
from pathlib import Path
from time import perf_counter

import pipeline_dp
import pyarrow.parquet as pq

from bench.peers.answering import answer

METRICS = {
    "count": pipeline_dp.Metrics.COUNT,
    "sum": pipeline_dp.Metrics.SUM,
    "mean": pipeline_dp.Metrics.MEAN,
    "median": pipeline_dp.Metrics.PERCENTILE(50),
}


def measure(query: str, data: str, groups: list[str], low: int, high: int, epsilon: float, out: str) -> float:
    """Seconds from Parquet to the answer of each group, which is written to `out`; each record is a person of its own."""
    began = perf_counter()
    table = pq.read_table(data)
    rows = list(zip(range(len(table)), table["group"].to_pylist(), table["value"].to_pylist(), strict=True))
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=0)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    asked = pipeline_dp.AggregateParams(
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        metrics=[METRICS[query]],
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
        min_value=low,
        max_value=high,
    )
    fields = pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: row[1],
        value_extractor=lambda row: row[2],
    )
    answers = engine.aggregate(rows, asked, fields, public_partitions=groups)
    accountant.compute_budgets()
    found = {group: float(said[0]) for group, said in answers}
    took = perf_counter() - began
    Path(out).write_text(json.dumps(found))
    return took


if __name__ == "__main__":
    answer(("pipeline-dp", "numpy", "pyarrow"), measure)
