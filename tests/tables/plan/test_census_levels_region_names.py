"""Every region has a name that says what it is and where it lies; given names win."""

from starling.tables.plan import GeographyLevel
from starling.tables.plan.census_levels import region_names

KNOWN = {("STATE", "01"): "Elmland", ("COUNTY", "01001"): "Fern County", ("PR-COUNTY", "72003"): "Reed County"}


def test_regions_are_named_by_what_they_lie_in() -> None:
    expected = {
        GeographyLevel.USA: (("1",), ("United States",)),
        GeographyLevel.STATE: (("01", "02", "03"), ("Elmland", "Alaska", "state 03")),
        GeographyLevel.COUNTY: (
            ("01001", "01003", "02001"),
            ("Fern County", "county 003, Elmland", "county 001, Alaska"),
        ),
        GeographyLevel.TRACT: (
            ("01001000100", "01003000100", "02001123456"),
            (
                "tract 000100, Fern County, Elmland",
                "tract 000100, county 003, Elmland",
                "tract 123456, county 001, Alaska",
            ),
        ),
        GeographyLevel.PLACE: (("0122800", "0222800"), ("place 22800, Elmland", "place 22800, Alaska")),
        GeographyLevel.AIANNH: (("0001",), ("AIANNH area 0001",)),
        GeographyLevel.PR_STATE: (("72",), ("Puerto Rico",)),
        GeographyLevel.PR_COUNTY: (("72001", "72003"), ("county 001, Puerto Rico", "Reed County")),
        GeographyLevel.PR_TRACT: (("72003000100",), ("tract 000100, Reed County, Puerto Rico",)),
        GeographyLevel.PR_PLACE: (("7244444",), ("place 44444, Puerto Rico",)),
    }
    assert set(expected) == set(GeographyLevel)
    for level, (regions, names) in expected.items():
        assert region_names(level, regions, KNOWN) == names


def test_names_tell_regions_of_a_level_apart() -> None:
    regions = tuple(
        f"{state:02d}{county:03d}{tract:06d}" for state in (1, 2) for county in (1, 3) for tract in (1, 100)
    )
    assert len(set(region_names(GeographyLevel.TRACT, regions, {}))) == len(regions)
