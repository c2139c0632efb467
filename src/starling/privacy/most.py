"""Budgets so large that a release protects hardly anybody: they are allowed, for a custodian may try them, and are warned of."""

import warnings
from fractions import Fraction
from typing import Final

from starling.errors import StarlingWarning
from starling.privacy.budget import Cost, Measure

LARGE: Final[dict[Measure, Fraction]] = {"epsilon": Fraction(40), "rho": Fraction(10)}
"""Above it a warning is due."""
_KNOWN: Final[dict[Measure, str]] = {"epsilon": "19.61 at delta 1e-10", "rho": "2.63"}
"""Of the redistricting data of the 2020 Census of the United States, in all."""


class LargeBudgetWarning(StarlingWarning):
    """A cost that protects hardly anybody."""


def warn_of_large(cost: Cost) -> None:
    """Warn of a cost above LARGE, which is public: of a plan that is previewed, registered or released."""
    if cost.amount > LARGE[cost.measure]:
        words = (
            f"{cost} is so large that it protects hardly anybody; the 2020 Census of the United States has"
            f" {_KNOWN[cost.measure]} for redistricting. It is allowed, for tests"
        )
        warnings.warn(LargeBudgetWarning(words), stacklevel=3)
