"""Pictures of a release of group sizes as SVG: sizes of a region with intervals, expected error by level, a map of mean sizes.

They show published numbers and public facts alone. The outlines of a map are the reader's: GeoJSON, of which each feature says the id of
its region.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.figure import Figure

from starling.errors import ParameterError
from starling.groups.plan import Plan
from starling.groups.preview import known_shares, simulate, times, trials_of
from starling.pages.parts import Section
from starling.release.figures import new_figure, section_of
from starling.release.plots import Plots
from starling.release.report.pictures import BLUE, GREY, INK, LINE

SEED: Final = 1
"""Of the simulation, so that a picture is the same again."""
MOST_BARS: Final = 60
"""Sizes that are drawn as bars; of more of them a line is drawn, of the groups of at least each size."""
SHOWN: Final = 0.999
"""Share of the groups whose sizes an axis shows, at least."""
ID: Final = "region"
"""The property of a feature that says the id of its region; its own `id` is taken where there is none."""

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
        name, figure = f"sizes-{number}", sizes_of(plan, region, table)
        caption = (
            f"Published numbers of groups in {region} by size, with the interval of 95 % around each measured number."
        )
        drawn[name] = section_of(figure, name, f"Sizes in {region}", caption)
    if error:
        caption = (
            "By level, how far a published number of one size is expected to be off: simulated from public facts alone."
        )
        drawn["error"] = section_of(errors(plan), "error", "Expected error", caption)
    if outlines is not None:
        figure = mapped(plan, table("regions"), read_outlines(outlines))
        caption = "Published mean sizes of the regions that have outlines; white where the interval says nothing."
        drawn["map"] = section_of(figure, "map", "Mean sizes", caption)
    return Plots(plan.title, "Published numbers of groups by size", drawn)


def sizes_of(plan: Plan, region: str, table: Callable[[str], pa.Table]) -> Figure:
    """`sizes` of a region of a release, given its tables by their names; raises ParameterError where the plan has no such region."""
    for name, ids in zip(plan.regions.levels, plan.regions.ids, strict=True):
        if region in ids:
            level = table(name)
            return sizes(plan, region, level.filter(pc.equal(level["region"].cast(pa.string()), region)))
    raise ParameterError("region", "is not in the plan", "look at data/regions.csv of the release")


def sizes(plan: Plan, region: str, rows: pa.Table) -> Figure:
    """Groups by size in a region: published numbers, and around the measured ones intervals that hold the true ones; by rows of its
    level.
    """
    groups = rows["groups"].to_numpy()
    below = np.cumsum(groups)
    last = int(np.searchsorted(below, SHOWN * below[-1])) + 1 if below[-1] else len(groups)
    at = np.arange(max(min(last + 1, len(groups)), 2))
    words = "interval of 95 % for each"
    if len(at) <= MOST_BARS:
        lower, upper = rows["lower"].to_numpy()[at], rows["upper"].to_numpy()[at]
        figure, axes = new_figure(f"Groups ({plan.group}) of {region} by size ({plan.member})")
        axes.bar(at, groups[at], color=BLUE, width=0.7, label="published")
        axes.vlines(at, lower, upper, color=INK, linewidth=1.4, label=words)
        axes.set_ylim(0, 1.08 * max(int(groups[at].max()), int(np.median(upper)), 1))
    else:
        groups, lower, upper = (rows[name].to_numpy() for name in ("at_least", "at_least_lower", "at_least_upper"))
        figure, axes = new_figure(f"Groups ({plan.group}) of {region} of at least each size ({plan.member})")
        axes.fill_between(at, lower[at], upper[at], color=BLUE, alpha=0.25, linewidth=0, label=words)
        axes.plot(at, groups[at], color=BLUE, linewidth=1.0, label="published")
        axes.set_ylim(bottom=0)
    axes.set_xlabel(
        f"size ({plan.member})" + ("" if at[-1] < plan.largest else f" ({plan.largest:,}: or more)"), fontsize=8.5
    )
    axes.set_ylabel(f"groups ({plan.group})", fontsize=8.5)
    axes.legend(frameon=False, fontsize=8)
    return figure


def errors(plan: Plan) -> Figure:
    """By level, how far the published number of a size is off: as many releases simulated as a preview has, mean over regions and sizes."""
    title = f"Expected error of a number of groups ({plan.group}) of one size, {plan.method}"
    figure, axes = new_figure(title, (6.0, 0.45 * plan.levels + 0.9))
    shares, assumed = known_shares(plan, None)
    cells = [len(ids) * plan.sizes for ids in plan.regions.ids]
    trials = trials_of(plan)
    simulated = simulate(plan, shares, trials, SEED)
    mean, doubt = (
        [number / each for number, each in zip(numbers, cells, strict=True)]
        for numbers in ([error.l1 for error in simulated], [error.doubt or 0.0 for error in simulated])
    )
    axes.barh(plan.regions.levels, mean, xerr=doubt, color=BLUE, ecolor=INK, height=0.6)
    for row, (value, more) in enumerate(zip(mean, doubt, strict=True)):
        axes.text(value + more, row, f" {value:.3g}", va="center", fontsize=8, color=INK)
    axes.invert_yaxis()
    axes.set_xlabel(f"mean absolute error, groups; mean of {times(trials)}: {assumed}", fontsize=8)
    return figure


def mapped(plan: Plan, regions: pa.Table, outlines: Mapping[str, list[Rings]]) -> Figure:
    """A map of published mean sizes, where regions have outlines; white where the interval says nothing.

    Args:
        plan: Of the release.
        regions: The table of all regions.
        outlines: For each region its polygons, each a list of rings of positions.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import PathCollection
    from matplotlib.colors import LinearSegmentedColormap, Normalize
    from matplotlib.path import Path as Outline

    rows = {row["region"]: row for row in regions.to_pylist() if row["region"] in outlines}
    if not rows:
        raise ParameterError("outlines", "name no region of the plan", f"give each feature the property {ID}")
    known = {name: row["mean"] for name, row in rows.items() if row["mean_upper"] - row["mean_lower"] < plan.largest}
    means = [mean for mean in known.values() if mean is not None]
    shade = ScalarMappable(
        Normalize(min(means, default=0), max(means, default=1)), LinearSegmentedColormap.from_list("", [LINE, BLUE])
    )
    paths, colours = [], []
    for name in rows:
        rings = [np.asarray(ring, dtype=np.float64)[:, :2] for polygon in outlines[name] for ring in polygon]
        paths.append(Outline.make_compound_path(*(Outline(ring, closed=True) for ring in rings)))
        mean = known.get(name)
        colours.append("white" if mean is None else shade.to_rgba(mean))
    figure, axes = new_figure(f"Mean size ({plan.member}) of a {plan.group}, as published")
    axes.add_collection(
        PathCollection(paths, facecolors=colours, edgecolors=GREY, linewidths=0.5, transform=axes.transData)
    )
    axes.autoscale_view()
    axes.set_aspect("equal")
    axes.set_axis_off()
    bar = figure.colorbar(shade, ax=axes, shrink=0.7)
    bar.ax.tick_params(labelsize=8)
    return figure


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
