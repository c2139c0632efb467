"""The regions of a plan: stated by the plan itself, or read from the block file of the Census."""

from pathlib import Path

from starling.errors import ParameterError
from starling.tables.plan.choices import Choices
from starling.tables.plan.geography import Geography, read_geography


def read_regions(plan: Choices, geography: str | Path | None = None, *, names: str | Path | None = None) -> Geography:
    """The regions that a plan tabulates.

    Args:
        plan: The public choices.
        geography: The block file of the Census; None for custom tables.
        names: Optional table of names of the Census's regions (`read_geography`).

    Raises:
        ParameterError: the block file is missing, or is given for custom tables.
        PlanError: a file is not what it should be.
    """
    stated = stated_regions(plan)
    if stated is not None:
        if geography is not None or names is not None:
            fix = "leave it out; the plan says the areas itself, in [regions]"
            raise ParameterError(
                "geography" if names is None else "names", "is of the Census, and the plan is not", fix
            )
        return stated
    if geography is None:
        fix = "give the block file (GRF-C) of the Census"
        raise ParameterError("geography", "is missing, and the plan is of person records of the Census", fix)
    return read_geography(geography, plan, names=names)


def known_regions(plan: Choices, geography: str | Path | None = None) -> Geography | None:
    """The regions, as far as they are known: of a plan of the Census without its block file None. Raises as `read_regions` does."""
    return stated_regions(plan) if geography is None else read_regions(plan, geography)


def stated_regions(plan: Choices) -> Geography | None:
    """The regions that a plan states itself; None where a file does."""
    return plan.records.stated_regions(plan.regions, {level.geography for level in plan.every_level})
