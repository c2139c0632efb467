"""A release with detail and regions, whose names try to be markup and formulas. Noise decides nothing: groups are far from thresholds."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

import starling
from starling.release.payment import PaymentOptions
from starling.tables import Plan, release
from tests.screens.conftest import Reader

WARDS = ['w"><script>1', "=1+1", "w'1", "empty"]
VALUES = {
    "title": "<b>Wards</b>",
    "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "epsilon", "stage-1-share": "0.1"},
    "records": {"of-a-person": 1},
    "columns": [
        {"name": "age", "from": 0, "to": 99},
        {"name": "sex", "values": ["F", "M"]},
    ],
    "regions": {
        "column": "ward",
        "levels": ["town", "ward"],
        "rows": [[ward, f"town {at % 2}"] for at, ward in enumerate(WARDS)],
    },
    "publication": {"negative-counts": True},
    "detail": {"columns": ["sex", "age"], "steps": [{"sex": True}, {"sex": True, "age": [0, 18, 65]}]},
    "groups": [{"name": "by sex", "columns": ["sex"]}],
    "levels": [{"regions": "ward", "groups": "by sex", "budget": "1", "thresholds": [150, 200]}],
}


@pytest.fixture(scope="session")
def detailed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """What reads its pages."""
    random = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "age": random.integers(0, 99, 3000),
            "sex": random.choice(["F", "M"], 3000),
            "ward": random.choice(WARDS[:3], 3000),
        }
    )
    out = tmp_path_factory.mktemp("detailed") / "release"
    release(Plan.of(VALUES), frame, out=out, payment=PaymentOptions(unvalidated=True))
    with starling.open_release(out) as opened:
        yield Reader(opened)
