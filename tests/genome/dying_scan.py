"""Scans, of a new response or of a kept one, that die where they are told to."""

from fractions import Fraction
from pathlib import Path

from starling.genome import publish
from starling.genome.counts import scan as counts_scan
from starling.genome.plan import Plan, Scan
from starling.genome.publish import Answered
from starling.ledger.opening import open_ledger
from starling.release.payment import PaymentOptions
from tests.genome import dying
from tests.release.striking import Point, strike

POINTS: dict[str, Point] = {**dying.POINTS, "while reading": (counts_scan, "read_counted", False)}


def scan(url: str, plan: Path, prefix: Path, out: Path, response: int | None) -> Answered:
    """A scan of the study, paid by the ledger, or by the charge that paid for its response."""
    payment = PaymentOptions(open_ledger(url), "study", "ann", f"scan-{out.name}", unvalidated=True)
    return publish.release(Plan.load(plan), Scan(Fraction(2), response), prefix, out, payment=payment)


def main(url: str, plan: str, prefix: str, out: str, response: str, point: str) -> None:
    """What tests/forking.py calls in a process of its own; response 0 for a new one."""
    strike(*POINTS[point])
    scan(url, Path(plan), Path(prefix), Path(out), int(response) or None)
