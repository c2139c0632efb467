"""An opened release gives its tables and what it states, once its files are what was signed."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import starling
from starling.errors import IntegrityError, ParameterError
from starling.release.reading import FURTHEST, MOST_ROWS
from starling.release.zipped import zipped
from tests.tables.bundles import KEY, OTHER, Bundle


def test_tables_and_statement_of_a_folder(made: Bundle) -> None:
    release = starling.open_release(made.folder)
    assert set(release.names) == {"t1", "t2", "measurements/state-2", "measurements/county-2"}
    assert release.table("t1").equals(pq.read_table(made.folder / "data" / "t1.parquet"))
    assert release.table("measurements/state-2").num_rows == 3
    assert release.cost == made.plan.cost
    assert release.guarantee == made.plan.guarantee
    assert release.signer == KEY.public
    assert release.request_id == "request-1"
    assert release.statement["account"]["ledger"]["dataset"] == "census"


def test_a_zip_is_unpacked_for_as_long_as_it_is_open(made: Bundle, tmp_path: Path) -> None:
    zipped(made.folder, tmp_path / "r.zip")
    with starling.open_release(tmp_path / "r.zip", key=KEY.public.text) as release:
        table = release.table("t2")
        (unpacked,) = {path.parent for path in [release._folder]}
        assert unpacked.exists()
    assert not unpacked.exists()
    assert table.num_rows > 0


def test_another_release_than_was_signed_is_not_opened(made: Bundle, tmp_path: Path) -> None:
    copied = made.copy(tmp_path / "copy")
    (copied.folder / "data" / "t1.csv").write_text("count\n1\n")
    with pytest.raises(IntegrityError, match=r"data/t1.csv was changed"):
        starling.open_release(copied.folder)
    with pytest.raises(IntegrityError, match="not by"):
        starling.open_release(made.folder, key=OTHER.public.text)


def test_a_table_that_is_not_there_is_refused(made: Bundle) -> None:
    with pytest.raises(ParameterError, match="take one of"):
        starling.open_release(made.folder).table("../privacy")


def test_rows_are_told_as_json_a_part_at_a_time(made: Bundle) -> None:
    release = starling.open_release(made.folder)
    every = release.table("t1")
    told: Any = release.tell({"kind": "rows", "table": "t1"})
    assert told["columns"] == every.column_names
    assert told["rows"] == [list(row.values()) for row in every.to_pylist()]
    assert told["more"] is False
    second: Any = release.tell({"kind": "rows", "table": "t1", "first": 1, "most": 1})
    assert (second["rows"], second["more"]) == (told["rows"][1:2], every.num_rows > 2)
    assert json.loads(json.dumps(told)) == told


def test_rows_are_chosen_by_columns_of_texts(made: Bundle) -> None:
    release = starling.open_release(made.folder)
    column = "region_id"
    values = release.table("t1")[column].unique().to_pylist()[:2]
    for wanted in (values[:1], values):
        told: Any = release.tell({"kind": "rows", "table": "t1", "where": [[column, each] for each in wanted]})
        assert told["rows"] == [list(row.values()) for row in release.rows("t1", **{column: wanted}).to_pylist()]


@pytest.mark.parametrize(
    "changes",
    [
        {"table": "../privacy"},
        {"where": [["count", "1"]]},
        {"where": [["no such column", "1"]]},
        {"most": 0},
        {"most": MOST_ROWS + 1},
        {"first": -1},
        {"first": FURTHEST + 1},
        {"kind": "sums"},
    ],
)
def test_what_the_release_has_not_is_not_told(made: Bundle, changes: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        starling.open_release(made.folder).tell({"kind": "rows", "table": "t1", **changes})
