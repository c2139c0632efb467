"""How far counts of squares will be off, before anything is spent: by method and size, simulated from public facts alone.

Points are invented in two worlds: one in which they gather in few places, as in cities, and one in which they lie everywhere. Each
method is run on both as a release runs it, noise and post-processing, and is asked for squares of the sizes that matter, around points.
Nothing is read but the plan. The noise has no seed, so that numbers differ a little from one preview to the next; the true points may
differ from both worlds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from statistics import fmean
from typing import Final, TypeAlias

import numpy as np

from starling.errors import ParameterError, PlanError
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.generate.worlds import QUERIES, everywhere, gathered, squares
from starling.places.measurements import Int64
from starling.places.mechanism.table import mechanism_of
from starling.places.plan import Plan
from starling.places.plan.grid import Float64
from starling.places.postprocess import estimate
from starling.release.report.pages import Section, Table
from starling.release.text import rounded

Label: TypeAlias = str

SIZES: Final = (1.0, 5.0, 25.0)
"""Sides of squares in percent of the sides of the grid."""
MOST_CELLS: Final = 1 << 22
"""Of a grid that is simulated."""
TRIALS: Final = 3
LEAST: Final = 20
"""A relative error is one of at least so many points."""
RIVALS: Final = ("adaptive", "adaptive_grid", "privtree", "uniform_grid")
"""Methods that are tried with their own defaults, beside that of the plan."""
GATHERED: Final = "points that gather"
EVERYWHERE: Final = "points everywhere"
WORTH: Final = 1.05
"""Another method is named where the score of the plan's own is so many times as large."""


@dataclass(frozen=True, slots=True)
class Error:
    """The simulated error of the counts of squares of one size in one world, means over trials.

    Attributes:
        points: How far a count is off.
        percent: The same in percent of the true count, taken as at least 20 points and a thousandth of all.
    """

    points: float
    percent: float


@dataclass(frozen=True, slots=True)
class Preview:
    """What a plan may be expected to give: a `release.report.pages.PreviewPage` too.

    Attributes:
        plan: The public choices.
        expected: How many points were assumed in each slice.
        sizes: Sides of squares, in percent of the sides of the grid.
        plans: The plan with each method that was tried, by a label.
        errors: By label and world, the error of each size.
    """

    plan: Plan
    expected: int
    sizes: tuple[float, ...]
    plans: Mapping[Label, Plan]
    errors: Mapping[Label, Mapping[str, tuple[Error, ...]]]

    def score(self, label: Label) -> float:
        """The geometric mean of the relative errors over worlds and sizes."""
        found = [error.percent for errors in self.errors[label].values() for error in errors]
        return exp(fmean(log(max(each, 1e-6)) for each in found))

    @property
    def mine(self) -> Label:
        """The label of the plan itself."""
        return next(label for label, plan in self.plans.items() if plan is self.plan)

    @property
    def best(self) -> Label:
        """The method of least score; that of the plan where no other is better by more than a simulation can tell."""
        best = min(self.plans, key=self.score)
        return self.mine if self.score(self.mine) < WORTH * self.score(best) else best

    @property
    def advice(self) -> str:
        """What the plan file would say of the best method."""
        plan = self.plans[self.best]
        parts = [f'name = "{plan.method}"', *(f"{name} = {text}" for name, text in plan.parameters.items())]
        return "[method] " + ", ".join(parts)

    def why(self) -> str:
        """Which method is best for these sizes, in a sentence."""
        best, mine = self.best, self.mine
        if best == mine:
            return f"the plan's method, {mine}, has the least error for these sizes, as far as can be told"
        ratio = rounded(self.score(mine) / self.score(best))
        return f"{best} has the least error for these sizes; that of {mine} is {ratio} times as large ({self.advice})"

    @property
    def title(self) -> str:
        """The title of the page."""
        return self.plan.title

    @property
    def kind(self) -> str:
        """What the page is."""
        return f"Expected error of counts of squares; {mechanism_of(self.plan).guarantee.cost} for {self.plan.relation}"

    def header(self) -> tuple[str, ...]:
        """The columns of `rows`."""
        return ("Method", *(f"Side {size:g} %" for size in self.sizes))

    def rows(self, world: str) -> tuple[tuple[str, ...], ...]:
        """For each method, by ascending score: how far counts of each size are off, and in percent."""
        return tuple(
            (label, *(f"{rounded(each.points)} ({rounded(each.percent)} %)" for each in self.errors[label][world]))
            for label in sorted(self.plans, key=self.score)
        )

    def sections(self) -> tuple[Section, ...]:
        """The content of the page."""
        text = (
            f"Simulated with {self.expected:,} invented points in each slice and fresh noise: means over {TRIALS} releases and "
            f"{QUERIES:,} squares around points. Of these methods {self.why()}. The true points may differ from both worlds."
        )
        what = f"How far counts of squares are off, and in percent of the true count (at least {LEAST})"
        tables = tuple(Table(self.header(), self.rows(world), f"{what}: {world}") for world in (GATHERED, EVERYWHERE))
        return (Section("Expected error", text, tables=tables),)


