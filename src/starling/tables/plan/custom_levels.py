"""What a plan file about custom records measures: `[[levels]]`, `[[sums]]` and `[[quantiles]]` (docs/reference/plan-file.md)."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Final, get_args

from starling.planfile.toml import Section
from starling.privacy.budget import Measure
from starling.tables.plan.aggregate_margins import least_budget, read_margins
from starling.tables.plan.aggregates import (
    FINEST_SHARE,
    MOST_CLASSES,
    MOST_SHARES,
    Aggregate,
    Quantiles,
    Way,
    better_way,
)
from starling.tables.plan.columns import Column, Decimals, Integers, places_of
from starling.tables.plan.custom_columns import in_units
from starling.tables.plan.custom_records import CustomRecords
from starling.tables.plan.detail import Detail
from starling.tables.plan.levels import Level
from starling.tables.plan.readable_levels import Stated, read_budget, read_price, read_thresholds
from starling.tables.plan.region_levels import WHOLE, RegionLevel, RegionLevels
from starling.tables.plan.stability import stability
from starling.tables.plan.variants import LARGEST_BUDGET

EVERYWHERE_LEVELS: Final = RegionLevels((RegionLevel(WHOLE, "All"),))
"""The levels of a plan without regions."""
AGGREGATES: Final = ("sums", "quantiles")
"""The keys of the plan file that state aggregates."""
_ONLY: Final = {"sums": ("margins",), "quantiles": ("shares", "classes", "way")}
"""What each of them has of its own."""


def read_custom_levels(
    top: Section, regions: RegionLevels, records: CustomRecords, detail: Detail
) -> dict[tuple[str, int], Stated]:
    """Budget or margins, and thresholds, of each of [[levels]]; a plan of sums or quantiles may have none."""
    stated: dict[tuple[str, int], Stated] = {}
    if "levels" not in top.values and any(key in top.values for key in AGGREGATES):
        return stated
    for section in top.tables("levels"):
        section.only(("regions", "groups", "budget", "margins", "thresholds"))
        before = len(section.problems)
        key = _place(section, regions, records)
        chosen = records.families[key[1] - 1]
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


def _place(section: Section, regions: RegionLevels, records: CustomRecords) -> tuple[str, int]:
    """The level of regions, and the number of the family of groups, that a section names."""
    where = WHOLE
    if "regions" in section.values or regions != EVERYWHERE_LEVELS:
        where = section.choice("regions", regions.names, f"write one of {', '.join(regions.names)}")
    names = tuple(family.name for family in records.families)
    return where, 1 + names.index(section.choice("groups", names, f"write one of {', '.join(names)}"))


def read_aggregates(
    top: Section, regions: RegionLevels, records: CustomRecords, degree: Callable[[int], int], measure: Measure
) -> tuple[Aggregate, ...]:
    """[[sums]] and [[quantiles]], in plan order.

    Args:
        top: The plan file.
        regions: The levels of regions.
        records: The columns and families.
        degree: What divides the budget of a level of a stability.
        measure: The privacy measure.
    """
    aggregates: dict[tuple[int, int, str, bool], Aggregate] = {}
    for kind in AGGREGATES:
        for section in top.tables(kind) if kind in top.values else []:
            before = len(section.problems)
            section.only(("of", "regions", "groups", "budget", *_ONLY[kind]))
            key = _place(section, regions, records)
            column = _numbers(section, records)
            margins = read_margins(section, places_of(column)) if column and "margins" in section.values else ()
            if "margins" in section.values and "budget" in section.values:
                section.refuse("budget", "stands beside margins", "give either budget or margins")
            budget = Fraction(1) if "margins" in section.values else read_budget(section)
            if column is None or budget is None or len(section.problems) > before:
                continue
            iterations = tuple(each for each in records.definitions.iterations if each.level == key[1])
            level = Level(*key, budget, (), iterations, stability(iterations, records.attributes))
            share = budget / degree(level.stability)
            quantiles = None if kind == "sums" else _quantiles(section, column, measure, share)
            place = (regions.order(key[0]), key[1], column.name, kind != "sums")
            if place in aggregates:
                section.refuse("of", f"{column.name} is there with these groups already", "give each once")
            domain = column.domain
            assert isinstance(domain, Integers | Decimals)
            aggregate = Aggregate(level, column.name, domain.low, domain.high, quantiles)
            if margins:
                least = least_budget(aggregate, measure, degree(level.stability), margins)
                if least is None:
                    problem = f"cannot be kept: they would need a budget above {LARGEST_BUDGET}"
                    section.refuse("margins", problem, "write wider margins")
                else:
                    aggregate = replace(aggregate, level=replace(level, budget=least))
            aggregates[place] = aggregate
    return tuple(aggregates[place] for place in sorted(aggregates))


def _numbers(section: Section, records: CustomRecords) -> Column | None:
    """The column that an aggregate is of; None after a refusal."""
    able = [each.name for each in records.columns if isinstance(each.domain, Integers | Decimals) and not each.several]
    if not able:
        section.refuse("of", "is a column of numbers, and the plan has none", "declare one with from and to")
        return None
    return records.by_name[section.choice("of", able, f"write one of {', '.join(able)}")]


def _quantiles(section: Section, column: Column, measure: Measure, share: Fraction) -> Quantiles | None:
    """The shares, the classes and the way of one of [[quantiles]]; None after a refusal."""
    before = len(section.problems)
    shares = _shares(section)
    cuts = _classes(section, column)
    if len(section.problems) > before:
        return None
    if "way" in section.values:
        ways: tuple[Way, ...] = get_args(Way)
        named = section.choice("way", ways, 'write "counts" or "selection", or leave it out')
        return Quantiles(shares, cuts, ways[ways.index(named)])
    return Quantiles(shares, cuts, better_way(len(cuts), shares, measure, share))


def _shares(section: Section) -> tuple[Fraction, ...]:
    """The shares of the records below each quantile."""
    fix = 'list shares in hundredths, such as ["0.25", "0.5", "0.75"]'
    shares = []
    for text in section.texts("shares", fix):
        try:
            shares.append(Fraction(text))
        except (ValueError, ZeroDivisionError):
            shares.append(Fraction(0))
    good = all(0 < each < 1 and each.denominator <= FINEST_SHARE for each in shares)
    if (
        "shares" in section.values
        and shares
        and (not good or shares != sorted(set(shares)) or len(shares) > MOST_SHARES)
    ):
        section.refuse("shares", f"are not up to {MOST_SHARES} ascending shares above 0 and below 1", fix)
    return tuple(shares)


def _classes(section: Section, column: Column) -> tuple[int, ...]:
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
    cuts = []
    for each in stated if isinstance(stated, list) else []:
        try:
            unit = in_units(Fraction(each), places) if isinstance(each, int | str) and type(each) is not bool else None
        except (ValueError, ZeroDivisionError):
            unit = None
        cuts.append(domain.low - 1 if unit is None else unit)
    ascending = cuts == sorted(set(cuts)) and 2 <= len(cuts) <= MOST_CLASSES
    if not ascending or cuts[0] != domain.low or cuts[-1] > domain.high:
        section.refuse("classes", "do not cut the numbers of the column", fix)
        return ()
    return tuple(cuts)
