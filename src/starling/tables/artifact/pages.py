"""The parts of the report that speak of tables: how the cost comes about, how far the numbers are off, what is in the folder.

Everything is computed from the plan, the public geography and released numbers. Size classes are classes of published counts.
"""

from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starling.privacy.accuracy import margin, standard_deviation
from starling.privacy.budget import decimal_up
from starling.privacy.laws import DiscreteLaplace, Law
from starling.release.report import Picture, Section, Table
from starling.release.report.pictures import Interval, Tile, intervals, shares, tiles
from starling.tables.artifact.data import MOST_CSV_ROWS
from starling.tables.artifact.parameters import BRANCH_NAMES, missing
from starling.tables.measurements import Measurements
from starling.tables.plan import Geography, GeographyLevel, Level, Plan
from starling.tables.postprocess import CONFIDENCE, Tables, suppression_quantile

PLACES: Final = {
    GeographyLevel.USA: "Nation",
    GeographyLevel.STATE: "State",
    GeographyLevel.COUNTY: "County",
    GeographyLevel.TRACT: "Tract",
    GeographyLevel.PLACE: "Place",
    GeographyLevel.AIANNH: "AIANNH area",
    GeographyLevel.PR_STATE: "Puerto Rico",
    GeographyLevel.PR_COUNTY: "Puerto Rico, county",
    GeographyLevel.PR_TRACT: "Puerto Rico, tract",
    GeographyLevel.PR_PLACE: "Puerto Rico, place",
}
ITERATIONS: Final = {1: "regional", 2: "detailed"}

CLASSES: Final = ("under 10", "10 to 99", "100 to 999", "1,000 to 9,999", "10,000 or more")
CLASS_CUTS: Final = (10, 100, 1000, 10_000)

LADDER: Final = (1_000_000, 300_000, 100_000, 30_000, 10_000, 3_000, 1_000, 300, 100, 30)
"""Published counts to which the shown groups are the nearest ones."""

LONGEST: Final = 58
"""Letters of a label."""


def level_title(level: Level) -> str:
    """A level in words: "County, detailed"."""
    return f"{PLACES[level.geography]}, {ITERATIONS[level.iteration_level]}"


def charged(plan: Plan) -> Section:
    """How the cost of the plan comes about."""
    symbol = plan.cost.symbol
    scale = "scale" if plan.measure == "epsilon" else "σ"
    rows = []
    for level in plan.levels:
        laws = plan.laws(level)
        rows.append(
            (
                level_title(level),
                decimal_up(level.budget),
                str(level.stability),
                decimal_up(level.budget / level.stability),
                *(_scale(law) for law in (laws.total_only, laws.stage1, laws.stage2)),
                f"± {margin(laws.stage2, missing()):,}",
            )
        )
    header = (
        "Level",
        symbol,
        "Groups of one person",
        f"{symbol} of a group",
        f"Noise of a once-measured total ({scale})",
        f"Noise of the first total ({scale})",
        f"Noise of a second measurement ({scale})",
        f"{_percent(CONFIDENCE)} margin of one such number",
    )
    law = "discrete Laplace (two-sided geometric)" if plan.measure == "epsilon" else "discrete Gaussian"
    text = f"""
        A level is a kind of region with a depth of detail in race and ethnicity. One person can be in several groups of a
        level; the most that the public definitions allow divides the level's budget among the groups. Levels add up.

        Each group, empty or not, is measured: one noisy total decides how much detail the group gets and takes
        {_percent(plan.gamma)} of its budget; a second, independent measurement gives the published numbers. The noise is
        {law}.
    """
    if plan.states and plan.puerto_rico:
        each = ", ".join(f"{part.name} {part.cost}" for part in plan.guarantee.parts)
        text += f"""
        A person lives in the United States or in Puerto Rico, never in both, so the larger of two sums is charged: {each}.
        """
    table = Table(header, tuple(rows), f"Budget and noise of each level; {plan.cost} in all")
    return Section("What was charged", text, tables=(table,))


def sections(plan: Plan, geography: Geography, measurements: Measurements, tables: Tables) -> tuple[Section, ...]:
    """Accuracy, detail, what is exact, files."""
    return (
        _accuracy(plan, tables.t1),
        _detail(plan, geography, measurements),
        _exact(plan),
        _files(plan, tables),
    )


