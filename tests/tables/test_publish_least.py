"""A plan of either measure releases at its least budget, level by level, and below it is refused with that of each."""

import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

from starling.errors import PlanError
from starling.release.payment import PaymentOptions
from starling.tables import release
from starling.tables.plan import Plan
from tests.tables.test_publish_custom import VALUES

NEXT_TO_NOTHING = (Fraction(1, 10**30),) * len(VALUES["levels"])


def planned(measure: str, budgets: Sequence[Fraction]) -> Plan:
    levels = [{**level, "budget": str(each)} for level, each in zip(VALUES["levels"], budgets, strict=True)]
    return Plan.of({**VALUES, "privacy": {**VALUES["privacy"], "measure": measure}, "levels": levels})


@pytest.mark.series(1)
@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_a_plan_releases_at_its_least(tmp_path: Path, measure: str) -> None:
    with pytest.raises(PlanError) as refused:
        planned(measure, NEXT_TO_NOTHING)
    texts = [re.findall(r"at least ([0-9.]+),", str(problem)) for problem in refused.value.problems]
    least = [Fraction(text) for (text,) in texts]
    frame = pd.DataFrame({"Age": [1, 30], "sex": ["F", "M"], "needs": ["a", "b;c"], "ward": ["w0", "w1"]})
    release(planned(measure, least), frame, out=tmp_path / "out", payment=PaymentOptions(unvalidated=True))
    with pytest.raises(PlanError) as refused:
        planned(measure, [each * Fraction(98, 100) for each in least])
    assert len(refused.value.problems) == len(least)
