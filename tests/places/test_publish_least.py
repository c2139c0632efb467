"""Every method releases at the least budget of a plan, and below it the plan is refused with the least."""

from fractions import Fraction
from pathlib import Path

import pytest

from starling.errors import PlanError
from starling.places.mechanism.table import mechanism_of
from starling.places.plan.choices import METHODS
from starling.places.plan.model import WIDEST
from starling.places.publish import release
from starling.release.payment import PaymentOptions
from tests.places.plans import PERSON, plan, write_world

GRID = {"grid": {"rows": 32, "columns": 32}}


def least(points: int) -> str:
    return str(Fraction(points, WIDEST))


def own_least(method: str) -> str:
    """The least of any plan, or what the refusal of a method that needs more names."""
    changes = (GRID, PERSON, {"privacy": {"epsilon": least(2)}, "method": {"name": method}})
    try:
        mechanism_of(plan(*changes))
    except PlanError as refused:
        (problem,) = refused.problems
        return problem.fix.removeprefix("spend at least ").split(" in all")[0]
    return least(2)


@pytest.mark.series(1)
@pytest.mark.parametrize("method", METHODS)
def test_a_method_releases_at_the_least(tmp_path: Path, method: str) -> None:
    own = own_least(method)
    changes = (GRID, PERSON, {"privacy": {"epsilon": own}, "method": {"name": method}})
    records = write_world(tmp_path, *changes)
    release(plan(*changes), records, tmp_path / "out", payment=PaymentOptions(unvalidated=True))
    less = {"privacy": {"epsilon": str(Fraction(own) * Fraction(98, 100))}}
    with pytest.raises(PlanError, match="spend at least"):
        mechanism_of(plan(*changes, less))


def test_less_is_refused_with_the_least() -> None:
    with pytest.raises(PlanError, match=r"privacy.epsilon .*spend at least 0\.0000000018") as refused:
        plan(PERSON, {"privacy": {"epsilon": str(Fraction(2, WIDEST) * Fraction(999, 1000))}})
    (problem,) = refused.value.problems
    plan(PERSON, {"privacy": {"epsilon": problem.fix.removeprefix("spend at least ")}})
