"""One person more or less: at most `stability` groups of each level change, each by one person in one cell.

That is what the mechanism's privacy rests on (SafeTab 2022, Lemmas 9 and 10), so it is tried on all neighbours of small data.
"""

import tempfile
from collections import Counter
from pathlib import Path
from unittest import mock

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.privacy.events import MONOTONE
from starling.privacy.trust import inspect
from starling.tables.counts import count
from starling.tables.plan import Geography, GeographyLevel, Plan, read_geography
from starling.tables.source import open_persons
from tests.privacy.leaves import factors
from tests.tables.small import whole, with_records
from tests.tables.worlds import HEADER, World, worlds

Table = npt.NDArray[np.int64]


def tables(plan: Plan, geography: Geography, path: Path, chunk: int = 1 << 16) -> list[Table]:
    """Every cell of every group of each level."""
    with mock.patch("starling.engine.delimited.CHUNK", chunk):
        counts = inspect(count(plan, geography, open_persons(path, plan))).value
    pieces = [whole(plan, geography, level) for level in range(len(plan.levels))]
    return [counts.cells(piece, np.arange(piece.groups)) for piece in pieces]


def check_neighbours(plan: Plan, one: list[Table], other: list[Table]) -> list[int]:
    """Fails unless the tables are those of neighbours; gives how many groups of each level differ.

    The person who is there in one of them alone moves all numbers one way: the events of the plan declare that they are monotone.
    """
    assert factors(plan.guarantee) == {MONOTONE}
    changes = np.concatenate([(after - before).ravel() for before, after in zip(one, other, strict=True)])
    assert (changes >= 0).all() or (changes <= 0).all()
    moved = []
    for level, before, after in zip(plan.levels, one, other, strict=True):
        change = after - before
        touched = np.flatnonzero(change.any(axis=1))
        assert len(touched) <= level.stability
        assert np.abs(change).sum(axis=1).max(initial=0) <= 1
        assert len({change[group].sum() for group in touched}) <= 1, "all groups gain, or all lose"
        assert len({int(np.flatnonzero(change[group])[0]) for group in touched}) <= 1, "a person has one sex and age"
        moved.append(len(touched))
    return moved


@pytest.mark.examples(4)
@settings(max_examples=25)
@given(worlds(most=6))
def test_all_neighbours_of_random_worlds(world: World) -> None:
    with tempfile.TemporaryDirectory() as name:
        plan, geography = world.public(Path(name))
        whole = tables(plan, geography, world.records(Path(name)))
        for gone in range(len(world.persons)):
            without = world.with_persons(world.persons[:gone] + world.persons[gone + 1 :])
            check_neighbours(plan, whole, tables(plan, geography, without.records(Path(name))))


