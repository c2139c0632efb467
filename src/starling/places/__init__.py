"""Places: location histograms that answer any rectangle (Shaham et al. 2021, "HTF", and what is better)."""

from typing import TYPE_CHECKING

from starling.lazy import lazy

if TYPE_CHECKING:
    from starling.places.areas.session import AreasPlan
    from starling.places.flows.session import FlowsPlan
    from starling.places.publish import release
    from starling.places.session import Plan, plan
    from starling.places.source import open_records
    from starling.places.source.validation import validate
    from starling.places.trips.session import TripsPlan

__all__ = ["AreasPlan", "FlowsPlan", "Plan", "TripsPlan", "open_records", "plan", "release", "validate"]

lazy(
    __name__,
    {
        "areas.session": "AreasPlan",
        "flows.session": "FlowsPlan",
        "publish": "release",
        "session": "Plan plan",
        "source": "open_records",
        "source.validation": "validate",
        "trips.session": "TripsPlan",
    },
)
