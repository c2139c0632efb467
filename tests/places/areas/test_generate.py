"""Invented points lie in the areas of the plan, in the form that it reads."""

from pathlib import Path
from typing import Any

import pytest

from starling import places
from starling.places.areas.generate import INVENTION
from starling.planfile.values import toml_of
from tests.places.areas.worlds import plan, values

FORMS: list[Any] = [
    {},
    {"input": {"area": "zone"}},
    {"input": {"geometry": "at", "time": "when"}, "slices": {"names": ["am", "pm"]}},
]


@pytest.mark.parametrize("changes", FORMS)
def test_every_invented_point_is_counted(tmp_path: Path, changes: dict[str, Any]) -> None:
    chosen = places.AreasPlan.of(plan(tmp_path, **changes).values(), folder=tmp_path)
    made = chosen.generate(tmp_path / "invented", points=300)
    assert chosen.validate(made.records).problems.total == 0


def test_what_stands_in_has_its_areas_beside_it(tmp_path: Path) -> None:
    chosen = plan(tmp_path)
    (tmp_path / "plan.toml").write_text(toml_of(values()))
    (tmp_path / "out").mkdir()
    written, records = INVENTION.stand_in(tmp_path / "plan.toml", chosen, tmp_path / "out")
    again = places.AreasPlan.load(written)
    assert again.title.startswith("Invented: ")
    assert again.areas == chosen.areas
    assert again.validate(records).problems.total == 0
