"""A release of small cross tables that dies where it is told to."""

from pathlib import Path

from starling.ledger.opening import open_ledger
from starling.release import contents
from starling.release.payment import PaymentOptions
from starling.release.pipeline import Published
from starling.tables import cross_publication, publish
from starling.tables.counts import cross_counting
from starling.tables.mechanism.residuals import Residuals
from tests.release.striking import BEFORE, Point, strike
from tests.tables.cross_plans import LEVELS, cross_plan
from tests.tables.dense_tables import up_to

OWN: dict[str, Point] = {
    "while counting": (cross_counting, "add_cells", True),
    "while drawing": (Residuals, "_drawn", False),
    "after the draw": (cross_publication, "tabulate_cross", False),
    "while writing": (contents, "write_tables", True),
}
POINTS: dict[str, Point] = {**BEFORE, **OWN}
PLAN = cross_plan(up_to(3, 3), levels=LEVELS)


def release(url: str, records: Path, out: Path, request_id: str | None = None) -> Published:
    """The tables of the plan, paid by the ledger."""
    payment = PaymentOptions(open_ledger(url), "survey", request_id=request_id, unvalidated=True)
    return publish.release(PLAN, records, out=out, payment=payment)


def main(url: str, records: str, out: str, point: str) -> None:
    """What tests/forking.py calls in a process of its own."""
    strike(*POINTS[point])
    release(url, Path(records), Path(out))
