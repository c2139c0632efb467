"""The grammar of a plan file about custom records: `[[columns]]`, `[regions]`, `[detail]`, and `[[groups]]` or `[tables]`.

A file that a plan names (codes, areas) is public, and is read with the plan.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal

from starling.errors import PlanError
from starling.planfile.formats import FORMAT_KEY
from starling.planfile.grammar import Key, Table, Values
from starling.planfile.kinds import TEXT, TEXTS, WHOLES, aside, choice, later, table, tables, text, texts, unread, whole
from starling.planfile.spelling import did_you_mean, plural_of
from starling.planfile.toml import Section
from starling.tables.plan.choices import Choices, within
from starling.tables.plan.columns import Column, Decimals, Integers, Unit
from starling.tables.plan.cross_grammar import TABLES, check_incompatible
from starling.tables.plan.cross_solving import solved_tables
from starling.tables.plan.custom_columns import COLUMN, CUTS, by_name, lists_by_name, stated_cuts
from starling.tables.plan.custom_families import CustomFamily, CustomGroup, value_texts
from starling.tables.plan.custom_levels import (
    AGGREGATES,
    EVERYWHERE_LEVELS,
    LEVEL,
    REGIONS,
    aggregate_fields,
    level_fields,
    read_aggregates,
    read_levels,
)
from starling.tables.plan.custom_records import EVERYWHERE, EXPECTED, CustomRecords, custom_records
from starling.tables.plan.detail import Cuts, Detail, DetailAttribute
from starling.tables.plan.grammar import PUBLICATION, TITLE, privacy
from starling.tables.plan.solving import solve_choices

TOTALS: Final = Detail((), ((),))
"""The detail of a plan that says none: totals alone."""
UNITS: Final[tuple[Literal["person", "household"], ...]] = ("person", "household")
"""Whom a plan can protect."""
MOST_RECORDS: Final = 1000
"""Records of one person; with more of them no number would be worth its noise."""
MOST_EXPECTED: Final = 10**12
"""Records."""
_NAME: Final = re.compile(r"[^a-z0-9_]+")


def _check_records(section: Section, values: Values) -> None:
    """The `unit`: whose records count together, and how many of one are counted."""
    whose = values["protects"]
    most = f"of-a-{whose}"
    for key in section.values:
        if key in _RECORDS and key not in (known := (most, whose, "expected")):
            section.refuse(key, "is an unknown key", did_you_mean(key, known))
    records = section.whole(most, 1, MOST_RECORDS)
    values["unit"] = None
    if whose in section.values:
        field = section.text(whose, f"name the column that says which {whose} a record is of")
        values["unit"] = Unit(field, records) if field else None
    elif records > 1:
        fix = f'add {whose} = "id", the column that says which {whose} a record is of'
        section.refuse(most, "is more than one, and nothing says whose a record is", fix)


def _of_a(unit: str) -> Key:
    return Key(
        f"k, the most records of a {unit} that are counted, where a {unit} is protected.",
        unread(whole(1, MOST_RECORDS)),
        default={},
        value=lambda plan: plan.records_of_one if plan.records.protects == unit else None,
    )


def _whose(unit: str) -> Key:
    return Key(
        f"The column that says which {unit} a record is of; left out where each is of another one.",
        aside("text", TEXT),
        default={},
        value=lambda plan: plan.records.unit.field if plan.records.unit and plan.records.protects == unit else None,
    )


_RECORDS: Final[dict[str, Key]] = {
    **{f"of-a-{unit}": _of_a(unit) for unit in UNITS},
    **{unit: _whose(unit) for unit in UNITS},
    "expected": Key(
        "About how many records there are, a public guess by which previews assume sizes of groups.",
        whole(1, MOST_EXPECTED),
        default=EXPECTED,
        value=lambda plan: None if plan.records.expected == EXPECTED else plan.records.expected,
    ),
}


def _check_detail(section: Section, values: Values) -> None:
    """The `detail`: the chain of partitions from the total on, of the columns `of_detail`."""
    columns, names, before = values["by_name"], values["of_detail"], len(section.problems)
    unknown = [name for name in names if name not in columns or isinstance(columns[name].domain, Decimals)]
    for name in unknown:
        problem = f"has {name[:40]!r}, which is no column of the plan that detail can be of"
        section.refuse("columns", problem, did_you_mean(name, columns))
    steps = section.inline("steps", "steps = [{ sex = true }, { sex = true, age = [0, 18, 65] }]")
    if unknown or not names or not steps:
        return
    partitions: list[Cuts] = [tuple(() for _ in names)]
    for step in steps:
        step.only(names)
        partitions.append(tuple(_cut(step, columns[name]) for name in names))
    if len(section.problems) > before:
        return
    try:
        values["detail"] = Detail(tuple(_attribute(columns[name]) for name in names), tuple(partitions))
    except PlanError as error:
        section.problems.extend(replace(each, file=section.file) for each in error.problems)


def _attribute(column: Column) -> DetailAttribute:
    """A column as an attribute of the detail, by a name that a column of the tables can have."""
    name = _NAME.sub("_", column.name.lower()).strip("_")
    if isinstance(column.domain, Integers):
        return DetailAttribute(name, plural_of(name), column.domain.low, column.domain.high)
    return DetailAttribute(name, plural_of(name), 0, column.domain.size - 1, value_texts(column.domain))


def _cut(step: Section, column: Column) -> tuple[int, ...]:
    """How a step cuts a column: not at all, into its values, or at whole numbers."""
    value = step.values.get(column.name, False)
    if value is False:
        return ()
    if not isinstance(column.domain, Integers):
        if value is not True:
            problem = "is a list of values, which is cut into each of them"
            step.refuse(column.name, problem, "write true, or leave it out")
        return tuple(range(column.domain.size))
    if not isinstance(value, list) or not all(type(each) is int for each in value) or not value:
        fix = f"write where classes begin, such as [{column.domain.low}, ...]"
        step.refuse(column.name, "is not a list of whole numbers", fix)
        return ()
    return tuple(value)


def _write_steps(plan: Choices) -> list[dict[str, Any]]:
    records = custom_records(plan)
    whole_numbers = {name for name, column in records.by_name.items() if isinstance(column.domain, Integers)}
    return [
        {
            name: list(cuts) if name in whole_numbers else True
            for name, cuts in zip(records.detail, partition, strict=True)
            if cuts
        }
        for partition in plan.detail.partitions[1:]
    ]


_DETAIL: Final = Table(
    {
        "columns": Key(
            "Columns of which a record has one value.",
            texts('list columns, such as ["sex", "age"]'),
            field="of_detail",
            value=lambda plan: plan.records.detail,
        ),
        "steps": Key(
            "What each step cuts: `true` for each value of a list, or where classes of whole numbers begin.",
            aside(
                "list of inline tables", {"type": "array", "items": by_name({"anyOf": [{"type": "boolean"}, WHOLES]})}
            ),
            value=_write_steps,
        ),
    },
    check=_check_detail,
)


def _check_family(section: Section, values: Values) -> None:
    if not set(values["cuts"]) <= set(values["columns"]):
        CUTS.read(replace(section, values={"cuts": None}), "cuts", values)


def _family(
    name: str, columns: tuple[str, ...], cuts: Mapping[str, Any], sets: Mapping[str, Any], match: str, detail: str
) -> CustomFamily:
    of_columns = tuple(tuple(cuts.get(each, ())) for each in columns)
    groups = tuple(CustomGroup(each, tuple(sorted(values))) for each, values in sets.items())
    return CustomFamily(name, columns, of_columns, groups, match == "all", detail == "total")


_GROUP: Final = Table(
    {
        "name": Key("What the family of groups is called.", text("name the family of groups")),
        "columns": Key(
            "A group for each combination of their values; none for the one group of everybody.",
            texts("list columns; an empty list is the one group of everybody"),
        ),
        "cuts": Key(
            "Where classes of whole numbers begin, from the least on: `{ age = [0, 18, 65] }`.",
            CUTS,
            default={},
            value=lambda family: stated_cuts(family.columns, family.cuts),
        ),
        "sets": Key(
            "Instead, of one column: groups by name, each a list of values, which may overlap.",
            lists_by_name(
                str, TEXTS, "says no sets of values", 'write it like sets = { insured = ["public", "private"] }'
            ),
            default={},
            value=lambda family: {group.name: list(group.values) for group in family.groups},
        ),
        "match": Key(
            "Whether a set has the records with one of its values, or those all of whose values it holds.",
            choice(("one", "all"), 'write "one" or "all"'),
            default="one",
            value=lambda family: "all" if family.alone else None,
        ),
        "detail": Key(
            "Whether each group is measured once, as a bare total, also where the plan has detail.",
            choice(("adaptive", "total"), 'write "adaptive" or "total"'),
            default="adaptive",
            value=lambda family: "total" if family.total_only else None,
        ),
    },
    make=_family,
    check=_check_family,
)


def _check_custom(top: Section, values: Values) -> None:
    columns = [each["column"] for each in values["columns"] if each["column"] is not None]
    values.update(by_name={column.name: column for column in columns}, of_detail=(), detail=TOTALS, crossed=None)
    if "tables" in top.values:
        values.update(TABLES.parse(top.table("tables"), values))
        check_incompatible(top, values)
        return
    if "groups" not in top.values:
        top.tables("groups")  # are missing
    if "detail" in top.values:
        values.update(_DETAIL.parse(top.table("detail"), values))
    if not {"levels", *AGGREGATES} & top.values.keys():
        top.tables("levels")  # are missing


CUSTOM: Final = Table(
    {
        "title": TITLE,
        "privacy": privacy(UNITS),
        "records": Key("Whose records they are.", table(Table(_RECORDS, check=_check_records))),
        "format": replace(FORMAT_KEY, value=lambda plan: plan.records.format),
        "publication": PUBLICATION,
        "regions": Key(
            "The public table of areas.",
            table(REGIONS),
            default={"areas": EVERYWHERE, "regions": EVERYWHERE_LEVELS},
            value=lambda plan: None if plan.records.areas == EVERYWHERE else plan,
        ),
        "detail": Key(
            "A chain of partitions, each a refinement of the one before; without it all groups are bare totals.",
            unread(table(_DETAIL)),
            default={},
            value=lambda plan: plan if plan.detail.steps else None,
        ),
        "columns": Key(
            "A column with its public values.", tables(COLUMN), default=(), value=lambda plan: plan.records.columns
        ),
        "tables": Key(
            "In place of groups: tables of several columns, which add up to one another.",
            unread(table(TABLES)),
            default={},
            value=lambda plan: None if plan.cross is None else plan,
        ),
        "groups": Key(
            "A family of groups; a level tabulates one.",
            tables(_GROUP),
            default=(),
            value=lambda plan: [
                replace(each, total_only=each.total_only and bool(plan.detail.steps)) for each in plan.records.families
            ],
        ),
        "levels": Key(
            "A level: regions by a family of groups.",
            later(LEVEL),
            default=(),
            value=lambda plan: [level_fields(plan.records, level) for level in plan.levels],
        ),
        "sums": Key(
            "Sums and means of a column in each group.",
            later(AGGREGATES["sums"]),
            default=(),
            value=lambda plan: aggregate_fields(plan, "sums"),
        ),
        "quantiles": Key(
            "Quantiles of a column in each group.",
            later(AGGREGATES["quantiles"]),
            default=(),
            value=lambda plan: aggregate_fields(plan, "quantiles"),
        ),
    },
    check=_check_custom,
)


def read_custom(top: Section, folder: Path) -> Choices:
    """The plan of a parsed file; `folder` is where the files are looked for that it names.

    Raises:
        PlanError: with every problem of the file and of the files that it names.
    """
    fields = CUSTOM.read(top, {"folder": folder, "staged": "detail" in top.values and "tables" not in top.values})
    staged = bool(fields["detail"].steps)
    families = tuple(replace(each, total_only=each.total_only or not staged) for each in fields["groups"])
    with within(top.file):
        records = CustomRecords(
            columns=tuple(each["column"] for each in fields["columns"]),
            areas=fields["areas"],
            families=families,
            detail=fields["of_detail"],
            expected=fields["expected"],
            unit=fields["unit"],
            protects=fields["protects"],
            format=fields["format"],
        )
        fields["records"] = records
        stated = read_levels(fields["levels"], fields)
        PlanError.check(top.problems)
        cross = None if fields["crossed"] is None else solved_tables(top.table("tables"), fields, records)
        return solve_choices(
            top,
            fields,
            stated,
            {key: tuple(each for each in records.definitions.iterations if each.level == key[1]) for key in stated},
            cross=cross,
            aggregates=read_aggregates(fields, records),
            definitions=records.definitions,
            detail=fields["detail"],
            families=tuple(family.name for family in families),
            records=records,
            regions=fields["regions"],
        )
