"""The parts of the report that speak of tables: how the cost comes about, how far the numbers are off, what is in the folder.

Everything is computed from the plan, the public geography and released numbers. Size classes are classes of published counts.
"""

from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from starling.pages.charts import Interval, intervals
from starling.pages.parts import Picture, Section, Table, Tile, relative_shade
from starling.privacy.budget import decimal_up
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution
from starling.release.report.pages import files
from starling.tables.artifact import aggregate_pages, detail_pages
from starling.tables.artifact.columns import MOST_CSV_ROWS, place_of
from starling.tables.artifact.first_number import FirstNumber
from starling.tables.artifact.plan_order import PlanOrder
from starling.tables.artifact.public_plan import missing
from starling.tables.inference.combined import margin
from starling.tables.inference.totals import CONFIDENCE
from starling.tables.measurements import Int64
from starling.tables.plan import Geography, Plan, labels
from starling.tables.plan.labels import level_title, short_percent
from starling.tables.postprocess import T1_SCHEMA, Tabulated

LADDER: Final = (1_000_000, 300_000, 100_000, 30_000, 10_000, 3_000, 1_000, 300, 100, 30)
"""Published counts to which the shown groups are the nearest ones."""


Widths: TypeAlias = tuple[Int64, Int64, Int64]
"""Published totals of a level, alike ones together, for there are few kinds: counts, widths of their intervals, and how many have both."""
_WIDTHS: Final = pa.schema([("size", pa.int64()), ("width", pa.int64()), ("rows", pa.int64())])


class Summary:
    """What the report says of the published tables, gathered piece by piece.

    Attributes:
        branches: Groups of each level that took each branch of the plan's detail, TOTAL_ONLY first, int64 (levels, branches).
        rows: The rows of T1 and of T2.
        first: The first rows of T1 in the order in which the plan names groups.
        first_number: Gathers the headline.
    """

    def __init__(self, plan: Plan, geography: Geography, folder: Path) -> None:
        self.first_number = FirstNumber(plan, geography, folder)
        self.branches = np.zeros((len(plan.levels), len(plan.detail.branches)), dtype=np.int64)
        self.rows = {"t1": 0, "t2": 0}
        self.means = aggregate_pages.Means()
        self._widths = [_WIDTHS.empty_table() for _ in plan.levels]
        # For each step of the ladder the nearest row: how far it is, its position in T1, and its values by column.
        self._shown: dict[int, tuple[float, int, dict[str, Any]]] = {}
        self._largest = 0
        self._order, self._last_level = PlanOrder(plan), 0
        self.first: list[dict[str, Any]] = []

    def add(self, part: Tabulated) -> None:
        """The next piece."""
        level, t1 = part.piece.level, part.t1
        self.branches[level] += part.branches
        if len(t1):
            self.first_number.add(t1)
            self._add_first(level, t1)
            self._show(t1)
            width = t1["upper"].to_numpy() - t1["lower"].to_numpy()
            new = pa.table([t1["count"].combine_chunks(), pa.array(width), pa.array(np.ones_like(width))], _WIDTHS)
            both = pa.concat_tables([self._widths[level], new]).group_by(["size", "width"], use_threads=False)
            self._widths[level] = both.aggregate([("rows", "sum")]).rename_columns(_WIDTHS.names)
        self.rows["t1"] += len(t1)
        self.rows["t2"] += len(part.t2)

    def _add_first(self, level: int, t1: pa.Table) -> None:
        """Keep the first rows in the plan's order; a region may be cut by the end of a piece."""
        if len(self.first) == MOST_SHOWN:
            last, least = self.first[-1], pc.min(t1["region_id"].cast(pa.string())).as_py()
            if level > self._last_level or least > last["region_id"]:
                return
        self._last_level = level
        here = t1.take(self._order.of(t1)[:MOST_SHOWN]).cast(T1_SCHEMA)
        both = pa.concat_tables([pa.Table.from_pylist(self.first, T1_SCHEMA), here])
        self.first = both.take(self._order.of(both)[:MOST_SHOWN]).to_pylist()

    def widths(self, level: int) -> Widths:
        """How wide the intervals of the published totals of a level are."""
        size, width, rows = (self._widths[level][name].to_numpy() for name in _WIDTHS.names)
        return size, width, rows

    def ladder(self) -> list[dict[str, Any]]:
        """Rows of T1 whose counts are nearest to the steps of the ladder, by ratio; each once, large to small."""
        near = [self._shown[step] for step in LADDER if step in self._shown and step <= 2 * self._largest]
        return list({row: values for _, row, values in near}.values())

    def _show(self, t1: pa.Table) -> None:
        count = t1["count"].to_numpy()
        positive = np.flatnonzero(count > 0)
        if not len(positive):
            return
        self._largest = max(self._largest, int(count.max()))
        logs = np.log(count[positive])
        for step in LADDER:
            distances = np.abs(logs - np.log(step))
            nearest = int(np.argmin(distances))
            distance, row = float(distances[nearest]), int(positive[nearest])
            if step not in self._shown or distance < self._shown[step][0]:
                values = {name: t1[name][row].as_py() for name in t1.column_names}
                self._shown[step] = (distance, self.rows["t1"] + row, values)


