"""Our own plan file: TOML that says what a Census configuration folder says, for people to read.

It states the protected unit and the neighbours, names levels as people do, and takes for each level a budget or the margins of
error that its numbers should have. Exact numbers are strings. docs/reference/plan-file.md explains every key.
"""

import difflib
import tomllib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from starling.errors import PlanError
from starling.planfile.toml import Section, read_file
from starling.tables.plan.census import CONFIG, read_census
from starling.tables.plan.census_records import CENSUS_PARTS, CensusRecords, census_records
from starling.tables.plan.choices import Choices, population_levels, within
from starling.tables.plan.codebook import MOST_RACE_CODES, STATES, Definitions, GeographyLevel, Iteration, state_problem
from starling.tables.plan.custom_readable import is_custom, read_custom
from starling.tables.plan.custom_records import CustomRecords
from starling.tables.plan.custom_values import custom_values
from starling.tables.plan.definitions import LEVELS, WHERE, read_definitions, read_groups, suffix
from starling.tables.plan.readable_choices import (
    privacy_values,
    publication_values,
    read_privacy,
    read_publication,
    read_structure,
    read_variants,
)
from starling.tables.plan.readable_levels import check_targets, level_values, read_levels, solved
from starling.tables.plan.region_levels import CENSUS_REGIONS
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.plan.stability import stability

_TOP = ("title", "definitions", "codes", "groups", "privacy", "records", "area", "publication", "levels")


def read_toml(path: Path) -> Choices:
    """The plan of a TOML file.

    Raises:
        PlanError: with every problem of the file and of the definitions it names.
    """
    return read_section(read_file(path), path.parent)


def read_section(top: Section, folder: Path) -> Choices:
    """The plan of a parsed file; `folder` is where its definitions are looked for.

    Raises:
        PlanError: with every problem of the file and of the definitions it names.
    """
    if is_custom(top):
        return read_custom(top, folder)
    top.only(_TOP)
    title = top.text("title", "say what the tables are")
    measure, gamma = read_privacy(top.table("privacy"))
    races = _records(top.table("records"))
    states, puerto_rico = _area(top.table("area"))
    publication = top.table("publication")
    suppression, allow_negative = read_publication(publication)
    variants, structure = read_variants(publication), read_structure(publication)
    definitions = _definitions(top, folder)
    stated = read_levels(top.tables("levels"), us=bool(states), puerto_rico=puerto_rico)
    if definitions is not None:
        for key, level in stated.items():
            check_targets(level.targets, definitions.tabulated(*key), level.thresholds)
    if top.problems or definitions is None:
        raise PlanError(problems=top.problems)
    records = CensusRecords(races, states, puerto_rico)
    bounds = {key: _bound(definitions.tabulated(*key), records) for key in stated}
    gamma, budgets = solved(
        top, stated, bounds, measure, gamma, both_stages=variants.both_stages, detail=SEX_BY_AGE, regions=CENSUS_REGIONS
    )
    PlanError.check(top.problems)
    with within(top.file):
        levels = population_levels(
            definitions, budgets, {key: each.thresholds for key, each in stated.items()}, records.attributes
        )
        promised = {key: tuple(target for _, target in each.targets) for key, each in stated.items()}
        return Choices(
            title=title,
            measure=measure,
            levels=tuple(
                replace(level, targets=promised[GeographyLevel(level.geography), level.iteration_level])
                for level in levels
            ),
            gamma=gamma,
            suppression=suppression,
            allow_negative=allow_negative,
            definitions=definitions,
            variants=variants,
            data_structure=structure,
            records=records,
            **CENSUS_PARTS,
        )


def _records(section: Section) -> int:
    section.only(("race-codes",))
    return section.whole("race-codes", 1, MOST_RACE_CODES)


def _area(section: Section) -> tuple[frozenset[str], bool]:
    section.only(("states", "puerto-rico"))
    fix = 'write states = "all", or a list of two-digit codes'
    states: list[str] = []
    if section.values.get("states") == "all":
        states = list(STATES)
    elif "states" in section.values:
        states = section.texts("states", fix)
        problem = state_problem(states)
        if problem:
            section.refuse("states", problem, fix)
    puerto_rico = "puerto-rico" in section.values and section.flag("puerto-rico", "write true or false")
    if not states and not puerto_rico:
        section.refuse("", "holds no state and not Puerto Rico", fix)
    return frozenset(states), puerto_rico


def _definitions(top: Section, folder: Path) -> Definitions | None:
    """The code book of the folder that is named, else of the groups in the file; None after a refusal."""
    if "definitions" not in top.values:
        before = len(top.problems)
        definitions = read_groups(top)
        return definitions if len(top.problems) == before else None
    for key in ("groups", "codes"):
        if key in top.values:
            top.refuse(key, "stands beside a folder of definitions", "keep one of the two")
    named = folder / top.text("definitions", "name the folder of the definition files")
    if not named.is_dir():
        top.refuse("definitions", "is not a folder beside the plan", "give its path from the plan file")
        return None
    try:
        return read_definitions(named)
    except PlanError as error:
        top.problems.extend(error.problems)
        return None


def _bound(iterations: Sequence[Iteration], records: CensusRecords) -> int:
    """The stability of a level; 1 where there is none, which `population_levels` then refuses."""
    try:
        return stability(iterations, records.attributes)
    except PlanError:
        return 1


