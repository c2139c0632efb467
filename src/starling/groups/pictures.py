"""Pictures of a release of group sizes as SVG: sizes of a region with intervals, expected error by level, a map of mean sizes.

They show published numbers and public facts alone. The outlines of a map are the reader's: GeoJSON, of which each feature says the id of
its region.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from starling.errors import ParameterError
from starling.groups.optimise.tree import Int64
from starling.groups.plan import Plan
from starling.groups.preview import known_shares, simulate, times, trials_of
from starling.pages.charts import WIDTH, Interval, band, bars, intervals
from starling.pages.marks import Entry, Sheet, heat
from starling.pages.parts import Picture, Section
from starling.release.plots import Plots
from starling.release.text import rounded

SEED: Final = 1
"""Of the simulation, so that a picture is the same again."""
MOST_BARS: Final = 60
"""Sizes that are drawn as bars; of more of them a line is drawn, of the groups of at least each size."""
SHOWN: Final = 0.999
"""Share of the groups whose sizes an axis shows, at least; how many larger ones there are stands beside it."""
ID: Final = "region"
"""The property of a feature that says the id of its region; its own `id` is taken where there is none."""

COLUMNS: Final = ("groups", "lower", "upper", "at_least", "at_least_lower", "at_least_upper")
"""What a table of groups by size says of each size."""
Rings: TypeAlias = list[Any]


def plots(
    plan: Plan,
    table: Callable[[str], pa.Table],
    regions: Sequence[str] = (),
    outlines: Path | None = None,
    *,
    error: bool = False,
) -> Plots:
    """The pictures of a release: the sizes of some regions, perhaps the error by level, and perhaps a map.

    Args:
        plan: Of the release.
        table: The published tables, by their names.
        regions: Ids of the regions whose sizes are drawn; without any, the root.
        outlines: GeoJSON of the outlines of some regions.
        error: Whether the expected error is drawn too, which is simulated.

    Raises:
        ParameterError: the plan has no such region, or the file is no such GeoJSON or names none of its regions.
    """
    drawn: dict[str, Section] = {}
    for number, region in enumerate(regions or plan.regions.ids[0], start=1):
        name = f"sizes-{number}"
        drawn[name] = Section(f"Sizes in {region}", pictures=(sizes_of(plan, region, table, name),))
    if error:
        caption = (
            "By level, how far a published number of one size is expected to be off: simulated from public facts alone."
        )
        drawn["error"] = Section("Expected error", pictures=(Picture(partial(errors, plan), caption, "error"),))
    if outlines is not None:
        sheet = mapped(plan, table("regions"), read_outlines(outlines))
        caption = (
            "Published mean sizes of the regions that have outlines; without a colour where the interval says nothing."
        )
        drawn["map"] = Section("Mean sizes", pictures=(Picture(lambda: sheet, caption, "map"),))
    return Plots(plan.title, "Published numbers of groups by size", drawn)


def sizes_of(plan: Plan, region: str, table: Callable[[str], pa.Table], name: str = "sizes") -> Picture:
    """`sizes` of a region of a release, given its tables by their names; raises ParameterError where the plan has no such region."""
    for level, ids in zip(plan.regions.levels, plan.regions.ids, strict=True):
        if region in ids:
            rows = table(level)
            rows = rows.filter(pc.equal(rows["region"].cast(pa.string()), region))
            return picture(plan, region, {each: rows[each].to_numpy() for each in COLUMNS}, name)
    raise ParameterError("region", "is not in the plan", "look at data/regions.csv of the release")


def picture(plan: Plan, region: str, columns: Mapping[str, Int64], name: str = "sizes") -> Picture:
    """`sizes` of a region, given COLUMNS of the table of its level."""
    caption = f"Published numbers of groups in {region} by size, with the interval of 95 % around each measured number."
    return Picture(partial(sizes, plan, columns), caption, name)


def sizes(plan: Plan, columns: Mapping[str, Int64]) -> Sheet:
    """Groups by size in a region: published numbers, and around the measured ones intervals that hold the true ones.

    Args:
        plan: Of the release.
        columns: Of the region, COLUMNS of the table of its level.
    """
    groups = columns["groups"]
    below = np.cumsum(groups)
    last = int(np.searchsorted(below, SHOWN * below[-1])) + 1 if below[-1] else len(groups)
    at = np.arange(max(min(last + 1, len(groups)), 2))
    left_out = int(groups[len(at) :].sum())
    axis = f"size ({plan.member})"
    if left_out:
        axis += f"; {left_out:,} larger not shown"
    elif at[-1] >= plan.largest:
        axis += f" ({plan.largest:,}: or more)"
    if len(at) <= MOST_BARS:
        values, low, high = (columns[name][at].tolist() for name in ("groups", "lower", "upper"))
        return bars(values, low, high, axis, f"groups ({plan.group})")
    values, low, high = (columns[name][at].tolist() for name in ("at_least", "at_least_lower", "at_least_upper"))
    return band(at.tolist(), values, low, high, axis, f"groups ({plan.group}) of at least that size")


def errors(plan: Plan) -> Sheet:
    """By level, how far the published number of a size is off: as many releases simulated as a preview has, mean over regions and sizes."""
    shares, assumed = known_shares(plan, None)
    trials = trials_of(plan)
    lines = []
    for level, error in zip(range(plan.levels), simulate(plan, shares, trials, SEED), strict=True):
        cells = len(plan.regions.ids[level]) * plan.sizes
        mean, doubt = error.l1 / cells, (error.doubt or 0.0) / cells
        lines.append(Interval(plan.regions.levels[level], rounded(mean), mean, mean - doubt, mean + doubt))
    return intervals(lines, f"mean absolute error, groups; mean of {times(trials)}: {assumed}")


def mapped(plan: Plan, regions: pa.Table, outlines: Mapping[str, list[Rings]]) -> Sheet:
    """A map of published mean sizes, where regions have outlines; without a colour where the interval says nothing.

    Args:
        plan: Of the release.
        regions: The table of all regions.
        outlines: For each region its polygons, each a list of rings of positions.
    """
    rows = {row["region"]: row for row in regions.to_pylist() if row["region"] in outlines}
    if not rows:
        raise ParameterError("outlines", "name no region of the plan", f"give each feature the property {ID}")
    known = {name: row["mean"] for name, row in rows.items() if row["mean_upper"] - row["mean_lower"] < plan.largest}
    means = [mean for mean in known.values() if mean is not None]
    low, high = min(means, default=0), max(means, default=1)
    rings = {
        name: [np.asarray(ring, dtype=np.float64)[:, :2] for polygon in outlines[name] for ring in polygon]
        for name in rows
    }
    every = np.concatenate([ring for each in rings.values() for ring in each])
    first, scale = every.min(axis=0), WIDTH / max(float(np.ptp(every, axis=0).max()), 1e-9)
    sheet = Sheet(WIDTH, 0, float(np.ptp(every[:, 1])) * scale)
    for name, each in rings.items():
        mean = known.get(name)
        colour = "paper" if mean is None else heat((mean - low) / ((high - low) or 1))
        paths = [[(float(x), float(y)) for x, y in (ring - first) * scale] for ring in each]
        sheet.shapes(paths, colour, "muted", "region")
    key = [Entry("box", heat(part), rounded(low + part * (high - low))) for part in (0.0, 0.5, 1.0)]
    words = f"mean size ({plan.member}) of groups ({plan.group})"
    sheet.legend(0, -14, WIDTH, [*key[:-1], Entry("box", key[-1].colour, f"{key[-1].words} {words}")], upwards=False)
    return sheet


def read_outlines(path: Path) -> dict[str, list[Rings]]:
    """The polygons of each feature of a GeoJSON file, by the id of its region.

    Raises:
        ParameterError: it is no GeoJSON of polygons.
    """
    outlines: dict[str, list[Rings]] = {}
    try:
        for feature in json.loads(path.read_text(encoding="utf-8"))["features"]:
            shape = feature["geometry"]
            polygons = {"Polygon": [shape["coordinates"]], "MultiPolygon": shape["coordinates"]}[shape["type"]]
            good = all(np.asarray(ring, dtype=np.float64)[2:, 1].size for each in polygons for ring in each)
            name = (feature.get("properties") or {}).get(ID, feature.get("id"))
            outlines.setdefault(str(name), []).extend(polygons if good else [[]])
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        outlines = {"": [[]]}
    if any(not polygon for polygons in outlines.values() for polygon in polygons):
        raise ParameterError("outlines", f"{path.name} is no GeoJSON of polygons", "give a FeatureCollection")
    return outlines
