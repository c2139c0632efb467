"""Every level, band of ages and row has words, and no two bands of a table have the same ones."""

import pyarrow as pa

from starling.tables.plan import GeographyLevel, labels
from starling.tables.plan.region_levels import CENSUS_REGIONS, KINDS
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from tests.tables.small import small_plan

AGE = SEX_BY_AGE.attributes[1]
CUTS = [partition[1] for partition in SEX_BY_AGE.partitions[1:]]


def test_every_region_type_and_level_has_words() -> None:
    plan = small_plan()
    assert CENSUS_REGIONS.names == tuple(GeographyLevel)
    assert [labels.level_title(plan, level) for level in plan.levels] == ["State, detailed", "County, detailed"]


def test_bands_of_a_table_have_words_of_their_own() -> None:
    for cut in CUTS:
        words = [AGE.text(band) for band in AGE.classes(cut)]
        assert len(set(words)) == len(cut)
        assert words[0].startswith("under ")
        assert words[-1].endswith(" and over")


def test_a_row_is_of_a_group() -> None:
    row = {"iteration_name": "Curlew alone", "region_name": "Fern County"}
    assert labels.group(row) == "Curlew alone, Fern County"


def test_a_long_label_is_cut() -> None:
    assert labels.shortened("a" * 58) == "a" * 58
    assert labels.shortened("a" * 59) == "a" * 57 + "…"


def test_codes_of_a_table_get_words_beside_them() -> None:
    bands = [tuple(map(str, band)) for cut in CUTS for band in AGE.classes(cut)]
    codes = [("*", "*"), *bands]
    table = pa.table(
        {
            "region_type": pa.array([str(level) for level in GeographyLevel] * len(codes)).dictionary_encode(),
            "age_start": [start for start, _ in codes for _ in GeographyLevel],
            "age_end": [end for _, end in codes for _ in GeographyLevel],
            "sex": ["1", "2"] * (len(codes) * len(GeographyLevel) // 2),
        }
    )
    chosen = labels.text_columns(CENSUS_REGIONS, SEX_BY_AGE, table.column_names)
    assert tuple(each.name for each in chosen) == ("region_kind", "sex_name", "ages")
    for row in labels.with_text(table, chosen).to_pylist():
        assert row["region_kind"] == KINDS[GeographyLevel(row["region_type"])]
        assert row["sex_name"] == {"1": "male", "2": "female"}[row["sex"]]
        ages = None if row["age_start"] == "*" else (int(row["age_start"]), int(row["age_end"]))
        assert row["ages"] == AGE.text(ages)


def test_without_codes_there_are_no_words() -> None:
    assert [each.name for each in labels.text_columns(CENSUS_REGIONS, SEX_BY_AGE, ["region_type", "count"])] == [
        "region_kind"
    ]
    assert labels.text_columns(CENSUS_REGIONS, SEX_BY_AGE, ["count"]) == ()
