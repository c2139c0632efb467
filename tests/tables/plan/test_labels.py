"""Every level, band of ages and row has words, and no two bands of a table have the same ones."""

import pyarrow as pa

from starling.tables.plan import GeographyLevel, cells, labels
from tests.tables.small import small_plan


def test_every_region_type_and_level_has_words() -> None:
    assert set(labels.KINDS) == set(GeographyLevel)
    assert [labels.level_title(level) for level in small_plan().levels] == ["State, detailed", "County, detailed"]


def test_bands_of_a_table_have_words_of_their_own() -> None:
    for bands in cells.BRANCH_BANDS[1:]:
        words = [labels.ages(str(first), str(last)) for first, last in cells.age_ranges(bands)]
        assert len(set(words)) == len(bands)
        assert words[0].startswith("under ")
        assert words[-1].endswith(" and over")


def test_a_row_is_a_group_and_a_cell() -> None:
    row = {"iteration_name": "Curlew alone", "region_name": "Fern County"}
    assert labels.group(row) == "Curlew alone, Fern County"
    cell = {**row, "sex": "2", "age_start": "5", "age_end": "17"}
    assert labels.group(cell) == "Curlew alone, Fern County: female, 5 to 17"


def test_a_long_label_is_cut() -> None:
    assert labels.shortened("a" * 58) == "a" * 58
    assert labels.shortened("a" * 59) == "a" * 57 + "…"


def test_codes_of_a_table_get_words_beside_them() -> None:
    bands = [(str(low), str(high)) for branch in cells.BRANCH_BANDS[1:] for low, high in cells.age_ranges(branch)]
    codes = [("*", "*"), *bands]
    table = pa.table(
        {
            "region_type": pa.array([str(level) for level in GeographyLevel] * len(codes)).dictionary_encode(),
            "age_start": [start for start, _ in codes for _ in GeographyLevel],
            "age_end": [end for _, end in codes for _ in GeographyLevel],
            "sex": ["1", "2"] * (len(codes) * len(GeographyLevel) // 2),
        }
    )
    names = labels.columns(table.column_names)
    assert names == ("region_kind", "sex_name", "ages")
    for row in labels.with_text(table, names).to_pylist():
        assert row["region_kind"] == labels.KINDS[GeographyLevel(row["region_type"])]
        assert row["sex_name"] == labels.SEXES[row["sex"]]
        assert row["ages"] == labels.ages(row["age_start"], row["age_end"])


def test_without_codes_there_are_no_words() -> None:
    assert labels.columns(["region_type", "count"]) == ("region_kind",)
    assert labels.columns(["count"]) == ()
