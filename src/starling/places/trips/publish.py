"""A release of trips on a grid: from records to a folder that everybody may read."""

from typing import Final

from starling.places.source.trips import open_records
from starling.places.trips.counts import count
from starling.places.trips.publication import TripsPublication
from starling.places.trips.source.validation import validate
from starling.release.from_records import FromRecords

TRIPS: Final = FromRecords(TripsPublication, open_records, count, validate)
