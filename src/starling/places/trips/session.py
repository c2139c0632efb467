"""Trips on a grid in a Python session: a plan that previews, validates, invents and releases.

plan = places.TripsPlan.load("plan.toml")
release = plan.release(frame)
release.count([-74.0, 40.7, -73.9, 40.8], [-73.8, 40.6, -73.7, 40.7], "degrees")
"""

from starling.places.generate.standing_in import InventsTrips
from starling.places.trips.analysis import TripsRelease
from starling.places.trips.generate import INVENTION
from starling.places.trips.plan import Plan as ChosenPlan
from starling.places.trips.preview import Preview, preview
from starling.places.trips.publish import TRIPS
from starling.release.in_session import OfRecords, RecordsPlan


class TripsPlan(ChosenPlan, InventsTrips, RecordsPlan[TripsRelease]):
    """A plan of trips on a grid, and what a session does with it.

    It is read by `TripsPlan.load`, or stated by the keys of a plan file in `TripsPlan.of`.
    """

    _of_records = OfRecords(TRIPS, TripsRelease)
    _invention = INVENTION

    def preview(self, *, expected: int | None = None) -> Preview:
        """How far the noise moves numbers of pairs of boxes, by depth. Opens no records.

        Args:
            expected: About how many trips there are, publicly; as the plan has it without it.

        Raises:
            PlanError: the number of trips is not known.
        """
        return preview(self, expected=expected)
