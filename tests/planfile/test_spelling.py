"""Near misses."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from starling.planfile.spelling import LONGEST_NAME, did_you_mean, name_problem, plural_of, shown


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
    assert shown("n" * 1000) == "n" * 199 + "…"


@pytest.mark.parametrize(
    "name", ["rs12", "1:1234:A:AT", "Doña Ana", "\u02bbEwa", 'O\'Brien "x"', "北京", "-1", "x" * LONGEST_NAME]
)
def test_names_that_can_be_shown_pass(name: str) -> None:
    assert name_problem(name) is None


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "x" * (LONGEST_NAME + 1), "a\x1b[2Jb", "a\0b", "a\tb", "a\nb", "a\rb", "a\x7f", "a\x9bb"),
        *("a\u202eb", "a\u2066b", "a\u200fb", "a\u200bb", "a\ufeffb", "a\u2028b", "a\ud800b", "a\ue000b"),
    ],
)
def test_names_that_a_terminal_or_a_reader_would_be_led_by_are_refused(name: str) -> None:
    assert name_problem(name) is not None


@example("xs")
@given(st.from_regex(r"[a-z]{1,8}", fullmatch=True))
def test_a_plural_is_no_name_with_an_s_where_none_can_stand(name: str) -> None:
    plural = plural_of(name)
    # A name that ends in an s of its own stays, whatever stands before it.
    assert plural == name or (plural.endswith("s") and not plural.endswith(("xs", "zs", "shs", "chs", "sss")))
    assert plural != name or name.endswith("s")
