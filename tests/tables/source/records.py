"""Records by hand: one plan with two blocks in a tabulated state and one elsewhere, a good line, and changes of its fields."""

from fractions import Fraction

import numpy as np
import pyarrow as pa

from starling.tables.plan import Definitions, Geography, GeographyLevel, Iteration, Level, Plan
from starling.tables.plan.census_records import CENSUS_PARTS, CensusRecords
from starling.tables.source.lookup import Lookup, lookup
from tests.tables.worlds import CODES, COLUMNS

_EVERYONE = Iteration("0001", "everyone", "race", 1, alone=False, total_only=False, coarse_only=False, codes=CODES)

PLAN = Plan(
    title="by hand",
    measure="epsilon",
    levels=(Level(GeographyLevel.STATE, 1, Fraction(1), (2, 3, 4), (_EVERYONE,), 8),),
    gamma=Fraction(1, 10),
    suppression=Fraction(0),
    allow_negative=True,
    records=CensusRecords(8, frozenset({"01"}), puerto_rico=False),
    **CENSUS_PARTS,
    definitions=Definitions((_EVERYONE,), tuple((code, code) for code in CODES)),
)

BLOCK = ["01", "001", "000100", "0001"]
_NAMES = ("TABBLKST", "TABBLKCOU", "TABTRACTCE", "TABBLK")
BLOCKS = {
    tuple(block): dict(zip(_NAMES, block, strict=True)) | {"PLACEFP": "99999", "AIANNHCE": "9999"}
    for block in (BLOCK, ["01", "001", "000100", "0002"], ["05", "001", "000100", "0001"])
}

GEOGRAPHY = Geography(
    units=1,
    blocks=pa.table(
        {name: [block[at] for block in BLOCKS if block[0] == "01"] for at, name in enumerate(_NAMES)}
        | {"unit": pa.array([0, 0], pa.int32())}
    ),
    regions={GeographyLevel.STATE: ("01",)},
    region_of_unit={GeographyLevel.STATE: np.zeros(1, dtype=np.int32)},
    names={GeographyLevel.STATE: ("01",)},
)


def book() -> Lookup:
    """What text of these records is looked up in."""
    return lookup(PLAN, GEOGRAPHY)


def row(**fields: str) -> bytes:
    """A good line but for the given fields."""
    usual = {
        "QAGE": "030",
        "QSEX": "1",
        "HOUSEHOLDER": "True",
        **dict(zip(_NAMES, BLOCK, strict=True)),
        "CENRACE": "01",
    }
    usual |= {name: "Null" for name in COLUMNS if name not in usual} | {"QRACE1": "1000"}
    return "|".join((usual | fields)[name] for name in COLUMNS).encode()


GOOD = row()
