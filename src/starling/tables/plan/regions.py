"""The regions of a plan: those of the Census from its block file, those of records of one's own from the plan itself."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starling.errors import ParameterError, PlanError
from starling.tables.plan.choices import Choices
from starling.tables.plan.custom_records import CustomRecords
from starling.tables.plan.geography import Geography, read_geography


def read_regions(plan: Choices, geography: str | Path | None = None, *, names: str | Path | None = None) -> Geography:
    """The regions that a plan tabulates.

    Args:
        plan: The public choices.
        geography: The block file of the Census; None for records of one's own.
        names: Optional table of names of the Census's regions (`read_geography`).

    Raises:
        ParameterError: the block file is missing, or is given for records of one's own.
        PlanError: a file is not what it should be.
    """
    if plan.records is None:
        if geography is None:
            fix = "give the block file (GRF-C) of the Census"
            raise ParameterError("geography", "is missing, and the plan is of person records of the Census", fix)
        return read_geography(geography, plan, names=names)
    if geography is not None or names is not None:
        fix = "leave it out; the plan says the areas itself, in [regions]"
        raise ParameterError("geography" if names is None else "names", "is of the Census, and the plan is not", fix)
    return _of_areas(plan, plan.records)


def _of_areas(plan: Choices, records: CustomRecords) -> Geography:
    """The areas as units, and the regions of the levels that are tabulated."""
    areas, wanted = records.areas, {level.geography for level in plan.every_level}
    if len(areas.regions) != len(plan.regions.levels):
        raise PlanError("regions", "are of other levels than the plan", "give a column for each level")
    regions: dict[str, tuple[str, ...]] = {}
    of_unit: dict[str, npt.NDArray[np.int32]] = {}
    for place, level in enumerate(plan.regions.names):
        if level in wanted:
            regions[level] = areas.ids(place)
            number = {region: at for at, region in enumerate(regions[level])} | {"": -1}
            of_unit[level] = np.array([number[region] for region in areas.regions[place]], dtype=np.int32)
    return Geography(len(areas.codes), pa.table({}), regions, of_unit, regions)
