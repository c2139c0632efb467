"""The table of how near each method of group sizes comes to the truth."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from bench.markdown import number, table
from bench.pages.origin import Results, untimed

SHORT: Final = (("equal", "c_twostep"), ("equal", "c_joint"), ("equal", "c_eb"), ("by size", "c_eb"))
"""Splits and methods of worlds but the first."""


def groups_accuracy(results: Mapping[str, Results]) -> str:
    """Errors by world, budget, split and method."""
    result = results["groups_accuracy"]
    rows = result["rows"]
    first = rows[0]["world"]
    shown = [row for row in rows if row["world"] == first or (row["split"], row["method"]) in SHORT]
    found = table(
        ["data", "eps", "split", "method", "L1 by level", "EMD by level", "largest error"],
        (
            [
                row["world"],
                row["epsilon"],
                row["split"],
                row["method"],
                *(_levels(row, name) for name in ("l1", "emd", "most")),
            ]
            for row in shown
        ),
    )
    gaps = [row["gap"] for row in rows if row["gap"] is not None and row["world"] == first]
    sizes = result["settings"]
    return (
        f"{found}\n\nMeans of {sizes['runs']} runs. The objective of c_joint on the first data exceeds its lower bound by "
        f"{min(gaps):.2%} to {max(gaps):.2%}. {untimed(result)}"
    )


def _levels(row: Mapping[str, Any], name: str) -> str:
    """The figures of all levels, root first."""
    return " / ".join(number(row[f"{name}_{level}"]) for level in range(1, 4))


TABLES: Final[dict[str, Callable[[Mapping[str, Results]], str]]] = {"groups_accuracy": groups_accuracy}
