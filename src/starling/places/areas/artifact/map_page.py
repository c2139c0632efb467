"""The page of a release of areas whose map says its numbers: of each slice, and of what one slice has more than another.

Of a plan with a value it has maps of points, of sums and of means. A difference is what `answers.unions.number` gives of one area alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final, TypeAlias

import numpy as np

from starling.hierarchy.trees import Estimated
from starling.pages.parts import Headline, Picture
from starling.pages.views import MOST_COMPARED, Make, View, Views
from starling.places.areas.answers.unions import LEVEL, Interval, Number, Spread, number, spread
from starling.places.areas.answers.values import layers_of, points_of, sums_of
from starling.places.areas.artifact.pages import area_map, ends_of_means, headline, mean_picture, picture, sum_picture
from starling.places.areas.pictures.choropleth import Shaded, darkest
from starling.places.areas.plan.model import AreasPlan
from starling.places.arrays import Float64
from starling.release.text import rounded, whole

MOST_AREAS: Final = 2048
"""Areas of which slices are compared: the deviation of each is computed on its own."""
MEANS: Final = "means"
_ALIKE: Final = " Colours have one scale in all slices; a difference has its own."
_LEVEL: Final = f"{float(100 * LEVEL):g} %"
_OF_MEANS: Final = " Intervals of both means hold together, so that this one misses less often than is stated."
_Numbers: TypeAlias = Callable[[int, int], tuple[Sequence[Number], Number]]
"""What a slice has more than another in each area, and in all of them, by the numbers of the slices."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a map shows.

    Attributes:
        what: In words.
        name: Of the picture.
        signed: As of `Shaded`, of differences.
        of: The part of an answer that is shown.
        draw: The map of a slice, by its number.
    """

    what: str
    name: str
    signed: tuple[str, str]
    of: Callable[[Number], Interval]
    draw: Callable[[int], Picture]

    @property
    def label(self) -> str:
        """What it shows, as a line begins."""
        return self.what[0].upper() + self.what[1:]

    def total(self, part: Interval) -> str:
        """The estimate of all areas, in words."""
        if part.estimate is None:
            return "none"
        return rounded(part.estimate) if self.name == MEANS else whole(part.estimate)

    def ends(self, part: Interval) -> str:
        """An interval, in words."""
        low, high = (rounded(end) if self.name == MEANS else f"{end:z,.0f}" for end in (part.lower, part.upper))
        return f"{_LEVEL} interval: {low} to {high}"


def views(plan: AreasPlan, estimated: Sequence[Estimated], slices: Sequence[int]) -> Views:
    """The views of some slices, by their numbers, from the estimates of each level."""
    finest = estimated[-1]
    numbers = _numbers(plan, finest)

    def make_of(kind: _Kind) -> Make:
        def make(one: int, other: int | None) -> View:
            if other is not None:
                return _difference(plan, kind, (slices[one], slices[other]), numbers)
            if kind.name == "areas":
                whole_line = replace(headline(plan, estimated, slices[one]), note="")
            else:
                everywhere = number(plan, [layers_of(plan, finest, slices[one])], np.ones(len(plan.areas)), "all areas")
                part = kind.of(everywhere)
                whole_line = Headline(
                    f"{kind.label} in all areas{plan.in_slice(slices[one])}", kind.total(part), kind.ends(part)
                )
            return View(kind.draw(slices[one]), whole_line)

        return make

    notes = [
        f"An interval holds the true number with a probability of {_LEVEL}, each on its own.{_ALIKE if len(slices) > 1 else ''}",
        "Where nothing is hatched, an interval does not hold 0."
        if plan.value is None
        else "Where an area is hatched, too little can be said of it: the words below the map say what.",
    ]
    of_value = "" if plan.value is None else f", with sums and means of {plan.columns.value}"
    names = ["" if plan.slices is None else plan.slice_names[at] for at in slices]
    kinds = {kind.what: make_of(kind) for kind in _kinds(plan, finest, slices)}
    about = f"Released points ({plan.point}) by area{of_value}"
    return Views(plan.title, about, names, kinds, notes, "the command places areas", len(plan.areas) <= MOST_AREAS)


def _kinds(plan: AreasPlan, finest: Estimated, slices: Sequence[int]) -> tuple[_Kind, ...]:
    """What is shown of a plan, in colours that mean the same in all of some slices."""
    several, many = list(slices), len(plan.areas)
    what = f"points ({plan.point})"
    top = darkest(points_of(plan, finest).count[:, several])
    points = _Kind(
        what,
        "areas",
        (f"{{}} or more {what} less", f"{{}} or more {what} more"),
        lambda answer: Interval(answer.points, answer.lower, answer.upper),
        lambda slice: picture(plan, finest, slice, top, many),
    )
    if plan.value is None:
        return (points,)
    column = plan.columns.value
    shades, top_of_sums = ends_of_means(plan, finest, slices), darkest(sums_of(plan.value, finest).count[:, several])
    sums = _Kind(
        f"sum of {column}",
        "sums",
        (f"sum of {column} lower by {{}} or more", "higher by {} or more"),
        lambda answer: _there(answer.sum),
        lambda slice: sum_picture(plan, finest, slice, top_of_sums, many),
    )
    means = _Kind(
        f"mean {column}",
        MEANS,
        (f"mean {column} lower by {{}} or more", "higher by {} or more"),
        lambda answer: _there(answer.mean),
        lambda slice: mean_picture(plan, finest, slice, shades, many),
    )
    return points, sums, means


def _there(part: Interval | None) -> Interval:
    """A part that answers of a plan with a value have."""
    assert part is not None
    return part


def _numbers(plan: AreasPlan, finest: Estimated) -> _Numbers:
    """The numbers of differences, from the estimates of the areas."""
    one_area = np.ones(1)

    @cache
    def noises() -> list[Spread]:
        return [spread(plan, weights) for weights in np.eye(len(plan.areas))]

    @lru_cache(MOST_COMPARED)
    def numbers(one: int, other: int) -> tuple[Sequence[Number], Number]:
        counted = [layers_of(plan, finest, at) for at in (one, other)]
        each = [
            number(plan, [layers[at : at + 1] for layers in counted], one_area, name, noise=noise)
            for at, (name, noise) in enumerate(zip(plan.areas.names, noises(), strict=True))
        ]
        return each, number(plan, counted, np.ones(len(plan.areas)), "all areas")

    return numbers


def _difference(plan: AreasPlan, kind: _Kind, slices: tuple[int, int], numbers: _Numbers) -> View:
    one, other = (plan.slice_names[at] for at in slices)
    answers, everywhere = numbers(*slices)
    parts = [kind.of(each) for each in answers]
    unknown = np.array([each.lower <= 0 <= each.upper for each in parts])
    more: Float64 = np.array([each.estimate or 0.0 for each in parts])
    says = [
        (each.what, "none" if part.estimate is None else rounded(part.estimate), kind.ends(part))
        for each, part in zip(answers, parts, strict=True)
    ]
    top = None
    if kind.name == MEANS:
        # A mean of few points is anywhere within the bounds: such ones would hide the others.
        more = np.where(unknown, 0.0, more)
        top = float(np.abs(more).max()) or 1.0
    shaded = Shaded(more, unknown.tolist(), says, kind.what, top, kind.signed, hatch="may be the same")
    if kind.name == "areas":
        question = f"How many more {kind.what} {one} has than {other}, by area: blue where it has more, red where it has fewer."
        which = "which has more"
    else:
        question = f"By how much the {kind.what} is higher in {one} than in {other}, by area: blue where higher, red where lower."
        which = "which is higher"
    caption = (
        f"{question} Where an area is hatched, the {_LEVEL} interval of the difference holds 0: it cannot be said {which}."
        f"{_OF_MEANS if kind.name == MEANS else ''}"
    )
    total = kind.of(everywhere)
    drawn = area_map(plan, shaded, caption, kind.name)
    label = f"{kind.label} in all areas, {one} less {other}"
    return View(drawn, Headline(label, kind.total(total), kind.ends(total)))
