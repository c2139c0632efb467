"""Persons of the Census on a land; that they are without fault is tested in tests/tables/test_generate.py."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.generate.census import LAND, NAMES, PERSON_COLUMNS, PopulationGenerator, digits, sizes
from starling.tables.generate.files import Format
from starling.tables.generate.land import Land, invent_land
from starling.tables.generate.runs import stream
from starling.tables.plan.blocks import COLUMNS
from tests.tables.small import small_plan


@pytest.fixture(scope="module")
def land() -> Land:
    return invent_land(stream(1, LAND), ["01"], 2000)


@pytest.mark.parametrize("form", ["text", "parquet"])
def test_a_land_and_its_persons_are_files_of_a_folder(tmp_path: Path, land: Land, form: Format) -> None:
    population = PopulationGenerator(small_plan(), land, 1)
    blocks, persons = population.write_land(tmp_path, form, 1), population.write(tmp_path, form, 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([blocks.name, persons.name, NAMES])
    if form == "parquet":
        tables = pq.read_table(blocks), pq.read_table(persons)
        assert [table.column_names for table in tables] == [list(COLUMNS), list(PERSON_COLUMNS)]
        assert [len(table) for table in tables] == [len(land.state), 2000]


def test_sizes_count_what_is_there(land: Land) -> None:
    result = sizes(land)
    assert (result["states"], result["persons"], result["blocks"]) == (1, 2000, len(land.state))
    assert result["tracts"] == len(np.unique(land.tract_index))
    assert result["counties"] == len(np.unique(land.county))


@given(st.lists(st.integers(0, 99_999), max_size=20))
def test_digits_are_those_of_print(values: list[int]) -> None:
    assert digits(np.array(values, dtype=np.int64), 5).to_pylist() == [f"{value:05d}" for value in values]
