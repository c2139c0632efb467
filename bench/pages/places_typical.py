"""The table of docs/explanation/places-intervals.md: what part of answers is off by at most their typical error."""

from collections.abc import Mapping
from statistics import fmean

from bench.markdown import table
from bench.pages.origin import Results, untimed
from bench.places_accuracy import LARGE, SMALL

ENOUGH = 0.9
"""The part of answers that a typical error should hold."""


def typical(results: Mapping[str, Results]) -> str:
    """A row for each data set: the mean part over budgets, by kind of query; then the mean and the lowest of all data and budgets."""
    result = results["places_typical"]
    rows = result["rows"]
    kinds = (*LARGE, *SMALL)
    names = list(dict.fromkeys(row["data"] for row in rows))
    cells = [
        [name, *(f"{fmean(row['held'][kind] for row in rows if row['data'] == name):.2f}" for kind in kinds)]
        for name in names
    ]
    every = ["all", *(f"{fmean(row['held'][kind] for row in rows):.2f}" for kind in kinds)]
    least = ["lowest", *(f"{min(row['held'][kind] for row in rows):.2f}" for kind in kinds)]
    parts = [row["held"][kind] for row in rows for kind in kinds]
    below = f"Of {len(parts)} parts, one for each data set, budget and kind, {sum(part < ENOUGH for part in parts)} are below {ENOUGH}."
    return f"{table(['data', *kinds], [*cells, every, least])}\n\n{below}\n\n{untimed(result)}"


TABLES = {"places_typical": typical}
