"""The default tier and the slow tier have between them every test in its full length."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from tests.conftest import DEFAULT_TIER, LONG, ROOT

pytest_plugins = ["pytester"]

PLANTED = """
from pathlib import Path
import pytest
from hypothesis import given, settings, strategies

def count(name):
    with Path(name).open("a") as file:
        file.write("x")

@pytest.mark.examples(2)
@settings(max_examples=6)
@given(strategies.integers())
def test_drawn(number):
    count("drawn")

@pytest.mark.series(1)
@pytest.mark.parametrize("number", range(4))
def test_series(number):
    count("series")

@pytest.mark.cover
@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize(("first", "second"), [(1, 2), (2, 1), (1, 1)])
def test_covered(number, first, second):
    count(f"number-{number}")
    count(f"pair-{first}{second}")

@pytest.mark.slow
def test_slow():
    count("slow")

def test_quick():
    count("quick")
"""

Tier = Callable[[str], dict[str, int]]


@pytest.fixture
def run(pytester: pytest.Pytester) -> Tier:
    """Runs the planted tests that an expression of marks chooses; how often each was called."""
    pytester.makeconftest("from tests.conftest import pytest_collection_modifyitems")
    pytester.makepyfile(PLANTED)

    def called(expression: str) -> dict[str, int]:
        plain = ["-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore"]
        assert pytester.inline_run("-m", expression, *plain).ret == pytest.ExitCode.OK
        files = [path for path in Path().iterdir() if path.is_file() and not path.suffix]
        calls = {path.name: path.stat().st_size for path in files}
        for path in files:
            path.unlink()
        return calls

    return called


def covered(cases: int) -> dict[str, int]:
    """How often each value and each pair is called, of which every third planted case has one."""
    return dict.fromkeys(["number-1", "number-2", "number-3", "pair-12", "pair-21", "pair-11"], cases)


def test_the_default_tier_has_the_beginning_of_what_the_slow_tier_has_in_full(run: Tier) -> None:
    assert run("not slow") == {"drawn": 2, "series": 1, "quick": 1} | covered(1)
    assert run("slow") == {"drawn": 6, "series": 3, "slow": 1} | covered(2)


def test_both_tiers_at_once_are_all_tests_in_full(run: Tier) -> None:
    assert run("") == {"drawn": 6, "series": 4, "slow": 1, "quick": 1} | covered(3)


def test_files_that_begin_first_are_there() -> None:
    assert not [name for name in LONG if not (ROOT / "tests" / name).exists()]


def test_the_default_tier_is_that_of_the_settings() -> None:
    assert f"-m '{DEFAULT_TIER}'" in (ROOT / "pyproject.toml").read_text()
    assert settings.get_current_profile_name() == "starling"
