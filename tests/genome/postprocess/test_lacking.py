"""Who lacks a call, in words that go with the range of the noise."""

import pytest

from starling.genome.inference.intervals import Interval
from starling.genome.postprocess.lacking import missing_text, unlike
from starling.genome.postprocess.p_values import Missingness

SHARE = Interval(0.05, 0.04, 0.0625)


@pytest.mark.parametrize(
    ("log10", "verdict", "words"),
    [
        (
            Interval(-4.0, -9.0, -2.0),
            "yes",
            "p is about 0.0001 (1e-09 to 0.01) by Fisher's test, unlike in cases and controls, so that",
        ),
        (Interval(-0.5, -1.0, 0.0), "no", "(0.1 to 1) by Fisher's test, no sign that cases and controls differ."),
        (
            Interval(-2.0, -4.0, 0.0),
            "open",
            "(0.0001 to 1) by Fisher's test, which leaves open whether cases and controls differ.",
        ),
    ],
)
def test_a_verdict_follows_from_the_whole_range(log10: Interval, verdict: str, words: str) -> None:
    missing = Missingness(log10, SHARE, Interval(0.0, 0.0, 0.01))
    assert unlike(missing) == verdict
    text = missing_text(missing)
    assert text.startswith(" About 5 % (4 to 6.25) of cases lack a call, and 0 % (0 to 1) of controls: ")
    assert words in text


def test_nothing_is_said_where_missing_calls_are_no_copy() -> None:
    assert missing_text(None) == ""
