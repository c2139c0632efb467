"""The tables of docs/explanation/places-intervals.md: how often sure intervals hold the truth, and how wide they are."""

from collections.abc import Callable, Mapping
from statistics import fmean
from typing import Any

from bench.markdown import number, table
from bench.pages.origin import Results, untimed
from bench.places_accuracy import LARGE, SMALL

KINDS = (*LARGE, *SMALL)


def line(name: str, rows: list[Any], cell: Callable[[list[Any]], str]) -> list[str]:
    """A row of a table: a cell for each kind of query."""
    return [name, *(cell([row for row in rows if row["kind"] == kind]) for kind in KINDS)]


def widths(results: Mapping[str, Results]) -> str:
    """By budget and data, the width of intervals, how it compares with the rule before, and how it compares with the bound."""
    result = results["places_sure"]
    parts = []
    for epsilon in ("0.1", "1"):
        rows = [row for row in result["rows"] if row["epsilon"] == epsilon]
        names = list(dict.fromkeys(row["data"] for row in rows))
        lines = [
            line(
                name,
                [row for row in rows if row["data"] == name],
                lambda found: (
                    f"{number(found[0]['width'])} / {number(found[0]['before'])} / {number(found[0]['bound'])}"
                ),
            )
            for name in names
        ]
        parts.append(f"ε = {epsilon}: width / width before / bound\n\n{table(['data', *KINDS], lines)}")
    return "\n\n".join(parts)


def held(results: Mapping[str, Results]) -> str:
    """By budget, the least and the mean part of intervals that hold the truth, and the mean ratio of widths to those before."""
    result = results["places_sure"]
    lines = []
    for epsilon in dict.fromkeys(row["epsilon"] for row in result["rows"]):
        rows = [row for row in result["rows"] if row["epsilon"] == epsilon]
        lines.append(line(f"{epsilon}: hold the truth", rows, lambda some: f"{fmean(row['held'] for row in some):.3f}"))
        lines.append(
            line(f"{epsilon}: least of the data", rows, lambda some: f"{min(row['held'] for row in some):.3f}")
        )
        lines.append(
            line(
                f"{epsilon}: width against before",
                rows,
                lambda some: f"{fmean(row['width'] / max(row['before'], 1) for row in some):.2f}",
            )
        )
        lines.append(
            line(
                f"{epsilon}: width against the bound",
                rows,
                lambda some: f"{fmean(row['width'] / max(row['bound'], 1) for row in some):.1f}",
            )
        )
    return f"{table(['ε', *KINDS], lines)}\n\n{untimed(result)}"


TABLES = {"places_sure_widths": widths, "places_sure": held}
