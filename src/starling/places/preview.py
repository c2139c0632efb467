"""How far counts of squares will be off, before anything is spent: by method and size, simulated from public facts alone.

Points are invented in three worlds: they gather in few places, as they do over a country; they lie everywhere; they fill a dense city. Each
method is run on all as a release runs it, noise and post-processing, and is asked for squares of the sizes that matter, around points.
Nothing is read but the plan. The noise has no seed, so that numbers differ from one preview to the next, less with more trials; the true
points may differ from all worlds.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import exp, log
from statistics import fmean
from typing import Final, TypeAlias

import numpy as np

from starling.engine.machine import in_order
from starling.errors import ParameterError, PlanError
from starling.pages.parts import Section, Table
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.arrays import Float64, Int64
from starling.places.generate.worlds import QUERIES, city, everywhere, gathered, squares
from starling.places.measurements import Measured
from starling.places.mechanism.table import mechanism_of
from starling.places.plan import Plan
from starling.places.plan.choices import ADAPTIVE, EARLIER, Purpose
from starling.places.postprocess import estimate
from starling.privacy.budget import Epsilon
from starling.privacy.most import warn_of_large
from starling.release.codec import Json
from starling.release.report import pages
from starling.release.session import Grid
from starling.release.text import rounded

Label: TypeAlias = str

SIZES: Final = (1.0, 5.0, 25.0)
"""Sides of squares in percent of the sides of the grid."""
MOST_CELLS: Final = 1 << 22
"""Of a grid that is simulated."""
TRIALS: Final = 1
"""Releases of a first look."""
MOST_TRIALS: Final = 100
LEAST: Final = 20
"""A relative error is one of at least so many points."""
RIVALS: Final[tuple[tuple[str, Purpose], ...]] = (
    (ADAPTIVE, "all"),
    (ADAPTIVE, "streets"),
    ("adaptive_grid", EARLIER),
)
"""Methods that are tried with their own defaults, beside that of the plan; for what, where that is a choice."""
GATHERED: Final = "points that gather"
EVERYWHERE: Final = "points everywhere"
CITY: Final = "points in a city"
WORLDS: Final[Mapping[str, Callable[[tuple[int, int], int, int], Int64]]] = {
    GATHERED: gathered,
    EVERYWHERE: everywhere,
    CITY: city,
}
NAMED: Final = {"gather": GATHERED, "everywhere": EVERYWHERE, "city": CITY}
"""The worlds by the words of the command line."""
WEIGHED: Final = (GATHERED, CITY)
"""Worlds by which the method for all of them is chosen: on real points these two advise better than all three (`bench.places_advice`)."""
WORTH: Final = 1.1
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


Errors: TypeAlias = Mapping[Label, Mapping[str, tuple[Error, ...]]]
"""By label of a method and name of a world, the error of each size."""


@dataclass(frozen=True, slots=True, repr=False)
class Preview(pages.Preview):
    """What a plan may be expected to give.

    Attributes:
        expected: How many points were assumed in each slice.
        sizes: Sides of squares, in percent of the sides of the grid.
        plans: The plan with each method that was tried, by a label.
        errors: By label and world, the error of each size.
        trials: Releases simulated by each method in each world.
    """

    plan: Plan
    expected: int
    sizes: tuple[float, ...]
    plans: Mapping[Label, Plan]
    errors: Errors
    trials: int = TRIALS

    @property
    def worlds(self) -> tuple[str, ...]:
        """The worlds that were simulated."""
        return tuple(self.errors[self.own])

    def score(self, label: Label, world: str | None = None) -> float:
        """The geometric mean of the relative errors over sizes, and unless one is named over worlds: of these in `WEIGHED`, or all."""
        worlds = [each for each in self.worlds if each in WEIGHED] or self.worlds if world is None else (world,)
        return exp(fmean(log(max(error.percent, 1e-6)) for each in worlds for error in self.errors[label][each]))

    @property
    def own(self) -> Label:
        """The label of the plan itself."""
        return next(label for label, plan in self.plans.items() if plan is self.plan)

    def best_in(self, world: str | None = None) -> Label:
        """The method of least score; that of the plan where no other is better by more than a simulation can tell."""
        best = min(self.plans, key=lambda label: self.score(label, world))
        return self.own if self.score(self.own, world) < WORTH * self.score(best, world) else best

    @property
    def best(self) -> Label:
        """That of all worlds together."""
        return self.best_in()

    @property
    def advice(self) -> str:
        """What the plan file would say of the best method."""
        plan = self.plans[self.best]
        purpose = [f'for = "{plan.purpose}"'] if plan.purpose == "streets" else []
        parts = [f'name = "{plan.method}"', *purpose, *(f"{name} = {text}" for name, text in plan.parameters.items())]
        return "[method] " + ", ".join(parts)

    def why(self) -> str:
        """Which method is best for these sizes, in a sentence, and in which worlds another is."""
        best, own = self.best, self.own
        others = {world: label for world in self.worlds if (label := self.best_in(world)) != best}
        apart = "".join(f"; of {world} it is {label}" for world, label in others.items())
        if best == own:
            return f"the plan's method, {own}, has the least error for these sizes, as far as can be told{apart}"
        ratio = rounded(self.score(own) / self.score(best))
        return f"{best} has the least error for these sizes; that of {own} is {ratio} times as large ({self.advice}){apart}"

    @property
    def true_count(self) -> str:
        """What errors are percents of, in words."""
        least = max(LEAST, self.expected * units_of(self.plan) // 1000)
        return f"the true {'count' if self.plan.value is None else 'sum'} (at least {least:,})"

    @property
    def what(self) -> str:
        """What is simulated of squares, in words."""
        if self.plan.value is None:
            return "counts of squares"
        return f"sums of {self.plan.layers[0]}, all values in the middle, of squares"

    @property
    def title(self) -> str:
        """The title of the page."""
        return self.plan.title

    @property
    def kind(self) -> str:
        """What the page is."""
        return f"Expected error of {self.what}; {mechanism_of(self.plan).guarantee.cost} for {self.plan.relation}"

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
            f"Simulated with {self.expected:,} invented points in each slice and fresh noise: {times(self.trials)}, means over "
            f"{QUERIES:,} squares around points. Of these methods {self.why()}. The true points may differ from all of these."
        )
        what = f"How far {self.what} are off, and in percent of {self.true_count}"
        tables = tuple(Table(self.header(), self.rows(world), f"{what}: {world}") for world in self.worlds)
        return (Section("Expected error", text, tables=tables),)

    def _facts(self) -> list[tuple[str, str]]:
        simulated = f"{self.expected:,} invented points in each slice, {times(self.trials)} of each method"
        return [
            ("preview", self.title),
            ("cost", str(mechanism_of(self.plan).guarantee.cost)),
            ("simulated", simulated),
            ("errors", f"how far {self.what} are off, and in percent of {self.true_count}"),
            ("best", self.why()),
        ]

    def _parts(self) -> tuple[Grid, ...]:
        return tuple(((world, *self.header()[1:]), self.rows(world)) for world in self.worlds)

    def as_json(self) -> dict[str, Json]:
        """The errors of each method, world and size, and which method is best."""
        return {
            "title": self.plan.title,
            "expected_points": self.expected,
            "sizes_percent": list(self.sizes),
            "trials": self.trials,
            "best": self.best,
            "best_by_world": {world: self.best_in(world) for world in self.worlds},
            "advice": self.advice,
            "methods": {
                label: {
                    "method": plan.method,
                    "parameters": dict[str, Json](plan.parameters)
                    | ({"for": plan.purpose} if plan.method == ADAPTIVE else {}),
                    "errors": {
                        world: [asdict(each) for each in errors] for world, errors in self.errors[label].items()
                    },
                }
                for label, plan in self.plans.items()
            },
        }


def times(trials: int) -> str:
    """So many simulated releases of each method, in words."""
    return "one release" if trials == 1 else f"{trials} releases"


def preview(
    plan: Plan,
    *,
    expected: int | None = None,
    sizes: Sequence[float] = SIZES,
    seed: int = 1,
    trials: int = TRIALS,
    worlds: Collection[str] = tuple(WORLDS),
) -> Preview:
    """Simulate a plan with its own method and with others, in some of `WORLDS`; other arguments, and what is raised, are as of
    `Plan.preview`.

    More trials, releases that are simulated by each method in each world, tell methods apart that are nearly as good: 1 to 100. The seed is
    public, that of the invented points. Raises ParameterError for other trials or worlds.
    """
    warn_of_large(Epsilon(plan.epsilon))
    number = plan.expected if expected is None else expected
    if number is None:
        problem = "is missing, and a preview must know about how many points there are"
        raise PlanError("expected", problem, "add it to the plan, or give it to the preview: --expected")
    if plan.grid.cells > MOST_CELLS:
        fix = "simulate a coarser grid: errors of squares change little"
        raise PlanError("grid", f"has {plan.grid.cells:,} cells; {MOST_CELLS:,} can be simulated", fix)
    if not sizes or not all(0 < size <= 100 for size in sizes):
        raise ParameterError("sizes", "are not all above 0 and at most 100", "give sides in percent of the grid's")
    if not 1 <= trials <= MOST_TRIALS:
        raise ParameterError("trials", f"are not 1 to {MOST_TRIALS}", "give a number of releases to simulate")
    if not worlds or not set(worlds) <= set(WORLDS):
        raise ParameterError("worlds", f"are not some of {', '.join(WORLDS)}", "name those that the points may be like")
    each = number // len(plan.own_slices)
    plans = dict(variants(plan))
    invented = {
        name: World.of(units_of(plan) * WORLDS[name](plan.grid.shape, each, seed), sizes, seed)
        for name in WORLDS
        if name in worlds
    }
    return Preview(plan, each, tuple(sizes), plans, mean_errors(plans, invented, trials), trials)


def units_of(plan: Plan) -> int:
    """Units of an invented point: of a value, those above the lower bound where all values are in the middle."""
    return 1 if plan.value is None else max(plan.value.width // 2, 1)


def variants(plan: Plan) -> Iterator[tuple[Label, Plan]]:
    """The plan itself, then with other methods, then with coarse grids of public numbers of boxes."""
    own = ", ".join(f"{name} = {text}" for name, text in plan.parameters.items())
    called = named(plan.method, plan.purpose)
    yield f"{called} ({own})" if own else called, plan
    for method, purpose in RIVALS:
        if (method, purpose) != (plan.method, plan.purpose) or own:
            yield named(method, purpose), replace(plan, method=method, purpose=purpose, parameters={})
    boxes = 16
    while boxes < max(plan.grid.shape):
        yield (
            f"uniform_grid of {boxes}",
            replace(plan, method="uniform_grid", purpose=EARLIER, parameters={"boxes": str(boxes)}),
        )
        boxes *= 2
    if plan.method != "singular":
        yield "singular", replace(plan, method="singular", purpose=EARLIER, parameters={})


def named(method: str, purpose: Purpose) -> Label:
    """A method as a preview names it.

    >>> named("adaptive", "all"), named("adaptive", "streets"), named("adaptive", "earlier"), named("singular", "earlier")
    ('adaptive', 'adaptive for streets', 'adaptive of before', 'singular')
    """
    words: dict[Purpose, str] = {"all": "", "streets": " for streets", EARLIER: " of before"}
    return method + (words[purpose] if method == ADAPTIVE else "")


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """Points, int64 (rows, columns), with the squares of each size that are asked for, float64 (squares, 4), and the points of each."""

    cells: Int64
    squares: tuple[Float64, ...]
    true: tuple[Float64, ...]

    @classmethod
    def of(cls, cells: Int64, sizes: Sequence[float], seed: int) -> "World":
        """Points with squares of sides in percent of the grid's, around points by a public seed."""
        queries, exact = tuple(squares(cells, size, seed) for size in sizes), CumulativeGrid(cells)
        return cls(cells, queries, tuple(exact.count(each).counts for each in queries))


