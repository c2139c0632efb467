"""The pages of a release of flows: the map of arcs, and the largest of them as a table."""

from starling.pages.parts import Table
from starling.places.flows.analysis import FlowsRelease
from starling.screens.places.views import ViewsPages

LISTED = 20
"""Pairs of areas in the table."""


class FlowsPages(ViewsPages[FlowsRelease]):
    """The pages of a release of flows; of several slices the first page shows the first."""

    def __init__(self, release: FlowsRelease) -> None:
        super().__init__(release)
        self.counted = release.plan.counted

    def summary(self) -> Table:
        """The pairs of areas with most trips; all their intervals hold together."""
        flows = self.release
        first = flows.slices[0]
        largest = first.largest(min(LISTED, first.trips.size))
        header = largest.header()[1:]
        rows = tuple(tuple(row[1:]) for row in largest.rows())
        note = "All intervals hold together with a probability of 95 %."
        part = "" if first.slice is None else f", {first.slice}"
        return Table(header, rows, f"Largest flows ({flows.plan.trip}){part}", note=note)
