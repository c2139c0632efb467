"""The table of docs/explanation/places-intervals.md: what share of squares of each stated chance are among those with most points."""

from collections.abc import Mapping
from itertools import pairwise

from bench.markdown import table
from bench.pages.origin import Results, untimed
from bench.places_hotspots import BINS, CHOSEN_ON, OTHERS, SIDES, shares

MANY = 100
"""Squares of which a share is given for a data set or a size alone."""


def hotspots(results: Mapping[str, Results]) -> str:
    """A row for each range of chances: squares, mean chance and share among the first, on the data of the choice and on others."""
    result = results["places_hotspots"]
    parts = {
        "the others": [row for row in result["rows"] if row["data"] in OTHERS],
        "data of the choice": [row for row in result["rows"] if row["data"] in CHOSEN_ON],
    }
    found = {name: {each["from"]: each for each in shares(rows)} for name, rows in parts.items()}
    lines = [
        [
            f"{low:g} to {high:g}",
            *(
                text
                for each in found.values()
                for text in (
                    (f"{each[low]['squares']:,}", f"{each[low]['chance']:.2f}", f"{each[low]['among']:.2f}")
                    if low in each
                    else ("0", "", "")
                )
            ),
        ]
        for low, high in pairwise(BINS)
    ]
    head = ["chance", *(text for name in found for text in (f"squares of {name}", "mean chance", "among the first"))]
    return f"{table(head, lines)}\n\n{untimed(result)}"


def by_size(results: Mapping[str, Results]) -> str:
    """Of the others, a row for each side of squares and one for each data set: what share is among the first, by range of chances."""
    rows = [row for row in results["places_hotspots"]["rows"] if row["data"] in OTHERS]
    groups = {f"side of {side} cells": [row for row in rows if row["side"] == side] for side in SIDES}
    groups |= {name: [row for row in rows if row["data"] == name] for name in OTHERS}
    lines = []
    for name, some in groups.items():
        found = {each["from"]: each for each in shares(some)}
        cells = [
            f"{found[low]['among']:.2f} ({found[low]['chance']:.2f})"
            if low in found and found[low]["squares"] >= MANY
            else ""
            for low in BINS[:-1]
        ]
        lines.append([name, *cells])
    head = ["share (mean chance)", *(f"{low:g} to {high:g}" for low, high in pairwise(BINS))]
    return f"{table(head, lines)}\n\nEmpty: fewer than {MANY} squares."


TABLES = {"places_hotspots": hotspots, "places_hotspots_by_size": by_size}
