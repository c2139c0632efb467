"""A typical error of each answer: how far releases of the released grid itself are off, with the noise of the boxes that it is read from.

Each query is asked of the reruns: the root mean square of how far these answers are off is what noise and estimation do to it.
A rerun cannot know of points that the noise hides, where the released grid has none: so the variance of the noise of a box where the query
lies is added, and three roots of the sum are the typical error. In studies it holds nine of ten errors and more, over data, budgets
and kinds of query (bench.places_typical says where fewer); nothing is proved, so that it is no confidence interval: answers/sure.py has
those.

Reruns. The released grid is taken for the truth, measured again by the same boxes, and estimated again. The boxes, and how each is
measured, are those of the release, so that the mechanism is not run and no secret noise is drawn: noise of the released distributions is
invented from a seed that follows from the released measurements. So the same release gives the same reruns, and whoever has it can repeat
them. What is missing in them is how noise changes the shape of a tree: in studies typical errors of reruns that grow their own trees hold
about one answer of a hundred more.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import Final

import numpy as np

from starling.errors import ParameterError
from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.arrays import Float64, Int64
from starling.places.generate.noise import laplace
from starling.places.generate.worlds import whole
from starling.places.measurements import Measured, MeasuredTree
from starling.places.mechanism.boxes import box_counts, cumulative
from starling.places.mechanism.privlet import coefficients
from starling.places.plan import Plan
from starling.places.plan.choices import Purpose
from starling.places.postprocess import estimate
from starling.places.postprocess.least_squares import merged
from starling.places.postprocess.leaves import spread
from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution

RERUNS: Final = 10
MOST_CELLS: Final = 1 << 22
"""Of a grid that is measured again; more would take long."""
REPEATED_CELLS: Final = 1 << 18
"""Of a grid whose reruns stay in memory, where it is asked again."""
REPEATED: Final = 4
"""Such grids at a time."""
ROUNDING: Final = 1
"""Public seed of the rounding to whole points."""


def truth_of(grid: Float64) -> Int64:
    """The released grid, rounded to whole points: int64 (rows, columns)."""
    return whole(grid, ROUNDING)


def reruns(method: str, measured: Measured, truth: Int64, purpose: Purpose = "all") -> Iterator[Float64]:
    """The grids of `RERUNS` releases of a truth, int64 (rows, columns), by the boxes of a release, float64 (rows, columns) each.

    Of the values of what was measured the seed is made, and nothing else is taken from them.

    Raises:
        ParameterError: noise of another distribution than discrete Laplace.
    """
    exact = exact_values(measured, truth)
    for number in range(RERUNS):
        yield estimate(method, with_noise(measured, exact, number), purpose).grid()


def seed_of(measured: Measured) -> int:
    """A public number that follows from the released values: the same for the same release, another for any other."""
    return int.from_bytes(sha256(np.ascontiguousarray(measured.value, dtype="<i8").tobytes()).digest())


def exact_values(measured: Measured, truth: Int64) -> Int64:
    """What each measurement would be of a truth without noise, int64 of the shape of the measured values."""
    if isinstance(measured, MeasuredTree):
        return box_counts(cumulative(np.ascontiguousarray(truth)), measured.tree.boxes)[measured.node]
    return coefficients(truth)


def with_noise(measured: Measured, exact: Int64, number: int) -> Measured:
    """The same measurements with other values: exact ones and invented noise of the released distributions; `number` says which."""
    if isinstance(measured, MeasuredTree):
        scales = np.array([_scale(noise) for noise in measured.noises])[measured.noise]
    else:
        scales = np.full(exact.shape, _scale(measured.noise))
    return replace(measured, value=exact + laplace(scales, seed_of(measured), number))


def _scale(noise: Distribution) -> float:
    if not isinstance(noise, DiscreteLaplace):
        raise ParameterError("noise", "is not discrete Laplace", "give measurements of a release of places")
    return float(noise.scale)


TIMES: Final = 3.0
"""Root mean squares in a typical error."""


def typical_errors(plan: Plan, released: ReleasedGrid, ask: Callable[[ReleasedGrid], Answers]) -> Float64 | None:
    """The typical error of each answer, float64 (queries,), the same whenever it is asked; `ask` asks a grid the queries.

    Returns None where the grid has more than 2^22 cells, which would take long.
    """
    if plan.grid.cells > MOST_CELLS:
        return None
    errors: Float64 = TIMES * np.sqrt(
        (rerun_errors(plan, released, ask) ** 2).mean(axis=0) + deviations(released, ask) ** 2
    )
    return errors


def typical_answers(
    ask: Callable[[ReleasedGrid], Answers], *parts: tuple[Plan, ReleasedGrid], adds: bool = False, typical: bool = True
) -> Answers:
    """The answers of a released grid, or of what the first of two has more than the other, with their typical errors.

    Args:
        ask: Asks a grid the queries.
        parts: One released grid, or two, each with its plan.
        adds: Whether two are added instead.
        typical: Whether typical errors are told; those of two join, as their noise is independent.

    Raises:
        ParameterError: as `ask`, and where the grids are not the same or share measurements.
    """
    (_, grid), *others = parts
    for _, other in others:
        grid = grid.plus(other) if adds else grid.minus(other)
    errors = [typical_errors(plan, each, ask) for plan, each in parts] if typical else []
    known = [each for each in errors if each is not None]
    # Of one part as it is; of two none where one is not known.
    joined = known[0] if len(known) == 1 else np.sqrt(sum(each * each for each in known))
    return replace(ask(grid), typical_error=joined if known and len(known) == len(errors) else None)


def rerun_errors(plan: Plan, released: ReleasedGrid, ask: Callable[[ReleasedGrid], Answers]) -> Float64:
    """How far each rerun's answers are off, float64 (`RERUNS`, queries)."""
    grids = _repeated if plan.grid.cells <= REPEATED_CELLS else _truth_and_reruns
    true, *others = grids(plan.method, plan.purpose, released)
    counts = ask(true).counts
    return np.stack([ask(each).counts - counts for each in others])


