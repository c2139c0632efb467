"""A check holds only where it was made to its end and found nothing."""

import pytest

from starling.errors import Problem
from starling.release.checks import Check, Findings

WRONG = (Problem("file", "is wrong", "mend it"),)


@pytest.mark.parametrize(
    ("findings", "reached", "state"),
    [((), True, "holds"), ((), False, "not checked"), (WRONG, True, "fails"), (WRONG, False, "fails")],
)
def test_what_is_known_of_a_check(findings: tuple[Problem, ...], reached: bool, state: str) -> None:
    assert Check("name", "says", findings, reached).state == state


def test_findings_are_told_by_check_in_order() -> None:
    found = Findings({"a": "holds a", "b": "holds b", "c": "holds c"})
    found.add("b", *WRONG)
    found.reached("a", "b")
    assert found.checks() == (Check("a", "holds a"), Check("b", "holds b", WRONG), Check("c", "holds c", (), False))
