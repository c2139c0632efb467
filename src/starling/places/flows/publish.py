"""A release of flows: from records to a folder that everybody may read."""

from typing import Final

from starling.places.areas.source.locate import locator_of
from starling.places.flows.counts import count
from starling.places.flows.publication import FlowsPublication
from starling.places.flows.source.validation import validate
from starling.places.source.trips import open_records
from starling.release.from_records import FromRecords

FLOWS: Final = FromRecords(
    FlowsPublication, open_records, count, validate, lambda plan: plan.columns.coordinates and locator_of(plan.areas)
)
"""Polygons are prepared where records are located by them."""