def mean_errors(plans: Mapping[Label, Plan], worlds: Mapping[str, World], trials: int) -> Errors:
    """By label and world, the error of each size: means over so many releases of each plan in each world, each drawn anew."""
    totals = {label: {name: np.zeros((len(world.squares), 2)) for name, world in worlds.items()} for label in plans}
    # Noise is drawn by this thread alone, while others estimate.
    for label, name, errors in in_order(lambda drawn: _errors(worlds, *drawn), _drawn(plans, worlds, trials)):
        totals[label][name] += errors / trials
    return {
        label: {name: tuple(Error(*row) for row in errors.tolist()) for name, errors in of.items()}
        for label, of in totals.items()
    }


def _drawn(
    plans: Mapping[Label, Plan], worlds: Mapping[str, World], trials: int
) -> Iterator[tuple[Label, Plan, str, Measured]]:
    """Releases of each plan in each world that are not estimated yet: the label, the plan, the name of the world, what was measured."""
    for label, plan in plans.items():
        method = mechanism_of(plan).method
        for name, world in worlds.items():
            for _ in range(trials):
                yield label, plan, name, method.draw(world.cells)


def _errors(
    worlds: Mapping[str, World], label: Label, plan: Plan, name: str, measured: Measured
) -> tuple[Label, str, Float64]:
    """The label, the name of the world, and float64 (sizes, 2): the numbers of `Error` of each size."""
    world, released = worlds[name], CumulativeGrid(estimate(plan.method, measured, plan.purpose).grid())
    least, rows = max(LEAST, int(world.cells.sum()) / 1000), []
    for queries, true in zip(world.squares, world.true, strict=True):
        off = np.abs(released.count(queries).counts - true)
        rows.append((off.mean(), (100 * off / np.maximum(true, least)).mean()))
    return label, name, np.array(rows)
