"""The kinds of plans and releases of places, by what is released: the cells of a grid, areas, flows between areas, or trips between cells.
Each has rooms of its own.

A plan file says its kind by its tables, `[grid]`, `[areas]`, or `[flows]` beside one of them, and a release by the public files in its
folder. What a kind is made of is imported when one is there.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starling.engine.spark import DUCKDB
from starling.planfile.toml import read_file

if TYPE_CHECKING:
    from starling.places.analysis import PlacesRelease
    from starling.places.areas.analysis import AreasRelease
    from starling.places.areas.mechanism import PricedPlan
    from starling.places.flows.analysis import FlowsRelease
    from starling.places.flows.plan import Plan as FlowsPlan
    from starling.places.mechanism.table import MeasuredPlan
    from starling.places.trips.analysis import TripsRelease
    from starling.places.trips.plan import Plan as TripsPlan
    from starling.release.domain import Delivery, Publication
    from starling.release.reading import Release

AREAS_FILE = "plan/areas.geojson"
"""The public file that a release of areas has, and one of flows."""
FLOWS = "flows"
"""The table of plans of flows, in a release too."""
GRID = "grid"
"""The table of plans of a grid, beside which flows are trips between its cells."""
_PLAN = "plan/plan.json"


def load(plan: str | Path) -> "MeasuredPlan | PricedPlan | FlowsPlan | TripsPlan":
    """The plan of a file, which knows what it costs; raises PlanError with every problem found."""
    tables = read_file(Path(plan).absolute()).values
    if FLOWS in tables and GRID in tables and "areas" not in tables:
        from starling.places.trips.plan import Plan as TripsPlan

        return TripsPlan.load(plan)
    if FLOWS in tables:
        from starling.places.flows.plan import Plan as FlowsPlan

        return FlowsPlan.load(plan)
    if "areas" in tables:
        from starling.places.areas.mechanism import PricedPlan

        return PricedPlan.load(plan)
    from starling.places.mechanism.table import MeasuredPlan

    return MeasuredPlan.load(plan)


def publication_of(plan: "MeasuredPlan | PricedPlan | FlowsPlan | TripsPlan") -> "Publication[Any, Any]":
    """A release of a plan as the frame publishes it."""
    from starling.places.areas.plan.model import AreasPlan
    from starling.places.areas.publication import AreasPublication
    from starling.places.flows.plan import Plan as FlowsPlan
    from starling.places.flows.publication import FlowsPublication
    from starling.places.publication import PlacesPublication
    from starling.places.trips.plan import Plan as TripsPlan
    from starling.places.trips.publication import TripsPublication

    if isinstance(plan, TripsPlan):
        return TripsPublication(plan)
    if isinstance(plan, FlowsPlan):
        return FlowsPublication(plan)
    return AreasPublication(plan) if isinstance(plan, AreasPlan) else PlacesPublication(plan)


def reopened(folder: Path) -> "Publication[Any, Any]":
    """The publication of a release, from the public choices in its folder; raises IntegrityError or PlanError where they are none."""
    if _has_flows(folder):
        if (folder / AREAS_FILE).is_file():
            from starling.places.flows.publication import FlowsPublication

            return FlowsPublication.reopened(folder)
        from starling.places.trips.publication import TripsPublication

        return TripsPublication.reopened(folder)
    if (folder / AREAS_FILE).is_file():
        from starling.places.areas.publication import AreasPublication

        return AreasPublication.reopened(folder)
    from starling.places.publication import PlacesPublication

    return PlacesPublication.reopened(folder)


def opened(release: "Release") -> "PlacesRelease | AreasRelease | FlowsRelease | TripsRelease":
    """An opened release with what analysts need."""
    if _has_flows(release.folder):
        if (release.folder / AREAS_FILE).is_file():
            from starling.places.flows.analysis import FlowsRelease

            return FlowsRelease(release)
        from starling.places.trips.analysis import TripsRelease

        return TripsRelease(release)
    if (release.folder / AREAS_FILE).is_file():
        from starling.places.areas.analysis import AreasRelease

        return AreasRelease(release)
    from starling.places.analysis import PlacesRelease

    return PlacesRelease(release)


def deliver(plan: str, files: Mapping[str, Path], engine: str = DUCKDB) -> "Delivery":
    """A plan file with its records, opened; raises PlanError, SourceError or ParameterError by public checks."""
    from starling.places.areas.plan.model import AreasPlan
    from starling.places.areas.publish import AREAS
    from starling.places.flows.plan import Plan as FlowsPlan
    from starling.places.flows.publish import FLOWS
    from starling.places.publish import POINTS
    from starling.places.trips.plan import Plan as TripsPlan
    from starling.places.trips.publish import TRIPS

    chosen = load(plan)
    kind = POINTS
    if isinstance(chosen, TripsPlan):
        kind = TRIPS
    elif isinstance(chosen, FlowsPlan):
        kind = FLOWS
    elif isinstance(chosen, AreasPlan):
        kind = AREAS
    return kind.deliver(chosen, files["records"], engine)


def _has_flows(folder: Path) -> bool:
    """Whether the plan of a release is one of flows; not where there is none, which its reader then refuses."""
    try:
        stated = json.loads((folder / _PLAN).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(stated, dict) and FLOWS in stated
