"""A plan file about records of one's own: `[[columns]]`, `[regions]`, `[[groups]]` and `[detail]` in place of the Census's keys.

docs/plan-file.md explains every key. A file that a plan names (codes, areas) is public, and is read with the plan.
"""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from starling.errors import PlanError, Problem
from starling.planfile.foreign import content
from starling.planfile.spelling import did_you_mean
from starling.planfile.toml import Section
from starling.tables.plan.choices import Choices, Level, degree, within
from starling.tables.plan.columns import MOST_SEVERAL, Codes, Column, Domain, Integers, Periods, Unit
from starling.tables.plan.detail import Cuts, Detail
from starling.tables.plan.detail_attributes import MOST, DetailAttribute
from starling.tables.plan.own_families import OwnFamily, OwnGroup, value_texts
from starling.tables.plan.own_records import EVERYWHERE, EXPECTED, WHOLE, OwnAreas, OwnRecords
from starling.tables.plan.readable_choices import read_privacy, read_publication, read_variants
from starling.tables.plan.readable_levels import (
    Stated,
    check_targets,
    read_price,
    read_thresholds,
    solved,
)
from starling.tables.plan.region_levels import RegionLevel, RegionLevels
from starling.tables.plan.stability import stability

TOTALS: Final = Detail((), ((),))
"""The detail of a plan that says none: totals alone."""
UNITS: Final[tuple[Literal["person", "household"], ...]] = ("person", "household")
"""Whom a plan can protect."""
MOST_RECORDS: Final = 1000
"""Records of one person; with more of them no number would be worth its noise."""
MOST_EXPECTED: Final = 10**12
"""Records."""
LONGEST_FILE: Final = 1 << 28
"""Bytes of a public file of values or areas."""

_TOP: Final = ("title", "privacy", "records", "columns", "regions", "groups", "detail", "publication", "levels")
_COLUMN: Final = ("name", "fields", "values", "file", "other", "from", "to", "periods", "separator", "most")
_NAME: Final = re.compile(r"[^a-z0-9_]+")


def is_own(top: Section) -> bool:
    """Whether a plan file is about records of one's own; others are about person records of the Census."""
    return "columns" in top.values or "regions" in top.values


def read_own(top: Section, folder: Path) -> Choices:
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
    publication = top.table("publication")
    suppression, allow_negative = read_publication(publication)
    variants = read_variants(publication)
    read = [_column(section, folder) for section in (top.tables("columns") if "columns" in top.values else [])]
    columns = [column for column in read if column is not None]
    areas, regions = _regions(top.table("regions"), folder) if "regions" in top.values else (EVERYWHERE, _WHOLE)
    by_name = {column.name: column for column in columns}
    of_detail, detail = _detail(top.table("detail"), by_name) if "detail" in top.values else ((), TOTALS)
    families = [_family(section, staged=bool(detail.steps)) for section in top.tables("groups")]
    if top.problems:
        raise PlanError(problems=top.problems)
    with within(top.file):
        records = OwnRecords(tuple(columns), areas, tuple(families), of_detail, expected, unit, protects)
        stated = _levels(top, regions, records, detail)
        if top.problems:
            raise PlanError(problems=top.problems)
        tabulated = {
            key: tuple(each for each in records.definitions.iterations if each.level == key[1]) for key in stated
        }
        bounds = {key: stability(iterations, records.attributes) for key, iterations in tabulated.items()}
        of_one = 1 if unit is None else unit.most
        degrees = {key: degree(measure, bound, of_one) for key, bound in bounds.items()}
        for key, level in stated.items():
            check_targets(level.targets, tabulated[key], level.thresholds or (1,))
        gamma, budgets = solved(
            top, stated, degrees, measure, gamma, both_stages=variants.both_stages, detail=detail, regions=regions
        )
        if top.problems:
            raise PlanError(problems=top.problems)
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
            max_race_codes=1,
            states=frozenset(),
            puerto_rico=False,
            definitions=records.definitions,
            variants=variants,
            detail=detail,
            regions=regions,
            families=tuple(family.name for family in families),
            records=records,
        )


def _with_share(section: Section, *, staged: bool) -> Section:
    """[privacy], in which a plan without detail has no share to state: a group of it is measured once."""
    if staged or "stage-1-share" in section.values:
        return section
    return Section(
        section.file, section.name, {**section.values, "stage-1-share": "1/2"}, section.lines, section.problems
    )


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


def _column(section: Section, folder: Path) -> Column | None:
    """One of [[columns]]; None after a refusal."""
    section.only(_COLUMN)
    before = len(section.problems)
    name = section.text("name", "write the name of the attribute, which is that of its column in the records")
    fields = (
        section.texts("fields", "list the columns of the records that say it") if "fields" in section.values else []
    )
    separator, most = _several(section, fields)
    try:
        domain = _domain(section, folder)
        return Column(name, domain, tuple(fields), separator, most) if len(section.problems) == before else None
    except PlanError as error:
        section.problems.extend(replace(problem, file=section.file) for problem in _named(name, error.problems))
        return None


def _named(name: str, problems: Sequence[Problem]) -> list[Problem]:
    """Problems of a domain, with the column that has it."""
    return [each if name in each.field else replace(each, field=f"column {name}: {each.field}") for each in problems]


def _several(section: Section, fields: list[str]) -> tuple[str, int]:
    """The separator of several values, and the most that are read of a record."""
    fix = 'write the one mark between values, such as ";"'
    separator = section.text("separator", fix) if "separator" in section.values else ""
    if not separator and len(fields) < 2:
        if "most" in section.values:
            section.refuse("most", "is of a column of several values", 'add separator = ";" or fields, or leave it out')
        return separator, 1
    return separator, section.whole("most", 1, MOST_SEVERAL)


