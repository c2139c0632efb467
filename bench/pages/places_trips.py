"""The table of bench/results/places-benchmark.md of trips between the cells of a grid, by method."""

from collections.abc import Mapping

from bench.markdown import number, table
from bench.pages.origin import Results, untimed

METHODS = ("ours", "uniform grid", "PrivTree", "DAF-entropy", "DAF-homogeneity")


def trips(results: Mapping[str, Results]) -> str:
    """The error of each method, by data set and budget."""
    result = results["places_trips"]
    lines = [
        [row["data"], f"{row['trips']:,}", row["epsilon"], *(number(row[method]) for method in METHODS)]
        for row in result["rows"]
    ]
    side, runs = result["settings"]["side"], result["settings"]["runs"]
    under = f"MRE in percent, {side} squared to {side} squared; means of {runs} runs. {untimed(result)}"
    return f"{table(['data', 'trips', 'ε', *METHODS], lines)}\n\n{under}"


TABLES = {"places_trips": trips}
