"""From the options of a command line to a question of a genome plan: what words mean, and what is taken where nothing is said."""

from fractions import Fraction
from typing import TYPE_CHECKING

from starling.errors import ParameterError

if TYPE_CHECKING:
    from starling.genome.plan import Plan
    from starling.genome.plan.exploring import Stretches
    from starling.genome.plan.queries import Correlation


def chosen_test(plan: "Plan", given: str | None) -> str:
    """The test that is meant: the one given, else the plan's first that has a distance."""
    return plan.first_test if given is None else given


def regions_of(plan: "Plan", given: str | None) -> tuple[str, ...] | None:
    """Names of regions, apart by commas; a name may hold some itself when it is the only one."""
    if given is None:
        return None
    return (given,) if given in plan.ranges else tuple(name.strip() for name in given.split(","))


def delta_c_of(corr: "Correlation", given: str | None) -> Fraction:
    """What a correlation must exceed."""
    from starling.genome.plan.exploring import DELTA_C
    from starling.privacy.budget import exact

    return exact(DELTA_C[corr] if given is None else given, field="--delta-c")


def epsilon_of(text: str) -> Fraction:
    """An exact cost above 0.

    Raises:
        ParameterError: for anything else.
    """
    from starling.privacy.budget import positive

    return positive(text, field="--epsilon")


def stretches_of(given: tuple[str, ...]) -> "Stretches":
    """Stretches of SNPs, each written FIRST..LAST, or as one SNP.

    Raises:
        ParameterError: for anything else.
    """
    found = [tuple(text.split("..")) for text in given]
    if any(len(ends) > len(("first", "last")) or not all(ends) for ends in found):
        raise ParameterError(
            field="--excluding", problem="is not a first and a last SNP", fix="write it like rs10..rs20"
        )
    return tuple((ends[0], ends[-1]) for ends in found)
