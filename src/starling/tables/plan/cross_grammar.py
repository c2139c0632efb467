"""`[tables]` of a plan file about custom records: every table of up to so many of some columns, measured together.

What cannot be measured in this way, or would change nothing, is refused at its key, with the reason.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, islice, pairwise
from typing import Any, Final, TypeAlias

from starling.planfile.grammar import Key, Kind, Table, Values
from starling.planfile.kinds import TEXT, TEXTS, exact, flag, tables, texts, unread, whole
from starling.planfile.spelling import did_you_mean
from starling.planfile.toml import Section
from starling.tables.plan.columns import Column, Decimals
from starling.tables.plan.cross import MOST_MEMBERS, Cross
from starling.tables.plan.cross_accuracy import CrossMargin, CrossWeight, Scoped, ranked
from starling.tables.plan.custom_columns import CUTS, stated_cuts
from starling.tables.plan.custom_records import EVERYWHERE
from starling.tables.plan.grammar import BUDGET
from starling.tables.plan.margins import CONFIDENCE_KEY, LARGEST_MARGIN

Names: TypeAlias = tuple[str, ...]
"""A table by its columns."""
MOST_TABLES: Final = 10_000
MOST_WAYS: Final = 8
"""Columns of the tables that `cross` gives; those of more are listed."""
LARGEST_WEIGHT: Final = 10**6
INCOMPATIBLE: Final = {
    "groups": "are measured one by one, and [tables] has every combination of its columns",
    "levels": "are of groups; [tables] is measured at every level of regions",
    "sums": "are of groups; [tables] counts records, and sums in its cells would need parts of their own",
    "quantiles": "are of groups; quantiles of cells do not add up to those of tables",
    "detail": "is of groups; [tables] has every combination of its columns, whatever their size",
}
"""Keys of the plan that do not go with [tables], and why."""


def check_incompatible(top: Section, values: Values) -> None:
    """Refuse what a plan states beside [tables] that does not go with it."""
    for key, problem in INCOMPATIBLE.items():
        if key in top.values:
            top.refuse(key, problem, "leave it out, or make a second plan of it: costs add up in the ledger")
    publication = top.table("publication")
    for key, stated, problem in (
        ("add-up", values["add_up"], "would change nothing: cross tables add up by themselves"),
        ("totals", values["both_stages"], "would change nothing: each table is measured once"),
        ("intervals", values["given_published"], "would change nothing: every cell is published"),
        ("suppression", values["suppression"], "would leave cells out, and tables would no longer add up"),
        ("data-structure", values["data_structure"], "is of groups; cross tables have columns of their own"),
    ):
        if stated:
            publication.refuse(key, problem, "leave it out")
    if not values["allow_negative"]:
        problem = "is false, and tables whose cells are cut at 0 no longer add up: their sums would be too large"
        publication.refuse("negative-counts", problem, "write true")
    _check_regions(top, values)


def _check_regions(top: Section, values: Values) -> None:
    """Every area lies in a region of each level, and these are nested."""
    regions, areas = values["regions"], values["areas"]
    if not all(map(all, areas.regions)):
        problem = "leaves an area without a region, and cross tables add up over all levels"
        top.table("regions").refuse("levels", problem, "give each area a region, such as elsewhere")
        return
    for above, below in pairwise(regions.names):
        if areas.parents(regions.order(above), regions.order(below)) is None:
            problem = f"has {below}, of which a region lies in two of {above}: cross tables add up over all levels"
            top.table("regions").refuse("levels", problem, "keep levels that are nested")


def _table(section: Section, key: str, stated: Any, columns: Sequence[str]) -> Names | None:
    """A table in the order of the plan's columns; None after a refusal."""
    names = stated if isinstance(stated, list) and all(isinstance(each, str) for each in stated) else None
    if names is None or len(set(names)) < len(names):
        section.refuse(key, "is no list of columns, each once", 'list columns, such as ["sex", "age"]; [] is the total')
        return None
    if unknown := [name for name in names if name not in columns]:
        fix = did_you_mean(unknown[0], columns)
        section.refuse(key, f"has {unknown[0][:40]!r}, which is no column of the tables", fix)
        return None
    return tuple(sorted(names, key=columns.index))


def _read_tables(section: Section, key: str, values: Values) -> list[Names]:
    stated = section.values[key]
    if not isinstance(stated, list) or not stated:
        section.refuse(key, "is not a list of tables", f'write it like {key} = [["sex", "age"]]')
        return []
    named = [_table(section, key, each, values["of_tables"]) for each in stated]
    return [each for each in named if each is not None]


def _read_level(section: Section, key: str, values: Values) -> str:
    if values["areas"] == EVERYWHERE:
        section.refuse(key, "names a level, and the plan has no [regions]", "leave it out")
        return ""
    names = values["regions"].names
    return section.choice(key, names, f"write one of {', '.join(names)}")


