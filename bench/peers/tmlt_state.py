"""SafeTab's algorithm for one state by tmlt.analytics on local Spark, written as its users write it.

A session over the file of persons with a zCDP budget; a flat map from a person to the iterations that it is in, kept in Spark's memory;
stage 1, the count of every iteration of the plan by a KeySet; the branch by noisy total; stage 2, one count over a KeySet of every
iteration with the cells of its branch, which a public join gives to each row. Discrete Gaussian noise.

The noise is Starling's: the map is a grouping one, so that the library knows a person's rows to be in different groups, and the rest of
the budget is spent on all cells at once. The library can't give total-only groups their whole budget in one count. They are
counted in both stages, and the two counts, weighted by their budgets, have the variance of one with all of it.

What a user can do for speed is done, as far as the library still knows how many groups a person is in: rows that plain Spark had
multiplied before the session would come sooner, with nothing but the user's word for it. Plain Spark does put the columns that are needed
together, one row for one, into codes and finest cell, so that the map in Python, which takes most of the time, handles few fields; and
the map looks up what it has met before. What the second stage needs is joined in Spark. The state's own column is left
away, since there is one state. Java and Spark run before the clock does.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, concat_ws, lit, when
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
    .config("spark.sql.execution.arrow.pyspark.enabled", "true")
    .config("spark.log.level", "ERROR")
    .getOrCreate()
)
GROUPS = "groups"


def iterations_of(plan: dict[str, Any]) -> Callable[[dict[str, str]], list[dict[str, str]]]:
    """The map from a person to rows of one column, ITERATION.

    Args:
        plan: "combined", "alone" and "ethnicity": iterations of each code.
    """
    combined, ethnicity = plan["combined"], plan["ethnicity"]
    alone = {code: frozenset(those) for code, those in plan["alone"].items()}
    nothing: frozenset[str] = frozenset()
    met: dict[str, list[str]] = {}

    def of_codes(codes: str) -> list[str]:
        span, *races = codes.split("|")
        found: set[str] = set(ethnicity.get(span, ()))
        shared = None
        for code in races:
            if code == "Null":
                break
            found.update(combined.get(code, ()))
            mine = alone.get(code, nothing)
            shared = mine if shared is None else shared & mine
        found.update(shared or ())
        return list(found)

    def iterations(person: dict[str, str]) -> list[dict[str, str]]:
        codes = person["CODES"]
        found = met.get(codes)
        if found is None:
            found = met[codes] = of_codes(codes)
        # The library writes into the rows that it is given, so none can be kept.
        return [{"ITERATION": code} for code in found]

    return iterations


def prepared(persons: str, plan: dict[str, Any]) -> DataFrame:
    """The file of persons as CODES, ethnicity before races, and FINEST, sex by 23 bands of age: one row for each row."""
    # Its header gives the names; every column is text.
    records = SPARK.read.csv(persons, sep="|", header=True, inferSchema=False)
    age, bands = col("QAGE").cast("int"), plan["bands"]
    band = lit(0)
    for position, cut in enumerate(bands):
        band = when(age >= cut, position).otherwise(band)
    cell = (col("QSEX").cast("int") - 1) * len(bands) + band
    return records.select(concat_ws("|", "QSPAN", *plan["races"]).alias("CODES"), cell.cast("long").alias("FINEST"))


class Tables:
    """Both stages of one state.

    Args:
        persons: The file of records.
        plan: "rho", "gamma", "stability", "iterations", "total_only", "thresholds", "cells": for each branch, the cell
            that each of the finest ones is a part of; and what `iterations_of` and `prepared` need.
        keep: Whether the flat map's rows are kept in memory: worth it when there are two stages.
    """

    def __init__(self, persons: str, plan: dict[str, Any], *, keep: bool) -> None:
        self.plan = plan
        rho, gamma = plan["rho"], plan["gamma"]
        self.budgets = [RhoZCDPBudget(part) for part in (gamma * rho, (1 - gamma) * rho)]
        budget = RhoZCDPBudget(rho)
        self.session = Session.from_dataframe(budget, "persons", prepared(persons, plan), protected_change=AddOneRow())
        person_to_groups = QueryBuilder("persons").flat_map(
            iterations_of(plan), {"ITERATION": "VARCHAR"}, augment=True, grouping=True, max_rows=plan["stability"]
        )
        self.session.create_view(person_to_groups.select(["ITERATION", "FINEST"]), GROUPS, cache=keep)

    def totals(self) -> pd.DataFrame:
        """Stage 1: ITERATION, COUNT, and BRANCH, the thresholds at or below it; 0 for a total-only group."""
        every = KeySet.from_dict({"ITERATION": self.plan["iterations"]})
        query = QueryBuilder(GROUPS).groupby(every).count(name="COUNT", mechanism=CountMechanism.GAUSSIAN)
        found = self.session.evaluate(query, self.budgets[0]).toPandas()
        branch = np.searchsorted(self.plan["thresholds"], found["COUNT"], side="right")
        bare = found["ITERATION"].isin(self.plan["total_only"])
        return found.assign(BRANCH=np.where(bare, 0, branch))

    def cells(self, totals: pd.DataFrame) -> pd.DataFrame:
        """Stage 2: ITERATION, CELL, COUNT, for every cell of the branch of every group."""
        cells = np.array(self.plan["cells"])
        finest = np.arange(cells.shape[1])
        chosen = cells[totals["BRANCH"]]
        of_rows = {
            "ITERATION": np.repeat(totals["ITERATION"].to_numpy(), len(finest)),
            "FINEST": np.tile(finest, len(totals)),
            "CELL": chosen.ravel(),
        }
        table = pd.DataFrame(of_rows)
        to_cells = SPARK.createDataFrame(table)
        keys = KeySet.from_dataframe(SPARK.createDataFrame(table[["ITERATION", "CELL"]].drop_duplicates()))
        query = QueryBuilder(GROUPS).join_public(to_cells).groupby(keys)
        return self.session.evaluate(
            query.count(name="COUNT", mechanism=CountMechanism.GAUSSIAN), self.budgets[1]
        ).toPandas()

    def whole(self, totals: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
        """The totals of the groups that have no more: ITERATION, COUNT, both counts weighted by their budgets."""
        bare = self.plan["total_only"]
        first = totals.set_index("ITERATION").loc[bare, "COUNT"]
        second = cells[cells["ITERATION"].isin(bare)].set_index("ITERATION").loc[bare, "COUNT"]
        gamma = self.plan["gamma"]
        return (gamma * first + (1 - gamma) * second).round().astype(int).reset_index()


def measure(persons: str, plan: str, out: str, stages: int) -> float:
    """Seconds from the file of persons to noisy numbers in Python; they are written to the folder `out` when the clock has stopped."""
    chosen = json.loads(Path(plan).read_text())
    began = perf_counter()
    tables = Tables(persons, chosen, keep=stages == 2)
    totals = tables.totals()
    answers = {"totals": totals[["ITERATION", "COUNT"]]}
    if stages == 2:
        cells = tables.cells(totals)
        answers |= {"cells": cells[["ITERATION", "CELL", "COUNT"]], "whole": tables.whole(totals, cells)}
    took = perf_counter() - began
    # The session refuses to spend more than it has; that nothing is left says that all of it was used. It counts in float64.
    left = sum(budget.rho for budget in tables.budgets[stages:])
    assert abs(tables.session.remaining_privacy_budget.rho - left) < 1e-12
    for name, rows in answers.items():
        rows.to_csv(Path(out, f"{name}.csv"), index=False)
    tables.session.delete_view(GROUPS)
    tables.session.stop()
    return took


def end() -> None:
    """Stop Spark, wait for Java, so that what it used is counted as ours, and remove what it wrote."""
    java = SPARK.sparkContext._gateway  # noqa: SLF001 - pyspark has no public way to end it
    SPARK.stop()
    java.shutdown()
    java.proc.stdin.close()
    java.proc.wait()
    rmtree(SCRATCH)


if __name__ == "__main__":
    answer(("tmlt.analytics", "tmlt.core", "pyspark", "numpy"), measure)
    end()
