"""The table of docs/places-intervals.md: what part of answers is off by at most their typical error."""

from collections.abc import Mapping
from statistics import fmean

from bench.markdown import table
from bench.pages.origin import Results, untimed
from bench.places_accuracy import LARGE, SMALL


def typical(results: Mapping[str, Results]) -> str:
    """A row for each data set: the mean part over budgets, by kind of query."""
    result = results["places_typical"]
    rows = result["rows"]
    kinds = (*LARGE, *SMALL)
    names = list(dict.fromkeys(row["data"] for row in rows))
    cells = [
        [name, *(f"{fmean(row['held'][kind] for row in rows if row['data'] == name):.2f}" for kind in kinds)]
        for name in names
    ]
    every = ["all", *(f"{fmean(row['held'][kind] for row in rows):.2f}" for kind in kinds)]
    return f"{table(['data', *kinds], [*cells, every])}\n\n{untimed(result)}"


TABLES = {"places_typical": typical}