_LISTED: Final = Kind(
    "list of lists of columns",
    {"type": "array", "minItems": 1, "items": TEXTS},
    _read_tables,
    lambda named: list(map(list, named)) or None,
)
_SCOPE: Final = {
    "table": Key(
        "The table of these columns alone.",
        Kind(
            "list of columns",
            TEXTS,
            lambda section, key, values: _table(section, key, section.values[key], values["of_tables"]),
            list,
        ),
        default=None,
    ),
    "regions": Key(
        "This level of `regions` alone.",
        Kind("text", TEXT, _read_level, lambda name: name or None),
        default="",
    ),
}
_WEIGHTS: Final = tables(
    Table(
        {
            "weight": Key(
                "Beside 1 of all others.",
                exact(
                    'write it like "4"',
                    lambda weight: not 0 < weight <= LARGEST_WEIGHT,
                    f"is not above 0 and at most {LARGEST_WEIGHT:,}",
                ),
            ),
            **_SCOPE,
        },
        make=CrossWeight,
    ),
    'weights = [{ table = ["sex"], weight = "4" }]',
)
_MARGINS: Final = tables(
    Table(
        {
            "within": Key("Records that a cell may be off.", whole(1, LARGEST_MARGIN)),
            "confidence": CONFIDENCE_KEY,
            **_SCOPE,
        },
        make=CrossMargin,
    ),
    "margins = [{ within = 20 }]",
)


def _check_tables(section: Section, values: Values) -> None:
    """`crossed`, the fields of a `Cross` before its shares are known; None after a refusal."""
    before, columns = len(section.problems), tuple(values["of_tables"])
    values["crossed"] = None
    _check_columns(section, values)
    ways = section.whole("cross", 0, max(min(MOST_WAYS, len(columns)), 0))
    if len(section.problems) > before:
        return
    named = _named(section, columns, ways, values)
    if "margins" in section.values:
        for key in ("budget", "weights"):
            if key in section.values:
                section.refuse(key, "stands beside margins, which give the least budget and its shares", "give either")
    elif "budget" not in section.values:
        section.refuse("budget", "is missing", "give either budget or margins")
    levels = values["regions"].names
    _check_scopes(section, values, named, levels)
    if len(section.problems) > before:
        return
    values["crossed"] = {
        "columns": columns,
        "cuts": tuple(tuple(values["cuts"].get(name, ())) for name in columns),
        "tables": tuple(tuple(map(columns.index, each)) for each in named),
        "levels": levels,
        "weights": tuple(values["weights"]),
        "margins": tuple(values["margins"]),
        "whole": values["whole_numbers"],
    }


def _check_columns(section: Section, values: Values) -> None:
    """Refuse columns of which a record has no one of several values, two of one field, and cuts of others."""
    names: Sequence[str] = values["of_tables"]
    columns: Mapping[str, Column] = values["by_name"]
    area = values["areas"].column
    if not names or len(set(names)) < len(names):
        section.refuse("columns", "are none, or one twice", 'list columns, such as ["sex", "age"]')
    for name in names:
        column = columns.get(name)
        if column is None:
            fix = did_you_mean(name, columns)
            section.refuse("columns", f"has {name[:40]!r}, which is no column of the plan", fix)
        elif isinstance(column.domain, Decimals):
            fix = "declare it without decimals, and cut it"
            section.refuse("columns", f"has {name[:40]!r}, which is for sums and quantiles alone", fix)
        elif column.several:
            several = "of which a record has several values and would be in several cells of a table"
            fix = "take a column of one value, or count it in [[groups]]"
            section.refuse("columns", f"has {name[:40]!r}, {several}", fix)
        elif column.domain.size < 2:
            section.refuse("columns", f"has {name[:40]!r}, which has one value", "leave it out")
    fields = Counter(field for name in set(names) if name in columns for field in columns[name].fields)
    if repeated := next((field for field in (*fields, area) if fields[field] + (field == area) > 1), None):
        problem = f"say {repeated[:40]!r} in two ways, of which tables would contradict each other"
        free = "keep one of the columns; nested cuts of one can be the levels of [regions]"
        section.refuse("columns", problem, "keep one of them; regions are in every table" if area else free)
    if wrong := [name for name in values["cuts"] if name not in names]:
        section.refuse("cuts", f"cuts {wrong[0][:40]!r}, which is no column of the tables", "leave it out")


def _named(section: Section, columns: Names, ways: int, values: Values) -> tuple[Names, ...]:
    """The tables, those of fewer columns first; refuses too many, and what is added or left out in vain."""
    crossed = crossed_tables(columns, ways)
    if crossed is None:
        section.refuse("cross", f"gives more than {MOST_TABLES:,} tables", "take fewer columns, or list tables in add")
        return ()
    chosen = dict.fromkeys(crossed)
    for key, listed, there in (("add", values["add"], True), ("leave-out", values["leave_out"], False)):
        for each in listed:
            if (each in chosen) == there:
                problem = f"has {list(each)}, which is {'there already' if there else 'no table of the plan'}"
                section.refuse(key, problem, "leave it out")
            elif there:
                chosen[each] = None
            else:
                del chosen[each]
    if not chosen:
        section.refuse("leave-out", "leaves no table", "keep one")
    if sum(2 ** len(each) for each in chosen) > MOST_MEMBERS:
        fix = "take fewer columns at a time, or make two plans"
        section.refuse("columns", f"have more than {MOST_MEMBERS:,} parts in their tables", fix)
    return tuple(sorted(chosen, key=lambda each: (len(each), [columns.index(name) for name in each])))


