import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from starling.errors import OutputError, ParameterError
from starling.groups.counts import public_tables, tally
from starling.groups.generate import World, files, household_shares, invented, world_of
from starling.groups.generate.files import Format, write
from starling.groups.optimise.tree import Tree
from starling.groups.plan import Kind, Plan, Regions
from starling.groups.source import open_records
from starling.text_format import TextFormat
from tests.groups import worlds

TREE = Tree.of([[0, 0], [0, 1, 1]])
IDS = (("all",), ("a", "b"), ("a1", "b1", "b,2"))
SEED = 4
REGIONS = Regions(("all", "part", "leaf"), IDS, TREE, None)
WORLD = World("Invented", "home", "person", REGIONS, invented(TREE, 5000, household_shares(6), seed=SEED))


def read(path: Path) -> pa.Table:
    return pq.read_table(path) if path.suffix == ".parquet" else pacsv.read_csv(path)


def counted(table: pa.Table) -> np.ndarray[Any, Any]:
    cells = np.zeros_like(WORLD.leaves)
    leaf = np.array([IDS[-1].index(name) for name in table["region"].to_pylist()])
    groups = table["groups"].to_numpy() if "groups" in table.column_names else np.ones(len(table), dtype=np.int64)
    np.add.at(cells, (leaf, table["size"].to_numpy()), groups)
    return cells


@pytest.mark.parametrize("format_", ["csv", "parquet"])
@pytest.mark.parametrize("kind", ["groups", "counts"])
def test_files_hold_the_world(tmp_path: Path, kind: Kind, format_: Format, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "ROWS", 700)
    created = write(WORLD, tmp_path / "out", seed=SEED, kind=kind, format=format_)
    assert np.array_equal(counted(read(created.records)), WORLD.leaves)
    with (tmp_path / "out" / files.REGIONS).open(newline="") as file:
        parents = {row["region"]: row["parent"] for row in csv.DictReader(file)}
    assert parents == {"all": "", "a": "all", "b": "all", "a1": "a", "b1": "b", "b,2": "b"}
    note = json.loads(created.note.read_text())
    assert (note["seed"], note["groups"], note["levels"]) == (SEED, 5000, {"all": 1, "part": 2, "leaf": 3})
    assert note["notice"].startswith("Invented data.")


def test_the_same_seed_gives_the_same_bytes_and_sizes_are_in_no_order(tmp_path: Path) -> None:
    first, again = (write(WORLD, tmp_path / name, seed=SEED).records for name in "ab")
    assert first.read_bytes() == again.read_bytes()
    table = read(first)
    ranks = [IDS[-1].index(name) for name in table["region"].to_pylist()]
    assert ranks == sorted(ranks)
    sizes = table["size"].to_numpy()[: int(WORLD.leaves[0].sum())]
    assert np.count_nonzero(np.diff(sizes) < 0) > 20


def test_a_world_without_groups_is_a_file_without_rows(tmp_path: Path) -> None:
    empty = replace(WORLD, leaves=np.zeros_like(WORLD.leaves))
    kinds: tuple[Kind, ...] = ("groups", "counts")
    for kind in kinds:
        assert len(read(write(empty, tmp_path / kind, seed=SEED, kind=kind).records)) == 0


@pytest.mark.parametrize("kind", ["groups", "counts"])
def test_the_plan_that_is_written_reads_the_records(tmp_path: Path, kind: Kind) -> None:
    regions = Regions(("all", "part", "leaf"), (("all",), ("a", "b"), ("a1", "b1", "b2")), TREE, None)
    created = write(replace(WORLD, regions=regions), tmp_path / "out", seed=SEED, kind=kind)
    assert created.plan is not None
    plan = Plan.load(created.plan)
    assert (plan.groups, plan.kind, plan.group) == (5000, kind, "home")
    assert np.array_equal(tally(plan, open_records(created.records, plan), public_tables(plan))[0], WORLD.leaves)


@pytest.mark.series(2)
@pytest.mark.parametrize("quantity", [1, 2])
@pytest.mark.parametrize("kind", ["groups", "counts", "persons", "events"])
def test_records_of_every_kind_are_those_that_a_plan_counts(
    tmp_path: Path, kind: Kind, quantity: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "ROWS", 5)
    plan = worlds.world(tmp_path, kind, quantity=quantity)
    world = world_of(plan, household_shares(4), seed=SEED)
    created = write(world, tmp_path / "out", seed=SEED, kind=kind, plan=plan)
    assert created.plan is None
    assert np.array_equal(tally(plan, open_records(created.records, plan), public_tables(plan))[0], world.leaves)
    if kind in ("persons", "events"):
        assert world.leaves.sum(axis=1).tolist() == [len(worlds.SIZES[leaf]) for leaf in plan.regions.leaves]


@pytest.mark.series(4)
@pytest.mark.parametrize(
    "form",
    [
        TextFormat(";"),
        TextFormat("tab", encoding="cp1252"),
        TextFormat("|", encoding="utf-8"),
        TextFormat(encoding="utf-16"),
    ],
)
@pytest.mark.parametrize("kind", ["groups", "counts", "persons", "events"])
def test_text_is_written_as_the_plan_reads_it(
    tmp_path: Path, kind: Kind, form: TextFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "ROWS", 5)
    plan = replace(worlds.world(tmp_path, kind), format=form)
    world = world_of(plan, household_shares(4), seed=SEED)
    created = write(world, tmp_path / "out", seed=SEED, kind=kind, format="csv", plan=plan)
    assert form.mark.encode() in created.records.read_bytes() or kind == "events"
    assert np.array_equal(tally(plan, open_records(created.records, plan), public_tables(plan))[0], world.leaves)


def test_what_exists_stays(tmp_path: Path) -> None:
    with pytest.raises(OutputError):
        write(WORLD, tmp_path, seed=SEED)


@pytest.mark.parametrize("wrong", [{"kind": "persons"}, {"format": "xlsx"}])
def test_an_unknown_form_is_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        write(WORLD, tmp_path / "out", seed=SEED, **wrong)
