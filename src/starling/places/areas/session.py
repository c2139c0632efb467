"""Areas in a Python session: a plan that previews, validates, invents and releases.

plan = places.AreasPlan.load("plan.toml")
release = plan.release(frame)
release.number("Manhattan")
"""

from starling.places.areas.analysis import AreasRelease
from starling.places.areas.generate import INVENTION
from starling.places.areas.mechanism import PricedPlan
from starling.places.areas.preview import Preview, preview
from starling.places.areas.publish import AREAS
from starling.places.generate.standing_in import InventsPoints
from starling.release.in_session import OfRecords, RecordsPlan


class AreasPlan(PricedPlan, InventsPoints, RecordsPlan[AreasRelease]):
    """A plan of points by public areas, and what a session does with it: read by `load`, or stated by the keys of a plan file in `of`."""

    _of_records = OfRecords(AREAS, AreasRelease)
    _invention = INVENTION

    def preview(self, *, expected: int | None = None) -> Preview:
        """How far the numbers of each level will be off, exactly: it follows from the plan. Opens no records.

        Args:
            expected: About how many points there are, publicly; as the plan has it without it.
        """
        return preview(self, expected=expected)
