"""The page of a release of areas whose map says its numbers: of each slice, and of what one slice has more than another."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Final

import numpy as np

from starling.hierarchy.trees import Estimated
from starling.pages.parts import Headline, Picture
from starling.pages.views import View, Views
from starling.places.areas.answers.unions import LEVEL, number, spread
from starling.places.areas.answers.values import points_of
from starling.places.areas.artifact.pages import ends_of_means, headline, mean_picture, picture
from starling.places.areas.pictures.choropleth import Shaded, choropleth, darkest
from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.plan.polygons import Float64
from starling.release.text import rounded, whole

MOST_COMPARED: Final = 2048
"""Areas of which slices are compared: the deviation of each is computed on its own."""
_ALIKE: Final = " Colours have one scale in all slices."


def views(plan: AreasPlan, estimated: Sequence[Estimated], slices: Sequence[int]) -> Views:
    """The views of some slices, by their numbers, from the estimates of each level."""
    names = ["" if plan.slices is None else plan.slice_names[at] for at in slices]
    finest = estimated[-1]
    top = darkest(points_of(plan, finest).count[:, list(slices)])
    compared = len(plan.areas) <= MOST_COMPARED and plan.value is None
    shades = None
    if plan.value is not None:
        shades = ends_of_means(plan, finest, slices)
        names = [each for name in names for each in (name or "points", f"{name}, means".removeprefix(", "))]
    halves = _halves(plan) if compared and len(slices) > 1 else np.empty(0)

    def make(one: int, other: int | None) -> View:
        if plan.value is not None:
            one, mean = divmod(one, plan.layers)
            if mean:
                drawn = mean_picture(plan, finest, slices[one], shades, len(plan.areas))
                return View(drawn, _mean_in_all(plan, estimated, slices[one]))
        if other is None:
            drawn = picture(plan, finest, slices[one], top, len(plan.areas))
            return View(drawn, replace(headline(plan, estimated, slices[one]), note=""))
        return _difference(plan, finest, (slices[one], slices[other]), halves)

    notes = [
        f"An interval holds the true number with a probability of {_level()}, each on its own.{_ALIKE if len(slices) > 1 else ''}",
        f"Where nothing is hatched, an interval{' of points' if plan.value else ''} does not hold 0.",
    ]
    about = f"Released points ({plan.point}) by area"
    return Views(plan.title, about, names, make, notes, "the command places areas", compared)


def _level(level: Fraction = LEVEL) -> str:
    return f"{float(100 * level):g} %"


def _halves(plan: AreasPlan) -> Float64:
    """Of each area, how far the difference of two slices may be off, as `answers.number` has it."""
    return np.array(
        [spread(plan, weights).interval(plan, (1.0, 1.0), 1 - LEVEL)[1] for weights in np.eye(len(plan.areas))]
    )


def _mean_in_all(plan: AreasPlan, estimated: Sequence[Estimated], slice: int) -> Headline:
    both = estimated[-1].count[:, slice * plan.layers : (slice + 1) * plan.layers]
    mean = number(plan, [both], np.ones(len(both)), "").mean
    named = "" if plan.slices is None else f", {plan.slice_names[slice]}"
    label = f"Mean {plan.columns.value} in all areas{named}"
    if mean is None or mean.estimate is None:
        return Headline(label, "none", "")
    interval = f"{_level()} interval: {rounded(mean.lower)} to {rounded(mean.upper)}"
    return Headline(label, rounded(mean.estimate), interval)


def _difference(plan: AreasPlan, finest: Estimated, slices: tuple[int, int], halves: Float64) -> View:
    one, other = (plan.slice_names[at] for at in slices)
    more = finest.count[:, slices[0]] - finest.count[:, slices[1]]
    lower, upper = np.floor(more - halves), np.ceil(more + halves)
    says = [
        (name, rounded(many), f"{_level()} interval: {low:z,.0f} to {high:z,.0f}")
        for name, many, low, high in zip(plan.areas.names, more.tolist(), lower.tolist(), upper.tolist(), strict=True)
    ]
    shaded = Shaded(more, ((lower <= 0) & (upper >= 0)).tolist(), says, f"points ({plan.point})", signed=True)
    caption = (
        f"How many more points ({plan.point}) {one} has than {other}, by area: blue where it has more, red where it has fewer. Where an"
        f" area is hatched, the {_level()} interval of the difference holds 0: it cannot be said which has more."
    )
    all_of = number(plan, [finest.count[:, [at]] for at in slices], np.ones(len(more)), "")
    interval = f"{_level()} interval: {all_of.lower:,} to {all_of.upper:,}"
    label = f"Points ({plan.point}) in all areas, {one} less {other}"
    drawn = Picture(partial(choropleth, plan.areas.geometries, shaded, plain=bool(plan.crs_name)), caption, "areas")
    return View(drawn, Headline(label, whole(all_of.points), interval))
