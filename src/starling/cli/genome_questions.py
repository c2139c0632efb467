"""From the options of a command line to a question of a genome plan: what words mean, and what is taken where nothing is said."""

from fractions import Fraction
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starling.genome.plan import Plan
    from starling.genome.plan.queries import Correlation

DELTA_C: Final = {"r2": Fraction(1, 5), "dprime": Fraction(4, 5)}
"""What a correlation must exceed unless said otherwise."""


def chosen_test(plan: "Plan", given: str | None, *, distance: bool) -> str:
    """The test that is meant: the one given, else the plan's first that can be asked for."""
    from starling.genome.plan.model import P_VALUE_ONLY

    if given is not None:
        return given
    return next((test for test in plan.tests if not (distance and test in P_VALUE_ONLY)), plan.tests[0])


def regions_of(plan: "Plan", given: str | None) -> tuple[str, ...] | None:
    """Names of regions, apart by commas; a name may hold some itself when it is the only one."""
    if given is None:
        return None
    return (given,) if given in plan.ranges else tuple(name.strip() for name in given.split(","))


def delta_c_of(corr: "Correlation", given: str | None) -> Fraction:
    """What a correlation must exceed."""
    from starling.privacy.budget import exact

    return DELTA_C[corr] if given is None else exact(given, field="--delta-c")


def epsilon_of(text: str) -> Fraction:
    """An exact cost above 0.

    Raises:
        ParameterError: for anything else.
    """
    from starling.privacy.budget import positive

    return positive(text, field="--epsilon")
