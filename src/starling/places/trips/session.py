"""Trips on a grid in a Python session: a plan that previews, validates, invents and releases.

plan = places.TripsPlan.load("plan.toml")
release = plan.release(frame)
release.count([-74.0, 40.7, -73.9, 40.8], [-73.8, 40.6, -73.7, 40.7], "degrees")
"""

from pathlib import Path

from starling.places.trips.analysis import TripsRelease
from starling.places.trips.generate import INVENTION
from starling.places.trips.plan import Plan as ChosenPlan
from starling.places.trips.preview import Preview, preview
from starling.places.trips.publish import TRIPS
from starling.release.described import Generated
from starling.release.in_session import OfRecords, RecordsPlan


class TripsPlan(ChosenPlan, RecordsPlan[TripsRelease]):
    """A plan of trips on a grid, and what a session does with it.

    It is read by `TripsPlan.load`, or stated by the keys of a plan file in `TripsPlan.of`.
    """

    _of_records = OfRecords(TRIPS, TripsRelease)

    def preview(self, *, expected: int | None = None) -> Preview:
        """How far the noise moves numbers of pairs of boxes, by depth. Opens no records.

        Args:
            expected: About how many trips there are, publicly; as the plan has it without it.

        Raises:
            PlanError: the number of trips is not known.
        """
        return preview(self, expected=expected)

    def generate(self, out: str | Path, *, trips: int | None = None, seed: int = 1) -> Generated:
        """Invent trips of the plan, to try everything with. They describe nobody.

        Args:
            out: Folder to make; must not exist.
            trips: How many; by default as many as the plan expects, at most 100,000, or 20,000 where it expects none.
            seed: Public: the same gives the same trips.

        Raises:
            ParameterError: a number is below 0.
            OutputError: the folder exists or cannot be made.
        """
        return INVENTION.write_for(self, Path(out).absolute(), seed=seed, many=trips)
