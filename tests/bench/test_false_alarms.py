"""Tests whose outcome is drawn are found, run again and again with new fixtures, and named."""

import os

import pytest

from bench.false_alarms import Rounds

pytest_plugins = ["pytester"]

PLANTED = """
import subprocess
import sys
from functools import cache

import pytest

from starling.privacy.sampling.entropy import fresh_bytes

@cache
def kept():
    return fresh_bytes(1)[0]

@pytest.fixture(scope="module")
def drawn():
    return fresh_bytes(1)[0]

def test_of_a_draw():
    assert fresh_bytes(1)[0] >= 64, "a quarter"

def test_of_a_fixture(drawn):
    assert drawn >= 128

def test_of_the_same_fixture(drawn):
    assert drawn < 128

def test_of_a_cache():
    assert kept() >= 128

def test_that_draws_well():
    assert len(fresh_bytes(4)) == 4

def test_of_no_draw():
    pass

def test_that_fails_always():
    assert False

def test_of_a_process():
    fresh_bytes(1)
    subprocess.run([sys.executable, "-S", "-c", ""], check=True)

@pytest.fixture
def chromium():
    assert False

def test_of_a_browser(chromium):
    pass
"""
ROUNDS = 60


@pytest.mark.slow
@pytest.mark.statistical
def test_what_fails_by_chance_is_found_and_nothing_else(pytester: pytest.Pytester) -> None:
    """Of 60 rounds 1 to 45 fail with a chance of a quarter, 9 to 51 with one of a half: false alarms of 5 in 10^8 together."""
    path, read = pytester.makepyfile(PLANTED), os.urandom
    rounds = Rounds(ROUNDS, 60)
    pytester.inline_run("-p", "no:cacheprovider", plugins=[rounds])

    def of(counts: dict[str, int]) -> dict[str, int]:
        return {name.partition("::")[2]: count for name, count in counts.items()}

    failures = of(rounds.failures)
    names = ["test_of_a_draw", "test_of_a_fixture", "test_of_the_same_fixture", "test_of_a_cache"]
    assert of(rounds.runs) == dict.fromkeys([*names, "test_that_draws_well"], ROUNDS)
    assert failures.keys() == {*names, "test_that_fails_always"}
    assert 1 <= failures["test_of_a_draw"] <= 45
    assert 9 <= failures["test_of_a_fixture"] <= 51
    assert failures["test_of_a_fixture"] + failures["test_of_the_same_fixture"] == ROUNDS, (
        "one draw of both in each round"
    )
    assert 9 <= failures["test_of_a_cache"] <= 51
    assert failures["test_that_fails_always"] == 1
    assert "a quarter" in rounds.errors[f"{path.name}::test_of_a_draw"]
    assert rounds.left_out == [f"{path.name}::test_of_a_process"]
    assert os.urandom is read
