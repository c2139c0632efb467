"""tmlt.analytics' counts, sums, means and medians by public groups, on local Spark."""

import json
import os
import sys
from pathlib import Path
from tempfile import mkdtemp
from time import perf_counter

from pyspark.sql import SparkSession
from tmlt.analytics import AddOneRow, KeySet, PureDPBudget, QueryBuilder, Session

from bench.peers.answering import answer

os.environ["PYSPARK_PYTHON"] = sys.executable
SCRATCH = mkdtemp()
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.driver.memory", "8g")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.local.dir", SCRATCH)
    .config("spark.sql.warehouse.dir", f"{SCRATCH}/warehouse")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")


def measure(query: str, data: str, groups: list[str], low: int, high: int, epsilon: float, out: str) -> float:
    """Seconds from Parquet to the answer of each group, which is written to `out`; each record is a person of its own."""
    began = perf_counter()
    frame = spark.read.parquet(data)
    session = Session.from_dataframe(PureDPBudget(epsilon), "records", frame, protected_change=AddOneRow())
    by = QueryBuilder("records").groupby(KeySet.from_dict({"group": groups}))
    asked = {
        "count": lambda: by.count(name="answer"),
        "sum": lambda: by.sum("value", low, high, name="answer"),
        "mean": lambda: by.average("value", low, high, name="answer"),
        "median": lambda: by.median("value", low, high, name="answer"),
    }[query]()
    rows = session.evaluate(asked, PureDPBudget(epsilon)).collect()
    found = {row["group"]: float(row["answer"]) for row in rows}
    took = perf_counter() - began
    Path(out).write_text(json.dumps(found))
    return took


if __name__ == "__main__":
    answer(("tmlt.analytics", "tmlt.core", "pyspark"), measure)