MOST_SHOWN: Final = 12
"""Totals in the first picture."""
CLASSES: Final = ("under 10", "10 to 99", "100 to 999", "1,000 to 9,999", "10,000 or more")
CLASS_CUTS: Final = (10, 100, 1000, 10_000)
_DRAWN: Final = {
    "total_only": "Noise of a once-measured total",
    "stage1": "Noise of the first total",
    "stage2": "Noise of a second measurement",
}
_DRAWN_ONCE: Final = {"total_only": _DRAWN["total_only"]}
_STAGES: Final = _DRAWN.keys() - _DRAWN_ONCE.keys()
"""The distributions of `Plan.stage_noise`, and what each is the noise of."""


def charged(plan: Plan) -> Section:
    """How the cost of the plan comes about."""
    symbol, tops_up = plan.cost.symbol, plan.variants.top_up is not None
    scale = "scale" if plan.measure == "epsilon" else "σ"
    # What is drawn: once, first and second; or again of an earlier release, where all of a group is drawn alike.
    drawn = {"stage2": "Noise of the new measurement"} if tops_up else _DRAWN if plan.staged else _DRAWN_ONCE
    in_margin = f"{_percent(CONFIDENCE)} margin of one {'published' if tops_up else 'such'} number"
    lines = [
        {
            "Level": level_title(plan, level),
            symbol: decimal_up(level.budget),
            "Groups of one person": str(level.stability),
            f"{symbol} of a group": decimal_up(level.budget / plan.degree(level)),
            **{
                f"{name} ({scale})": ""
                if level.single_stage and which in _STAGES and not tops_up
                else _scale(getattr(plan.stage_noise(level), which))
                for which, name in drawn.items()
            },
            in_margin: f"± {margin(plan.noise(level, total_only=level.single_stage), missing()):,}",
        }
        for level in plan.levels
    ]
    distribution = "discrete Laplace (two-sided geometric)" if plan.measure == "epsilon" else "discrete Gaussian"
    text = f"""
        {plan.wording.level} One person can be in several groups of a
        level; the most that the public definitions allow divides the level's budget among the groups. Levels add up.

        {_measured(plan) if plan.levels else ""} The noise is {distribution}.
    """
    if len(plan.parts) > 1:
        each = ", ".join(f"{part.name} {part.cost}" for part in plan.guarantee.parts)
        text += f"""
        A person lives in the United States or in Puerto Rico, never in both, so the larger of two sums is charged: {each}.
        """
    caption = f"Budget and noise of each level; {plan.cost} in all"
    levels = (*_joint(plan), Table.of(lines, caption)) if lines else ()
    return Section("What was charged", text, tables=(*levels, *aggregate_pages.charged(plan)))


def _measured(plan: Plan) -> str:
    if plan.variants.top_up is None and not plan.staged:
        return "Each group, empty or not, is measured once, with all of its budget."
    if plan.variants.top_up is None:
        return f"""Each group, empty or not, is measured: one noisy total decides how much detail the group gets and takes
        {_percent(plan.gamma)} of its budget; a second, independent measurement gives the published numbers."""
    return """This release adds to an earlier one. Each group, empty or not, is measured once more, in the detail that the earlier
        release published and with all of the group's new budget; the first totals are the earlier ones. Each published number
        combines what was published before with the new measurement by inverse variance, which makes it better than either."""


