"""The domain of points, as the registry of domains gives it to the frame."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starling.places.analysis import PlacesRelease
from starling.places.artifact.public_plan import read_plan
from starling.places.publication import CHECKS, PlacesPublication
from starling.release.domain import Delivering, Delivery, Domain


def _deliver(plan: str, files: Mapping[str, Path]) -> Delivery:
    from starling.places.publish import deliver

    return deliver(plan, files)


PLACES: Final = Domain(
    "places",
    CHECKS,
    lambda folder: PlacesPublication(read_plan(folder)),
    PlacesRelease,
    Delivering(("records",), _deliver),
)
