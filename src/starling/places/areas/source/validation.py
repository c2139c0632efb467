"""What is wrong with the records, for their custodian's eyes: never part of a release, as places/source/validation.py says."""

from functools import partial
from typing import Final

import numpy as np
import pyarrow as pa

from starling.engine.delimited import labels
from starling.errors import SHOWN
from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.source.cells import labelled
from starling.places.areas.source.locate import locator_of
from starling.places.arrays import Int64
from starling.places.source import Held, Records
from starling.places.source.cells import points_of
from starling.places.source.validation import FIX, check_unit, check_value, inspected
from starling.privacy.trust import NotPrivate
from starling.release.domain import Validated
from starling.release.faults import Tally

MOST_FAULTY: Final = "look at the columns and the areas before anything else"


def validate(plan: AreasPlan, records: Records | Held, *, most: int = SHOWN) -> NotPrivate[Validated]:
    """Read all records and list for the custodian which of them a release would drop, and why; at most `most` are listed.

    Raises:
        SourceError: a file is no longer what was checked.
    """
    return inspected(partial(_check, plan), plan, records, Tally(most, FIX), MOST_FAULTY)


def _check(plan: AreasPlan, table: pa.Table, here: Int64, file: str, tally: Tally) -> None:
    """Add the faults of some records."""
    named = plan.columns
    if named.area:
        missing = labels(table[named.area]).is_null().to_numpy(zero_copy_only=False)
        tally.add(named.area, "is missing", missing, here, file)
        unknown = (labelled(plan.areas, table[named.area]) < 0) & ~missing
        tally.add(named.area, "is the id of no area", unknown, here, file)
    else:
        x, y = points_of(plan, table)
        where = named.geometry or named.h3 or f"{named.x}, {named.y}"
        none = np.isnan(x) | np.isnan(y)
        endless = ~none & (np.isinf(x) | np.isinf(y))
        tally.add(where, "is missing or no point", none, here, file)
        tally.add(where, "is infinite", endless, here, file)
        outside = ~none & ~endless & (locator_of(plan.areas).assign(x, y) < 0)
        tally.add(where, "is in no area", outside, here, file)
    check_value(plan, table, here, file, tally)
    check_unit(plan, table, here, file, tally)
