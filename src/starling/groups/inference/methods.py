"""From noisy counts to consistent numbers of groups: every method of a plan under one signature.

Deterministic: the same plan and measurements give the same integers, bit for bit. Measurements are first cut to a public range that noise
leaves with a probability below e^-60 a draw, so that no optimiser meets a number that 64 bits do not hold.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.groups.measurements import Measured
from starling.groups.optimise.cumulative import project_cumulative
from starling.groups.optimise.empirical_bayes import project_empirical_bayes
from starling.groups.optimise.histogram import project_histogram
from starling.groups.optimise.relaxed import project_relaxed
from starling.groups.optimise.topdown import project_top_down
from starling.groups.optimise.tree import Projection
from starling.groups.optimise.two_step import project_two_step
from starling.groups.plan import Method, Plan
from starling.privacy.distributions.accuracy import standard_deviation

Float64: TypeAlias = npt.NDArray[np.float64]
Fit: TypeAlias = Callable[[Plan, Measured], Projection]

FINEST: Final = 64
"""The weight of the level with the least noise, where levels differ."""


def fit(plan: Plan, measured: Measured) -> Projection:
    """Consistent numbers of groups by region and size, by the plan's method."""
    most = plan.most_noisy
    return FITS[plan.method](plan, tuple(np.clip(each, -most, most) for each in measured))


def _weights(plan: Plan) -> list[int]:
    """The weight of each level: in proportion to one over the variance of its noise, 1 where all are the same."""
    amounts = plan.budget.amounts[0]
    finest = max(amounts)
    power = 2 if plan.measure == "epsilon" else 1
    return [max(1, round(FINEST * (amount / finest) ** power)) if min(amounts) < finest else 1 for amount in amounts]


def _variances(plan: Plan) -> list[Float64]:
    """The variance of the noise of each level, by size."""
    lengths = [sizes.stop - sizes.start for sizes in plan.bands]
    return [
        np.repeat([standard_deviation(noise) ** 2 for noise in plan.noise(level)], lengths)
        for level in range(plan.levels)
    ]


FITS: Final[dict[Method, Fit]] = {
    "c_eb": lambda plan, noisy: project_empirical_bayes(
        noisy, plan.regions.tree.parents, plan.groups, _variances(plan), plan.regions.level_totals
    ),
    "c_joint": lambda plan, noisy: project_cumulative(
        noisy, plan.regions.tree.parents, plan.groups, _variances(plan), plan.regions.level_totals
    ),
    "c_twostep": lambda plan, noisy: project_two_step(noisy, plan.regions.tree.parents, plan.groups, _variances(plan)),
    "h": lambda plan, noisy: project_histogram(
        noisy, plan.regions.tree.parents, plan.groups, _weights(plan), plan.regions.level_totals
    ),
    "topdown": lambda plan, noisy: project_top_down(noisy, plan.regions.tree.parents, plan.groups),
    "h_relaxed": lambda plan, noisy: project_relaxed(noisy, plan.regions.tree.parents, plan.groups, _weights(plan)),
}
