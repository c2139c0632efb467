"""All tables of up to some columns by tmlt.analytics, on local Spark: each with an equal part of rho."""

import json
import math
from itertools import product
from pathlib import Path
from time import perf_counter

from tmlt.analytics import AddOneRow, KeySet, QueryBuilder, RhoZCDPBudget, Session

from bench.peers.answering import answer
from bench.peers.tmlt_tables import spark


def measure(data: str, sizes: dict[str, int], tables: list[list[str]], rho: float, out: str) -> float:
    """Seconds from Parquet to the cells of each table, which are written to `out` in the order of their codes; a record is a person."""
    began = perf_counter()
    frame = spark.read.parquet(data)
    # 93 parts of a double may add up to a little more.
    part = RhoZCDPBudget(math.nextafter(rho / len(tables), 0) * (1 - 1e-12))
    session = Session.from_dataframe(RhoZCDPBudget(rho), "records", frame, protected_change=AddOneRow())
    found = []
    for table in tables:
        by = QueryBuilder("records")
        values = {column: list(range(sizes[column])) for column in table}
        asked = by.groupby(KeySet.from_dict(values)).count() if values else by.count()
        rows = session.evaluate(asked, part).collect()
        cells = {tuple(row[column] for column in table): row["count"] for row in rows}
        found.append([float(cells[code]) for code in product(*(range(sizes[column]) for column in table))])
    took = perf_counter() - began
    Path(out).write_text(json.dumps(found))
    return took


if __name__ == "__main__":
    answer(("tmlt.analytics", "tmlt.core", "pyspark"), measure)
