"""Every method releases at the least budget of a plan, and below it the plan is refused with the least."""

from fractions import Fraction
from pathlib import Path

import pytest

from starling.errors import PlanError
from starling.places.plan.choices import METHODS
from starling.places.plan.model import WIDEST
from starling.places.publish import release
from starling.release.payment import PaymentOptions
from tests.places.plans import PERSON, plan, write_world

GRID = {"grid": {"rows": 32, "columns": 32}}


def least(points: int) -> str:
    return str(Fraction(points, WIDEST))


@pytest.mark.parametrize("method", METHODS)
def test_a_method_releases_at_the_least(tmp_path: Path, method: str) -> None:
    changes = (GRID, PERSON, {"privacy": {"epsilon": least(2)}, "method": {"name": method}})
    records = write_world(tmp_path, *changes)
    release(plan(*changes), records, tmp_path / "out", payment=PaymentOptions(unvalidated=True))


def test_less_is_refused_with_the_least() -> None:
    with pytest.raises(PlanError, match=r"privacy.epsilon .*spend at least 0\.0000000018") as refused:
        plan(PERSON, {"privacy": {"epsilon": str(Fraction(2, WIDEST) * Fraction(999, 1000))}})
    (problem,) = refused.value.problems
    plan(PERSON, {"privacy": {"epsilon": problem.fix.removeprefix("spend at least ")}})
