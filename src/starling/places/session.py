"""Places in a Python session: a plan that previews, validates and releases, and a short way to a plan.

plan = places.plan(box=("-74.3", "40.5", "-73.7", "41"), shape=(256, 256), x="lon", y="lat", epsilon=1, expected=100_000)
plan.preview()
release = plan.release(frame)
release.count([(-74.0, 40.7, -73.9, 40.8)])
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from starling.engine.spark import DUCKDB
from starling.errors import SHOWN
from starling.ledger.opening import Ledger
from starling.places.analysis import PlacesRelease
from starling.places.mechanism.table import mechanism_of
from starling.places.plan import METHODS
from starling.places.plan import Plan as PlanChoices
from starling.places.preview import SIZES, Preview, preview
from starling.places.publish import release
from starling.places.source import Held, InMemory, Records, open_held, open_records
from starling.places.source.validation import validate
from starling.privacy.budget import Cost, Exact
from starling.release.domain import Validated
from starling.release.in_session import SessionPayment
from starling.release.payment import CUSTODIAN
from starling.release.session import InSession


class Plan(InSession, PlanChoices):
    """A plan of places, and what a session does with it.

    It is made by `places.plan`, read by `Plan.load`, or stated by the keys of a plan file in `Plan.of`.
    """

    @property
    def cost(self) -> Cost:
        """What a release costs."""
        return mechanism_of(self).guarantee.cost

    def preview(self, *, expected: int | None = None, sizes: Sequence[float] = SIZES) -> Preview:
        """How far counts of squares will be off, by method. Opens no records.

        Args:
            expected: About how many points there are, publicly; as the plan says without it.
            sizes: Sides of the squares that matter, in percent of the sides of the grid.

        Raises:
            PlanError: nobody says how many points there are, or the grid is too fine to be simulated.
            ParameterError: a size is not above 0 and at most 100.
        """
        return preview(self, expected=expected, sizes=sizes)

    def validate(self, records: str | Path | InMemory, *, most: int = SHOWN) -> Validated:
        """Which points a release would drop, and why, for the custodian of the records alone: it is NOT PRIVATE.

        Args:
            records: A file, a folder of Parquet parts, or what the session holds.
            most: How many faults are listed; all are counted.

        Raises:
            SourceError: they are no records, or are no longer what they were.
        """
        return validate(self, _opened(self, records), most=most).value

    def release(
        self,
        records: str | Path | InMemory,
        out: str | Path | None = None,
        *,
        ledger: Ledger | str | None = None,
        dataset: str = "",
        analyst: str = CUSTODIAN,
        request_id: str | None = None,
        unvalidated: bool | None = None,
        engine: str = DUCKDB,
    ) -> PlacesRelease:
        """Charge the cost, read the records, draw the noise, publish, and open what was published.

        Args:
            records: CSV, Parquet, GeoParquet or GeoJSON; or arrays, an Arrow table, a frame of pandas or polars, or a relation of DuckDB.
            out: The folder to make. Without it and without a ledger, a temporary one that goes with the release.
            ledger: Pays, opened or as its URL. Without it nothing limits a further release of the same records.
            dataset: The name of the records in the ledger.
            analyst: Who has a grant there.
            request_id: The id under which the charge is found again; a fresh one without it.
            unvalidated: Whether records are read that nobody accepted in the ledger; by default only without a ledger.
            engine: Counts: duckdb, or spark://local, or the spark://HOST:PORT of a cluster.

        Raises:
            ParameterError, PlanError, SourceError, OutputError: by public checks, before anything is charged.
            BudgetRefused, PolicyRefused, RequestConflict: by the ledger, before anything is read.
            RunFailed: after the charge, always with the same words.
        """
        payment = SessionPayment(ledger, dataset, analyst, request_id, unvalidated)
        return payment.release(
            lambda folder, paid: release(self, records, folder, engine=engine, payment=paid), PlacesRelease, out
        )

    def _facts(self) -> list[tuple[str, str]]:
        grid = self.grid
        return [
            ("plan", self.title),
            ("protects", str(self.relation)),
            ("cost", str(self.cost)),
            ("grid", f"{grid.rows:,} x {grid.columns:,} cells, {len(self.slice_names):,} slices"),
            ("method", f"{self.method}: {METHODS[self.method]}"),
        ]


def _opened(plan: Plan, records: str | Path | InMemory) -> Records | Held:
    return open_records(records, plan) if isinstance(records, str | Path) else open_held(records, plan)


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
        expected: About how many points there are, publicly; previews need it.
        method: One of the methods; by default the one that is best for most data.
        title: What is published.

    Raises:
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
        "method": None if method is None else {"name": method},
    }
    return Plan.of(values)
