"""Invented records that stand in for those of a plan: with the plan under a title that says so, and copies of the public files it names.

Those of the Census live in the blocks of the public geography, so that a release from them has the regions of the real one.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from starling.planfile.invented import PLAN, SEED, copied, titled, write_titled
from starling.tables.generate.census import LAND, PopulationGenerator, sizes
from starling.tables.generate.custom import persons_of, write_custom
from starling.tables.generate.custom_people import MANNER
from starling.tables.generate.land import land_of
from starling.tables.generate.runs import stream, write_note
from starling.tables.plan import Plan, read_regions
from starling.tables.plan.custom_records import CustomRecords, custom_records
from starling.tables.plan.definitions import FILES
from starling.tables.plan.geography import read_blocks_within
from starling.tables.plan.readable import located

PERSONS: Final = 20_000
"""Persons of the Census."""
MOST: Final = 50_000
"""Custom records, about, whatever a plan expects."""
DEFINITIONS: Final = "definitions"
"""The folder beside a plan that the definitions of the Census are copied into."""


def stand_in(name: str, files: Mapping[str, Path], folder: Path) -> tuple[Path, dict[str, Path]]:
    """Invented records of a plan, with the plan itself, in an empty folder.

    Args:
        name: Names the plan, as `Plan.load` takes it.
        files: Of a plan of the Census "geography", its public block file.
        folder: The folder.

    Returns:
        The plan file, and the files by the names under which `release` takes them.

    Raises:
        PlanError: the plan or a public file is not what it should be, or no plan file can say the plan.
        ParameterError: the geography is missing or of another plan, or a field is read in two ways that no value fits.
        OutputError, OSError: the folder cannot be written.
    """
    plan = Plan.load(_write_plan(name, folder))
    return folder / PLAN, {**files, "persons": _records(plan, files.get("geography"), folder)}


def _records(plan: Plan, geography: Path | None, folder: Path) -> Path:
    threads = os.cpu_count() or 1
    if not isinstance(plan.records, CustomRecords) and geography is not None:
        land = land_of(stream(SEED, LAND), read_blocks_within(geography, plan), PERSONS)
        path = PopulationGenerator(plan, land, SEED).write(folder, "parquet", threads)
        write_note(folder, SEED, plan.title, sizes(land), {})
        return path
    # It refuses a geography that is missing, or of another plan.
    read_regions(plan, geography)
    records = custom_records(plan)
    persons = persons_of(records, min(records.expected, MOST))
    path, many = write_custom(records, folder, persons=persons, seed=SEED, form="parquet", workers=threads)
    write_note(folder, SEED, plan.title, many, {"manner": MANNER})
    return path


def _write_plan(name: str, folder: Path) -> Path:
    path, definitions = located(name)
    if path.is_dir():
        plan = Plan.load(path)
        _copy_definitions(path, folder)
        replace(plan, title=titled(plan.title)).save(folder / PLAN, definitions=DEFINITIONS)
        return folder / PLAN

    def with_copies(values: dict[str, Any]) -> dict[str, Any]:
        if definitions is not None or isinstance(values.get("definitions"), str):
            _copy_definitions(definitions or path.parent / values["definitions"], folder)
            values["definitions"] = DEFINITIONS
        if isinstance(values.get("regions"), dict):
            values["regions"] = _with_copy(values["regions"], path.parent, folder, "areas")
        if "columns" in values:
            numbered = enumerate(values["columns"], 1)
            values["columns"] = [_with_copy(each, path.parent, folder, f"codes-{at}") for at, each in numbered]
        return values

    return write_titled(path, folder, with_copies)


def _with_copy(table: dict[str, Any], source: Path, folder: Path, name: str) -> dict[str, Any]:
    """A table of the plan file, with the file that it names copied under another name."""
    return {**table, "file": copied(source / table["file"], folder, name)} if "file" in table else table


def _copy_definitions(source: Path, folder: Path) -> None:
    (folder / DEFINITIONS).mkdir()
    for stem in FILES:
        for path in (source / f"{stem}{ending}" for ending in (".txt", ".parquet")):
            if path.exists():
                copied(path, folder / DEFINITIONS, stem)
