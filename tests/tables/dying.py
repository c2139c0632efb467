"""A release of the toy data set that dies where it is told to."""

from pathlib import Path

from starling.ledger.opening import open_ledger
from starling.release import contents
from starling.release.payment import PaymentOptions
from starling.release.pipeline import Published
from starling.tables import counts, publication, publish
from starling.tables.artifact import measured
from starling.tables.plan import Plan
from tests.release.striking import AFTER, AROUND, BEFORE, Point, strike

OWN: dict[str, Point] = {
    "while reading": (counts.GroupCounts, "totals", False),
    "after the draw": (publication, "tabulate", False),
    "while drawing": (measured, "labels", True),
    "while writing": (contents, "write_tables", True),
}
POINTS: dict[str, Point] = {**BEFORE, **AROUND, **OWN, **AFTER}

REQUEST = "toy-release"


def release(url: str, data: Path, out: Path, request_id: str = REQUEST, top_up: Path | None = None) -> Published:
    """The toy data set under the zCDP configuration, paid by the ledger; on top of an earlier release if one is named."""
    toy = data / "tables" / "toy_dataset"
    return publish.release(
        Plan.load(toy / "input_dir_zcdp"),
        toy / "person-records.txt",
        toy / "GRF-C.txt",
        out,
        top_up=top_up,
        payment=PaymentOptions(ledger=open_ledger(url), dataset="toy", request_id=request_id, unvalidated=True),
    )


def main(url: str, data: str, out: str, point: str, *top_up: str) -> None:
    """What tests/forking.py calls in a process of its own."""
    strike(*POINTS[point])
    release(url, Path(data), Path(out), top_up=Path(top_up[0]) if top_up else None)
