"""Places in a Python session: a plan that previews, validates, invents and releases, and a short way to a plan.

plan = places.plan(box=("-74.3", "40.5", "-73.7", "41"), shape=(256, 256), x="lon", y="lat", epsilon=1, expected=100_000)
plan.preview()
release = plan.release(frame)
release.count([(-74.0, 40.7, -73.9, 40.8)], "degrees")
"""

from collections.abc import Mapping, Sequence
from typing import Any

from starling.places.analysis import PlacesRelease
from starling.places.generate import INVENTION
from starling.places.generate.standing_in import InventsPoints
from starling.places.mechanism.table import MeasuredPlan
from starling.places.plan.choices import ADAPTIVE
from starling.places.preview import SIZES, Preview, preview
from starling.places.publish import POINTS
from starling.privacy.budget import Exact
from starling.release.in_session import OfRecords, RecordsPlan


class Plan(MeasuredPlan, InventsPoints, RecordsPlan[PlacesRelease]):
    """A plan of places, and what a session does with it.

    It is made by `places.plan`, read by `Plan.load`, or stated by the keys of a plan file in `Plan.of`. `cost` is what a release costs.
    """

    _of_records = OfRecords(POINTS, PlacesRelease)
    _invention = INVENTION

    def preview(self, *, expected: int | None = None, sizes: Sequence[float] = SIZES) -> Preview:
        """How far counts of squares will be off, by method. Opens no records.

        Args:
            expected: About how many points there are, publicly; as the plan has it without it.
            sizes: Sides of the squares that matter, in percent of the sides of the grid.

        Raises:
            PlanError: the number of points is not known, or the grid is too fine to be simulated.
            ParameterError: a size is not above 0 and at most 100.
        """
        return preview(self, expected=expected, sizes=sizes)


def plan(
    box: Sequence[Exact],
    shape: tuple[int, int],
    *,
    epsilon: Exact,
    x: str = "x",
    y: str = "y",
    crs: str = "degrees",
    expected: int | None = None,
    method: str | None = None,
    purpose: str | None = None,
    title: str = "Points",
) -> Plan:
    """A plan that counts points in the cells of a grid; other choices are keys of a plan file, which `Plan.of` takes.

    Args:
        box: x0, y0, x1, y1 of the grid: public, never taken from the points.
        shape: Rows and columns of the grid.
        epsilon: What a release costs, exact: 1, "0.5" or a fraction.
        x: The column of longitudes, or of x.
        y: The column of latitudes, or of y.
        crs: "degrees" or "equal-area".
        expected: Public, about how many points; previews need it.
        method: By default the best for most data.
        purpose: Of `adaptive`: "all", its default, or "streets".
        title: What is published.

    Raises:
        ParameterError: an argument is of another kind.
        PlanError: with every problem found.

    >>> plan((0, 0, 1, 1), (8, 8), epsilon=1).cost
    epsilon 1
    """
    rows, columns = shape
    values: Mapping[str, Any] = {
        "title": title,
        "point": "point",
        "expected": expected,
        "grid": {"crs": crs, "box": [str(each) for each in box], "rows": rows, "columns": columns},
        "input": {"x": x, "y": y},
        "privacy": {"unit": "point", "epsilon": epsilon},
        "method": None if method is purpose is None else {"name": method or ADAPTIVE, "for": purpose},
    }
    return Plan.of(values)
