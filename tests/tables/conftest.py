"""A release with detail, levels and statistics, whose names try to be formulas; and one of cross tables."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from starling.release.payment import PaymentOptions
from starling.tables import Plan, release
from starling.tables.analysis import TablesRelease
from tests.tables.plan.stated_cross import WHOLE
from tests.tables.test_publish_aggregates import VALUES

WARDS = ["=1+1", "w'1", 'w"2', "-w3"]


@pytest.fixture(scope="session")
def detailed_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the release."""
    values = VALUES | {
        "privacy": VALUES["privacy"] | {"stage-1-share": "0.1"},
        "regions": {
            "column": "ward",
            "levels": ["town", "ward"],
            "rows": [[n, "t" + "ab"[i % 2]] for i, n in enumerate(WARDS)],
        },
        "columns": [*VALUES["columns"][:2], {"name": "sex", "values": ["F", "M"]}],
        "detail": {"columns": ["sex", "age"], "steps": [{"sex": True}, {"sex": True, "age": [0, 18, 65]}]},
        "levels": [{"regions": "ward", "groups": "by sex", "budget": "1", "thresholds": [10, 380]}],
        "groups": [{"name": "by sex", "columns": ["sex"]}, {"name": "all", "columns": []}],
    }
    random = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "age": random.integers(0, 99, 3000),
            "spent": random.integers(0, 100, 3000),
            "sex": random.choice(["F", "M"], 3000),
            "ward": random.choice(WARDS, 3000),
        }
    )
    out = tmp_path_factory.mktemp("export") / "release"
    return release(Plan.of(values), frame, out=out, payment=PaymentOptions(unvalidated=True)).folder


@pytest.fixture(scope="session")
def cross_release() -> TablesRelease:
    """A release of all cross tables of three columns, in two towns of three wards."""
    rows = [
        {"sex": sex, "age": age, "school": school, "ward": ward}
        for sex, age, school, ward in product("FM", (5, 30, 30, 70), "abc", ("w0", "w1", "w2"))
    ]
    tables = {"columns": ["sex", "age", "school"], "cuts": {"age": [0, 18, 65]}, "cross": 3, "budget": "2"}
    return Plan.of(WHOLE | {"tables": tables}).release(pa.Table.from_pylist(rows * 3))
