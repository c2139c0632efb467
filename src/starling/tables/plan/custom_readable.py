"""A plan file about custom records: `[[columns]]`, `[regions]`, `[[groups]]` and `[detail]` in place of the Census's keys.

docs/reference/plan-file.md explains every key. A file that a plan names (codes, areas) is public, and is read with the plan.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from starling.errors import PlanError, Problem
from starling.planfile.formats import read_format
from starling.planfile.spelling import did_you_mean, plural_of
from starling.planfile.toml import Section
from starling.tables.plan.choices import Choices, degree, within
from starling.tables.plan.columns import Column, Decimals, Integers, Unit
from starling.tables.plan.custom_columns import read_column, read_table
from starling.tables.plan.custom_families import CustomFamily, CustomGroup, value_texts
from starling.tables.plan.custom_levels import AGGREGATES, EVERYWHERE_LEVELS, read_aggregates, read_custom_levels
from starling.tables.plan.custom_records import EVERYWHERE, EXPECTED, CustomAreas, CustomRecords
from starling.tables.plan.detail import Cuts, Detail
from starling.tables.plan.detail_attributes import DetailAttribute
from starling.tables.plan.levels import Level
from starling.tables.plan.readable_choices import read_privacy, read_publication, read_structure, read_variants
from starling.tables.plan.readable_levels import (
    check_targets,
    solved,
)
from starling.tables.plan.region_levels import RegionLevel, RegionLevels
from starling.tables.plan.stability import stability
from starling.text_format import TextFormat

TOTALS: Final = Detail((), ((),))
"""The detail of a plan that says none: totals alone."""
UNITS: Final[tuple[Literal["person", "household"], ...]] = ("person", "household")
"""Whom a plan can protect."""
MOST_RECORDS: Final = 1000
"""Records of one person; with more of them no number would be worth its noise."""
MOST_EXPECTED: Final = 10**12
"""Records."""
_TOP: Final = (
    "title",
    "privacy",
    "records",
    "format",
    "columns",
    "regions",
    "groups",
    "detail",
    "publication",
    "levels",
    *AGGREGATES,
)
_NAME: Final = re.compile(r"[^a-z0-9_]+")


def is_custom(top: Section) -> bool:
    """Whether a plan file is about custom records; others are about person records of the Census."""
    return "columns" in top.values or "regions" in top.values


def read_custom(top: Section, folder: Path) -> Choices:
    """The plan of a parsed file; `folder` is where the files are looked for that it names.

    Raises:
        PlanError: with every problem of the file and of the files that it names.
    """
    top.only(_TOP)
    title = top.text("title", "say what the tables are")
    privacy = _with_share(top.table("privacy"), staged="detail" in top.values)
    measure, gamma = read_privacy(privacy, UNITS)
    protects = next((unit for unit in UNITS if unit == privacy.values.get("unit")), UNITS[0])
    unit, expected = _unit(top.table("records"), protects)
    form = read_format(top)
    publication = top.table("publication")
    suppression, allow_negative = read_publication(publication)
    variants, structure = read_variants(publication), read_structure(publication)
    read = [
        read_column(section, folder, form) for section in (top.tables("columns") if "columns" in top.values else [])
    ]
    columns = [column for column in read if column is not None]
    areas, regions = (
        _regions(top.table("regions"), folder, form) if "regions" in top.values else (EVERYWHERE, EVERYWHERE_LEVELS)
    )
    by_name = {column.name: column for column in columns}
    of_detail, detail = _detail(top.table("detail"), by_name) if "detail" in top.values else ((), TOTALS)
    families = [_family(section, staged=bool(detail.steps)) for section in top.tables("groups")]
    PlanError.check(top.problems)
    with within(top.file):
        records = CustomRecords(tuple(columns), areas, tuple(families), of_detail, expected, unit, protects, form)
        stated = read_custom_levels(top, regions, records, detail)
        PlanError.check(top.problems)
        tabulated = {
            key: tuple(each for each in records.definitions.iterations if each.level == key[1]) for key in stated
        }
        bounds = {key: stability(iterations, records.attributes) for key, iterations in tabulated.items()}
        of_one = 1 if unit is None else unit.most
        aggregates = read_aggregates(top, regions, records, lambda bound: degree(measure, bound, of_one), measure)
        degrees = {key: degree(measure, bound, of_one) for key, bound in bounds.items()}
        for key, level in stated.items():
            check_targets(level.targets, tabulated[key], level.thresholds or (1,))
        PlanError.check(top.problems)
        gamma, budgets = solved(
            top, stated, degrees, measure, gamma, both_stages=variants.both_stages, detail=detail, regions=regions
        )
        PlanError.check(top.problems)
        levels = [
            Level(
                *(key[0], key[1], budgets[key], stated[key].thresholds, tabulated[key], bounds[key]),
                targets=tuple(target for _, target in stated[key].targets),
            )
            for key in sorted(stated, key=lambda key: (regions.order(key[0]), key[1]))
        ]
        return Choices(
            title=title,
            measure=measure,
            levels=tuple(levels),
            gamma=gamma,
            suppression=suppression,
            allow_negative=allow_negative,
            definitions=records.definitions,
            variants=variants,
            data_structure=structure,
            detail=detail,
            regions=regions,
            families=tuple(family.name for family in families),
            records=records,
            aggregates=aggregates,
        )


def _with_share(section: Section, *, staged: bool) -> Section:
    """[privacy], in which a plan without detail has no share to state: a group of it is measured once."""
    if staged:
        return section
    if "stage-1-share" in section.values:
        problem = "would change nothing: without [detail] each group is measured once"
        section.refuse("stage-1-share", problem, "leave it out, or add [detail]")
    return replace(section, values={**section.values, "stage-1-share": "1/2"})


def _unit(section: Section, protects: str) -> tuple[Unit | None, int]:
    """[records]: whose records count together and how many of one are counted; about how many records are expected."""
    most, whose = f"of-a-{protects}", protects
    section.only((most, whose, "expected"))
    expected = section.whole("expected", 1, MOST_EXPECTED) if "expected" in section.values else EXPECTED
    records = section.whole(most, 1, MOST_RECORDS)
    if whose in section.values:
        field = section.text(whose, f"name the column that says which {protects} a record is of")
        return (Unit(field, records) if field else None), expected
    if records > 1:
        fix = f'add {whose} = "id", the column that says which {protects} a record is of'
        section.refuse(most, "is more than one, and nothing says whose a record is", fix)
    return None, expected


def _regions(section: Section, folder: Path, form: TextFormat) -> tuple[CustomAreas, RegionLevels]:
    """[regions]: the areas, and the levels of regions that they make up."""
    section.only(("column", "file", "rows", "levels", "small"))
    column = section.text("column", "name the column of the records that says the smallest area")
    levels = section.texts("levels", f'list the levels from large to small, such as ["country", "{column}"]')
    small = section.texts("small", "list levels, or leave it out") if "small" in section.values else []
    for name in small:
        if name not in levels:
            section.refuse("small", f"has {name[:40]!r}, which is no level", did_you_mean(name, levels))
    if ("file" in section.values) == ("rows" in section.values):
        fix = f'give file = "areas.csv", with the columns {", ".join(dict.fromkeys([column, *levels]))}'
        section.refuse("file", "is missing" if "file" not in section.values else "stands beside rows", fix)
        return EVERYWHERE, EVERYWHERE_LEVELS
    rows = (
        read_table(section, folder, form)
        if "file" in section.values
        else _rows(section, [*dict.fromkeys([column, *levels])])
    )
    header = rows[0] if rows else []
    missing = [name for name in dict.fromkeys([column, *levels]) if header.count(name) != 1]
    if rows and missing:
        section.refuse(
            "file", f"has no column {missing[0][:40]!r}, or two", "write one for the areas and one for each level"
        )
    if not rows or missing or not levels:
        return EVERYWHERE, EVERYWHERE_LEVELS
    listed = sorted(rows[1:], key=lambda row: row[header.index(column)])
    codes = tuple(row[header.index(column)] for row in listed)
    regions = tuple(tuple(row[header.index(name)] for row in listed) for name in levels)
    known = RegionLevels(tuple(RegionLevel(name, name.capitalize(), small=name in small) for name in levels))
    return CustomAreas(column, codes, regions), known


def _rows(section: Section, header: list[str]) -> list[list[str]]:
    """The table of areas as a list of rows in the plan itself: the area, and then its region of each level."""
    rows = section.values["rows"]
    if isinstance(rows, list) and all(isinstance(row, list) and len(row) == len(header) for row in rows):
        texts = all(isinstance(field, str) for row in rows for field in row)
        if texts:
            return [header, *rows]
    section.refuse("rows", "is not a list of rows", f"write a list of texts for each area: {', '.join(header)}")
    return []


def _detail(section: Section, columns: Mapping[str, Column]) -> tuple[tuple[str, ...], Detail]:
    """[detail]: its columns, and the chain of partitions from the total on."""
    section.only(("columns", "steps"))
    names = section.texts("columns", 'list columns, such as ["sex", "age"]')
    unknown = [name for name in names if name not in columns or isinstance(columns[name].domain, Decimals)]
    for name in unknown:
        section.refuse(
            "columns",
            f"has {name[:40]!r}, which is no column of the plan that detail can be of",
            did_you_mean(name, columns),
        )
    steps = section.inline("steps", "steps = [{ sex = true }, { sex = true, age = [0, 18, 65] }]")
    if unknown or not names or not steps:
        return (), TOTALS
    partitions: list[Cuts] = [tuple(() for _ in names)]
    for step in steps:
        step.only(names)
        partitions.append(tuple(_cut(step, columns[name]) for name in names))
    if section.problems:
        return (), TOTALS
    attributes = tuple(_attribute(columns[name]) for name in names)
    try:
        return tuple(names), Detail(attributes, tuple(partitions))
    except PlanError as error:
        section.problems.extend(Problem(p.field, p.problem, p.fix, section.file) for p in error.problems)
        return (), TOTALS


def _attribute(column: Column) -> DetailAttribute:
    """A column as an attribute of the detail, by a name that a column of the tables can have."""
    name = _NAME.sub("_", column.name.lower()).strip("_")
    plural = plural_of(name)
    if isinstance(column.domain, Integers):
        return DetailAttribute(name, plural, column.domain.low, column.domain.high)
    return DetailAttribute(name, plural, 0, column.domain.size - 1, value_texts(column.domain))


def _cut(step: Section, column: Column) -> tuple[int, ...]:
    """How a step cuts a column: not at all, into its values, or at whole numbers."""
    value = step.values.get(column.name, False)
    if value is False:
        return ()
    if not isinstance(column.domain, Integers):
        if value is not True:
            step.refuse(
                column.name, "is a list of values, which is cut into each of them", "write true, or leave it out"
            )
        return tuple(range(column.domain.size))
    if not isinstance(value, list) or not all(type(each) is int for each in value) or not value:
        step.refuse(
            column.name,
            "is not a list of whole numbers",
            f"write where classes begin, such as [{column.domain.low}, ...]",
        )
        return ()
    return tuple(value)


def _family(section: Section, *, staged: bool) -> CustomFamily:
    section.only(("name", "columns", "cuts", "sets", "match", "detail"))
    name = section.text("name", "name the family of groups")
    names = section.texts("columns", "list columns; an empty list is the one group of everybody")
    cuts = section.values.get("cuts", {})
    good = isinstance(cuts, dict) and all(
        isinstance(each, list) and all(type(low) is int for low in each) for each in cuts.values()
    )
    if not good or not set(cuts) <= set(names):
        section.refuse("cuts", "says no whole numbers of the columns", "write it like cuts = { age = [0, 18, 65] }")
        cuts = {}
    sets = section.values.get("sets", {})
    if not isinstance(sets, dict) or not all(
        isinstance(each, list) and all(isinstance(v, str) for v in each) for each in sets.values()
    ):
        section.refuse("sets", "says no sets of values", 'write it like sets = { insured = ["public", "private"] }')
        sets = {}
    alone = "match" in section.values and section.choice("match", ("one", "all"), 'write "one" or "all"') == "all"
    total = (
        "detail" in section.values
        and section.choice("detail", ("adaptive", "total"), 'write "adaptive" or "total"') == "total"
    )
    groups = tuple(CustomGroup(each, tuple(sorted(values))) for each, values in sets.items())
    return CustomFamily(
        name, tuple(names), tuple(tuple(cuts.get(each, ())) for each in names), groups, alone, total or not staged
    )
