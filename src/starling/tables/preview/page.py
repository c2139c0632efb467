"""A plan's expected error as one page with pictures: for those who decide on it, before anything is spent. It can be published."""

from collections.abc import Sequence
from functools import partial
from math import log10
from typing import TYPE_CHECKING, Final

from starling.pages.charts import shares
from starling.pages.parts import Picture, Section, Table, Tile, relative_shade
from starling.privacy.budget import decimal_up
from starling.tables.plan import Plan
from starling.tables.plan.labels import level_title, percent, short_percent
from starling.tables.preview.aggregates import title
from starling.tables.preview.cross import HEADER, CrossPreview, preview_cross
from starling.tables.preview.expected_detail import ExpectedDetail
from starling.tables.preview.levels import SizePreview

if TYPE_CHECKING:
    from starling.tables.preview import Preview

_FAR: Final = 10_000
"""Persons at which a margin is shown darkest."""


def sections_of(seen: "Preview", details: Sequence[ExpectedDetail]) -> Sequence[Section]:
    """The sections of the page of a preview, with the expected detail of the groups of each level."""
    plan = seen.overview.plan
    sections = []
    if plan.levels:
        sections += [_cost(seen), _kinds(seen)]
    if plan.staged:
        sections += [_detail(plan, details), _sizes(seen)]
    cross = preview_cross(plan)
    return (*sections, *([_aggregates(seen)] if plan.aggregates else []), *([_cross(cross)] if cross else []))


def _cost(seen: "Preview") -> Section:
    plan = seen.overview.plan
    promises = any(each.level.targets for each in seen.overview.levels)
    lines = []
    for each in seen.overview.levels:
        line = {"Level": level_title(plan, each.level), plan.cost.symbol: decimal_up(each.cost.amount)}
        if promises:
            line["Promised margins"] = "; ".join(map(str, each.level.targets)) or "none: its budget is stated"
        if plan.staged:
            cuts = () if each.level.single_stage else each.level.thresholds
            line["Thresholds"] = ", ".join(f"{threshold:,}" for threshold in cuts)
        if each.groups is not None:
            line["Groups"] = f"{each.groups:,}"
        lines.append(line)
    text = """
        Noise is added at a scale that the plan fixes, so its errors are known before any record is read: what follows is computed
        from the plan, by the exact distributions of the noise, and holds whatever the data are. A margin is the smallest number of
        persons that the error exceeds in at most 5 of 100 cases; an interval reaches so far up and so far down.
    """
    return Section("What is planned", text, tables=(Table.of(lines, "Levels of the plan", words=True),))


def _kinds(seen: "Preview") -> Section:
    bare, *details = seen.overview.plan.detail.short_names
    staged = (bare, "cell", *(f"total of {name}" for name in details)) if seen.overview.plan.staged else ()
    kinds = ("total only by plan" if staged else "total", *staged)
    titles = [level_title(seen.overview.plan, level.overview.level) for level in seen.levels]
    errors = [level.errors(len(kinds)) for level in seen.levels]
    grid = [[None if error is None else _tile(error.margin) for error in line] for line in errors]
    caption = (
        "95 % margin of error of each kind of number, in persons, by level: lighter is closer."
        f"{' A total is the sum of its cells: the finer a group is published, the wider its total.' if staged else ''}"
    )
    rows = tuple(
        (title, *("" if error is None else f"{error.standard_deviation:z,.1f} / {error.width:,}" for error in line))
        for title, line in zip(titles, errors, strict=True)
    )
    header = ("Level", *kinds)
    table = Table(header, rows, "Standard deviation / width of the 95 % interval, in persons")
    tiles = Table.of_tiles(header, titles, grid, caption)
    return Section("How far each kind of number will be off", tables=(tiles, table))


def _tile(margin: int) -> Tile:
    return Tile(f"± {margin:,}", log10(max(margin, 1)) / log10(_FAR))