def _truth_and_reruns(method: str, purpose: Purpose, released: ReleasedGrid) -> Iterator[ReleasedGrid]:
    """The released grid in whole points, then each of its reruns."""
    [(measured, _)] = released.parts
    truth = truth_of(released.table.grid)
    yield ReleasedGrid(released.grid, truth.astype(np.float64), ())
    for grid in reruns(method, measured, truth, purpose):
        yield ReleasedGrid(released.grid, grid, ())


_repeated = lru_cache(REPEATED)(lambda *of: tuple(_truth_and_reruns(*of)))


def deviations(released: ReleasedGrid, ask: Callable[[ReleasedGrid], Answers]) -> Float64:
    """The standard deviation of the noise of a box where each query lies, the mean over its cells; 0 of a query without cells."""
    [(measured, _)] = released.parts
    shape = measured.tree.shape if isinstance(measured, MeasuredTree) else measured.shape
    sums = ask(ReleasedGrid(released.grid, of_cells(measured), ())).counts
    area = ask(ReleasedGrid(released.grid, np.ones(shape), ())).counts
    return np.divide(sums, area, out=np.zeros(len(sums)), where=area > 0)


def of_cells(measured: Measured) -> Float64:
    """float64 (rows, columns): the standard deviation of the noise of each cell's box; 0 of a transform, whose noise has no box."""
    if not isinstance(measured, MeasuredTree):
        return np.zeros(measured.shape)
    tree, own = measured.tree, merged(measured)
    leaves = tree.leaves
    # Spread evenly over its cells, a box's deviation times its cells is its deviation in each.
    return spread(tree.shape, tree.boxes[leaves], np.sqrt(own.variance[leaves]) * tree.areas[leaves])