def preview(
    plan: Plan, *, expected: int | None = None, sizes: Sequence[float] = SIZES, seed: int = 1, trials: int = TRIALS
) -> Preview:
    """Simulate a plan with its own method and with others.

    Args:
        plan: The public choices.
        expected: How many points there are, publicly; those of the plan if None.
        sizes: Sides of the squares that matter, in percent of the sides of the grid.
        seed: Public: of the invented points.
        trials: Releases that are simulated.

    Raises:
        PlanError: nobody says how many points there are, or the grid has more cells than are simulated.
        ParameterError: a size is not above 0 and at most 100.
    """
    number = plan.expected if expected is None else expected
    if number is None:
        problem = "is missing, and a preview must know about how many points there are"
        raise PlanError("expected", problem, "add it to the plan, or give it to the preview: --expected")
    if plan.grid.cells > MOST_CELLS:
        fix = "simulate a coarser grid: errors of squares change little"
        raise PlanError("grid", f"has {plan.grid.cells:,} cells; {MOST_CELLS:,} can be simulated", fix)
    if not sizes or not all(0 < size <= 100 for size in sizes):
        raise ParameterError("sizes", "are not all above 0 and at most 100", "give sides in percent of the grid's")
    each = number // len(plan.slice_names)
    plans = dict(_variants(plan))
    worlds = {name: world(plan.grid.shape, each, seed) for name, world in _WORLDS.items()}
    asked = {name: [squares(cells, size, seed) for size in sizes] for name, cells in worlds.items()}
    found = {
        label: {name: _errors(one, cells, asked[name], trials) for name, cells in worlds.items()}
        for label, one in plans.items()
    }
    return Preview(plan, each, tuple(sizes), plans, found)


def _variants(plan: Plan) -> Iterator[tuple[Label, Plan]]:
    """The plan itself, then with other methods, then with coarse grids of public numbers of boxes."""
    own = ", ".join(f"{name} = {text}" for name, text in plan.parameters.items())
    yield f"{plan.method} ({own})" if own else plan.method, plan
    for method in RIVALS:
        if method != plan.method or own:
            yield method, replace(plan, method=method, parameters={})
    boxes = 16
    while boxes < max(plan.grid.shape):
        yield f"uniform_grid of {boxes}", replace(plan, method="uniform_grid", parameters={"boxes": str(boxes)})
        boxes *= 2
    if plan.method != "singular":
        yield "singular", replace(plan, method="singular", parameters={})


_WORLDS: Final = {GATHERED: gathered, EVERYWHERE: everywhere}


def _errors(plan: Plan, cells: Int64, asked: Sequence[Float64], trials: int) -> tuple[Error, ...]:
    """The error of each size."""
    method = mechanism_of(plan).method
    exact = CumulativeGrid(cells)
    true = [exact.count(each).counts for each in asked]
    least = max(LEAST, int(cells.sum()) / 1000)
    found = np.zeros((trials, len(asked), 2))
    for trial in range(trials):
        released = CumulativeGrid(estimate(plan.method, method.draw(cells)).grid())
        for place, (each, counts) in enumerate(zip(asked, true, strict=True)):
            off = np.abs(released.count(each).counts - counts)
            found[trial, place] = off.mean(), (100 * off / np.maximum(counts, least)).mean()
    return tuple(Error(points, percent) for points, percent in found.mean(axis=0).tolist())
