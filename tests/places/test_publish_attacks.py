"""Attacks on a release of points: what one record can change is counts, by as much as the plan says, and nothing else."""

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from starling.engine.bounded_records import KEY
from starling.ledger.opening import create_ledger
from starling.places import counts
from starling.places.counts import tally
from starling.places.plan import Plan
from starling.places.publish import release
from starling.places.source import open_records
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.release.payment import PaymentOptions
from tests.places.plans import PERSON, RECORDS, SLICED, plan, write_world
from tests.release.redrawing import READING, STEPS, Thief, ledger_url
from tests.release.striking import Point

NAMED: dict[str, Any] = {"input": {"time": "time"}, "slices": {"names": ["2020-01-01", "2020-02-03"]}}
"""Slices by the values of a column."""
ODD = (
    "z,0.5,1.5,2099-12-31\n"  # a slice that the plan does not have
    "z,170,-80,2020-01-01\n"  # outside the box
    "a name that nobody had,2.5,0.5,2020-01-01\n"
)


def counted(chosen: Plan, folder: Path, text: str) -> np.ndarray:
    (folder / "records.csv").write_text(text)
    return tally(chosen, open_records(folder / "records.csv", chosen), bytes(range(KEY)))


@pytest.mark.series(1)
@pytest.mark.parametrize("changes", [(), (PERSON,), (PERSON, SLICED)])
def test_attack_a15_order_of_records_changes_nothing(changes: tuple[Any, ...], tmp_path: Path) -> None:
    chosen = plan(*changes)
    header, *lines = (RECORDS + RECORDS.split("\n", 1)[1] * 3).splitlines()
    whole = counted(chosen, tmp_path, "\n".join([header, *lines]) + "\n")
    assert whole.sum() > 0
    for seed in range(5):
        random.Random(seed).shuffle(lines)
        assert np.array_equal(counted(chosen, tmp_path, "\n".join([header, *lines]) + "\n"), whole)


def test_attack_a16_a_person_with_a_thousand_points_counts_as_the_plan_says(tmp_path: Path) -> None:
    chosen = plan(PERSON, SLICED)
    before = counted(chosen, tmp_path, RECORDS)
    many = "".join(f"z,{x},{y},2020-0{month}-02\n" for x in (0.5, 2.5) for y in (0.5, 1.5) for month in (1, 2)) * 125
    apart = counted(chosen, tmp_path, RECORDS + many) - before
    assert (apart >= 0).all()
    assert apart.sum() == 2


@pytest.mark.series(1)
@pytest.mark.parametrize("slices", [SLICED, NAMED])
def test_attack_a19_a_new_slice_place_or_person_changes_no_shape(slices: dict[str, Any], tmp_path: Path) -> None:
    """Without records, with them, and with odd ones more: the same files, rows and columns, in the same order."""
    shapes = []
    for number, text in enumerate((RECORDS.split("\n", 1)[0] + "\n", RECORDS, RECORDS + ODD)):
        folder = tmp_path / str(number)
        folder.mkdir()
        records = write_world(folder, PERSON, slices)
        records.write_text(text)
        out = release(plan(PERSON, slices), records, folder / "out", payment=PaymentOptions(unvalidated=True)).folder
        tables = {path.relative_to(out): pq.read_table(path) for path in sorted(out.rglob("*.parquet"))}
        assert len(tables) > 2
        noisy = {"points", "value"}
        shapes.append(
            (
                sorted(path.relative_to(out) for path in out.rglob("*")),
                [(path, table.schema, table.num_rows) for path, table in tables.items()],
                [table.drop_columns(list(noisy & set(table.column_names))) for table in tables.values()],
            )
        )
    assert shapes[0] == shapes[1] == shapes[2]


POINTS: dict[str, Point] = {**STEPS, READING: (counts, "tally", True)}


@pytest.mark.series(1)
@pytest.mark.parametrize("point", [READING, "after the draw is committed to", "before the rename"])
def test_attack_a26_stopped_copied_and_repeated_one_charge_shows_one_draw(
    point: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key that chooses a person's points is drawn anew where no draw was committed to; nobody has seen a count of the first."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    records = write_world(tmp_path, PERSON)
    (tmp_path / "published").mkdir()
    out = tmp_path / "published" / "out"
    with ledger_url("sqlite", tmp_path) as url:
        ledger = create_ledger(url)
        ledger.custody.add_population("people", "epsilon", ADD_REMOVE_PERSON, 5)
        ledger.custody.add_dataset("trips", "people", {})
        ledger.custody.grant("people", "custodian", 5)

        def run(request_id: str | None) -> Any:
            payment = PaymentOptions(ledger, "trips", request_id=request_id, unvalidated=True)
            return release(plan(PERSON), records, out, payment=payment)

        Thief(url, ledger, out, run, tmp_path).check_one_charge(POINTS, point, Fraction(1))
        ledger.close()


@pytest.mark.series(1)
@pytest.mark.parametrize("name", ["'); DROP TABLE records; --", "select", "a'b", "person", "cell\u00e9"])
def test_attack_a21_hostile_names_of_columns_are_names(name: str, tmp_path: Path) -> None:
    chosen = plan(PERSON, {"input": {"person": name}})
    result = counted(chosen, tmp_path, RECORDS.replace("who", name, 1))
    assert np.array_equal(result, counted(plan(PERSON), tmp_path, RECORDS))
