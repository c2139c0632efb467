"""Invented records of tables, from a public seed: for demonstrations, tests and benchmarks.

For a plan of the Census these are persons and a geography in its formats; for one about custom records, records of its columns and
areas. Nothing here is about anybody: a plan's public choices, a number of persons and a seed are all that goes in. The same three give the
same bytes on any number of cores (runs.py).
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from starling.engine.new_folder import new_folder
from starling.errors import ParameterError
from starling.planfile.invented import NOTE
from starling.release.described import Generated
from starling.tables.generate.census import ENDINGS, LAND, NAMES, PopulationGenerator, sizes
from starling.tables.generate.custom import persons_of, write_custom
from starling.tables.generate.custom_people import MANNER
from starling.tables.generate.files import Format
from starling.tables.generate.land import invent_land, settle
from starling.tables.generate.runs import stream, write_note
from starling.tables.plan import Plan
from starling.tables.plan.census_levels import PUERTO_RICO
from starling.tables.plan.census_records import census_records
from starling.tables.plan.custom_records import CustomRecords

MOST_PERSONS: Final = 2**31


def generate(
    plan: Plan,
    *,
    persons: int | None = None,
    seed: int,
    out: Path,
    states: Sequence[str] | None = None,
    land_for: int | None = None,
    format: Format = "text",
    workers: int | None = None,
) -> Generated:
    """Invent records for `plan` and write them to the folder `out`.

    Args:
        plan: The public choices. Of the Census it gives the code book, the most race codes of a person, and the states when none are named.
        persons: How many, 0 to 2^31: persons, or households where the plan protects those. Of custom tables, without it, so many that
            there are about as many records as the plan expects.
        seed: Public; 0 or more.
        out: Folder to make; must not exist.
        states: Of the Census: two-digit codes; "72" is Puerto Rico. May go beyond the plan: such persons are in no table.
        land_for: Of the Census: make as many counties, tracts, blocks and places as for so many persons; as for `persons` without it.
        format: The form of the files: "text" (of the Census `|` between fields, of custom tables CSV) or "parquet".
        workers: Threads; as many as there are cores without it. Changes the time it takes, never a byte.

    Raises:
        ParameterError: for a number out of range, a state code that is not two digits, an option of the Census with another plan, or a
            field of the plan that is read in two ways which no value fits.
        OutputError: when `out` exists or cannot be written.
    """
    _check(seed, format)
    records, threads = plan.records, workers or os.cpu_count() or 1
    if isinstance(records, CustomRecords):
        for field, value in (("states", states), ("land-for", land_for)):
            if value is not None:
                problem = "is of the Census, and the plan is of custom tables"
                raise ParameterError(field, problem, "leave it out; the plan says the areas itself")
        many = _persons(persons_of(records) if persons is None else persons)
        with new_folder(out) as folder:
            path, counted = write_custom(records, folder, persons=many, seed=seed, form=format, workers=threads)
            write_note(folder, seed, plan.title, counted, {"manner": MANNER})
        return Generated({"persons": out / path.name}, out / NOTE, counted)
    many, codes = _persons(persons), _states(plan, states)
    land_for = many if land_for is None else land_for
    if not 0 <= land_for <= MOST_PERSONS:
        raise ParameterError("land", f"is not for 0 to {MOST_PERSONS} persons", "leave it out, or say for how many")
    with new_folder(out) as folder:
        land = invent_land(stream(seed, LAND), codes, land_for)
        land = land if land_for == many else settle(land, many)
        population = PopulationGenerator(plan, land, seed)
        geography, written = (write(folder, format, threads) for write in (population.write_land, population.write))
        write_note(folder, seed, plan.title, sizes(land), {"states": list(codes)})
    files = {"persons": out / written.name, "geography": out / geography.name, "names": out / NAMES}
    return Generated(files, out / NOTE, sizes(land))


def _check(seed: object, format_: object) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ParameterError("seed", "is not a whole number of 0 or more", "give a public seed such as 1")
    if format_ not in ENDINGS:
        raise ParameterError("format", "is not text or parquet", 'write "text" or "parquet"')


def _persons(persons: object) -> int:
    if isinstance(persons, bool) or not isinstance(persons, int) or not 0 <= persons <= MOST_PERSONS:
        raise ParameterError("persons", f"is not a whole number from 0 to {MOST_PERSONS}", "say how many to invent")
    return persons


def _states(plan: Plan, states: Sequence[str] | None) -> tuple[str, ...]:
    if states is None:
        records = census_records(plan)
        states = (*records.states, *([PUERTO_RICO] if records.puerto_rico else []))
    codes = tuple(sorted(set(states)))
    if not codes or not all(len(code) == 2 and code.isascii() and code.isdigit() for code in codes):
        raise ParameterError("states", "are not a list of two-digit codes", 'give codes such as ["01", "02"]')
    return codes
