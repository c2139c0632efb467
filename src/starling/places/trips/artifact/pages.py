"""What a release of trips on a grid says of itself: its parameters for privacy.json, its words for the registry, its part of the report.

All of it is computed from the plan and from released values.
"""

from functools import partial
from typing import Final

import numpy as np

from starling.pages.parts import Headline, Picture, Section, Table
from starling.places.artifact import plan_files
from starling.places.artifact.plan_files import PLAN
from starling.places.flows.pictures import MOST
from starling.places.pictures.heat_map import HATCHED, heat_map
from starling.places.trips.answers.released import ReleasedTrips, TripAnswers
from starling.places.trips.artifact.public_plan import TRIPS, mechanism_of
from starling.places.trips.pictures import arcs_of, trip_map
from starling.places.trips.plan import Plan
from starling.privacy.budget import decimal_up
from starling.release.codec import Json
from starling.release.registry import Product
from starling.release.report.pages import files
from starling.release.statement import Particulars
from starling.release.text import outside_note, rounded, whole

QUARTERS: Final = ("south-west", "south-east", "north-west", "north-east")
"""Parts of the grid between which the report gives trips: public facts alone choose them."""


def particulars(plan: Plan) -> Particulars:
    """What privacy.json says of a release."""
    bounds: dict[str, Json] = {"trips_of_a_unit": plan.trips}
    if plan.unit == "person":
        bounds["kept"] = "the rows of smallest keyed hash among a person's own"
    mechanism: dict[str, Json] = {
        "name": "flows on a grid",
        **plan_files.stated(plan),
        "grid": plan.grid.stated,
        "budget": [{"name": name, "epsilon": str(amount)} for name, amount in mechanism_of(plan).budget],
    }
    return Particulars("places", mechanism, bounds)


def product(plan: Plan) -> Product:
    """A release in the words of the registry."""
    return Product(
        description=f"Trips ({plan.trip}) between the cells of a public grid of {plan.grid.rows:,} x {plan.grid.columns:,} cells.",
        intended_use="Trips from any rectangle to any, and how many begin or end in any.",
        region=f"A public box, {plan.grid.box_text}",
        domain="Trips with both ends in the box; others are dropped, and their number is not published.",
        bounds=plan.bound_of_person if plan.unit == "person" else "Each trip leads from one cell to one cell.",
        mechanisms="Adaptive trees over boxes of origins, of destinations and over pairs of boxes, with discrete Laplace noise,"
        " exact over the integers.",
        post_processing="One estimate is made of all measurements; it is a function of them.",
        composition="Sequential over the three trees and down each path, parallel across boxes. The tree with every event is in"
        " privacy.json.",
        unprotected="Nothing about the trips is published without noise.",
    )


def charged(plan: Plan) -> Section:
    """The budget by what is measured."""
    rows = tuple((name, decimal_up(amount)) for name, amount in mechanism_of(plan).budget)
    text = f"""
        Protected is {plan.protected}. Boxes where trips begin, boxes where they end, and pairs of boxes are cut where noisy numbers say
        that trips lie, and measured, empty or not. What stands below is spent along each path from the whole to what is not cut further.
    """
    return Section("What was measured and charged", text, tables=(Table(("Measured", "epsilon"), rows, "Budget"),))


def headline(plan: Plan, everywhere: TripAnswers) -> Headline:
    """All trips, in one number."""
    trips, lower, upper = float(everywhere.trips[0]), int(everywhere.lower[0]), int(everywhere.upper[0])
    interval = f"95 % interval: {lower:,} to {upper:,}"
    return Headline(
        f"Trips ({plan.trip}) in the whole box", whole(trips), interval, outside_note([(round(trips), lower, upper)])
    )


CAPTION: Final = (
    f"The largest {MOST} pairs of boxes that surely have trips, all of them together with a probability of 95 %; thicker where more lead."
    " Arcs join the middles of boxes, whose outlines are drawn, and bend to the right of their way; dots are trips within a box. What is"
    " not drawn may be there: too little can be said of it."
)


def arc_picture(released: ReleasedTrips) -> Picture:
    """The map of arcs."""
    pairs, trips, *ends = released.certain
    boxes, arcs = arcs_of(released.plan.grid, pairs[:MOST], trips[:MOST], (ends[0][:MOST], ends[1][:MOST]))
    return Picture(partial(trip_map, released.plan.grid, boxes, arcs), CAPTION, "flows")


def pictures(released: ReleasedTrips) -> tuple[Picture, ...]:
    """Where trips lead, where they begin, and where they end."""
    grid, trip = released.plan.grid, released.plan.trip

    def picture(end: int, name: str, does: str) -> Picture:
        caption = f"Where released trips ({trip}) {does}, in a stronger colour where there are more. {HATCHED}"
        draw = partial(heat_map, grid, "trips", released.margins[end], released.ends[end].surety)
        return Picture(draw, caption, name)

    return arc_picture(released), picture(0, "origins", "begin"), picture(1, "destinations", "end")


def quarters(released: ReleasedTrips) -> Table:
    """Trips between the quarters of the grid, with sure intervals."""
    rows, columns = released.plan.grid.shape
    x, y = columns / 2, rows / 2
    boxes = np.array([[0, 0, x, y], [x, 0, columns, y], [0, y, x, rows], [x, y, columns, rows]])
    begin, end = (each.reshape(-1) for each in np.indices((len(QUARTERS), len(QUARTERS))))
    answers = released.count(boxes[begin], boxes[end])
    listed = (begin, end, answers.trips, answers.lower, answers.upper)
    lines = tuple(
        (QUARTERS[one], QUARTERS[other], rounded(trips), f"{low:,}", f"{high:,}")
        for one, other, trips, low, high in zip(*(each.tolist() for each in listed), strict=True)
    )
    header = ("From the quarter", "to", "Trips", "Surely from", "to")
    return Table(header, lines, "Trips between the quarters of the box", note=answers.outside_note)


def sections(released: ReleasedTrips) -> tuple[Section, ...]:
    """Where trips lead, trips between quarters, what is public, files."""
    plan = released.plan
    text = """
        A sure interval holds the true number with a probability of 95 %, whatever the data, each on its own. Its width is noise, and all
        trips of pairs of boxes that the query cuts: "starling places flows" answers any rectangles.
    """
    return (
        Section("Where trips lead", pictures=pictures(released), headline=headline(plan, released.count())),
        Section("How far the numbers may be off", text, tables=(quarters(released),)),
        _public(plan),
        files(
            (
                ("data/flows.parquet", "estimated trips of every pair of boxes that was not cut further"),
                ("data/cells.parquet", "estimated trips that begin, and that end, in every cell"),
                (TRIPS, "every noisy number as it was drawn; the tables are a function of them"),
                (PLAN, "the public plan, enough to make the tables from the measurements again"),
                ("privacy.json", "what is promised and was charged, with exact amounts"),
            )
        ),
    )


def _public(plan: Plan) -> Section:
    text = f"""
        Public, and used as such: the box ({plan.grid.box_text}), its {plan.grid.rows:,} rows and {plan.grid.columns:,} columns, and how the
        budget is shared. Within a pair of boxes trips are spread as released origins and destinations lie, not as they lead.

        By the rule of all records a trip is dropped if an end is missing, no point, or outside the box. How many were dropped is not
        published.
    """
    return Section("What is public, and how trips are counted", text, folded=True)