def _joint(plan: Plan) -> tuple[Table, ...]:
    """Which releases a topped-up release consists of, and what they cost."""
    if plan.variants.top_up is None:
        return ()
    rows = [("This release", decimal_up(plan.cost.amount), "the request above")]
    rows += [
        ("Added to", decimal_up(each.cost), f"request {each.request_id}; manifest with SHA-256 {each.manifest}")
        for each in plan.variants.releases
    ]
    rows.append(("Together", decimal_up(plan.joint_guarantee.cost.amount), "each of them charged on its own"))
    caption = "What was spent on these numbers, over all releases that are in them"
    return (Table(("Release", plan.cost.symbol, "Charged as"), tuple(rows), caption, words=True),)


def sections(plan: Plan, geography: Geography, summary: Summary) -> tuple[Section, ...]:
    """Accuracy, detail, sums and quantiles, what is exact, files; of counts only where the plan has levels."""
    counts = (_accuracy(plan, summary), detail_pages.section(plan, geography, summary.branches)) if plan.levels else ()
    numbers = (aggregate_pages.section(summary.means),) if plan.aggregates else ()
    answer = (_answer(plan, summary),) if summary.first else ()
    return (*answer, *counts, *numbers, _exact(plan), _files(plan, summary))


def _answer(plan: Plan, summary: Summary) -> Section:
    """The headline, and the first totals with their intervals."""
    sure = _percent(CONFIDENCE)
    lines = [_line(row, row["count"], row["lower"], row["upper"]) for row in summary.first]
    caption = f"Published totals with their {sure} intervals: {plan.title}. The first in the order of the plan; data/ has all."
    picture = Picture(partial(intervals, lines, "published total"), caption, "first")
    return Section("The numbers", pictures=(picture,), headline=summary.first_number.headline())


def _accuracy(plan: Plan, summary: Summary) -> Section:
    titles = [level_title(plan, level) for level in plan.levels]
    grid = [_tiles(summary.widths(level)) for level in range(len(titles))]
    sure = _percent(CONFIDENCE)
    by_class = Table.of_tiles(
        ("Published count", *CLASSES),
        titles,
        grid,
        f"Half the width of the {sure} interval of a group's total, and what that is of the count, both at the median of the"
        " level and size class; the stronger the colour, the larger beside the count. Cells without groups are empty.",
    )
    tables = (by_class,) if summary.rows["t1"] else ()
    pictures: tuple[Picture, ...] = ()
    if rows := summary.ladder():
        ends = ([100 * (row[end] - row["count"]) / row["count"] for end in ("lower", "upper")] for row in rows)
        lines = [_line(row, 0.0, *both) for row, both in zip(rows, ends, strict=True)]
        caption = (
            "Some published groups, from large to small, with their intervals: the larger the group, the smaller the part of"
            " it that the noise may be."
        )
        of_count = partial(intervals, lines, f"{sure} interval, percent of the published count")
        pictures = (Picture(of_count, caption, "intervals"),)
    return Section(
        "How far the numbers may be off",
        f"""
        The noise is known exactly, so the error of each number is known too, without looking at the data: every row of the
        Parquet files carries its standard deviation and an interval that holds the true count with a probability of at
        least {sure}. A few intervals miss, by design; which ones, nobody can see.

        The intervals speak of the noise alone, not of errors of the survey itself.{_chosen(plan)}
        """,
        pictures=pictures,
        tables=tables,
    )


def _chosen(plan: Plan) -> str:
    if plan.variants.given_published:
        return """

        The probability of a total's interval is that given that its group is published, and in how much detail: the choice was
        made by noisy numbers, and the interval is widened by as much as the choice may have selected their noise.
        """
    parts = []
    if detail_pages.leaves_out(plan):
        parts.append(f"""

        The probability is that of all groups, published or not. {plan.wording.small} a very small group is published only when its
        noise was high, so among the smallest published totals more intervals miss, all of them by being too high.
        """)
    if plan.variants.both_stages:
        parts.append("""

        The noisy total that chose a group's detail is part of its published total. So among groups whose true size lies near a
        threshold those with more detail are a little too high on average, those with less a little too low.
        """)
    return "".join(parts)


