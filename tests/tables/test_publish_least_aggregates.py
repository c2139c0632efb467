"""Sums, means and quantiles are released at their least budget, with finite intervals; below it they are refused with the least."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from starling.errors import PlanError
from starling.release.payment import PaymentOptions
from starling.tables import preview, release
from starling.tables.plan import Plan, read_regions
from starling.tables.plan.aggregates import WIDEST, statistic_names

COLUMNS: Final = [
    {"name": "age", "from": 0, "to": 99},
    {"name": "debt", "from": "-10.5", "to": "20", "decimals": 2},
    {"name": "money", "from": 0, "to": WIDEST},
    {"name": "flag", "from": 0, "to": 1},
    {"name": "sex", "values": ["F", "M"]},
]
BY_SEX, ALL, SEVERAL = {"groups": "by sex"}, {"groups": "all"}, {"groups": "by need"}
CASES: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "sums": ("sums", {"of": "age", **BY_SEX}),
    "sums below 0": ("sums", {"of": "debt", **SEVERAL}),
    "sums of 128 bits": ("sums", {"of": "money", **ALL}),
    "sums of 0 and 1": ("sums", {"of": "flag", **SEVERAL}),
    "counts of two classes": ("quantiles", {"of": "flag", **SEVERAL, "shares": ["0.5"], "way": "counts"}),
    "counts of classes": ("quantiles", {"of": "age", **BY_SEX, "shares": ["0.25"], "way": "counts"}),
    "a selection": ("quantiles", {"of": "flag", **SEVERAL, "shares": ["0.5"], "way": "selection"}),
    "selections": (
        "quantiles",
        {"of": "debt", **ALL, "classes": ["-10.5", 0, 3], "shares": ["0.01", "0.5"], "way": "selection"},
    ),
    "the better way": ("quantiles", {"of": "age", **ALL, "shares": ["0.5"]}),
    "the better way of two classes": ("quantiles", {"of": "flag", **SEVERAL, "shares": ["0.25", "0.5"]}),
}
LONG: Final = ("counts of classes", "selections")
FRAME: Final = pd.DataFrame(
    {
        "id": ["a", "b", "b", "c"],
        "age": [1, 30, 99, 40],
        "debt": ["-3", "0.25", "20", ""],
        "money": [0, 5, WIDEST, WIDEST],
        "flag": [0, 1, 1, 0],
        "sex": ["F", "F", "M", "?"],
        "needs": ["a", "b;c", "a;b", ""],
    }
)


def planned(measure: str, records: int, case: str, budget: Fraction) -> Plan:
    kind, stated = CASES[case]
    person = {"person": "id"} if records > 1 else {}
    return Plan.of(
        {
            "title": "Spending",
            "privacy": {"unit": "person", "neighbours": "add-remove", "measure": measure},
            "records": {"of-a-person": records, **person},
            "columns": [*COLUMNS, {"name": "needs", "values": ["a", "b", "c"], "separator": ";", "most": 2}],
            "groups": [
                {"name": "by sex", "columns": ["sex"]},
                {"name": "by need", "columns": ["needs"]},
                {"name": "all", "columns": []},
            ],
            "publication": {"negative-counts": True},
            kind: [{**stated, "budget": str(budget)}],
        }
    )


def least(measure: str, records: int, case: str, budget: Fraction) -> Fraction:
    """What the refusal of a budget names."""
    with pytest.raises(PlanError, match="has a budget too small") as refused:
        planned(measure, records, case, budget)
    (problem,) = refused.value.problems
    (text,) = re.findall(r"give it at least ([0-9.]+),", problem.fix)
    return Fraction(text)


@pytest.mark.cover
@pytest.mark.parametrize(("measure", "records"), [("epsilon", 1), ("rho", 1), ("rho", 3)])
@pytest.mark.parametrize(
    "case", [pytest.param(each, marks=pytest.mark.slow) if each in LONG else each for each in CASES]
)
def test_it_is_released_at_its_least_and_refused_below(tmp_path: Path, case: str, measure: str, records: int) -> None:
    named = least(measure, records, case, Fraction(1, 10**35))
    # Three digits, rounded up: less than a hundredth too many.
    assert least(measure, records, case, named * Fraction(98, 100)) == named
    for name, budget in (("at", named), ("above", named * Fraction(1001, 1000))):
        plan = planned(measure, records, case, budget)
        (seen,) = preview(plan, read_regions(plan)).aggregates
        assert seen.aggregate == plan.aggregates[0]
        folder = release(plan, FRAME, out=tmp_path / name, payment=PaymentOptions(unvalidated=True)).folder
        t3 = pq.read_table(folder / "data" / "t3.parquet").to_pandas()
        assert len(t3) == len(plan.aggregates[0].level.iterations) * len(statistic_names(plan.aggregates[0]))
        quantiles = plan.aggregates[0].quantiles
        ends = ["rank_margin"] if quantiles and quantiles.way == "selection" else ["lower", "upper"]
        assert np.isfinite(t3[ends].to_numpy(dtype=float)).all()
        # A group that may be empty has no mean, and the interval of all numbers.
        assert (np.isfinite(t3["value"].to_numpy(dtype=float)) | (t3["statistic"] == "mean")).all()
        if "lower" in ends:
            assert (t3["value"].isna() | t3["value"].between(t3["lower"], t3["upper"])).all()
