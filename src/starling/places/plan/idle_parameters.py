"""Parameters of a method that would change nothing of a release: the reader of plan files refuses them, with the reason.

`Plan` itself does not: a release that was made with one before still opens.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from starling.errors import ParameterError
from starling.places.plan.grid import Grid
from starling.privacy.budget import exact

LEAST_CELLS: Final = 5
"""A homogeneous tree cuts no box with fewer cells, unless its plan says otherwise."""
SMALL: Final = 4
"""On a grid of at most so many rows and columns, `adaptive` measures the same boxes however it divides its budget."""


def idle_parameters(method: str, parameters: Mapping[str, str], grid: Grid) -> Iterator[tuple[str, str, str]]:
    """Name, problem and fix of each; a value that is none of the parameter's is left to the method, which refuses it."""
    for name, (reason, fix) in _reasons(method, parameters, grid).items():
        if name in parameters:
            yield name, f"would change nothing {reason}", fix


def _reasons(method: str, parameters: Mapping[str, str], grid: Grid) -> dict[str, tuple[str, str]]:
    """Why parameters are idle, and what to do, by their names; whether the plan states them or not."""
    cuts, leave = parameters.get("cuts", "search"), "leave it out"
    reasons: dict[str, tuple[str, str]] = {}
    if method == "adaptive" and max(grid.shape) <= SMALL:
        reasons["many"] = (f"on a grid of at most {SMALL} rows and columns: its cells are measured, once each", leave)
    if method == "quadtree" and _number(parameters.get("height", "1")) == 0:
        reasons["levels"] = ("at height 0: the one level has the whole budget", f"{leave}, or write a larger height")
    if method == "htf" and cuts in ("middle", "random"):
        reasons["search"] = (f'with cuts = "{cuts}": nothing is searched for', f"{leave}, or write other cuts")
    if method == "htf" and _number(parameters.get("least_cells", str(LEAST_CELLS))) > grid.cells:
        fix = f"{leave}, or write least_cells of at most {grid.cells:,}"
        whole = (f"on a grid of {grid.cells:,} cells, fewer than least_cells: it is never cut", fix)
        reasons |= {"least_points": whole, "rounds": whole}
    if method == "htf" and cuts != "search":
        reasons["rounds"] = (f'with cuts = "{cuts}": they are of a search', f'{leave}, or write cuts = "search"')
    return reasons


def _number(text: str) -> Fraction:
    """What a parameter states; -1, which none of them may be, where it states no number."""
    try:
        return exact(text, field="")
    except ParameterError:
        return Fraction(-1)