def crossed_tables(columns: Names, ways: int) -> list[Names] | None:
    """All tables of up to so many columns; None where they are more than a plan may have."""
    every = (each for many in range(ways + 1) for each in combinations(columns, many))
    tables = list(islice(every, MOST_TABLES + 1))
    return None if len(tables) > MOST_TABLES else tables


def _check_scopes(section: Section, values: Values, named: Sequence[Names], levels: Sequence[str]) -> None:
    """Refuse weights and margins of what is no table of the plan, that change nothing, or that leave a table without a margin."""
    weights: list[CrossWeight] = [each for each in values["weights"] if each is not None]
    margins: list[CrossMargin] = [each for each in values["margins"] if each is not None]
    if weights:
        counting = _ranks(section, "weights", [*weights, CrossWeight(Fraction(1))], len(weights), named, levels)
        if len({each[0].weight for each in counting}) == 1:
            problem = "are the same of all tables, and count beside one another alone"
            section.refuse("weights", problem, "leave them out")
    if margins and not all(_ranks(section, "margins", margins, len(margins), named, levels)):
        section.refuse("margins", "say nothing of some tables", "add { within = 50 }, for all that no other one names")


def _ranks(
    section: Section, key: str, known: list[Scoped], stated: int, named: Sequence[Names], levels: Sequence[str]
) -> list[list[Scoped]]:
    """What is known of each table at each level of regions, as `ranked`; nothing after a refusal. The first so many were stated."""
    if unknown := [each.table for each in known if each.table is not None and each.table not in named]:
        section.refuse(key, f"name {list(unknown[0])}, which is no table of the plan", "add the table, or leave it out")
        return []
    if len({(each.table, each.regions) for each in known[:stated]}) < stated:
        section.refuse(key, "state the same tables twice", "state each once")
        return []
    ranks = [ranked(known, table, level) for table in named for level in levels]
    needed = {each[0] for each in ranks if len(each) == 1 or (each and _amount(each[0]) != _amount(each[1]))}
    if idle := [each.table for each in known[:stated] if each not in needed]:
        of = "all tables" if idle[0] is None else str(list(idle[0]))
        section.refuse(key, f"state one of {of} that changes nothing beside the others", "leave it out")
        return []
    return ranks


def _amount(stated: Scoped) -> Scoped:
    """What is stated, whatever it is of."""
    return replace(stated, table=None, regions="")


def spelled(cross: Cross) -> tuple[int, list[Names], list[Names]]:
    """`cross`, `add` and `leave-out` that give the tables in the fewest words; the larger `cross` of several."""
    named, ways = cross.named, []
    for many in range(min(MOST_WAYS, len(cross.columns)) + 1):
        crossed = crossed_tables(cross.columns, many)
        if crossed is not None:
            added, left_out = [each for each in named if len(each) > many], sorted(set(crossed).difference(named))
            ways.append((many, added, left_out))
    return min(ways, key=lambda each: (len(each[1]) + len(each[2]), -each[0]))


TABLES: Final = Table(
    {
        "columns": Key(
            "Columns of which a record has one value.",
            texts('list columns, such as ["sex", "age"]'),
            field="of_tables",
            value=lambda plan: plan.cross.columns,
        ),
        "cuts": Key(
            "As those of `groups`, one cut of a column; two nested ones stand in `regions`, as levels.",
            CUTS,
            default={},
            value=lambda plan: stated_cuts(plan.cross.columns, plan.cross.cuts),
        ),
        "cross": Key(
            "All tables of up to so many of the columns.",
            unread(whole(0, MOST_WAYS)),
            value=lambda plan: spelled(plan.cross)[0],
        ),
        "add": Key("Further tables.", _LISTED, default=(), value=lambda plan: spelled(plan.cross)[1]),
        "leave-out": Key(
            "Tables to leave out; `[]` is the total.",
            _LISTED,
            default=(),
            value=lambda plan: spelled(plan.cross)[2],
        ),
        "budget": Key(
            "Epsilon or rho of all tables together.",
            BUDGET.kind,
            default=None,
            value=lambda plan: None if plan.cross.margins else plan.cross.budget,
        ),
        "weights": Key(
            "The weighted variance of cells, over all tables, is least; an entry that names more counts before others.",
            _WEIGHTS,
            default=(),
            value=lambda plan: plan.cross.weights,
        ),
        "whole-numbers": Key(
            "Whole records in tables that still agree, with wider intervals.",
            flag(),
            default=False,
            field="whole_numbers",
            value=lambda plan: plan.cross.whole or None,
        ),
        "margins": Key(
            "In place of a budget: how far cells may be off, at the least one for all tables together.",
            _MARGINS,
            default=(),
            value=lambda plan: plan.cross.margins,
        ),
    },
    check=_check_tables,
)
