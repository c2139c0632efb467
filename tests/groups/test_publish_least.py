"""Every method releases at the least budget of a plan, and below it the plan is refused with the least."""

from fractions import Fraction
from pathlib import Path

import pytest

from starling.errors import PlanError
from starling.groups.plan import Plan
from starling.groups.plan.choices import METHODS
from starling.groups.publish import release
from starling.release.payment import PaymentOptions
from tests.groups.worlds import world, write_world


def named(folder: Path, measure: str, method: str) -> Fraction:
    """The least that the refusal of a plan with next to nothing names."""
    write_world(folder, budget=f'{measure} = "1/{10**39}"', more=f'method = "{method}"')
    with pytest.raises(PlanError, match="spend at least") as refused:
        Plan.load(folder / "plan.toml")
    (problem,) = refused.value.problems
    return Fraction(problem.fix.removeprefix("spend at least ").removesuffix(" in all"))


@pytest.mark.series(3)
@pytest.mark.parametrize("measure", ["epsilon", "rho"])
@pytest.mark.parametrize("method", METHODS)
def test_a_method_releases_at_the_least(tmp_path: Path, measure: str, method: str) -> None:
    least = named(tmp_path, measure, method)
    plan = world(tmp_path, budget=f'{measure} = "{least}"', more=f'method = "{method}"')
    release(plan, tmp_path / "records.csv", tmp_path / "out", payment=PaymentOptions(unvalidated=True))
    with pytest.raises(PlanError, match="spend at least"):
        world(tmp_path, budget=f'{measure} = "{least * Fraction(98, 100)}"', more=f'method = "{method}"')