def _aggregates(seen: "Preview") -> Section:
    plan = seen.overview.plan
    lines = [
        {
            "Statistics": title(plan, each.aggregate),
            plan.cost.symbol: decimal_up(each.aggregate.level.budget),
            "95 % margins": each.margins_text,
            "Way": each.ways_text,
            **({"Groups": f"{each.groups:,}"} if each.groups is not None else {}),
        }
        for each in seen.aggregates
    ]
    text = """
        Margins of sizes are in records, of sums and means in the unit of the column; that of a mean depends on how many records a group
        has. A quantile is off by ranks: so many records lie between it and the true one at the most, in 95 of 100 cases.
    """
    return Section("Sums, means and quantiles", text, tables=(Table.of(lines, "Of each group", words=True),))


def _cross(cross: CrossPreview) -> Section:
    text = f"""
        Noise is added at scales that the plan fixes, so how far cells err is known before any record is read. All tables are measured
        together and add up to one another. Where regions differ, the largest error is given. {cross.bound_text}

        {cross.savings_text}
    """
    header = tuple(name.capitalize() for name in HEADER)
    table = Table(header, tuple(cross.rows()), "Error of a cell of each table, in records")
    return Section("Tables", text, tables=(table,))


def _sizes(seen: "Preview") -> Section:
    names = seen.overview.plan.detail.short_names
    staged = [level for level in seen.levels if level.sizes]
    titles = [level_title(seen.overview.plan, level.overview.level) for level in staged]
    grid = [[_size_tile(size) for size in level.sizes] for level in staged]
    columns = [f"{size.persons:,}" for size in staged[0].sizes] if staged else []
    caption = (
        "95 % margin of the total of a group, in persons and as a part of its true size, for groups of some true sizes: a stronger colour"
        " where the error is large beside the size. Each at the detail that the group most likely gets."
    )
    rows = tuple(
        (
            f"{title}: {size.persons:,} persons",
            names[size.likeliest],
            f"± {size.total.margin:,}",
            f"{size.total.width:,}",
            percent(size.suppressed),
            percent(size.covered),
        )
        for title, level in zip(titles, staged, strict=True)
        for size in level.sizes
    )
    header = ("Group", "Likeliest detail", "Margin", "Width", "Left out", "Covered if published")
    where = seen.overview.plan.wording.small
    text = f"""
        A group is published in the detail that its noisy total calls for, so the error of its total depends on its size. {where},
        where the plan leaves small totals out, a small group is published only when its noise was high, so its interval holds less
        often than it says: the last column of the table.
    """
    shaded = (Table.of_tiles(("Level", *columns), titles, grid, caption),) if rows else ()
    tables = (*shaded, Table(header, rows, "Totals by level and size"))
    return Section("How far totals will be off, by size", text, tables=tables)


def _size_tile(size: SizePreview) -> Tile:
    part = size.relative_margin
    shown = "" if part is None or part >= 1 else f" ({short_percent(part)})"
    return Tile(f"± {size.total.margin:,}{shown}", 1.0 if part is None else relative_shade(part))


def _detail(plan: Plan, details: Sequence[ExpectedDetail]) -> Section:
    kinds = ("left out", *plan.detail.short_names)
    titles = [level_title(plan, expected.level) for expected in details]
    parts = [(expected.suppressed, *expected.branches) for expected in details]
    caption = "Expected part of the groups of each level that is left out, or published by so much detail."
    picture = partial(shares, titles, kinds, [[round(1e6 * part) for part in line] for line in parts])
    rows = tuple(
        (title, *map(percent, line), "given" if expected.stated else "assumed")
        for title, line, expected in zip(titles, parts, details, strict=True)
    )
    text = f"""
        This depends on how large the groups are, which no plan knows: for each level the table says whether their sizes were given in
        a file or are assumed. Groups that are bare totals by plan are not among them.

        {_ASSUMED + plan.wording.sizes if not all(expected.stated for expected in details) else ""}
    """
    header = ("Level", *(kind.capitalize() for kind in kinds), "Sizes")
    table = Table(header, rows, "Expected parts of the groups of each level")
    pictures = (Picture(picture, caption, "detail"),) if rows else ()
    return Section("How much detail groups will get", text, pictures, (table,))


_ASSUMED: Final = """
    Where they are assumed, half of the groups of a level have at least m persons, and a part of 1/(1 + x/m) at least x: """
