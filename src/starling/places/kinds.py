"""The kinds of plans and releases of places, by what is released: the cells of a grid, areas, or flows between them. Each has rooms of its
own.

A plan file says its kind by its tables, `[grid]`, `[areas]`, or `[flows]` beside it, and a release by the public files in its folder. What
a kind is made of is imported when one is there.
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
    from starling.release.domain import Delivery, Publication
    from starling.release.reading import Release

AREAS_FILE = "plan/areas.geojson"
"""The public file that a release of areas has, and one of flows."""
FLOWS = "flows"
"""The table of plans of flows, in a release too."""
_PLAN = "plan/plan.json"


def load(plan: str | Path) -> "MeasuredPlan | PricedPlan | FlowsPlan":
    """The plan of a file, which knows what it costs; raises PlanError with every problem found."""
    tables = read_file(Path(plan).absolute()).values
    if FLOWS in tables:
        from starling.places.flows.plan import Plan as FlowsPlan

        return FlowsPlan.load(plan)
    if "areas" in tables:
        from starling.places.areas.mechanism import PricedPlan

        return PricedPlan.load(plan)
    from starling.places.mechanism.table import MeasuredPlan

    return MeasuredPlan.load(plan)


def publication_of(plan: "MeasuredPlan | PricedPlan | FlowsPlan") -> "Publication[Any, Any]":
    """A release of a plan as the frame publishes it."""
    from starling.places.areas.plan.model import AreasPlan
    from starling.places.areas.publication import AreasPublication
    from starling.places.flows.plan import Plan as FlowsPlan
    from starling.places.flows.publication import FlowsPublication
    from starling.places.publication import PlacesPublication

    if isinstance(plan, FlowsPlan):
        return FlowsPublication(plan)
    return AreasPublication(plan) if isinstance(plan, AreasPlan) else PlacesPublication(plan)


def reopened(folder: Path) -> "Publication[Any, Any]":
    """The publication of a release, from the public choices in its folder; raises IntegrityError or PlanError where they are none."""
    if _has_flows(folder):
        from starling.places.flows.publication import reopened
    elif (folder / AREAS_FILE).is_file():
        from starling.places.areas.publication import reopened  # type: ignore[assignment]
    else:
        from starling.places.publication import reopened  # type: ignore[assignment]
    return reopened(folder)


def opened(release: "Release") -> "PlacesRelease | AreasRelease | FlowsRelease":
    """An opened release with what analysts need."""
    if _has_flows(release.folder):
        from starling.places.flows.analysis import FlowsRelease

        return FlowsRelease(release)
    if (release.folder / AREAS_FILE).is_file():
        from starling.places.areas.analysis import AreasRelease

        return AreasRelease(release)
    from starling.places.analysis import PlacesRelease

    return PlacesRelease(release)


def deliver(plan: str, files: Mapping[str, Path], engine: str = DUCKDB) -> "Delivery":
    """A plan file with its records, opened; raises PlanError, SourceError or ParameterError by public checks."""
    from starling.places.areas.plan.model import AreasPlan
    from starling.places.areas.publish import deliver as deliver_areas
    from starling.places.flows.plan import Plan as FlowsPlan
    from starling.places.flows.publish import deliver as deliver_flows
    from starling.places.publish import deliver as deliver_grid

    chosen = load(plan)
    if isinstance(chosen, FlowsPlan):
        return deliver_flows(chosen, files["records"], engine)
    if isinstance(chosen, AreasPlan):
        return deliver_areas(chosen, files["records"], engine)
    return deliver_grid(chosen, files["records"], engine)


def _has_flows(folder: Path) -> bool:
    """Whether the plan of a release is one of flows; not where there is none, which its reader then refuses."""
    if not (folder / AREAS_FILE).is_file():
        return False
    try:
        stated = json.loads((folder / _PLAN).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(stated, dict) and FLOWS in stated
