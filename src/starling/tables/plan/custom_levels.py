"""What a plan file about custom records measures, and where: `[regions]`, `[[levels]]`, `[[sums]]` and `[[quantiles]]`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, Final, get_args

from starling.planfile.grammar import Key, Kind, Table, Values
from starling.planfile.kinds import TEXT, TEXTS, aside, choice, tables, text, texts
from starling.planfile.spelling import did_you_mean
from starling.planfile.toml import Section
from starling.planfile.values import exact_text
from starling.tables.plan.aggregate_margins import EXAMPLE, MARGIN, least_budget
from starling.tables.plan.aggregates import (
    FINEST_SHARE,
    MOST_CLASSES,
    MOST_SHARES,
    Aggregate,
    Quantiles,
    Way,
    better_way,
)
from starling.tables.plan.choices import Choices, degree, most_of_one
from starling.tables.plan.columns import Column, Decimals, Integers, places_of
from starling.tables.plan.custom_columns import in_units, number_text, read_table
from starling.tables.plan.custom_records import EVERYWHERE, CustomAreas, CustomRecords, custom_records
from starling.tables.plan.grammar import BUDGET, PRICE, THRESHOLDS, check_level, price_of, read_thresholds
from starling.tables.plan.levels import Level
from starling.tables.plan.region_levels import WHOLE, RegionLevel, RegionLevels
from starling.tables.plan.solving import Stated
from starling.tables.plan.stability import stability
from starling.tables.plan.variants import LARGEST_BUDGET
from starling.text_format import PLAIN

EVERYWHERE_LEVELS: Final = RegionLevels((RegionLevel(WHOLE, "All"),))
"""The levels of a plan without regions."""


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
    rows = read_table(section, values["folder"], form) if "file" in section.values else _area_rows(section, wanted)
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


def _area_rows(section: Section, header: list[str]) -> list[list[str]]:
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


def _of(section: Section, key: str, names: Sequence[str]) -> str:
    return section.choice(key, names, f"write one of {', '.join(names)}")


def _read_regions(section: Section, key: str, values: Values) -> str:
    return _of(section, key, values["regions"].names)


def _read_groups(section: Section, key: str, values: Values) -> int:
    names = [family.name for family in values["records"].families]
    return 1 + names.index(_of(section, key, names))


def _check_place(section: Section, values: Values) -> None:
    """The level of regions and the number of the family of groups, as one `key`."""
    where = values["where"] if "regions" in section.values else WHOLE
    if "regions" not in section.values and values["regions"] != EVERYWHERE_LEVELS:
        where = _read_regions(section, "regions", values)
    values["key"] = (where, values["family"])


_PLACE: Final = {
    "regions": Key(
        "A level of `regions`; left out where there are none.",
        Kind("text", TEXT, _read_regions),
        default="",
        field="where",
    ),
    "groups": Key("A family of `groups`.", Kind("text", TEXT, _read_groups), field="family"),
}


def _check_level(section: Section, values: Values) -> None:
    _check_place(section, values)
    check_level(section, values)
    family, detail = values["records"].families[values["family"] - 1], values["detail"]
    if not family.total_only:
        values["thresholds"] = read_thresholds(section, detail)
        return
    values["thresholds"] = tuple(range(1, detail.steps + 1))
    if "thresholds" in section.values:
        section.refuse("thresholds", "are of groups that are measured once", "leave them out")


LEVEL: Final = Table(
    {
        **_PLACE,
        **PRICE,
        "thresholds": Key(
            "Noisy totals from which a group gets each step of the detail.",
            THRESHOLDS,
            default={},
            value=lambda level: level.thresholds,
        ),
    },
    check=_check_level,
)


def read_levels(sections: Sequence[Section], above: Mapping[str, Any]) -> dict[tuple[str, int], Stated]:
    """Budget or margins, and thresholds, of each of [[levels]]."""
    stated: dict[tuple[str, int], Stated] = {}
    for section in sections:
        values = LEVEL.parse(section, above)
        name = above["records"].families[values["family"] - 1].name
        named = (section.values.get("regions", WHOLE), section.values.get("groups"))
        if values["key"] in stated and named == (values["key"][0], name):
            section.refuse("groups", f"{name} are there with these regions already", "give each level once")
        stated[values["key"]] = Stated(values["budget"], values["thresholds"], values["targets"])
    return stated


def level_fields(records: CustomRecords, level: Level) -> SimpleNamespace:
    """The fields by which LEVEL states a level, or one of AGGREGATES states where it is of."""
    family = records.families[level.iteration_level - 1]
    return SimpleNamespace(
        where=level.geography if records.areas != EVERYWHERE else None,
        family=family.name,
        thresholds=None if family.total_only else list(level.thresholds),
        **price_of(level),
    )


def _read_column(section: Section, key: str, values: Values) -> Column | None:
    """The column of numbers that an aggregate is of; None after a refusal."""
    columns: tuple[Column, ...] = values["records"].columns
    able = [each.name for each in columns if isinstance(each.domain, Integers | Decimals) and not each.several]
    if able:
        return next(each for each in columns if each.name == _of(section, key, able))
    section.refuse(key, "is a column of numbers, and the plan has none", "declare one with from and to")
    return None


def _check_aggregate(section: Section, values: Values) -> None:
    _check_place(section, values)
    if "margins" in section.values and "budget" in section.values:
        section.refuse("budget", "stands beside margins", "give either budget or margins")
    elif "margins" not in section.values and "budget" not in section.values:
        BUDGET.kind.read(section, "budget", values)  # is missing


def _read_classes(section: Section, column: Column) -> tuple[int, ...]:
    """Where the classes begin, in units of the last place; each number is one where nothing is said."""
    domain = column.domain
    assert isinstance(domain, Integers | Decimals)
    places = places_of(column)
    fix = f"list where up to {MOST_CLASSES} classes begin, ascending, from the least number of {column.name} on"
    if "classes" not in section.values:
        if not 2 <= domain.size <= MOST_CLASSES:
            section.refuse("classes", f"are missing, and {column.name} has {domain.size:,} numbers", fix)
            return ()
        return tuple(range(domain.low, domain.high + 1))
    stated = section.values["classes"]
    numbers = [_number(each) for each in stated] if isinstance(stated, list) else []
    units = (None if number is None else in_units(number, places) for number in numbers)
    cuts = [domain.low - 1 if unit is None else unit for unit in units]
    ascending = cuts == sorted(set(cuts)) and 2 <= len(cuts) <= MOST_CLASSES
    if not ascending or cuts[0] != domain.low or cuts[-1] > domain.high:
        section.refuse("classes", "do not cut the numbers of the column", fix)
        return ()
    return tuple(cuts)


def _number(stated: object) -> Fraction | None:
    """The exact number that a text or an integer says; None where it says none."""
    try:
        return Fraction(stated) if isinstance(stated, int | str) and type(stated) is not bool else None
    except (ValueError, ZeroDivisionError):
        return None


def _read_shares(section: Section, key: str, _: Values) -> tuple[Fraction, ...]:
    fix = 'list shares in hundredths, such as ["0.25", "0.5", "0.75"]'
    before = len(section.problems)
    shares = [_number(each) or Fraction(0) for each in section.texts(key, fix)]
    good = all(0 < each < 1 and each.denominator <= FINEST_SHARE for each in shares)
    if len(section.problems) == before and not (
        good and shares == sorted(set(shares)) and 1 <= len(shares) <= MOST_SHARES
    ):
        section.refuse(key, f"are not up to {MOST_SHARES} ascending shares above 0 and below 1", fix)
    return tuple(shares)


_CLASSES: Final = {"type": "array", "items": {"type": ["integer", "string"]}}
_OF: Final = Key("A column with `from` and `to`.", Kind("text", TEXT, _read_column), field="column")
SUM: Final = Table(
    {
        "of": _OF,
        **_PLACE,
        "budget": BUDGET,
        "margins": Key(
            "In place of a budget: margins of error that the numbers keep.",
            tables(MARGIN, EXAMPLE),
            default=(),
            value=lambda _: None,
        ),
    },
    check=_check_aggregate,
)
QUANTILE: Final = Table(
    {
        "of": _OF,
        **_PLACE,
        "budget": BUDGET,
        "shares": Key(
            'Shares of the records in hundredths, ascending, such as `"0.5"` for the median.',
            Kind("list of texts", TEXTS, _read_shares, lambda shares: list(map(exact_text, shares))),
        ),
        "classes": Key(
            "Where up to 256 classes begin, the least number first; left out, each number is one.",
            aside("list of exact numbers", _CLASSES),
            default={},
            value=lambda aggregate: aggregate.classes,
        ),
        "way": Key(
            "`counts` measures all classes, with intervals; `selection` takes a class for each share. Left out, the one fewer ranks off.",
            choice(get_args(Way), 'write "counts" or "selection", or leave it out'),
            default=None,
        ),
    },
    check=_check_aggregate,
)
AGGREGATES: Final = {"sums": SUM, "quantiles": QUANTILE}
"""The keys of the plan file that state aggregates, and their grammars."""


def read_aggregates(fields: Mapping[str, Any], records: CustomRecords) -> tuple[Aggregate, ...]:
    """[[sums]] and [[quantiles]], in plan order; `fields` are those of the file, its regions and its records included."""
    aggregates: dict[tuple[int, int, str, bool], Aggregate] = {}
    regions, measure = fields["regions"], fields["measure"]
    for kind, table in AGGREGATES.items():
        for section in fields[kind]:
            before = len(section.problems)
            values = table.parse(section, fields)
            column, budget = values["column"], values["budget"] or Fraction(1)
            if len(section.problems) > before:
                continue
            iterations = tuple(each for each in records.definitions.iterations if each.level == values["family"])
            level = Level(
                values["key"][0], values["family"], budget, (), iterations, stability(iterations, records.attributes)
            )
            shared = degree(measure, level.stability, most_of_one(records))
            place = (regions.order(level.geography), level.iteration_level, column.name, kind == "quantiles")
            if place in aggregates:
                section.refuse("of", f"{column.name} is there with these groups already", "give each once")
            quantiles = None
            if kind == "quantiles":
                shares, cuts = values["shares"], _read_classes(section, column)
                if not cuts:
                    continue
                way = values["way"] or better_way(len(cuts), shares, measure, budget / shared)
                quantiles = Quantiles(shares, cuts, way)
            aggregate = Aggregate(level, column.name, column.domain.low, column.domain.high, quantiles)
            if margins := values.get("margins"):
                least = least_budget(aggregate, measure, shared, margins)
                if least is None:
                    problem = f"cannot be kept: they would need a budget above {LARGEST_BUDGET}"
                    section.refuse("margins", problem, "write wider margins")
                else:
                    aggregate = replace(aggregate, level=replace(level, budget=least))
            aggregates[place] = aggregate
    return tuple(aggregates[place] for place in sorted(aggregates))


def aggregate_fields(plan: Choices, kind: str) -> list[SimpleNamespace]:
    """The fields by which a table of AGGREGATES states those of a plan."""
    stated, records = [], custom_records(plan)
    for each in plan.aggregates:
        if (each.quantiles is None) == (kind == "sums"):
            fields = level_fields(records, each.level)
            fields.column = each.column
            if each.quantiles is not None:
                places = places_of(records.by_name[each.column])
                fields.shares, fields.way = each.quantiles.shares, each.quantiles.way
                fields.classes = [number_text(cut, places) for cut in each.quantiles.cuts]
            stated.append(fields)
    return stated
