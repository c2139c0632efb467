"""Flows in a Python session: a plan that previews, validates, invents and releases.

plan = places.FlowsPlan.load("plan.toml")
release = plan.release(frame)
release.count(["Queens"], ["Manhattan"])
"""

from pathlib import Path

from starling.places.flows.analysis import FlowsRelease
from starling.places.flows.generate import INVENTION
from starling.places.flows.plan import Plan as ChosenPlan
from starling.places.flows.preview import Preview
from starling.places.flows.publish import FLOWS
from starling.release.described import Generated
from starling.release.in_session import OfRecords, RecordsPlan


class FlowsPlan(ChosenPlan, RecordsPlan[FlowsRelease]):
    """A plan of flows, and what a session does with it.

    It is read by `FlowsPlan.load`, or stated by the keys of a plan file in `FlowsPlan.of`.
    """

    _of_records = OfRecords(FLOWS, FlowsRelease)

    def preview(self) -> Preview:
        """How far numbers of trips will be off, by pair of levels. Opens no records."""
        return Preview(self)

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