def values_of(plan: Choices, definitions: str | None = None) -> dict[str, Any]:
    """The values that say a plan.

    Args:
        plan: It stands alone: a plan that adds to an earlier release takes what it adds to from that release.
        definitions: The folder of the plan's definitions; without it, they are written as groups.

    Raises:
        PlanError: it tops up a release, its definitions are no groups of a plan file, or their folder cannot be printed.
    """
    if plan.variants.top_up is not None:
        raise PlanError("top-up", "is of a release, which no plan file says", "say the earlier plan")
    if isinstance(plan.records, CustomRecords):
        return custom_values(plan, plan.records)
    records = census_records(plan)
    if definitions is not None and not definitions.isprintable():
        fix = "rename the folder"
        raise PlanError("definitions", "lie in a folder whose name cannot be printed", fix)
    area = {"states": "all" if records.states == STATES.keys() else sorted(records.states)} if records.states else {}
    return {
        "title": plan.title,
        **({"definitions": definitions} if definitions is not None else _group_values(plan.definitions)),
        "privacy": privacy_values(plan),
        "records": {"race-codes": records.max_race_codes},
        "area": area | ({"puerto-rico": True} if records.puerto_rico else {}),
        "publication": publication_values(plan),
        "levels": [level_values(level) for level in plan.levels],
    }


def _group_values(definitions: Definitions) -> dict[str, Any]:
    """The keys `codes` and `groups`: iterations of one name, but for how they combine, make a group."""
    keys_of: dict[tuple[Any, ...], dict[str, str]] = defaultdict(dict)
    for iteration in definitions.iterations:
        key = "code" if iteration.kind == "ethnicity" else "alone" if iteration.alone else "combined"
        where = [word for word, flags in WHERE.items() if flags == (iteration.total_only, iteration.coarse_only)]
        level = [word for word, number in LEVELS.items() if number == iteration.level]
        name = iteration.name.removesuffix(suffix(key))
        if not where or not level or name + suffix(key) != iteration.name:
            raise _no_group(iteration)
        keys_of[name, iteration.kind, level[0], where[0], iteration.codes][key] = iteration.code
    groups = [
        {"name": name, "kind": kind, "level": level, "codes": list(codes), **keys}
        | ({} if where == next(iter(WHERE)) else {"tabulate": where})
        for (name, kind, level, where, codes), keys in keys_of.items()
    ]
    names = dict(definitions.codes)
    return ({} if all(code == name for code, name in names.items()) else {"codes": names}) | {"groups": groups}


def _no_group(iteration: Iteration) -> PlanError:
    problem = f"have iteration {iteration.code}, which no group of a plan file says"
    return PlanError("definitions", problem, "name the folder of the definition files")


def shipped() -> dict[str, Path]:
    """The plans that come with Starling and are whole, by name."""
    return {name: path for name, path in _presets().items() if not _waits(path)}


def waiting() -> tuple[str, ...]:
    """The names of the plans that come with Starling and wait for definition files: NAME:FOLDER names such a plan with their folder."""
    return tuple(name for name, path in _presets().items() if _waits(path))


def _presets() -> dict[str, Path]:
    folder = Path(__file__).parent.parent / "presets"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def _waits(path: Path) -> bool:
    return "definitions" in tomllib.loads(path.read_text("utf-8"))


def read(name: str | Path) -> tuple[Choices, str]:
    """What the plan of that name or at that path states, and the name of its file; name and errors as those of `located`."""
    path, definitions = located(name)
    if path.is_dir():
        return read_census(path), CONFIG
    return read_toml(path) if definitions is None else _of_definitions(path, definitions), path.name


def located(name: str | Path) -> tuple[Path, Path | None]:
    """Where the plan of that name or at that path is, and the folder of its definitions where the name says one.

    Args:
        name: A Census configuration folder, a plan file in TOML, or, as a text, the name of a plan that comes with Starling, such as
            "demo"; NAME:FOLDER for one that waits for a folder of Census definition files.

    Raises:
        PlanError: there is none.
    """
    named, late = ({}, ()) if isinstance(name, Path) else (shipped(), waiting())
    first, colon, folder = str(name).partition(":")
    if first in late and not Path(name).exists():
        if not folder:
            fix = f"write {first}:FOLDER, the folder of the four Census definition files"
            raise PlanError("plan", f"{first} needs definition files", fix)
        if not Path(folder).is_dir():
            raise PlanError("definitions", "is not a folder", "give the folder of the four Census definition files")
        return _presets()[first], Path(folder)
    path = named.get(str(name), Path(name))
    if not path.exists():
        near = difflib.get_close_matches(first, [*named, *late], n=1)
        near = [f"{near[0]}{colon}{folder}" if near[0] in late and folder else near[0]] if near else []
        fix = f"did you mean {near[0]}?" if near else f"give a folder, a .toml file, or one of {', '.join(shipped())}"
        raise PlanError("plan", f"{str(name)!r} is not there", fix)
    if path.is_dir() or path.suffix == ".toml":
        return path, None
    fix = "give a Census configuration folder (with config.json) or a .toml file"
    raise PlanError("plan", f"{path.name!r} is neither a folder nor a TOML file", fix)


def _of_definitions(path: Path, definitions: Path) -> Choices:
    """What a plan that comes with Starling states for a folder of Census definition files."""
    top = read_file(path)
    return read_section(replace(top, values={**top.values, "definitions": str(definitions.resolve())}), path.parent)
