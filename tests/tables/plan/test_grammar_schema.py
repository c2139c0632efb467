"""What the readers take keeps the schema, and a key that they refuse breaks it."""

import json
import re
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.planfile.grammar import plan_schema
from starling.tables.plan import Plan
from starling.tables.plan.census_grammar import CENSUS
from starling.tables.plan.custom_grammar import CUSTOM
from tests.conftest import ROOT
from tests.tables.custom_worlds import World, worlds
from tests.tables.plan.invented import census_folder
from tests.tables.plan.test_custom_grammar import FILE

SCHEMA = jsonschema.Draft202012Validator(plan_schema("tables", CENSUS, CUSTOM))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TOML = re.compile(r'^```toml title="([\w.-]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
PRESETS = sorted((ROOT / "src" / "starling" / "tables" / "presets").glob("*.toml"))


def keeps(values: dict[str, Any]) -> bool:
    """Whether values keep the schema."""
    return bool(SCHEMA.is_valid(values))


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA.schema)
    assert json.loads(json.dumps(SCHEMA.schema)) == SCHEMA.schema


@pytest.mark.parametrize("path", PRESETS, ids=[path.stem for path in PRESETS])
def test_the_plans_that_come_with_starling_keep_it(path: Path) -> None:
    assert keeps(tomllib.loads(path.read_text()))


def plans_of_the_docs() -> list[str]:
    """The plan files of tables that the documentation shows."""
    shown = (text for page in PAGES for _, text in TOML.findall(page.read_text()))
    return [text for text in shown if "negative-counts" in text]


def test_the_plans_of_the_documentation_keep_it() -> None:
    assert len(plans_of_the_docs()) >= 3
    assert all(keeps(tomllib.loads(text)) for text in plans_of_the_docs())


def test_plans_that_are_written_keep_it(tmp_path: Path) -> None:
    assert keeps(Plan.load(census_folder(tmp_path)).values("definitions"))
    assert keeps(tomllib.loads(FILE))


@settings(max_examples=25, deadline=None)
@given(worlds(most=0), st.sampled_from(["person", "household"]), st.integers(1, 3))
def test_what_the_reader_takes_keeps_it(world: World, unit: str, most: int) -> None:
    values = deepcopy(world.values)
    values["privacy"]["unit"], values["records"] = unit, {f"of-a-{unit}": most, unit: "id"}
    assert keeps(values)
    assert keeps(Plan.of(values).values())


@pytest.mark.examples(13)
@settings(max_examples=40, deadline=None)
@given(worlds(most=0), st.data())
def test_an_unknown_key_is_refused_by_both(world: World, data: st.DataObject) -> None:
    values = deepcopy(world.values)
    named = [key for key in values if isinstance(values[key], dict) and key != "title"]
    listed = [key for key in ("columns", "groups", "levels") if values[key]]
    place = data.draw(st.sampled_from(["", *named, *listed]))
    table = values if not place else values[place] if place in named else values[place][0]
    table["unheard-of"] = 1
    assert not keeps(values)
    with pytest.raises(PlanError, match="unknown key"):
        Plan.of(values)
