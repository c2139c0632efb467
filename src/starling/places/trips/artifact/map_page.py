"""The page of a release of trips on a grid whose arcs say their numbers."""

from typing import Final

from starling.pages.views import View, Views
from starling.places.trips.answers.released import ReleasedTrips
from starling.places.trips.artifact.pages import arc_picture, headline

NOTES: Final = (
    "Drawn are pairs of boxes that surely have trips. All their intervals hold together with a probability of 95 %.",
    "A box is named by its west, south, east and north end, as --from and --to take it, with --units box.",
)


def views(released: ReleasedTrips) -> Views:
    """The only view of a release."""
    plan = released.plan
    view = View(arc_picture(released), headline(plan, released.count()))
    about = f"Released trips ({plan.trip}) from box to box of a grid"
    return Views(
        plan.title, about, [""], {"trips": lambda *_: view}, NOTES, "the command places flows", differences=False
    )
