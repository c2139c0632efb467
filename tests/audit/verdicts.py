"""What the falsifier must find of a case. The source is seeded, so that a test always ends in the same way."""

from starling.audit.case import Case
from starling.audit.falsifier import falsify
from tests.privacy.sources import Seeded


def is_rejected(case: Case) -> None:
    """A broken promise is refuted, with a bound that is no larger than the stated truth."""
    finding = falsify(*case.samplers(Seeded(1)), case.draws, goal=case.goal)
    assert finding.refutes(case.claim)
    assert case.truth is not None
    assert getattr(finding, case.goal) <= case.truth
    assert case.truth > case.claim.amount


def is_kept(case: Case) -> None:
    """A kept promise is not refuted."""
    finding = falsify(*case.samplers(Seeded(2)), case.draws, goal=case.goal)
    assert not finding.refutes(case.claim)
    assert case.truth is not None
    assert getattr(finding, case.goal) <= case.truth <= case.claim.amount
