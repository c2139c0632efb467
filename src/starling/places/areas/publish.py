"""A release of areas: from records to a folder that everybody may read."""

from typing import Final

from starling.places.areas.counts import count
from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.publication import AreasPublication
from starling.places.areas.source.locate import locator_of
from starling.places.areas.source.validation import validate
from starling.places.source import open_records
from starling.release.from_records import FromRecords


def _prepare(plan: AreasPlan) -> None:
    """Prepare the polygons, where records are located by them."""
    if not plan.columns.area:
        locator_of(plan.areas)


AREAS: Final = FromRecords(AreasPublication, open_records, count, validate, _prepare)