def _accuracy(plan: Plan, t1: pa.Table) -> Section:
    """How far the published totals may be off."""
    titles = [level_title(level) for level in plan.levels]
    count = t1["count"].to_numpy()
    half = (t1["upper"].to_numpy() - t1["lower"].to_numpy()) / 2
    size = np.searchsorted(np.array(CLASS_CUTS), count, side="right")
    place = _level_of_row(plan, t1)
    grid: list[list[Tile | None]] = []
    for level in range(len(titles)):
        here = place == level
        grid.append([_tile(count[at], half[at]) for kind in range(len(CLASSES)) for at in [here & (size == kind)]])
    sure = _percent(CONFIDENCE)
    by_class = Picture(
        tiles(titles, CLASSES, grid, "published count of a group", "accuracy"),
        f"Half the width of the {sure} interval of a group's total, and what that is of the count, both at the median of the"
        " level and size class; the darker, the larger beside the count. Squares without groups are empty.",
    )
    pictures: tuple[Picture, ...] = (by_class,) if len(t1) else ()
    if chosen := _ladder(count):
        lines = [_interval(t1, row) for row in chosen]
        ladder = Picture(
            intervals(lines, f"{sure} interval, percent of the published count", "intervals"),
            "Some published groups, from large to small, with their intervals: the larger the group, the smaller the part of"
            " it that the noise may be.",
        )
        pictures += (ladder,)
    return Section(
        "How far the numbers may be off",
        f"""
        The noise is known exactly, so the error of each number is known too, without looking at the data: every row of the
        Parquet files carries its standard deviation and an interval that holds the true count with a probability of at
        least {sure}. A few intervals miss, by design; which ones, nobody can see.

        The intervals speak of the noise alone, not of errors of the survey itself.{_chosen(plan)}
        """,
        pictures=pictures,
    )


def _chosen(plan: Plan) -> str:
    """What leaving out small groups does to the intervals of those that stay."""
    if not any(suppression_quantile(plan, level) is not None for level in plan.levels):
        return ""
    return """

        The probability is that of all groups, published or not. Below the state a very small group is published only when its
        noise was high, so among the smallest published totals more intervals miss, all of them by being too high.
    """


def _level_of_row(plan: Plan, t1: pa.Table) -> npt.NDArray[np.int64]:
    """Position in `plan.levels` of every row of T1."""
    kinds = t1["region_type"].combine_chunks().dictionary_encode()
    codes = t1["iteration_code"].combine_chunks().dictionary_encode()
    depth = {each.code: each.level for level in plan.levels for each in level.iterations}
    position = {(str(level.geography), level.iteration_level): at for at, level in enumerate(plan.levels)}
    depths = sorted(ITERATIONS)
    lookup = np.array([[position.get((kind, each), -1) for each in depths] for kind in kinds.dictionary.to_pylist()])
    depth_of_code = np.array([depths.index(depth[code]) for code in codes.dictionary.to_pylist()], dtype=np.int64)
    if not len(t1):
        return np.zeros(0, dtype=np.int64)
    found: npt.NDArray[np.int64] = lookup[kinds.indices.to_numpy(), depth_of_code[codes.indices.to_numpy()]]
    return found


def _tile(count: npt.NDArray[np.int64], half: npt.NDArray[np.float64]) -> Tile | None:
    if not len(count):
        return None
    part = float(np.median(half / np.maximum(count, 1)))
    # Three decades of relative error from light to dark: 0.1 % to 100 %.
    shade = (np.log10(max(part, 1e-3)) + 3) / 3
    shown = f" ({_short_percent(part)})" if part < 1 else ""
    return Tile(f"± {np.median(half):,.0f}{shown}", float(shade))


def _short_percent(part: float) -> str:
    return f"{100 * part:.0f} %" if part >= 0.01 else f"{100 * part:.1g} %"


def _ladder(count: npt.NDArray[np.int64]) -> list[int]:
    """Rows whose counts are nearest to the steps of the ladder, by ratio; each once, large to small."""
    positive = np.flatnonzero(count > 0)
    if not len(positive):
        return []
    logs = np.log(count[positive])
    nearest = [int(positive[np.argmin(np.abs(logs - np.log(step)))]) for step in LADDER if step <= 2 * count.max()]
    return list(dict.fromkeys(nearest))


