"""The page of a release of flows whose arcs say their numbers: of each slice, and of what one slice has more than another."""

from collections.abc import Sequence
from functools import partial
from math import ceil, floor
from typing import Final

from starling.pages.parts import Headline, Picture
from starling.pages.views import View, Views
from starling.places.flows.answers.released import ReleasedFlows
from starling.places.flows.artifact.pages import SURE, headline, picture, some_of
from starling.places.flows.pictures import MOST, Arcs, arc_map, lines_of
from starling.release.text import whole

ALIKE: Final = "Arcs are as thick in all slices where as many trips lead. "
NOTES: Final = (
    "Drawn are pairs of areas that surely have trips, all with 95 % together.",
    "Each interval has a probability of 95 % on its own; as pairs are drawn for being large, more of their estimates are too large.",
)


def views(slices: Sequence[ReleasedFlows]) -> Views:
    """The views of some slices of one release."""
    plan = slices[0].plan
    most = max(float(each.certain[1].max(initial=1.0)) for each in slices)

    def make(one: int, other: int | None) -> View:
        shown = slices[one]
        if other is None:
            return View(picture(shown, most), headline(plan, shown.count((), ())))
        return _difference(shown, slices[other], most)

    names = [each.slice or "" for each in slices]
    notes = [(ALIKE if len(slices) > 1 else "") + NOTES[0], *NOTES[1:]]
    about = f"Released {plan.counted} ({plan.trip}) from area to area"
    return Views(
        plan.title,
        about,
        names,
        {plan.counted: make},
        [note.replace("trips", plan.counted) for note in notes],
        "the command places flows",
    )


def _difference(shown: ReleasedFlows, other: ReleasedFlows, most: float) -> View:
    plan = shown.plan
    pairs, more = shown.certainly_other(other)
    differing = len(pairs)
    pairs, more = pairs[:MOST], more[:MOST]
    margins = shown.margins_between()[pairs[:, 0], pairs[:, 1]]
    ends = [
        (ceil(many - margin), floor(many + margin))
        for many, margin in zip(more.tolist(), margins.tolist(), strict=True)
    ]
    arcs = Arcs(pairs, more, lines_of(plan.areas.names, pairs, more, ends), most, plan.counted)
    caption = (
        f"Where {shown.slice} surely has more {plan.counted} than {other.slice} (blue) or fewer (red), {SURE}:"
        f" {some_of(differing, 'difference') if differing else 'no pair of areas'}."
        " What is not drawn may differ too: too little can be said of it."
    )
    everywhere = shown.difference(((), ()), ((), ()), other_slice=other)
    label = f"{plan.what} between all areas, {shown.slice} less {other.slice}"
    interval = f"95 % interval: {everywhere.lower:,} to {everywhere.upper:,}"
    drawn = Picture(partial(arc_map, plan.areas, arcs), caption, "flows")
    return View(drawn, Headline(label, whole(everywhere.trips), interval))
