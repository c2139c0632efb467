"""The domain of points, as the registry of domains gives it to the frame."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starling.places.analysis import PlacesRelease
from starling.places.artifact.public_plan import read_plan
from starling.places.plan.grammar import PLAN
from starling.places.publication import CHECKS, PlacesPublication
from starling.release.domain import Delivering, Delivery, Domain, Invented
from starling.release.report.pages import PreviewPage


def _deliver(plan: str, files: Mapping[str, Path]) -> Delivery:
    from starling.places.publish import deliver

    return deliver(plan, files)


def _preview(plan: str, _: Mapping[str, Path]) -> PreviewPage:
    from starling.places.plan import Plan
    from starling.places.preview import preview

    return preview(Plan.load(plan))


def _invent(plan: str, _: Mapping[str, Path], folder: Path) -> Invented:
    from starling.places.generate.standing_in import stand_in
    from starling.places.plan import Plan

    written, records = stand_in(Path(plan), Plan.load(plan), folder)
    return Invented(str(written), {"records": records})


PLACES: Final = Domain(
    "places",
    CHECKS,
    lambda folder: PlacesPublication(read_plan(folder)),
    PlacesRelease,
    Delivering(("records",), _deliver, _preview, invent=_invent),
    {"places": PLAN},
)
