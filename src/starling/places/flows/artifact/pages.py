"""What a release of flows says of itself: its parameters for privacy.json, its words for the registry, and its part of the report.

All of it is computed from the plan and from released values.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from starling.pages.parts import Headline, Picture, Section, Table
from starling.places.artifact import plan_files
from starling.places.artifact.plan_files import AREAS, PLAN
from starling.places.flows.answers.deviation import whole_ends
from starling.places.flows.answers.released import FlowCount, ReleasedFlows
from starling.places.flows.artifact.public_plan import FLOWS
from starling.places.flows.pictures import MOST, Arcs, arc_map, lines_of
from starling.places.flows.plan import Plan
from starling.release.codec import Json
from starling.release.registry import Product
from starling.release.report.pages import files
from starling.release.statement import Particulars
from starling.release.text import outside_note, rounded, whole

LISTED: Final = 15
"""Pairs of areas in the report."""
SURE: Final = "jointly with a probability of 95 %"


def particulars(plan: Plan) -> Particulars:
    """What privacy.json says of a release."""
    bounds: dict[str, Json] = {"trips_of_a_unit": plan.trips}
    if plan.columns.between:
        bounds["legs_of_a_trip"] = len(plan.columns.between) + 1
    if plan.unit == "person":
        bounds["kept"] = "the rows of smallest keyed hash among a person's own"
    levels = zip(plan.areas.level_names, plan.levels.sizes, plan.levels.shares, strict=True)
    mechanism: dict[str, Json] = {
        "name": "flows",
        **plan_files.stated(plan),
        "areas_sha256": plan.areas.digest,
        "levels": [{"name": name, "nodes": nodes, "share": str(share)} for name, nodes, share in levels],
    }
    if plan.slices is not None:
        mechanism["slices"] = len(plan.slice_names)
    return Particulars("places", mechanism, bounds)


def product(plan: Plan) -> Product:
    """A release in the words of the registry."""
    many = plan.levels.areas
    bound = plan.bound_of_person
    each = "Each trip leads from one area to one area."
    if plan.columns.between:
        each = f"Each trip has at most {len(plan.columns.between) + 1} legs, each from one area to one area."
        bound = f"{bound}, each with its legs, at most {len(plan.columns.between) + 1}"
    return Product(
        description=f"{plan.what} from each to each of {many:,} public areas{_in_slices(plan)}.",
        intended_use="Flows between areas and groups of areas, with row and column sums that agree.",
        region=f"{many:,} public areas",
        domain="Trips between the areas; those that begin or end elsewhere are dropped, and their number is not published.",
        bounds=bound if plan.unit == "person" else each,
        mechanisms="Discrete Laplace or Gaussian noise, exact over the integers, on every pair of nodes of every pair of levels.",
        post_processing="Weighted least squares make one table of all measurements; it is a function of them.",
        composition="Sequential over pairs of levels, parallel within each. The tree with every event is in privacy.json.",
        unprotected="Nothing about the trips is published without noise.",
    )


def charged(plan: Plan) -> Section:
    """The budget by pairs of levels."""
    stops = len(plan.columns.between)
    lies = "A trip lies in one pair of nodes of each pair of levels"
    if stops:
        lies = (
            f"A trip has at most {stops + 1} legs, for which the noise is as many times as wide, in each pair of levels"
        )
    text = f"""
        Protected is {plan.protected}. {plan.counted.capitalize()} are counted from every node to every node of each pair of levels of
        areas{_in_slices(plan)}, empty or not. {lies}, so that these costs add up.
    """
    table = Table(("Measured", plan.measure), plan.budgets, "Budget by pairs of levels")
    return Section("What was measured and charged", text, tables=(table,))


def _in_slices(plan: Plan) -> str:
    return "" if plan.slices is None else f" in each of {len(plan.slice_names):,} slices"


def headline(plan: Plan, everywhere: FlowCount) -> Headline:
    """All trips, in one number."""
    interval = f"95 % interval: {everywhere.lower:,} to {everywhere.upper:,}"
    note = outside_note([(round(everywhere.trips), everywhere.lower, everywhere.upper)])
    part = "" if everywhere.slice is None else f", {everywhere.slice}"
    return Headline(f"{plan.what} between all areas{part}", whole(everywhere.trips), interval, note)


def picture(released: ReleasedFlows, most: float | None = None) -> Picture:
    """The map of arcs; `most` is the number of trips of the thickest, by default of the largest."""
    pairs, trips = released.certain
    caption = _caption(released, len(pairs))
    pairs, trips = pairs[:MOST], trips[:MOST]
    margins = released.margins(released.each, released.each)[pairs[:, 0], pairs[:, 1]]
    ends = [whole_ends(*each) for each in zip(trips.tolist(), margins.tolist(), strict=True)]
    largest = float(trips.max(initial=1.0)) if most is None else most
    arcs = Arcs(pairs, trips, lines_of(released.plan.areas.names, pairs, trips, ends), largest, released.plan.counted)
    return Picture(partial(arc_map, released.plan.areas, arcs), caption, "flows")


def _caption(released: ReleasedFlows, sure: int) -> str:
    """What is drawn of so many pairs that surely have trips, in words."""
    counted = released.plan.counted
    part = "" if released.slice is None else f"Of {released.slice}. "
    if not sure:
        return f"{part}No pair of areas surely has {counted}: nothing is drawn. They may be there: too little can be said of them."
    pairs = f"{some_of(sure, 'pair of areas')} that surely {'has' if sure == 1 else 'have'} {counted}, {SURE}"
    arcs = f"Each arc bends to the right of its way; dots are {counted} within an area."
    unknown = "What is not drawn may be there: too little can be said of it."
    return f"{part}Drawn: {pairs}; thicker where more lead. {arcs} {unknown}"


def some_of(many: int, what: str) -> str:
    """How many of so many things are drawn, in words.

    >>> some_of(1, "pair"), some_of(40, "pair"), some_of(1600, "pair")
    ('the one pair', 'all 40 pairs', 'the largest 150 of 1,600 pairs')
    """
    if many == 1:
        return f"the one {what}"
    first, _, rest = what.partition(" ")
    named = f"{first}s {rest}".strip()
    return f"all {many} {named}" if many <= MOST else f"the largest {MOST} of {many:,} {named}"


def sections(slices: Sequence[ReleasedFlows]) -> tuple[Section, ...]:
    """The map and the largest flows of the first slice, what is public, files."""
    released = slices[0]
    plan = released.plan
    return (
        Section(
            f"Where {plan.counted} lead",
            pictures=(picture(released),),
            headline=headline(plan, released.count((), ())),
        ),
        _largest(released),
        _public(plan),
        files(
            (
                (
                    "data/flows.parquet",
                    f"estimated {plan.counted} of every pair of nodes of every pair of levels, with margins",
                ),
                (FLOWS, "every noisy number as it was drawn; the table is a function of them"),
                (PLAN, "the public plan, enough to make the table from the measurements again"),
                (AREAS, "the public areas"),
                ("privacy.json", "what is promised and was charged, with exact amounts"),
            )
        ),
    )


def _largest(released: ReleasedFlows) -> Section:
    pairs, trips = released.certain
    names = released.plan.areas.names
    margins = released.margins(released.each, released.each)
    rows = tuple(
        (f"{names[one]} to {names[other]}", rounded(many), f"± {rounded(float(margins[one, other]))}")
        for (one, other), many in list(zip(pairs.tolist(), trips.tolist(), strict=True))[:LISTED]
    )
    text = """
        Each estimate is off by at most its margin with a probability of 95 %, each on its own. They were chosen for being large, so that
        more of them than that are too large: "starling places flows" marks which surely are the largest.
    """
    part = "" if released.slice is None else f", {released.slice}"
    title = f"Largest flows between areas that surely have {released.plan.counted}{part}"
    table = Table(("From and to", released.plan.counted.capitalize(), "95 % margin"), rows, title)
    return Section("Largest flows", text, tables=(table,))


def _public(plan: Plan) -> Section:
    passed = " A stop that is missing or in no area is passed over: the leg leads on." if plan.columns.between else ""
    slices, late = ("", "") if plan.slices is None else (", the slices", ", or its time in no slice")
    text = f"""
        Public, and used as such: the {plan.levels.areas:,} areas with their hierarchy{slices}, and how the budget is shared. Every pair of
        them has a number, whether or not a trip led there.

        By the rule of all records a trip is dropped if an end is missing or in no area{late}.{passed} How many were dropped is not
        published.
    """
    return Section("What is public, and how trips are counted", text, folded=True)
