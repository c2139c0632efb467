"""Pictures of rows: each is told by the labels of what differs, and says how many rows there are more."""

import pyarrow as pa

from starling.tables.plots import plots_of


def test_rows_are_told_by_labels_and_the_rest_is_counted() -> None:
    rows = pa.table(
        {
            "region_name": ["one"] * 3,
            "sex": ["F", "M", "X"],
            "sex_label": ["female", "male", "other"],
            "count": [1.04, -0.04, 12345.0],
            "standard_deviation": [1.0] * 3,
            "lower": [-1.0, -2.0, 1.0],
            "upper": [3.0, 2.0, 20000.0],
        }
    )
    shown = plots_of("People", "sex", rows, 2)
    page = shown.pictures["sex"]
    assert page.title == "People, the first 2 of 3 rows"
    text = page.pictures[0].draw()
    assert "female" in text
    assert "0.0: -2.0 to 2.0" in text
    assert "other" not in text