def _interval(t1: pa.Table, row: int) -> Interval:
    values = {name: t1[name][row].as_py() for name in t1.column_names}
    count = values["count"]
    named = values["region_name"] != values["region_id"]
    region = values["region_name"] if named else f"{values['region_type'].lower()} {values['region_id']}"
    label = f"{values['iteration_name']}, {region}"
    return Interval(
        label if len(label) <= LONGEST else label[: LONGEST - 1] + "…",
        f"{count:,}: {values['lower']:,} to {values['upper']:,}",
        100 * (count - values["lower"]) / count,
        100 * (values["upper"] - count) / count,
    )


def _detail(plan: Plan, geography: Geography, measurements: Measurements) -> Section:
    """How many groups of each level got how much detail."""
    names = ("total only by plan", *BRANCH_NAMES)
    counts = [np.bincount(level.branch + 1, minlength=len(names)).tolist() for level in measurements.levels]
    titles = [level_title(level) for level in plan.levels]
    picture = Picture(
        shares(titles, names, counts, "detail"),
        "The groups of each level by the detail that they got: the noisy first total was compared with the public thresholds.",
    )
    rows = tuple(
        (
            title,
            f"{len(geography.regions[level.geography]):,}",
            f"{len(level.iterations):,}",
            *(f"{number:,}" for number in line),
            ", ".join(f"{cut:,}" for cut in level.thresholds),
        )
        for title, level, line in zip(titles, plan.levels, counts, strict=True)
    )
    header = ("Level", "Regions", "Iterations", *(name.capitalize() for name in names), "Thresholds")
    text = """
        Small groups get a total, larger ones sex by age. The choice is made by a noisy total, so that it tells nothing beyond
        what was charged.
    """
    if any(suppression_quantile(plan, level) is not None for level in plan.levels):
        text += f"""

        Below the state, a group that got a bare total is left out of the tables when that total is so low that an empty
        group would exceed it with a chance of {_percent(1 - plan.suppression)}. This looks at the noisy number alone; the
        measurement itself stays in the folder.
        """
    return Section("How much detail each group got", text, (picture,), (Table(header, rows, "Groups of each level"),))


def _exact(plan: Plan) -> Section:
    negative = (
        "Negative counts are published as they are: clamping them would bias sums."
        if plan.allow_negative
        else "Negative counts are published as 0; sums of many small groups are biased upwards by that."
    )
    text = f"""
        Public, and used as such: the plan, the definitions of race and ethnicity groups, and the geography. They fix which
        groups are measured, whether or not anybody is in them. Nothing was taken from the records without noise: no total,
        no list of groups, no number of records.

        Numbers are not made to add up: the counties of a state do not sum to the state, and each differs from the truth by
        its own noise. {negative}
    """
    return Section("What is public, and what is not exact", text)


def _files(plan: Plan, tables: Tables) -> Section:
    rows = (
        ("data/t1.parquet", f"{len(tables.t1):,} totals with names, standard deviation and interval"),
        ("data/t2.parquet", f"{len(tables.t2):,} counts by sex and age, likewise"),
        ("data/*.csv", f"the same as text, for a table below {MOST_CSV_ROWS:,} rows"),
        ("data/*.txt", "the same in the Census format, counts alone"),
        (
            f"data/measurements/ ({len(plan.levels)} levels)",
            "every noisy value before anything was left out or clamped; the tables are a function of these",
        ),
        ("plan/", "the public plan and regions, enough to make the tables from the measurements again"),
        ("privacy.json", "what is promised and was charged, with exact amounts and scales"),
        ("datapackage.json", "every file with its SHA-256, every table with its columns"),
        ("registry.yaml", "draft of an entry in OpenDP's registry of deployments"),
        ("SIGNATURE", "over every other file of the folder"),
    )
    return Section(
        "What is in this folder", tables=(Table(("File", "Content"), rows, "Files of this release", words=True),)
    )


def _scale(law: Law) -> str:
    value = float(law.scale) if isinstance(law, DiscreteLaplace) else standard_deviation(law)
    return f"{value:,.4g}"


def _percent(part: Fraction) -> str:
    return f"{float(100 * part):g} %"
