"""What a release of areas says of itself: its parameters for privacy.json, its words for the registry, and its part of the report."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from starling.hierarchy.trees import Estimated
from starling.pages.parts import Headline, Picture, Section, Table
from starling.places.areas.answers.unions import LEVEL, deviations
from starling.places.areas.answers.values import means_of, points_of, sums_of
from starling.places.areas.artifact.columns import ends, ends_of_sums
from starling.places.areas.artifact.public_plan import COUNTS
from starling.places.areas.measurements import noises
from starling.places.areas.pictures.choropleth import Shaded, choropleth
from starling.places.areas.plan.model import AreasPlan
from starling.places.arrays import Float64
from starling.places.artifact import plan_files
from starling.places.artifact.plan_files import AREAS, PLAN
from starling.privacy.budget import decimal_up
from starling.privacy.distributions.discrete import DiscreteGaussian
from starling.release.codec import Json
from starling.release.registry import Product
from starling.release.report.pages import files
from starling.release.statement import Particulars
from starling.release.text import rounded, whole

MOST_ROWS: Final = 24
MOST_SAYING: Final = 512
"""Areas of a picture, up to which each says its number: of more the picture would be long."""
_LEVEL: Final = f"{float(100 * LEVEL):g} %"


def particulars(plan: AreasPlan) -> Particulars:
    """What privacy.json says of a release."""
    stated: dict[str, Json] = {
        "name": "areas",
        "source": "least squares over a hierarchy of counts: Hay et al. 2010, Section 4.1",
        **plan_files.stated(plan),
        "areas": {"file": AREAS, "sha256": plan.areas.digest, "number": len(plan.areas)},
        "slices": list[Json](plan.slice_names),
        **plan.value_stated,
        "budget": [
            {"name": name, plan.measure: str(amount)}
            for name, amount in zip(plan.areas.level_names, plan.amounts, strict=True)
        ],
    }
    return Particulars("places", stated, plan.unit_bounds)


def product(plan: AreasPlan) -> Product:
    """A release in the words of the registry."""
    sliced = "" if plan.slices is None else f" and {len(plan.slice_names)} public slices"
    noise = "Gaussian" if isinstance(noises(plan)[0], DiscreteGaussian) else "Laplace"
    many, measured = f"{len(plan.areas):,} public areas", "A count" if plan.value is None else "Two sums"
    return Product(
        description=f"Points ({plan.point}){_and_means(plan)} by area, of {many}{sliced}, and of what lies above them.",
        intended_use="Counts of any union of areas; those of a level add up to those above.",
        region="The public areas of the release.",
        domain="Points by coordinates, or by the id of an area; those in no area are dropped, and their number is not published.",
        bounds=plan.bound_of_person if plan.unit == "person" else "Each point lies in one area of one slice.",
        mechanisms=f"{measured} of every node of every level, with discrete {noise} noise, exact over the integers.",
        post_processing="Least squares over the hierarchy; the estimates are a function of the noisy counts.",
        composition="Sequential over levels; areas of a level, and slices, have no point in common."
        " The tree with every event is in privacy.json.",
        unprotected="Nothing about the points is published without noise.",
    )


def charged(plan: AreasPlan) -> Section:
    """The budget of each level."""
    rows = tuple(
        (name, f"{len(nodes):,}", decimal_up(amount), rounded(noise.width))
        for name, nodes, amount, noise in zip(
            plan.areas.level_names, plan.areas.nodes, plan.amounts, noises(plan), strict=True
        )
    )
    layers = (
        ""
        if plan.value is None
        else f" Measured are units of {plan.columns.value} above {plan.value.lower:,} and below {plan.value.upper:,}, of which a point has"
        f" {plan.value.width:,} together."
    )
    text = f"""
        Every node of every level is counted with noise, empty or not. Protected is {plan.protected}: a point lies in one node of each
        level, so that what the levels cost adds up.{layers}
    """
    table = Table(("Level", "Counted", plan.measure, "Width of the noise"), rows, "Budget")
    return Section("What was measured and charged", text, tables=(table,))


def _and_means(plan: AreasPlan) -> str:
    return "" if plan.value is None else f", and the sums and means of their {plan.columns.value},"


def area_map(plan: AreasPlan, shaded: Shaded, caption: str, name: str) -> Picture:
    """A map of the areas of a plan."""
    return Picture(partial(choropleth, plan.areas.geometries, shaded, plain=bool(plan.crs_name)), caption, name)


def _says(
    plan: AreasPlan, most: int, own: np.ndarray, ends: tuple[np.ndarray, np.ndarray], words: Callable[[float], str]
) -> list[tuple[str, str, str]]:
    """What each area says, of at most so many: its name, its number, and in words the ends of its interval."""
    if len(plan.areas) > most:
        return []
    columns = (plan.areas.names, own.tolist(), *(each.tolist() for each in ends))
    return [
        (name, _shown(number), f"{_LEVEL} interval: {words(low)} to {words(high)}")
        for name, number, low, high in zip(*columns, strict=True)
    ]


def picture(
    plan: AreasPlan, estimated: Estimated, number: int, top: float | None = None, most: int = MOST_SAYING
) -> Picture:
    """The map of a slice, from the estimates of the areas; `top` is as of `Shaded`. Of more than `most` areas none says its number."""
    counted = points_of(plan, estimated)
    lower, upper = ends(plan, counted, number)
    caption = (
        f"Released points ({plan.point}) by area{plan.in_slice(number)}, in a stronger colour where there are more. All are estimates."
        f" Where an area is hatched, its {_LEVEL} interval holds 0: there may be none at all."
    )
    points = counted.count[:, number]
    says = _says(plan, most, points, (lower, upper), "{:,}".format)
    return area_map(plan, Shaded(points, (lower == 0).tolist(), says, f"points ({plan.point})", top), caption, "areas")


def _known_means(
    plan: AreasPlan, estimated: Estimated, slices: Sequence[int]
) -> tuple[Float64, Float64, Float64, npt.NDArray[np.bool_]]:
    """The means of some slices, the ends of their intervals, and whether nothing can be lines of them, each (areas, slices)."""
    assert plan.value is not None
    means = means_of(plan.value, estimated, deviations(plan, 1 - LEVEL))
    mean, least, greatest = (each[:, list(slices)] for each in means)
    return mean, least, greatest, np.isnan(mean) | ((least <= plan.value.lower) & (greatest >= plan.value.upper))


def ends_of_means(plan: AreasPlan, estimated: Estimated, slices: Sequence[int]) -> tuple[float, float]:
    """The least and the largest mean of some slices of which something can be lines: the lightest and the darkest of their maps."""
    assert plan.value is not None
    mean, _, _, unknown = _known_means(plan, estimated, slices)
    known = mean[~unknown]
    return (
        (float(known.min()), float(known.max())) if len(known) else (float(plan.value.lower), float(plan.value.upper))
    )


def mean_picture(
    plan: AreasPlan,
    estimated: Estimated,
    number: int,
    shades: tuple[float, float] | None = None,
    most: int = MOST_SAYING,
) -> Picture:
    """The map of the means of a plan with a value in a slice, with `shades` as of `ends_of_means`; other arguments as of `picture`."""
    assert plan.value is not None
    bounds, column = plan.value, plan.columns.value
    mean, least, greatest, unknown = (each[:, 0] for each in _known_means(plan, estimated, [number]))
    low, top = ends_of_means(plan, estimated, [number]) if shades is None else shades
    caption = (
        f"Released mean {column} by area{plan.in_slice(number)}, in a stronger colour where it is larger. Where an area is hatched, its"
        f" {_LEVEL} interval holds all from {bounds.lower:,} to {bounds.upper:,}."
    )
    says, values = _says(plan, most, mean, (least, greatest), _shown), np.where(unknown, low, mean)
    shaded = Shaded(values, unknown.tolist(), says, f"mean {column}", top, low=low, hatch="it cannot be told")
    return area_map(plan, shaded, caption, "means")


def sum_picture(plan: AreasPlan, estimated: Estimated, number: int, top: float, most: int) -> Picture:
    """The map of the sums of a plan with a value in a slice; arguments as of `picture`."""
    assert plan.value is not None
    column, sums = plan.columns.value, sums_of(plan.value, estimated).count[:, number]
    lower, upper = ends_of_sums(plan, estimated, number)
    caption = (
        f"Released sum of {column} by area{plan.in_slice(number)}, in a stronger colour where it is farther from 0. Where an area is"
        f" hatched, its {_LEVEL} interval holds 0."
    )
    signed = (f"sum of {column} -{{}} or less", "{} or more") if plan.value.lower < 0 else None
    says, unknown = _says(plan, most, sums, (lower, upper), "{:z,.0f}".format), (lower <= 0) & (upper >= 0)
    shaded = Shaded(sums, unknown.tolist(), says, f"sum of {column}", top, signed, hatch="may be 0")
    return area_map(plan, shaded, caption, "sums")


def pictures(plan: AreasPlan, estimated: Estimated, number: int) -> tuple[Picture, ...]:
    """The maps of a slice: of points, and of the means of a plan with a value."""
    means = () if plan.value is None else (mean_picture(plan, estimated, number),)
    return (picture(plan, estimated, number), *means)


def headline(plan: AreasPlan, estimated: Sequence[Estimated], number: int = 0) -> Headline:
    """The points of all areas of a slice, in one number."""
    note = "" if plan.slices is None else f"One of {len(plan.slice_names):,} slices; each is in data/."
    counted = points_of(plan, estimated[0])
    lower, upper = ends(plan, counted, number)
    interval = f"{_LEVEL} interval: {lower[0]:,} to {upper[0]:,}"
    label = f"Points ({plan.point}) in all areas{plan.in_slice(number)}"
    return Headline(label, whole(float(counted.count[0, number])), interval, note)


def sections(plan: AreasPlan, estimated: Sequence[Estimated]) -> tuple[Section, ...]:
    """The map of the first slice, the largest areas, what is public, files."""
    first = Section(
        "Where the points lie", pictures=pictures(plan, estimated[-1], 0), headline=headline(plan, estimated)
    )
    table = f"estimated points{_and_means(plan)} of every area and of all that lies above, each with its interval"
    rows = (
        ("data/areas.parquet", table),
        (COUNTS, "every noisy count as it was drawn; the table is a function of them"),
        (PLAN, "the public plan"),
        (AREAS, "the public areas"),
        ("privacy.json", "what is promised and was charged, with exact amounts"),
    )
    return (first, _numbers(plan, estimated), _public(plan), files(rows))


def _numbers(plan: AreasPlan, estimated: Sequence[Estimated]) -> Section:
    tables = []
    levels = zip(plan.areas.level_names, plan.areas.nodes, estimated, strict=True)
    for name, nodes, estimate in islice(levels, 1, None):
        counted = points_of(plan, estimate)
        lower, upper = ends(plan, counted, 0)
        order = np.argsort(-counted.count[:, 0], kind="stable")[:MOST_ROWS].tolist()
        rows = tuple(
            (nodes[at], rounded(float(counted.count[at, 0])), f"{lower[at]:,}", f"{upper[at]:,}") for at in order
        )
        most = f", the {len(rows)} with most" if len(rows) < len(nodes) else ""
        tables.append(Table((name.capitalize(), "Points", "95 % from", "to"), rows, f"Points by {name}{most}"))
        if plan.value is not None:
            means = [each[:, 0] for each in means_of(plan.value, estimate, deviations(plan, 1 - LEVEL))]
            header = (name.capitalize(), f"Mean {plan.columns.value}", "95 % from", "to")
            shown = tuple((nodes[at], *(_shown(float(each[at])) for each in means)) for at in order)
            tables.append(Table(header, shown, f"Mean {plan.columns.value} by {name}{most}"))
    text = """
        Each interval holds the true number with a probability of 95 %, on its own. The areas of a level add up to what lies above them.

        "starling places areas" has any union of areas, with the exact deviation of its noise.
    """
    return Section("The numbers, and how far they may be off", text, tables=tuple(tables))


def _shown(value: float) -> str:
    return "none" if np.isnan(value) else rounded(value)


def _public(plan: AreasPlan) -> Section:
    many = f"{len(plan.areas):,} areas{f' in {plan.crs_name}' if plan.crs_name else ''}"
    text = f"""
        Public, and used as such: the {many}, their names and levels, and the slices. A point lies in the first area of
        the file that holds it or has it on its border.

        By the rule of all records a point that is in no area is dropped, as is one whose coordinates are missing or no numbers, or whose
        time is in no slice. How many were dropped is not published.
    """
    return Section("What is public, and how points are counted", text, folded=True)
