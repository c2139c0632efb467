"""Attacks on releases of areas and of flows: stopped and repeated runs, and folders that say what no release says."""

import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import starling
from starling.errors import StarlingError
from starling.ledger.opening import create_ledger
from starling.places.areas import counts as areas_counts
from starling.places.areas.mechanism import PricedPlan
from starling.places.areas.publish import AREAS
from starling.places.flows import counts as flows_counts
from starling.places.flows.publish import FLOWS
from starling.places.kinds import reopened
from starling.places.trips import counts as trips_counts
from starling.places.trips.publish import TRIPS
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.release.payment import PaymentOptions
from tests.places.areas import worlds as areas_worlds
from tests.places.flows import worlds as flows_worlds
from tests.places.trips import worlds as trips_worlds
from tests.release.redrawing import READING, STEPS, Thief, ledger_url
from tests.release.striking import Point

RECORDS: dict[str, Any] = {
    "a": [1, 2, 4],
    "b": [2, 3, 4],
    "via": [3, None, 9],
    "then": [4, 4, 1],
    "who": ["x", "x", "y"],
    "x": [0.5, 1.5, 9.0],
    "y": [0.5] * 3,
    **{key: [0.5, 1.5, 2.5] for key in ("ax", "ay", "bx", "by")},
}
MEASURED = {
    "areas": "measurements/counts.parquet",
    "flows": "measurements/flows.parquet",
    "legs": "measurements/flows.parquet",
    "trips": "measurements/trips.parquet",
}
READ = {"areas": areas_counts, "flows": flows_counts, "legs": flows_counts, "trips": trips_counts}
"""Where records of each kind are counted."""


