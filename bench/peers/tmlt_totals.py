"""The noisy totals of one state by tmlt.analytics on local Spark: stage 1 of SafeTab's algorithm, written as its users write it.

A session over the file of persons; a flat map from a person to the iterations that it is in; the count of each iteration of the plan by a
KeySet; discrete Gaussian noise. Stage 2, sex by age, is left out. What a user can do for speed is done: strings are not parsed
into other types, only the columns that are needed are read, the map looks everything up in tables made before, and the state's own
column is left away, since there is one state. Java and Spark run before the clock does.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from time import perf_counter
from typing import Any

from pyspark.sql import SparkSession
from tmlt.analytics import AddOneRow, CountMechanism, KeySet, QueryBuilder, RhoZCDPBudget, Session

from bench.peers.answering import answer

os.environ["PYSPARK_PYTHON"] = sys.executable
SCRATCH = mkdtemp()
SPARK = (
    SparkSession.builder.master("local[2]")
    .config("spark.driver.memory", "8g")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.local.dir", SCRATCH)
    .config("spark.sql.warehouse.dir", f"{SCRATCH}/warehouse")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.log.level", "ERROR")
    .getOrCreate()
)


def iterations_of(plan: dict[str, Any]) -> Callable[[dict[str, str]], list[dict[str, str]]]:
    """The map from a person to rows of one column, ITERATION.

    Args:
        plan: "races": columns of race codes, in order; "combined", "alone" and "ethnicity": iterations of each code.
    """
    rows = {code: {"ITERATION": code} for code in plan["iterations"]}
    combined, ethnicity = plan["combined"], plan["ethnicity"]
    alone = {code: frozenset(those) for code, those in plan["alone"].items()}
    races: list[str] = plan["races"]
    nothing: frozenset[str] = frozenset()

    def iterations(person: dict[str, str]) -> list[dict[str, str]]:
        found = set(ethnicity.get(person["QSPAN"], ()))
        shared = None
        for column in races:
            code = person[column]
            if code == "Null":
                break
            found.update(combined.get(code, ()))
            mine = alone.get(code, nothing)
            shared = mine if shared is None else shared & mine
        found.update(shared or ())
        return [rows[code] for code in found]

    return iterations


def measure(persons: str, plan: str) -> float:
    """Seconds from the file of persons to noisy totals in Python."""
    chosen = json.loads(Path(plan).read_text())
    columns = [*chosen["races"], "QSPAN"]
    began = perf_counter()
    # Its header gives the names; every column is text.
    records = SPARK.read.csv(persons, sep="|", header=True, inferSchema=False).select(*columns)
    budget = RhoZCDPBudget(chosen["rho"])
    session = Session.from_dataframe(budget, "persons", records, protected_change=AddOneRow())
    query = (
        QueryBuilder("persons")
        .flat_map(iterations_of(chosen), {"ITERATION": "VARCHAR"}, augment=False, max_rows=chosen["stability"])
        .groupby(KeySet.from_dict({"ITERATION": chosen["iterations"]}))
        .count(name="COUNT", mechanism=CountMechanism.GAUSSIAN)
    )
    totals = session.evaluate(query, budget).toPandas()
    took = perf_counter() - began
    assert len(totals) == len(chosen["iterations"])
    return took


if __name__ == "__main__":
    answer(("tmlt.analytics", "tmlt.core", "pyspark", "numpy"), measure)
