"""The geography levels of the Census, its states, and the names of its regions. All public."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class GeographyLevel(StrEnum):
    """A partition of blocks into regions; the members are in plan order, and the values are the product's REGION_TYPE."""

    USA = "USA"
    STATE = "STATE"
    COUNTY = "COUNTY"
    TRACT = "TRACT"
    PLACE = "PLACE"
    AIANNH = "AIANNH"
    PR_STATE = "PR-STATE"
    PR_COUNTY = "PR-COUNTY"
    PR_TRACT = "PR-TRACT"
    PR_PLACE = "PR-PLACE"

    @property
    def puerto_rico(self) -> bool:
        """Whether it covers Puerto Rico; otherwise the 50 states and the District of Columbia."""
        return self.value.startswith("PR-")

    @property
    def below_state(self) -> bool:
        """Whether it is finer than nation and state, or (AIANNH) treated so: coarse iterations, suppression."""
        return self not in (GeographyLevel.USA, GeographyLevel.STATE, GeographyLevel.PR_STATE)


PUERTO_RICO: Final = "72"

STATES: Final = {
    "01": "Alabama",
    "02": "Alaska",
    "04": "Arizona",
    "05": "Arkansas",
    "06": "California",
    "08": "Colorado",
    "09": "Connecticut",
    "10": "Delaware",
    "11": "District of Columbia",
    "12": "Florida",
    "13": "Georgia",
    "15": "Hawaii",
    "16": "Idaho",
    "17": "Illinois",
    "18": "Indiana",
    "19": "Iowa",
    "20": "Kansas",
    "21": "Kentucky",
    "22": "Louisiana",
    "23": "Maine",
    "24": "Maryland",
    "25": "Massachusetts",
    "26": "Michigan",
    "27": "Minnesota",
    "28": "Mississippi",
    "29": "Missouri",
    "30": "Montana",
    "31": "Nebraska",
    "32": "Nevada",
    "33": "New Hampshire",
    "34": "New Jersey",
    "35": "New Mexico",
    "36": "New York",
    "37": "North Carolina",
    "38": "North Dakota",
    "39": "Ohio",
    "40": "Oklahoma",
    "41": "Oregon",
    "42": "Pennsylvania",
    "44": "Rhode Island",
    "45": "South Carolina",
    "46": "South Dakota",
    "47": "Tennessee",
    "48": "Texas",
    "49": "Utah",
    "50": "Vermont",
    "51": "Virginia",
    "53": "Washington",
    "54": "West Virginia",
    "55": "Wisconsin",
    "56": "Wyoming",
}
"""The 50 states and the District of Columbia: 01 to 56 without 03, 07, 14, 43 and 52, which no state has."""

REGION_NAMES: Final = {"USA": {"1": "United States"}, "STATE": STATES, "PR-STATE": {PUERTO_RICO: "Puerto Rico"}}
"""Names that need no file, by geography level and region id."""


def state_problem(codes: list[str]) -> str | None:
    """What is wrong with a list of states, or None."""
    unknown = sorted(set(codes) - STATES.keys())
    if unknown:
        shown = ", ".join(repr(code[:8]) for code in unknown[:5])
        return f"lists {shown}: not a state or the District of Columbia"
    return "lists a state twice" if len(set(codes)) != len(codes) else None


Known = Mapping[tuple[str, str], str]
"""Given names by region type and id."""


def region_names(geography: GeographyLevel, regions: tuple[str, ...], known: Known) -> tuple[str, ...]:
    """The name of each region of a level: the given one, else what it is, its own digits, and what it lies in.

    >>> region_names(GeographyLevel.TRACT, ("10001000100",), {("COUNTY", "10001"): "Kent County"})
    ('tract 000100, Kent County, Delaware',)
    >>> region_names(GeographyLevel.AIANNH, ("0001",), {})
    ('AIANNH area 0001',)
    """
    kind = geography.value
    public_names = REGION_NAMES.get(kind, {})
    within: dict[str, str] = {}
    names = []
    for region in regions:
        name = known.get((kind, region)) or public_names.get(region)
        if name is None:
            # Tracts of a county and counties of a state stand together, so what they lie in is named once.
            start = region[: _WIDTH_OF_PARENT[kind.removeprefix("PR-")]]
            if start not in within:
                within[start] = _parents(start, "PR-" if geography.puerto_rico else "", known)
            name = f"{_KIND[kind.removeprefix('PR-')]} {region[len(start) :]}{within[start]}"
        names.append(name)
    return tuple(names)


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