def test_all_neighbours_of_the_toy_data_set(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "tables" / "toy_dataset"
    plan = Plan.load(folder / "input_dir_zcdp")
    geography = read_geography(folder / "GRF-C.txt", plan)
    header, *lines = (folder / "person-records.txt").read_bytes().rstrip(b"\n").split(b"\n")
    whole = tables(plan, geography, folder / "person-records.txt")
    for gone in range(len(lines)):
        path = tmp_path / "neighbour.txt"
        path.write_bytes(b"\n".join([header, *lines[:gone], *lines[gone + 1 :]]) + b"\n")
        check_neighbours(plan, whole, tables(plan, geography, path))


@pytest.fixture(scope="module")
def production(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, Geography]:
    """The production definitions over three blocks, one of them in Puerto Rico."""
    folder = tmp_path_factory.mktemp("production")
    plan = with_records(Plan.load(shared_data / "tables" / "NMFv7-2020"), states=frozenset({"01"}))
    (folder / "blocks.txt").write_text(
        "TABBLKST|TABBLKCOU|TABTRACTCE|TABBLK|PLACEFP|AIANNHCE\n"
        "01|001|000100|1000|10001|0001\n01|001|000200|1000|99999|9999\n72|001|000100|1000|10001|9999\n"
    )
    return plan, read_geography(folder / "blocks.txt", plan)


def line(block: str, races: list[str], span: str = "Null") -> bytes:
    """A record of a man of 30."""
    return "|".join(["30", "1", "True", *block.split(), "01", *races, *["Null"] * (8 - len(races)), span]).encode()


def alone(plan: Plan, geography: Geography, one: bytes) -> list[int]:
    """How many groups of each level a file of one person differs in from an empty one."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "one.txt"
        path.write_bytes(HEADER + b"\n" + one + b"\n")
        after = tables(plan, geography, path)
    return check_neighbours(plan, [np.zeros_like(level) for level in after], after)


@pytest.mark.slow
@pytest.mark.examples(3)
@settings(max_examples=15)
@given(st.data())
def test_attack_a16_nobody_of_the_production_definitions_is_in_more_groups_than_declared(
    production: tuple[Plan, Geography], data: st.DataObject
) -> None:
    code = st.sampled_from(production[0].codes)
    block = data.draw(st.sampled_from(["01 001 000100 1000", "01 001 000200 1000", "72 001 000100 1000"]))
    races = data.draw(st.lists(code, max_size=8))
    moved = alone(*production, line(block, races, data.draw(code)))
    puerto_rico = block.startswith("72")
    assert not any(
        groups
        for level, groups in zip(production[0].levels, moved, strict=True)
        if GeographyLevel(level.geography).puerto_rico != puerto_rico
    ), "a person lives in the United States or in Puerto Rico"


@pytest.mark.series(2)
@pytest.mark.parametrize("name", ["(USA, 1)", "(STATE, 2)", "(COUNTY, 1)", "(TRACT, 2)", "(AIANNH, 2)"])
def test_the_declared_stability_of_production_is_reached(production: tuple[Plan, Geography], name: str) -> None:
    """As many races as are read, of different iterations, and an ethnicity: the bound is attained, not only kept."""
    plan, geography = production
    number = next(number for number, level in enumerate(plan.levels) if level.name == name)
    level = plan.levels[number]
    races: list[str] = []
    for iteration in level.iterations:
        if iteration.kind == "race" and not iteration.alone and not set(races) & set(iteration.codes):
            races += iteration.codes[:1]
    span = next(iteration.codes[0] for iteration in level.iterations if iteration.kind == "ethnicity")
    moved = alone(plan, geography, line("01 001 000100 1000", races[:8], span))
    assert moved[number] == level.stability == 9


def test_a_person_of_one_race_is_in_an_alone_and_a_combined_group(production: tuple[Plan, Geography]) -> None:
    plan, geography = production
    english = next(i for i in plan.definitions.iterations if i.name == "English alone")
    moved = alone(plan, geography, line("01 001 000200 1000", [english.codes[0]] * 3))
    by_name = Counter({level.name: groups for level, groups in zip(plan.levels, moved, strict=True) if groups})
    # European and English, alone and in combination; no place, no AIANNH area, no ethnicity.
    assert by_name == dict.fromkeys([f"({g}, {n})" for g in ("USA", "STATE", "COUNTY", "TRACT") for n in (1, 2)], 2)


@pytest.mark.slow
@pytest.mark.examples(4)
@settings(max_examples=25)
@given(worlds(most=8), st.data())
def test_attack_a08_any_bytes_in_the_place_of_a_line_are_at_most_one_person(world: World, data: st.DataObject) -> None:
    """Relative to the file without that line, whatever stands there: quotes, huge, not UTF-8, or two records around a return."""
    people = list(world.persons)
    at = data.draw(st.integers(0, len(people)))
    piece = st.one_of(st.sampled_from([b'"', b"\r", b"\0", b"\xff", b"|", HEADER, *people]), st.binary(max_size=30))
    line = b"".join(data.draw(st.lists(piece, max_size=4))).replace(b"\n", b"") * data.draw(
        st.sampled_from([1, 1, 1, 3000])
    )
    chunk = data.draw(st.integers(100, 2000)) + len(line) // 50
    with tempfile.TemporaryDirectory() as name:
        plan, geography = world.public(Path(name))
        without = tables(plan, geography, world.records(Path(name)), chunk)
        other = world.with_persons([*people[:at], line, *people[at:]])
        check_neighbours(plan, without, tables(plan, geography, other.records(Path(name)), chunk))
