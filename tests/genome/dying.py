"""An exploration that dies where it is told to."""

from pathlib import Path

from starling.genome import publish
from starling.genome.counts import study as counts_study
from starling.genome.plan import Plan
from starling.ledger.opening import open_ledger
from starling.release import contents
from starling.release.payment import PaymentOptions
from tests.genome.worlds import QUESTIONS
from tests.release.striking import AFTER, AROUND, BEFORE, Point, strike

POINTS: dict[str, Point] = {
    **BEFORE,
    **AROUND,
    "while reading": (counts_study, "read", False),
    "after the draw": (contents, "write", False),
    **{point: AFTER[point] for point in ("after the answer", "after the rename")},
}
REQUEST = "exploration"


def release(url: str, plan: Path, prefix: Path, out: Path) -> publish.Answered:
    """An exploration of the study, paid by the ledger."""
    return publish.release(
        Plan.load(plan),
        QUESTIONS["explore"],
        prefix,
        out,
        payment=PaymentOptions(
            ledger=open_ledger(url), dataset="t2d", analyst="ann", request_id=REQUEST, unvalidated=True
        ),
    )


def main(url: str, plan: str, prefix: str, out: str, point: str) -> None:
    """What tests/forking.py calls in a process of its own."""
    strike(*POINTS[point])
    release(url, Path(plan), Path(prefix), Path(out))
