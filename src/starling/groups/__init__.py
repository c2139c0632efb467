"""Groups: numbers of groups by size over nested regions that add up exactly (Fioretto, Van Hentenryck and Zhu 2021)."""

from typing import TYPE_CHECKING

from starling.lazy import lazy

if TYPE_CHECKING:
    from starling.groups.optimise.cumulative import project_cumulative
    from starling.groups.optimise.histogram import project_histogram
    from starling.groups.preview import preview
    from starling.groups.publish import release
    from starling.groups.session import Plan, plan
    from starling.groups.source import open_records
    from starling.groups.source.validation import validate

__all__ = ["Plan", "open_records", "plan", "preview", "project_cumulative", "project_histogram", "release", "validate"]

lazy(
    __name__,
    {
        "optimise.cumulative": "project_cumulative",
        "optimise.histogram": "project_histogram",
        "preview": "preview",
        "publish": "release",
        "session": "Plan plan",
        "source": "open_records",
        "source.validation": "validate",
    },
)
