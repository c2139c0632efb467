"""The demo's fourth chapter: the airports of the world, how many lie in a rectangle of the map, and the truth beside what is published.

Where airports lie is public (package airportsdata), so the truth may be shown. Each is treated as one protected point.
"""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starling.cli.commands import Result
from starling.cli.demo.chapter import packaged, written

if TYPE_CHECKING:
    import pyarrow as pa

    from starling.places.plan import Plan
    from starling.release.pipeline import Published

RECTANGLES: Final = {
    "all of the map": (-180, -90, 180, 90),
    "Europe west of 30 degrees": (-11, 36, 30, 71),
    "Alps, 5 to 16 degrees": (5, 44, 16, 48),
    "Iceland": (-25, 63, -13, 67),
    "Kansas": (-102, 37, -94.6, 40),
    "South Pole to 60 degrees": (-180, -90, 180, -60),
}
"""West, south, east and north ends in degrees."""
PLAN: Final = """\
title = "Airports of the world"
point = "airport"
expected = 28000

[grid]
crs = "degrees"
box = ["-180", "-90", "180", "90"]
rows = 512
columns = 1024

[input]
x = "lon"
y = "lat"

[privacy]
unit = "point"
epsilon = "1"
"""


def data() -> Path:
    """The file of airports; raises ParameterError where airportsdata is not installed."""
    return packaged("airportsdata", "airports.csv", "places")


def chapter(out: Path, step: Callable[[str], None]) -> tuple[Result, tuple[str, ...]]:
    """Publish where airports lie in the folder `out`, and compare: what is shown, and commands that work when pasted."""
    from starling.places.plan import Plan
    from starling.places.publish import release
    from starling.release.payment import PaymentOptions
    from starling.release.pipeline import Listener

    step("reading the airports of the world")
    airports = write(out, data())
    plan, records = Plan.load(out / "plan.toml"), out / "airports.parquet"
    released = release(
        plan, records, out / "release", payment=PaymentOptions(unvalidated=True), listener=Listener(step=step)
    )
    rows = _rows(released.folder, airports)
    following = (
        f"starling places plan {out / 'plan.toml'}",
        f"starling places evaluate {out / 'plan.toml'} --release {out / 'release'} --records {records}",
        f"starling places map {out / 'release'} --out {out / 'map.html'}",
    )
    return Result(lambda: _text(plan, out, rows), lambda: _json(plan, out, released, rows)), following


def write(out: Path, path: Path) -> "pa.Table":
    """Write plan and airports into the new folder `out`; longitude and latitude of each airport."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with path.open(encoding="utf-8", newline="") as file:
        places = [(float(row["lon"]), float(row["lat"])) for row in csv.DictReader(file)]
    airports = pa.table({"lon": [lon for lon, _ in places], "lat": [lat for _, lat in places]})
    out.mkdir()
    (out / "plan.toml").write_text(PLAN, encoding="utf-8")
    pq.write_table(airports, out / "airports.parquet")
    return airports


def _rows(release: Path, airports: "pa.Table") -> list[dict[str, Any]]:
    """Airports in each rectangle: published, with its sure interval, and in truth."""
    import numpy as np

    from starling.places.analysis import PlacesRelease
    from starling.release.reading import open_release

    opened = PlacesRelease(open_release(release))
    answers = opened.released().count(np.array(list(RECTANGLES.values()), dtype=np.float64), "degrees")
    lon, lat = (airports[name].to_numpy() for name in ("lon", "lat"))
    return [
        {
            "rectangle": name,
            "published": round(float(answers.counts[at]), 1),
            "lower": int(answers.lower[at]) if answers.lower is not None else None,
            "upper": int(answers.upper[at]) if answers.upper is not None else None,
            "truth": int(((lon >= west) & (lon < east) & (lat >= south) & (lat < north)).sum()),
        }
        for at, (name, (west, south, east, north)) in enumerate(RECTANGLES.items())
    ]


def _text(plan: "Plan", out: Path, rows: list[dict[str, Any]]) -> str:
    from starling.places.publication import PlacesPublication
    from starling.release.text import facts, table

    guarantee = PlacesPublication(plan).guarantee
    lines = [
        (row["rectangle"], f"{row['published']:z,.0f}", f"{row['lower']:,} to {row['upper']:,}", f"{row['truth']:,}")
        for row in rows
    ]
    return "\n\n".join(
        [
            "Real places, which are public: the airports of the world, each taken for one protected point.",
            facts(
                [
                    ("protected", f"one airport ({plan.relation})"),
                    ("charged", str(guarantee.cost)),
                    (
                        "published",
                        f"a map of {plan.grid.rows:,} by {plan.grid.columns:,} cells that answers every rectangle",
                    ),
                ]
            ),
            table(("rectangle", "airports, published", "sure interval, 95 %", "truth"), lines),
            "The sure interval holds whatever the map looks like, and is wide where a rectangle cuts large boxes.",
            written(out / "release"),
        ]
    )


def _json(plan: "Plan", out: Path, released: "Published", rows: list[dict[str, Any]]) -> dict[str, Any]:
    from starling.places.publication import PlacesPublication
    from starling.release.claims import claim

    return {
        "plan": str(out / "plan.toml"),
        "records": str(out / "airports.parquet"),
        "release": str(released.folder),
        "cost": claim(PlacesPublication(plan).guarantee).adjacencies(),
        "rows": rows,
    }
