"""Areas in a Python session: a plan that previews, validates, invents and releases.

plan = places.AreasPlan.load("plan.toml")
release = plan.release(frame)
release.number("Manhattan")
"""

from pathlib import Path

from starling.places.areas.analysis import AreasRelease
from starling.places.areas.generate import INVENTION
from starling.places.areas.mechanism import PricedPlan
from starling.places.areas.preview import Preview, preview
from starling.places.areas.publish import AREAS
from starling.release.described import Generated
from starling.release.in_session import OfRecords, RecordsPlan


class AreasPlan(PricedPlan, RecordsPlan[AreasRelease]):
    """A plan of points by public areas, and what a session does with it: read by `load`, or stated by the keys of a plan file in `of`."""

    _of_records = OfRecords(AREAS, AreasRelease)

    def preview(self, *, expected: int | None = None) -> Preview:
        """How far the numbers of each level will be off, exactly: it follows from the plan. Opens no records.

        Args:
            expected: About how many points there are, publicly; as the plan has it without it.
        """
        return preview(self, expected=expected)

    def generate(self, out: str | Path, *, points: int | None = None, seed: int = 1) -> Generated:
        """Invent points of the plan, to try everything with. They describe nobody.

        Args:
            out: Folder to make; must not exist.
            points: How many; by default as many as the plan expects, at most 100,000, or 20,000 where it expects none.
            seed: Public: the same gives the same points.

        Raises:
            ParameterError: a number is below 0; or records name cells of H3, and the extra h3 is missing.
            OutputError: the folder exists or cannot be made.
        """
        return INVENTION.write_for(self, Path(out).absolute(), seed=seed, many=points)
