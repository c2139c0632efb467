"""The grammar of a plan file about person records of the Census: what a configuration folder states, for people to read.

It states the protected unit and the neighbours, names levels as people do, and takes for each level a budget or the margins of error that
its numbers should have. Exact numbers are texts.
"""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from starling.errors import PlanError
from starling.planfile.grammar import Key, Kind, Table, Values
from starling.planfile.kinds import TEXT, TEXTS, aside, choice, flag, later, table, tables, unread, whole
from starling.planfile.toml import Section
from starling.tables.plan.census_levels import STATES, GeographyLevel, state_problem
from starling.tables.plan.census_records import CENSUS_PARTS, CensusRecords, census_records
from starling.tables.plan.choices import Choices
from starling.tables.plan.definitions import read_definitions
from starling.tables.plan.grammar import (
    PRICE,
    PUBLICATION,
    THRESHOLDS,
    TITLE,
    check_level,
    price_of,
    privacy,
    read_thresholds,
)
from starling.tables.plan.groups import CODES, GROUP, LEVELS, groups_of, names_of, read_groups
from starling.tables.plan.iterations import MOST_RACE_CODES, Definitions
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.plan.solving import Key as LevelKey
from starling.tables.plan.solving import Stated, solve_choices

_AREA: Final = 'write states = "all", or a list of two-digit codes'
_GEOGRAPHIES: Final = tuple(geography.value for geography in GeographyLevel)


def read_states(section: Section, key: str, fix: str) -> frozenset[str]:
    """A list of codes of states."""
    states = section.texts(key, fix)
    if problem := state_problem(states):
        section.refuse(key, problem, fix)
    return frozenset(states)


def _read_area(section: Section, key: str, _: Values) -> frozenset[str]:
    return frozenset(STATES) if section.values[key] == "all" else read_states(section, key, _AREA)


def _write_states(states: Collection[str]) -> Any:
    return "all" if states == STATES.keys() else sorted(states) or None


def _check_area(section: Section, values: Values) -> None:
    if not values["states"] and not values["puerto_rico"]:
        section.refuse("", "holds no state and not Puerto Rico", _AREA)


_RECORDS: Final = Table(
    {
        "race-codes": Key(
            "Race columns of a record; codes beyond are not read.",
            whole(1, MOST_RACE_CODES),
            field="max_race_codes",
            value=lambda plan: plan.records.max_race_codes,
        )
    }
)
_STATES: Final = {"anyOf": [{"const": "all"}, TEXTS]}
_PLACES: Final = Table(
    {
        "states": Key(
            "Two-digit codes; all are the 50 states and the District of Columbia.",
            Kind('list of texts, or `"all"`', _STATES, _read_area, _write_states),
            default=frozenset(),
            value=lambda plan: plan.records.states,
        ),
        "puerto-rico": Key(
            "Whether Puerto Rico is tabulated, by its own levels.",
            flag(),
            default=False,
            value=lambda plan: plan.records.puerto_rico or None,
        ),
    },
    check=_check_area,
)


def _check_level(section: Section, values: Values) -> None:
    check_level(section, values)
    values["thresholds"] = read_thresholds(section, SEX_BY_AGE)


_LEVEL: Final = Table(
    {
        "geography": Key(
            "What the regions of the level are.", choice(_GEOGRAPHIES, f"write one of {', '.join(_GEOGRAPHIES)}")
        ),
        "groups": Key("Level 1 or 2 of the iterations.", choice(LEVELS, "write regional or detailed")),
        **PRICE,
        "thresholds": Key(
            "Three noisy totals: from the first a group gets sex by 4 age bands, from the second by 9, from the third by 23.",
            THRESHOLDS,
            value=lambda level: level.thresholds,
        ),
    },
    check=_check_level,
)


def _level_fields(plan: Choices) -> list[SimpleNamespace]:
    words = {number: word for word, number in LEVELS.items()}
    return [
        SimpleNamespace(
            geography=str(level.geography),
            groups=words[level.iteration_level],
            thresholds=list(level.thresholds),
            **price_of(level),
        )
        for level in plan.levels
    ]


CENSUS: Final = Table(
    {
        "title": TITLE,
        "definitions": Key(
            "Folder of the four Census definition files, from the plan file; instead of `groups`.",
            aside("text", TEXT),
            default={},
        ),
        "codes": Key(
            "Every code with its name; then a group can name no other.",
            unread(table(CODES)),
            default={},
            value=lambda plan: names_of(plan.definitions),
        ),
        "groups": Key(
            "A set of codes; an iteration is what is tabulated of it.",
            unread(tables(GROUP)),
            default={},
            value=lambda plan: groups_of(plan.definitions),
        ),
        "privacy": privacy(("person",)),
        "records": Key("What is read of a record.", table(_RECORDS)),
        "area": Key("What is tabulated.", table(_PLACES)),
        "publication": PUBLICATION,
        "levels": Key(
            "A population group level; one that is not written costs nothing.", later(_LEVEL), value=_level_fields
        ),
    }
)


def read_census_plan(top: Section, folder: Path) -> Choices:
    """The plan of a parsed file; `folder` is where its definitions are looked for.

    Raises:
        PlanError: with every problem of the file and of the definitions that it names.
    """
    fields = CENSUS.parse(top, {"staged": True})
    definitions = _definitions(top, folder)
    area = (bool(fields["states"]), fields["puerto_rico"])
    stated: dict[LevelKey, Stated] = {}
    for section in fields["levels"]:
        level = _LEVEL.parse(section)
        geography = GeographyLevel(level["geography"])
        key = (geography, LEVELS[level["groups"]])
        if all(section.values.get(name) == level[name] for name in ("geography", "groups")):
            if key in stated:
                section.refuse("geography", f"{geography} is there with these groups already", "give each level once")
            if not area[geography.puerto_rico]:
                section.refuse("geography", f"{geography} is outside the area", "add it to [area], or leave it out")
        stated[key] = Stated(level["budget"], level["thresholds"], level["targets"])
    if definitions is None:
        raise PlanError(problems=top.problems)
    records = CensusRecords(fields["max_race_codes"], fields["states"], fields["puerto_rico"])
    tabulated = {key: definitions.tabulated(GeographyLevel(key[0]), key[1]) for key in stated}
    return solve_choices(top, fields, stated, tabulated, definitions=definitions, records=records, **CENSUS_PARTS)


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


def census_values(plan: Choices, definitions: str | None) -> dict[str, Any]:
    """The values that say a plan; its definitions as groups, unless their folder is named.

    Raises:
        PlanError: the definitions are no groups of a plan file, or their folder cannot be printed.
    """
    census_records(plan)
    if definitions is not None and not definitions.isprintable():
        raise PlanError("definitions", "lie in a folder whose name cannot be printed", "rename the folder")
    named = {"definitions": replace(CENSUS.keys["definitions"], value=lambda _: definitions)}
    left_out = ("definitions",) if definitions is None else ("codes", "groups")
    return Table({name: key for name, key in {**CENSUS.keys, **named}.items() if name not in left_out}).values(plan)
