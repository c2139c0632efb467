"""Releases of a released grid itself: it is taken for the truth, measured again by the same boxes, and estimated again.

The boxes, and how each is measured, are those of the release, so that the mechanism is not run and no secret noise is drawn: noise of the
released distributions is invented from a seed that follows from the released measurements. So the same release gives the same reruns, and
whoever has it can repeat them. What is missing in them is how noise changes the shape of a tree: in studies typical errors of reruns that
grow their own trees hold about one answer of a hundred more.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Final

import numpy as np

from starling.errors import ParameterError
from starling.places.generate.noise import laplace
from starling.places.generate.worlds import whole
from starling.places.measurements import Int64, Measured, MeasuredCoefficients, MeasuredTree
from starling.places.mechanism.boxes import box_counts, cumulative
from starling.places.mechanism.privlet import coefficients
from starling.places.plan.grid import Float64
from starling.places.postprocess import estimate
from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution

RERUNS: Final = 10
MOST_CELLS: Final = 1 << 22
"""Of a grid that is measured again; more would take long."""
ROUNDING: Final = 1
"""Public seed of the rounding to whole points."""


def truth_of(grid: Float64) -> Int64:
    """The released grid, rounded to whole points: int64 (rows, columns)."""
    return whole(grid, ROUNDING)


def reruns(method: str, measured: Measured, truth: Int64) -> Iterator[Float64]:
    """The grids of `RERUNS` releases of a truth, int64 (rows, columns), by the boxes of a release, float64 (rows, columns) each.

    Of the values of what was measured the seed is made, and nothing else is taken from them.

    Raises:
        ParameterError: noise of another distribution than discrete Laplace.
    """
    exact = exact_values(measured, truth)
    for number in range(RERUNS):
        yield estimate(method, with_noise(measured, exact, number)).grid()


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
        value = exact + laplace(scales, seed_of(measured), number)
        return MeasuredTree(measured.tree, measured.node, value, measured.noise, measured.noises, measured.steered)
    value = exact + laplace(np.full(exact.shape, _scale(measured.noise)), seed_of(measured), number)
    return MeasuredCoefficients(measured.shape, value, measured.noise)


def _scale(noise: Distribution) -> float:
    if not isinstance(noise, DiscreteLaplace):
        raise ParameterError("noise", "is not discrete Laplace", "give measurements of a release of places")
    return float(noise.scale)
