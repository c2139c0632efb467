"""`[regions]` of a plan file about custom records: the public table of areas, and the levels of regions that they make up."""

from dataclasses import replace
from typing import Final

from starling.planfile.grammar import Key, Table, Values
from starling.planfile.kinds import TEXT, TEXTS, aside, text, texts
from starling.planfile.spelling import did_you_mean
from starling.planfile.toml import Section
from starling.tables.plan.choices import Choices
from starling.tables.plan.custom_columns import read_table
from starling.tables.plan.custom_levels import EVERYWHERE_LEVELS
from starling.tables.plan.custom_records import EVERYWHERE, CustomAreas, custom_records
from starling.tables.plan.region_levels import RegionLevel, RegionLevels
from starling.text_format import PLAIN


def _read_names(section: Section, key: str, values: Values) -> list[str]:
    return section.texts(key, f'list the levels from large to small, such as ["country", "{values["column"]}"]')


def _check_regions(section: Section, values: Values) -> None:
    """The `areas`, and the levels of `regions` that they make up."""
    column, levels = values["column"], values["names"]
    values.update(areas=EVERYWHERE, regions=EVERYWHERE_LEVELS)
    for name in values["small"]:
        if name not in levels:
            section.refuse("small", f"has {name[:40]!r}, which is no level", did_you_mean(name, levels))
    wanted = [*dict.fromkeys([column, *levels])]
    if ("file" in section.values) == ("rows" in section.values):
        fix = f'give file = "areas.csv", with the columns {", ".join(wanted)}'
        section.refuse("file", "is missing" if "file" not in section.values else "stands beside rows", fix)
        return
    form = values["format"] or PLAIN
    rows = read_table(section, values["folder"], form) if "file" in section.values else _rows(section, wanted)
    if not rows:
        return
    header = rows[0]
    if missing := [name for name in wanted if header.count(name) != 1]:
        fix = "write one for the areas and one for each level"
        section.refuse("file", f"has no column {missing[0][:40]!r}, or two", fix)
    elif levels:
        listed = sorted(rows[1:], key=lambda row: row[header.index(column)])
        codes, *regions = (tuple(row[header.index(name)] for row in listed) for name in (column, *levels))
        known = tuple(RegionLevel(name, name.capitalize(), small=name in values["small"]) for name in levels)
        values.update(areas=CustomAreas(column, codes, tuple(regions)), regions=RegionLevels(known))


def _rows(section: Section, header: list[str]) -> list[list[str]]:
    """The table of areas as a list of rows in the plan itself: the area, and then its region of each level."""
    rows = section.values["rows"]
    of_length = isinstance(rows, list) and all(isinstance(row, list) and len(row) == len(header) for row in rows)
    if of_length and all(isinstance(field, str) for row in rows for field in row):
        return [header, *rows]
    section.refuse("rows", "is not a list of rows", f"write a list of texts for each area: {', '.join(header)}")
    return []


def _write_rows(plan: Choices) -> list[list[str]]:
    areas = custom_records(plan).areas
    columns = {areas.column: areas.codes, **dict(zip(plan.regions.names, areas.regions, strict=True))}
    return [list(row) for row in zip(*columns.values(), strict=True)]


REGIONS: Final = Table(
    {
        "column": Key(
            "The column of the records that says the smallest area.",
            text("name the column of the records that says the smallest area"),
            value=lambda plan: plan.records.areas.column,
        ),
        "levels": Key(
            "The columns of the table that are levels, from large to small; the smallest area may be one.",
            replace(texts(""), read=_read_names),
            field="names",
            value=lambda plan: plan.regions.names,
        ),
        "small": Key(
            "Levels whose small bare totals `publication.suppression` leaves out; neither goes without the other, or without `detail`.",
            texts("list levels, or leave it out"),
            default=(),
            value=lambda plan: [level.name for level in plan.regions.levels if level.small] or None,
        ),
        "file": Key(
            "A public CSV file, a row for each smallest area: a column of that name, one for each level; an empty field is no region.",
            aside("text", TEXT),
            default={},
            value=lambda _: None,
        ),
        "rows": Key(
            "Instead of a file: a list of rows, the area and then its region of each level.",
            aside("list of lists of texts", {"type": "array", "items": TEXTS}),
            default={},
            value=_write_rows,
        ),
    },
    check=_check_regions,
)
