"""Near misses."""

import pytest

from starling.planfile.spelling import did_you_mean


@pytest.mark.parametrize(
    ("key", "fix"),
    [
        ("run_uss", "did you mean run_us?"),
        ("stage-1 share", "did you mean stage-1-share?"),
        ("", "remove it"),
        ("x" * 9999, "remove it"),
    ],
)
def test_near_misses(key: str, fix: str) -> None:
    assert did_you_mean(key, ["run_us", "run_pr", "stage-1-share"]) == fix
