"""The domain of points, as the registry of domains gives it to the frame."""

from typing import Final

from starling.places.analysis import PlacesRelease
from starling.places.artifact.public_plan import read_plan
from starling.places.publication import CHECKS, PlacesPublication
from starling.release.domain import Domain

PLACES: Final = Domain("places", CHECKS, lambda folder: PlacesPublication(read_plan(folder)), PlacesRelease)