def released(kind: str, folder: Path, out: Path, payment: PaymentOptions | None = None) -> Any:
    """A release of persons, by areas, between them, or between cells, for epsilon 1."""
    payment, records = payment or PaymentOptions(unvalidated=True), folder / "records.parquet"
    pq.write_table(pa.table(RECORDS), records)
    if kind in ("flows", "legs"):
        privacy = {"unit": "person", "trips_per_person": 2, "epsilon": "1"}
        columns = flows_worlds.PERSON if kind == "flows" else flows_worlds.STOPPING
        plan = flows_worlds.plan(folder, flows=columns["flows"], privacy=privacy)
        return FLOWS.release(plan, records, out, payment=payment)
    if kind == "trips":
        return TRIPS.release(trips_worlds.plan(folder, **trips_worlds.PERSON), records, out, payment=payment)
    areas_worlds.plan(folder)
    privacy = {"unit": "person", "points_per_person": 2, "epsilon": "1"}
    values = areas_worlds.values(input={"x": "x", "y": "y", "person": "who"}, privacy=privacy)
    return AREAS.release(PricedPlan.of(values, folder=folder), records, out, payment=payment)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A release of each kind."""
    made = {kind: tmp_path_factory.mktemp(kind) for kind in MEASURED}
    return {kind: Path(released(kind, folder, folder / "out").folder) for kind, folder in made.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "point"),
    [
        *product(("areas", "flows", "trips"), ("after the draw is committed to", READING, "before the rename")),
        ("legs", READING),
    ],
)
def test_attack_a26_of_areas_and_flows_one_charge_shows_one_draw(
    kind: str, point: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    (tmp_path / "published").mkdir()
    out = tmp_path / "published" / "out"
    with ledger_url("sqlite", tmp_path) as url:
        ledger = create_ledger(url)
        ledger.custody.add_population("people", "epsilon", ADD_REMOVE_PERSON, 5)
        ledger.custody.add_dataset("trips", "people", {})
        ledger.custody.grant("people", "custodian", 5)

        def run(request_id: str | None) -> Any:
            payment = PaymentOptions(ledger, "trips", request_id=request_id, unvalidated=True)
            return released(kind, tmp_path, out, payment)

        counting = {"areas": "by_cell", "flows": "points_by_cell", "legs": "parts_of_some", "trips": "points_of_some"}[
            kind
        ]
        reading: Point = (READ[kind], counting, True)
        Thief(url, ledger, out, run, tmp_path).check_one_charge({**STEPS, READING: reading}, point, Fraction(1))
        ledger.close()


def stated(change: Callable[[dict[str, Any]], None]) -> Callable[[Path, str], None]:
    """A plan that states something else."""

    def act(folder: Path, _: str) -> None:
        file = folder / "plan" / "plan.json"
        values = json.loads(file.read_text())
        change(values)
        file.write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n")

    return act


def measured(change: Callable[[pa.Table], pa.Table]) -> Callable[[Path, str], None]:
    """Other measurements."""

    def act(folder: Path, kind: str) -> None:
        file = folder / MEASURED[kind]
        pq.write_table(change(pq.read_table(file, partitioning=None)), file)

    return act


def with_values(
    change: Callable[[list[Any]], list[Any]], kind: pa.DataType | None = None
) -> Callable[[Path, str], None]:
    return measured(
        lambda table: table.set_column(
            table.column_names.index("value"),
            pa.field("value", kind or pa.int64()),
            [pa.array(change(table["value"].to_pylist()), kind or pa.int64())],
        )
    )


def written(name: str, text: bytes) -> Callable[[Path, str], None]:
    """Another public file."""

    def act(folder: Path, _: str) -> None:
        (folder / "plan" / name).write_bytes(text)

    return act


def moved(folder: Path, _: str) -> None:
    """One corner of one area lies elsewhere."""
    file = folder / "plan" / "areas.geojson"
    values = json.loads(file.read_text())
    values["features"][0]["geometry"]["coordinates"][0][1][0] += 0.25
    file.write_text(json.dumps(values))


BY_AREA: dict[str, Callable[[Path, str], None]] = {
    "other levels": stated(lambda plan: plan["areas"].update(levels=[])),
    "a file elsewhere": stated(lambda plan: plan["areas"].update(file="/etc/hostname")),
    "no areas": stated(lambda plan: plan.pop("areas")),
    "a corner elsewhere": moved,
    "areas that are no text": written("areas.geojson", b"\xff"),
}
ON_A_GRID: dict[str, Callable[[Path, str], None]] = {
    "more cells": stated(lambda plan: plan["grid"].update(rows=4)),
    "so many cells that no plan can have them": stated(lambda plan: plan["grid"].update(rows=1 << 20, columns=1 << 20)),
    "more trips of a person": stated(lambda plan: plan["privacy"].update(trips_per_person=3)),
    "no grid": stated(lambda plan: plan.pop("grid")),
    "no flows": stated(lambda plan: plan.pop("flows")),
    "areas beside the grid": written("areas.geojson", b"{}"),
    "another part": measured(
        lambda table: table.set_column(0, table.schema.field("part"), [pa.array([3] * len(table), pa.int8())])
    ),
    "a part below all": measured(
        lambda table: table.set_column(0, table.schema.field("part"), [pa.array([-1] * len(table), pa.int8())])
    ),
    "a number of trips that no memory holds boxes for": with_values(lambda values: [2**63 - 1] * len(values)),
    # In place of those of every kind: the estimate may be the same where one number alone is another.
    "another number": with_values(lambda values: [each + 1000 for each in values]),
    "numbers at the end of 64 bits": with_values(
        lambda values: [2**63 - 1 if at % 2 else -(2**63) for at in range(len(values))]
    ),
}
OF_LEGS: dict[str, Callable[[Path, str], None]] = {
    "no stops": stated(lambda plan: plan["flows"].pop("stops")),
    "fewer stops": stated(lambda plan: plan["flows"].update(stops=["via"])),
    "stops in another order": stated(lambda plan: plan["flows"].update(stops=["then", "via"])),
    "more stops than there may be": stated(lambda plan: plan["flows"].update(stops=[str(at) for at in range(40)])),
    "stops that are no list": stated(lambda plan: plan["flows"].update(stops=7)),
}
FORGED: dict[str, Callable[[Path, str], None]] = {
    "a smaller cost": stated(lambda plan: plan["privacy"].update(epsilon="1/2")),
    "another measure": stated(lambda plan: plan["privacy"].update(rho=plan["privacy"].pop("epsilon"))),
    "no person": stated(lambda plan: plan["privacy"].update(unit="nobody")),
    "a key that there is not": stated(lambda plan: plan.update(secret=1)),
    "a plan that is a list": written("plan.json", b"[]\n"),
    "a plan that is no text": written("plan.json", b"\xff\xfe"),
    "a number fewer": measured(lambda table: table.slice(1)),
    "a number twice": measured(lambda table: pa.concat_tables([table, table.slice(0, 1)])),
    "numbers in another order": measured(lambda table: table.take([*range(1, len(table)), 0])),
    "another number": with_values(lambda values: [values[0] + 1000, *values[1:]]),
    "no number": with_values(lambda values: [None, *values[1:]]),
    "numbers that are no whole ones": with_values(lambda values: [0.5] * len(values), pa.float64()),
    "numbers at the end of 64 bits": with_values(lambda values: [2**63 - 1, -(2**63), *values[2:]]),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", MEASURED)
def test_what_no_release_of_its_kind_says_is_refused(kind: str, folders: dict[str, Path], tmp_path: Path) -> None:
    """By verify, as a finding; what reads the public files raises an error of ours, or has other contents."""
    assert starling.verify(folders[kind]).findings == ()
    whole = _contents(folders[kind])
    forged = {"trips": ON_A_GRID, "legs": {**BY_AREA, **OF_LEGS}}.get(kind, BY_AREA)
    for at, (name, act) in enumerate({**FORGED, **forged}.items()):
        copy = tmp_path / str(at)
        shutil.copytree(folders[kind], copy)
        act(copy, kind)
        assert starling.verify(copy).findings, name
        try:
            contents = _contents(copy)
        except StarlingError:
            continue
        assert contents != whole, name


def _contents(folder: Path) -> Any:
    """What follows from the public files of a folder: the request, and the tables."""
    publication = reopened(folder)
    pieces = publication.contents(folder, publication.read(folder)).pieces()
    return publication.request, [table.to_pylist() for piece in pieces for table in piece.values()]


@pytest.mark.parametrize("kind", MEASURED)
def test_a_release_whose_numbers_are_signed_anew_does_not_follow_from_its_measurements(
    kind: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    """Power: without the manifest's hashes, the check of what follows finds one number of the table that is off."""
    copy = tmp_path / "copy"
    shutil.copytree(folders[kind], copy)
    file = copy / "data" / f"{'areas' if kind == 'areas' else 'flows'}.parquet"
    table = pq.read_table(file)
    name = {"areas": "points", "legs": "legs"}.get(kind, "trips")
    values = table[name].to_pylist()
    values[0] += 1
    pq.write_table(table.set_column(table.column_names.index(name), table.schema.field(name), [values]), file)
    assert any("tables" in str(each) or "data" in str(each) for each in starling.verify(copy).findings)