def _domain(section: Section, folder: Path) -> Domain:
    """The public values of a column; raises PlanError where there are none."""
    kinds = [key for key in ("values", "file", "from", "periods") if key in section.values]
    if len(kinds) != 1:
        fix = 'give values = ["a", "b"], or file = "codes.csv", or from = 0 and to = 110, or periods = ["2024-01-01", "2025-01-01"]'
        section.refuse("name", "has no domain, or two", fix)
    elif kinds == ["from"]:
        low = section.whole("from", -MOST, MOST - 1)
        return Integers(low, section.whole("to", low + 1, MOST))
    elif kinds == ["periods"]:
        return Periods(
            tuple(
                section.texts("periods", 'list when each begins, and when the last ends: ["2024-01-01", "2025-01-01"]')
            )
        )
    values = _codes(section, folder) if kinds == ["file"] else _values(section) if kinds == ["values"] else []
    other = section.text("other", "name the value that stands for all others") if "other" in section.values else ""
    return Codes(tuple(values), other)


def _values(section: Section) -> list[tuple[str, str]]:
    """Codes that stand in the plan: a list, or a table with the text of each."""
    said = section.values["values"]
    if isinstance(said, dict) and said and all(isinstance(text, str) for text in said.values()):
        return list(said.items())
    return [(code, code) for code in section.texts("values", 'list the values, such as ["F", "M"]')]


def _codes(section: Section, folder: Path) -> list[tuple[str, str]]:
    """Codes and texts of a public CSV file: its first column and, where there is one, its second."""
    rows = _table(section, folder)
    if rows and not 1 <= len(rows[0]) <= 2:
        section.refuse("file", "is of a table of other columns than code and text", "give one or two columns")
        return []
    return [(row[0], row[-1]) for row in rows[1:]]


def _table(section: Section, folder: Path) -> list[list[str]]:
    """The rows of a public CSV file, its header first, all of one length; none after a refusal."""
    name = section.text("file", "name a CSV file beside the plan")
    try:
        text = content(folder / name, LONGEST_FILE).decode("utf-8-sig") if name else ""
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "not UTF-8"
        section.refuse("file", f"cannot be read ({reason})", "give its path from the plan file, saved as UTF-8")
        return []
    rows = [[field.strip() for field in row] for row in csv.reader(text.splitlines()) if row]
    wrong = next((line for line, row in enumerate(rows, 1) if len(row) != len(rows[0])), None)
    if len(rows) < 2 or wrong is not None:
        at = f"in row {wrong} another number of fields than its header" if wrong else "nothing but a header"
        section.refuse("file", f"has {at}", "write a header, then a row each")
        return []
    return rows


_WHOLE: Final = RegionLevels((RegionLevel(WHOLE, "All"),))


def _regions(section: Section, folder: Path) -> tuple[OwnAreas, RegionLevels]:
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
        return EVERYWHERE, _WHOLE
    rows = _table(section, folder) if "file" in section.values else _rows(section, [*dict.fromkeys([column, *levels])])
    header = rows[0] if rows else []
    missing = [name for name in dict.fromkeys([column, *levels]) if header.count(name) != 1]
    if rows and missing:
        section.refuse(
            "file", f"has no column {missing[0][:40]!r}, or two", "write one for the areas and one for each level"
        )
    if not rows or missing or not levels:
        return EVERYWHERE, _WHOLE
    listed = sorted(rows[1:], key=lambda row: row[header.index(column)])
    codes = tuple(row[header.index(column)] for row in listed)
    regions = tuple(tuple(row[header.index(name)] for row in listed) for name in levels)
    known = RegionLevels(tuple(RegionLevel(name, name.capitalize(), small=name in small) for name in levels))
    return OwnAreas(column, codes, regions), known


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
    unknown = [name for name in names if name not in columns]
    for name in unknown:
        section.refuse("columns", f"has {name[:40]!r}, which is no column of the plan", did_you_mean(name, columns))
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
    if isinstance(column.domain, Integers):
        return DetailAttribute(name, f"{name}s", column.domain.low, column.domain.high)
    return DetailAttribute(name, f"{name}s", 0, column.domain.size - 1, value_texts(column.domain))


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


def _family(section: Section, *, staged: bool) -> OwnFamily:
    """One of [[groups]]."""
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
    groups = tuple(OwnGroup(each, tuple(sorted(values))) for each, values in sets.items())
    return OwnFamily(
        name, tuple(names), tuple(tuple(cuts.get(each, ())) for each in names), groups, alone, total or not staged
    )


def _levels(top: Section, regions: RegionLevels, records: OwnRecords, detail: Detail) -> dict[tuple[str, int], Stated]:
    """Budget or margins, and thresholds, of each of [[levels]]."""
    stated: dict[tuple[str, int], Stated] = {}
    families = {family.name: family for family in records.families}
    for section in top.tables("levels"):
        section.only(("regions", "groups", "budget", "margins", "thresholds"))
        before = len(section.problems)
        where = WHOLE
        if "regions" in section.values or regions != _WHOLE:
            where = section.choice("regions", regions.names, f"write one of {', '.join(regions.names)}")
        chosen = families[section.choice("groups", tuple(families), f"write one of {', '.join(families)}")]
        key = where, 1 + records.families.index(chosen)
        if key in stated and len(section.problems) == before:
            section.refuse("groups", f"{chosen.name} are there with these regions already", "give each level once")
        price = read_price(section)
        thresholds = tuple(range(1, detail.steps + 1))
        if not chosen.total_only:
            thresholds = read_thresholds(section, detail)
        elif "thresholds" in section.values:
            section.refuse("thresholds", "are of groups that are measured once", "leave them out")
        stated[key] = Stated(*price, thresholds)
    return stated
