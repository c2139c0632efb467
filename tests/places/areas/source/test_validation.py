"""Every record that a release would drop is told with its reason."""

from pathlib import Path

import pytest

from starling.places.areas.source.validation import validate
from starling.places.source import open_records
from tests.places.areas.worlds import plan


@pytest.mark.parametrize(
    ("columns", "text", "wanted"),
    [
        (
            {"x": "x", "y": "y"},
            "x,y\n0.5,0.5\n9,9\n,1\ninf,1\n",
            ["is in no area", "is missing or no point", "is missing or no point"],
        ),
        ({"area": "zone"}, "zone,n\na,1\nnone,2\n,3\n", ["is the id of no area", "is missing"]),
    ],
)
def test_what_a_release_drops_is_listed(tmp_path: Path, columns: dict[str, str], text: str, wanted: list[str]) -> None:
    (tmp_path / "records.csv").write_text(text)
    chosen = plan(tmp_path, input=columns)
    validated = validate(chosen, open_records(tmp_path / "records.csv", chosen)).value
    listed = [each.problem for each in validated.problems.listed]
    assert sorted(listed) == sorted(wanted[: len(listed)])
    assert validated.problems.total >= 2
