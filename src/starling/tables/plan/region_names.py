"""A name to read for every region, whether or not somebody gave one: from the names that are known and from the parts of its id."""

from collections.abc import Iterator, Mapping

from starling.tables.plan.codebook import GeographyLevel
from starling.tables.plan.states import REGION_NAMES

Known = Mapping[tuple[str, str], str]
"""Given names by region type and id."""


def region_names(geography: GeographyLevel, regions: tuple[str, ...], known: Known) -> tuple[str, ...]:
    """The name of each region of a level: the given one, else what it is, its own digits, and what it lies in.

    >>> region_names(GeographyLevel.TRACT, ("10001000100",), {("COUNTY", "10001"): "Kent County"})
    ('tract 000100, Kent County, Delaware',)
    >>> region_names(GeographyLevel.AIANNH, ("0001",), {})
    ('AIANNH area 0001',)
    """
    return tuple(_names(geography, regions, known))


def _names(geography: GeographyLevel, regions: tuple[str, ...], known: Known) -> Iterator[str]:
    kind = geography.value
    given = REGION_NAMES.get(kind, {})
    within: dict[str, str] = {}
    for region in regions:
        name = known.get((kind, region)) or given.get(region)
        if name is None:
            # Tracts of a county and counties of a state stand together, so what they lie in is named once.
            start = region[: _WIDTH_OF_PARENT[kind.removeprefix("PR-")]]
            if start not in within:
                within[start] = _parents(start, "PR-" if geography.puerto_rico else "", known)
            name = f"{_KIND[kind.removeprefix('PR-')]} {region[len(start) :]}{within[start]}"
        yield name


_KIND = {"STATE": "state", "COUNTY": "county", "TRACT": "tract", "PLACE": "place", "AIANNH": "AIANNH area"}
_WIDTH_OF_PARENT = {"STATE": 0, "COUNTY": 2, "TRACT": 5, "PLACE": 2, "AIANNH": 0}
"""Digits of the county or state that an id begins with."""


def _parents(region: str, island: str, known: Known) -> str:
    """What a region lies in, each led by a comma: `region` is a county, a state, or nothing."""
    if not region:
        return ""
    if len(region) == _WIDTH_OF_PARENT["TRACT"]:
        county = known.get((f"{island}COUNTY", region)) or f"county {region[2:]}"
        return f", {county}{_parents(region[:2], island, known)}"
    state = known.get((f"{island}STATE", region)) or REGION_NAMES[f"{island}STATE"].get(region) or f"state {region}"
    return f", {state}"
