"""What a plan publishes: the request holds every choice, verification finds what was changed."""

import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import starling
from starling.places.plan import METHODS
from starling.places.publication import PlacesPublication
from starling.places.publish import release
from starling.release.payment import PaymentOptions
from tests.places.plans import PERSON, SLICED, plan, write_world


def test_the_request_holds_every_choice_and_no_word() -> None:
    requests = {PlacesPublication(plan(*changes)).request for changes in ((), (PERSON,), (SLICED,), ({"title": "x"},))}
    assert len(requests) == 3


@pytest.mark.series(2)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("changes", [(), (PERSON, SLICED)])
def test_every_method_is_published_and_verified(method: str, changes: tuple[Any, ...], tmp_path: Path) -> None:
    records = write_world(tmp_path)
    chosen = plan(*changes, {"method": {"name": method}})
    folder = release(chosen, records, tmp_path / "out", payment=PaymentOptions(unvalidated=True)).folder
    assert starling.verify(folder).findings == ()
    cells = pq.read_table(folder / "data" / "cells.parquet")
    assert len(cells) == chosen.cells


@pytest.mark.parametrize("name", ["data/cells.parquet", "measurements/counts.parquet"])
def test_a_changed_number_is_found(name: str, tmp_path: Path) -> None:
    folder = release(plan(), write_world(tmp_path), tmp_path / "out", payment=PaymentOptions(unvalidated=True)).folder
    shutil.copytree(folder, tmp_path / "copy")
    table = pq.read_table(tmp_path / "copy" / name)
    column = "points" if "data" in name else "value"
    at = table.column_names.index(column)
    values = table[column].to_numpy().copy()
    values[3] += 1
    pq.write_table(table.set_column(at, table.schema.field(column), [values]), tmp_path / "copy" / name)
    result = starling.verify(tmp_path / "copy").findings
    assert any("tables" in str(each) or name in str(each) for each in result)
