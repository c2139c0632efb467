"""A release of cross tables in a session: its first number, pictures, refusals, and its forms for other programs."""

from typing import Any

import pytest

from starling.errors import ParameterError
from starling.tables.analysis import TablesRelease


def test_the_headline_and_pictures(cross_release: TablesRelease) -> None:
    headline = cross_release.headline()
    assert headline is not None
    assert headline.label == "Records in all"
    assert "sex_by_school" in str(cross_release.plot("sex_by_school"))
    assert list(cross_release.to_pandas(sex="F").columns[:5]) == [
        "region_type",
        "region_id",
        "region_name",
        "sex",
        "sex_label",
    ]


@pytest.mark.parametrize(
    ("wanted", "cause"),
    [
        ({"ward": "w9"}, "ward has no region 'w9'"),
        ({"table": "t1"}, "table is not everybody or sex"),
        ({"table": "sex"}, "sex has 10 such rows"),
    ],
)
def test_what_is_no_number_is_refused(cross_release: TablesRelease, wanted: dict[str, Any], cause: str) -> None:
    with pytest.raises(ParameterError) as refused:
        cross_release.number(**wanted)
    assert cause in str(refused.value)
