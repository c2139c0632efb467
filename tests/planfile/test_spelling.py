"""Near misses."""

import pytest

from starling.planfile.spelling import did_you_mean, shown


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


def test_a_word_of_others_is_shown_on_one_line() -> None:
    assert shown("rs12") == "rs12"
    assert shown("a\nb\x1b[31m") == "a\\nb\\x1b[31m"
    assert len(shown("\x00" * 10_000)) == 200
