import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest

from starling.errors import OutputError, ParameterError
from starling.planfile.invented import NOTE
from starling.release.described import Generated
from starling.tables.generate import generate
from starling.tables.generate.files import TextWriter
from starling.tables.generate.runs import RUN
from starling.tables.plan import GeographyLevel, Plan, read_geography
from starling.tables.plan.census_records import census_records
from starling.tables.plan.stability import stability
from starling.tables.source import open_persons, validate
from tests.tables.small import census_attributes, small_plan


def digests(output: Generated) -> list[str]:
    files = (output.files["geography"], output.records, output.files["names"], output.note)
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]


def answer(query: str) -> list[tuple[object, ...]]:
    with duckdb.connect() as connection:
        return connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def plan() -> Plan:
    return small_plan()


@pytest.mark.slow
def test_same_seed_same_bytes_whatever_the_workers(plan: Plan, tmp_path: Path) -> None:
    """More than one run of persons, so that workers really share the work."""
    output = [
        generate(plan, persons=RUN + 1000, seed=7, out=tmp_path / str(workers), workers=workers) for workers in (1, 3)
    ]
    assert digests(output[0]) == digests(output[1])
    assert output[0].sizes["persons"] == RUN + 1000


def test_land_for_others_is_the_same_land_for_any_number_of_persons(plan: Plan, tmp_path: Path) -> None:
    few, many = (
        generate(plan, persons=persons, seed=7, out=tmp_path / str(persons), land_for=200_000) for persons in (50, 5000)
    )
    assert few.files["geography"].read_bytes() == many.files["geography"].read_bytes()
    assert few.sizes == {**many.sizes, "persons": 50}
    assert generate(plan, persons=9, seed=7, out=tmp_path / "own").sizes["blocks"] < few.sizes["blocks"]


def test_other_seed_other_bytes(plan: Plan, tmp_path: Path) -> None:
    one, two = (generate(plan, persons=1000, seed=seed, out=tmp_path / str(seed)) for seed in (1, 2))
    assert digests(one)[0] != digests(two)[0]
    assert digests(one)[1] != digests(two)[1]


def test_every_person_lives_in_a_block_and_all_are_there(plan: Plan, tmp_path: Path) -> None:
    output = generate(plan, persons=5000, seed=1, out=tmp_path / "out", states=["01", "02", "72"])
    home = "TABBLKST, TABBLKCOU, TABTRACTCE, TABBLK"
    read = "read_csv('{}', delim='|', header=true, all_varchar=true)"
    persons, blocks = read.format(output.records), read.format(output.files["geography"])
    assert answer(f"select count(*) from {persons} anti join {blocks} using ({home})") == [(0,)]
    assert answer(f"select count(*), count(distinct TABBLKST) from {persons}") == [(5000, 3)]


def test_the_geography_is_one_the_plan_reads(plan: Plan, tmp_path: Path) -> None:
    for form in ("text", "parquet"):
        output = generate(plan, persons=100_000, seed=1, out=tmp_path / form, format=form)
        geography = read_geography(output.files["geography"], plan, names=output.files["names"])
        assert geography.regions[GeographyLevel.STATE] == ("01",)
        assert len(geography.regions[GeographyLevel.COUNTY]) == output.sizes["counties"]
        assert geography.names[GeographyLevel.STATE] != ("Alabama",)
        assert all(name.endswith(" County") for name in geography.names[GeographyLevel.COUNTY])


@pytest.mark.parametrize("codes", [1, 3, 8])
def test_the_custodian_finds_nothing_wrong_with_what_was_made(plan: Plan, tmp_path: Path, codes: int) -> None:
    levels = tuple(
        replace(each, stability=stability(each.iterations, census_attributes(codes))) for each in plan.levels
    )
    fewer = replace(plan, levels=levels, records=replace(census_records(plan), max_race_codes=codes))
    output = generate(fewer, persons=5000, seed=3, out=tmp_path / "out")
    geography = read_geography(output.files["geography"], fewer)
    result = validate(fewer, geography, open_persons(output.records, fewer)).value
    assert (result.problems.total, result.notes.total, result.values["counted"]) == (0, 0, 5000)


def test_parquet_says_what_text_says(plan: Plan, tmp_path: Path) -> None:
    text, parquet = (generate(plan, persons=3000, seed=5, out=tmp_path / f, format=f) for f in ("text", "parquet"))
    for one, other in ((text.records, parquet.records), (text.files["geography"], parquet.files["geography"])):
        read = f"from read_csv('{one}', delim='|', header=true, all_varchar=true)"
        assert answer(read) == answer(f"from read_parquet('{other}')")


@pytest.mark.slow
def test_states_and_puerto_rico_come_from_the_production_plan(shared_data: Path, tmp_path: Path) -> None:
    production = Plan.load(shared_data / "tables" / "NMFv7-2020")
    output = generate(production, persons=20_000, seed=1, out=tmp_path / "out")
    assert output.sizes["states"] == 52
    assert output.sizes["persons"] == 20_000


def test_no_persons_is_a_number_too(plan: Plan, tmp_path: Path) -> None:
    output = generate(plan, persons=0, seed=1, out=tmp_path / "out")
    assert output.records.read_text().count("\n") == 1
    assert output.files["geography"].read_text().count("\n") > 1


def test_the_note_says_that_it_is_invented_and_from_which_seed(plan: Plan, tmp_path: Path) -> None:
    output = generate(plan, persons=10, seed=99, out=tmp_path / "deep" / "out")
    note = json.loads(output.note.read_text())
    assert output.note.name == NOTE
    assert note["notice"].startswith("Invented data.")
    assert (note["seed"], note["states"], note["sizes"]) == (99, ["01"], output.sizes)
    assert note["numpy"] == np.__version__


@pytest.mark.parametrize(
    ("field", "stated"),
    [
        ("persons", {"persons": -1}),
        ("persons", {"persons": 2**31 + 1}),
        ("persons", {"persons": True}),
        ("seed", {"seed": -1}),
        ("states", {"states": []}),
        ("states", {"states": ["1"]}),
        ("states", {"states": ["ab"]}),
        ("states", {"states": ["\u0660\u0661"]}),
        ("format", {"format": "csv"}),
        ("land", {"land_for": -1}),
    ],
)
def test_what_cannot_be_meant_is_refused(plan: Plan, tmp_path: Path, field: str, stated: dict[str, object]) -> None:
    arguments = {"persons": 10, "seed": 1, "out": tmp_path / "out"} | stated
    with pytest.raises(ParameterError) as refused:
        generate(plan, **arguments)  # type: ignore[arg-type]
    assert refused.value.problems[0].field == field
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="exists"):
        generate(plan, persons=10, seed=1, out=tmp_path / "out")


def test_a_failure_leaves_nothing(plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(TextWriter, "write", full)
    with pytest.raises(OutputError, match="No space left"):
        generate(plan, persons=10, seed=1, out=tmp_path / "out")
    assert not list(tmp_path.iterdir())
