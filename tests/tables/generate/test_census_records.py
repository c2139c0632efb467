import json
import re
from pathlib import Path

import numpy as np
import pytest

from starling.tables.generate.census import AS_TEXT, PERSON_COLUMNS, Records
from starling.tables.generate.files import TextWriter
from starling.tables.generate.land import invent_land
from starling.tables.generate.people import Mix
from starling.tables.plan import Plan
from starling.tables.plan.census_records import census_records


@pytest.fixture(scope="module")
def production(shared_data: Path) -> Plan:
    return Plan.load(shared_data / "tables" / "NMFv7-2020")


@pytest.fixture(scope="module")
def texts(production: Plan, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[str]]]:
    """Lines of both files, split, with the production code book."""
    folder = tmp_path_factory.mktemp("records")
    land = invent_land(np.random.default_rng(1), ["01", "72"], 20_000)
    mix = Mix(np.random.default_rng(2), production.definitions, land, census_records(production).max_race_codes)
    records = Records(land, mix)
    home = np.repeat(np.arange(len(land.state)), land.persons)
    rows = {
        "GRF-C": records.blocks(range(len(land.state))),
        "person-records": records.persons(mix.people(np.random.default_rng(3), home)),
    }
    lines = {}
    for name, table in rows.items():
        writer = TextWriter(folder / name, table.schema, (), AS_TEXT)
        writer.write(writer.encode(table))
        writer.close()
        lines[name] = [line.split("|") for line in (folder / name).read_text().splitlines()]
    return lines


@pytest.mark.parametrize("name", ["GRF-C", "person-records"])
def test_columns_are_those_of_the_census_schema(
    shared_data: Path, texts: dict[str, list[list[str]]], name: str
) -> None:
    schema = json.loads((shared_data / "tables" / "schemas" / "input" / f"{name}.json").read_text())
    attributes = [one["init_params"] for one in schema["init_params"]["attributes"]]
    header, *lines = texts[name]
    assert header == [one["column"] for one in attributes]
    for at, one in enumerate(attributes):
        values = {line[at] for line in lines}
        if "pattern" in one:
            assert all(re.fullmatch(one["pattern"].removesuffix("$"), value) for value in values), one["column"]
        elif "values" in one:
            assert values <= set(one["values"])
        else:
            assert all(0 <= int(value) <= one["splits"][-1] for value in values)


def test_codes_are_of_the_code_book_and_nulls_come_last(production: Plan, texts: dict[str, list[list[str]]]) -> None:
    known = {code for code, _ in production.definitions.codes}
    first = PERSON_COLUMNS.index("QRACE1")
    for line in texts["person-records"][1:]:
        races = line[first : first + 8]
        held = [race for race in races if race != "Null"]
        assert races == held + ["Null"] * (8 - len(held))
        assert held
        assert set(held) <= known
        assert line[-1] in known
