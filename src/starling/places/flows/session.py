"""Flows in a Python session: a plan that previews, validates, invents and releases.

plan = places.FlowsPlan.load("plan.toml")
release = plan.release(frame)
release.count(["Queens"], ["Manhattan"])
"""

from starling.places.flows.analysis import FlowsRelease
from starling.places.flows.generate import INVENTION
from starling.places.flows.plan import Plan as ChosenPlan
from starling.places.flows.preview import Preview
from starling.places.flows.publish import FLOWS
from starling.places.generate.standing_in import InventsTrips
from starling.release.in_session import OfRecords, RecordsPlan


class FlowsPlan(ChosenPlan, InventsTrips, RecordsPlan[FlowsRelease]):
    """A plan of flows, and what a session does with it.

    It is read by `FlowsPlan.load`, or stated by the keys of a plan file in `FlowsPlan.of`.
    """

    _of_records = OfRecords(FLOWS, FlowsRelease)
    _invention = INVENTION

    def preview(self) -> Preview:
        """How far numbers of trips will be off, by pair of levels. Opens no records."""
        return Preview(self)
