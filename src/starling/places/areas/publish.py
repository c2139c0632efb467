"""A release of areas: from records to a folder that everybody may read."""

from typing import Final

from starling.places.areas.counts import count
from starling.places.areas.publication import AreasPublication
from starling.places.areas.source.locate import locator_of
from starling.places.areas.source.validation import validate
from starling.places.source import open_records
from starling.release.from_records import FromRecords

AREAS: Final = FromRecords(
    AreasPublication, open_records, count, validate, lambda plan: plan.columns.area or locator_of(plan.areas)
)
"""Polygons are prepared where records are located by them."""