def _tiles(widths: Widths) -> list[Tile | None]:
    """The tile of each size class of one level; none where the class has no totals."""
    size, width, rows = widths
    half = width / 2
    part = half / np.maximum(size, 1)
    of_class = np.searchsorted(np.array(CLASS_CUTS), size, side="right")
    return [
        _tile(*(_median(each[here], rows[here]) for each in (half, part))) if here.any() else None
        for kind in range(len(CLASSES))
        for here in [of_class == kind]
    ]


def _median(values: npt.NDArray[np.float64], times: npt.NDArray[np.int64]) -> float:
    """The median of values of which each is there so many times."""
    order = np.argsort(values)
    ends = np.cumsum(times[order])
    middle = np.searchsorted(ends, [(ends[-1] - 1) // 2, ends[-1] // 2], side="right")
    return float(values[order[middle]].mean())


def _tile(half: float, part: float) -> Tile:
    shown = f" ({short_percent(part)})" if part < 1 else ""
    return Tile(f"± {half:z,.0f}{shown}", relative_shade(part))


def _line(row: dict[str, Any], value: float, lower: float, upper: float) -> Interval:
    """A total in words, drawn at these numbers."""
    text = f"{row['count']:,}: {row['lower']:,} to {row['upper']:,}"
    return Interval(labels.shortened(labels.group(row)), text, value, lower, upper)


def _exact(plan: Plan) -> Section:
    negative = (
        "Negative counts are published as they are: clamping them would bias sums."
        if plan.allow_negative
        else "Negative counts are published as 0; sums of many small groups are biased upwards by that."
    )
    sums = plan.wording.sums
    if not plan.variants.add_up:
        sums = f"""Numbers are not made to add up: {plan.wording.no_sums}, and each differs from the truth
        by its own noise."""
    text = f"""
        Public, and used as such: {plan.wording.public}. They fix which
        groups are measured, whether or not anybody is in them. Nothing was taken from the records without noise: no total,
        no list of groups, no number of records.

        {sums} {negative}
    """
    return Section("What is public, and what is not exact", text, folded=True)


def _files(plan: Plan, summary: Summary) -> Section:
    earlier = [
        (f"{place_of(back)}/", f"the same of the earlier release of request {each.request_id}, as it published them")
        for back, each in enumerate(plan.variants.releases, 1)
    ]
    measured = [f"{len(plan.levels)} levels"] if plan.levels else []
    measured += [f"{len(plan.aggregates)} of sums or quantiles"] if plan.aggregates else []
    by = " and ".join(attribute.name for attribute in plan.detail.attributes)
    counts_by = f"{summary.rows['t2']:,} counts by {by} with names, standard deviation and interval"
    counts = (
        ("data/t1.parquet", f"{summary.rows['t1']:,} totals with names, standard deviation and interval"),
        ("data/t2.parquet", counts_by if by else "no rows: the plan has no detail"),
    )
    rows = (
        *(counts if plan.levels else ()),
        *([("data/t3.parquet", "sums, means and quantiles with intervals")] if plan.aggregates else []),
        ("data/*.csv", f"the same as text, for a table below {MOST_CSV_ROWS:,} rows"),
        *([("data/*.txt", "the same in the Census format, counts alone")] if plan.wording.census_format else []),
        (
            f"data/measurements/ ({', '.join(measured)})",
            "every noisy value before anything was left out or clamped; the tables are a function of these",
        ),
        *earlier,
        ("plan/", "the public plan and regions, enough to make the tables from the measurements again"),
        ("privacy.json", "what is promised and was charged, with exact amounts and scales"),
    )
    return files(rows)


def _scale(distribution: Distribution) -> str:
    value = float(distribution.scale) if isinstance(distribution, DiscreteLaplace) else standard_deviation(distribution)
    return f"{value:z,.4g}"


def _percent(part: Fraction) -> str:
    return f"{float(100 * part):g} %"
