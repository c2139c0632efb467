"""A population group level: a level of regions by a family of groups."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from starling.tables.plan.accuracy_targets import AccuracyTarget
from starling.tables.plan.iterations import Iteration

Thresholds: TypeAlias = tuple[int, ...]
"""Noisy totals from which a group gets the next partition of the detail: persons, strictly ascending."""


@dataclass(frozen=True, slots=True)
class Level:
    """One population group level that is tabulated; a level without a budget does not exist.

    Attributes:
        geography: The name of the level of regions, one of the plan's `regions`.
        iteration_level: Which family of the plan its iterations are, from 1; of the Census 1 regional or 2 detailed.
        budget: Epsilon or rho of the whole level, above 0.
        thresholds: Noisy totals from which a group gets each partition of the plan's detail after the total (persons, strictly ascending).
        iterations: Tabulated here, ascending by code; hundreds of them, which `repr` leaves out.
        stability: The most groups of this level that one person can be in.
        targets: Margins of error that the budget was found for, all of them kept; empty where the plan states a budget.
    """

    geography: str
    iteration_level: int
    budget: Fraction
    thresholds: Thresholds
    iterations: tuple[Iteration, ...] = field(repr=False)
    stability: int
    targets: tuple[AccuracyTarget, ...] = ()

    @property
    def name(self) -> str:
        """As in the production configuration: "(COUNTY, 2)"."""
        return f"({self.geography}, {self.iteration_level})"

    @property
    def total_only(self) -> npt.NDArray[np.bool_]:
        """Per iteration, in plan order, whether its groups are bare totals by plan: shape (iterations,)."""
        return np.array([iteration.total_only for iteration in self.iterations], dtype=np.bool_)

    @property
    def single_stage(self) -> bool:
        """Whether all its groups are bare totals by plan, each measured once."""
        return bool(self.total_only.all())
