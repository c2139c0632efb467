"""The default tier and the slow tier have between them every test in its full length."""

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import settings

from tests.conftest import (
    CRAWLED,
    DEFAULT_TIER,
    LONG,
    ROOT,
    SPARK,
    Indexed,
    Schedule,
    says_slow,
    scope_of,
    send_results_alone,
)

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


def test_the_slow_tier_reads_files_that_say_that_something_is_slow() -> None:
    """By themselves, or by what they read; that no other has such a test is looked at whenever the default tier is collected."""
    assert [
        says_slow(ROOT / "tests" / name) for name in ("test_tiers.py", "ledger/test_rows.py", "cli/test_verbs.py")
    ] == [True] * 3
    assert not says_slow(ROOT / "tests" / "pages" / "test_letters.py")


def test_files_that_begin_first_are_there() -> None:
    assert not [name for name in LONG if not (ROOT / "tests" / name).exists()]


def test_the_default_tier_is_that_of_the_settings() -> None:
    assert f"-m '{DEFAULT_TIER}'" in (ROOT / "pyproject.toml").read_text()
    assert settings.get_current_profile_name() == "starling"


def test_files_that_share_what_is_long_to_start_share_a_worker() -> None:
    """No other file imports the modules that start it, so that it is started once."""
    files = [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")]
    scopes = {file: scope_of(file) for file in files}
    assert {file for file in files if scopes[file] == "spark"} == {f"tests/{file}" for file in SPARK}
    forking = {file for file in files if scopes[file] == "forking"}
    assert {"tests/test_forking.py", "tests/cli/test_ledger.py", "tests/tables/test_publish_resume.py"} <= forking
    imports = re.compile(r"^ *(from|import) .*\b(forking|in_terminal)\b", re.MULTILINE)
    assert {file for file in files if imports.search((ROOT / file).read_text(encoding="utf-8"))} == forking
    assert {file for file in files if scopes[file] == "crawled"} == {f"tests/{file}" for file in CRAWLED}
    alone = {*files} - forking - {f"tests/{file}" for file in (*SPARK, *CRAWLED)}
    assert {file for file in files if scopes[file] == file} == alone


class Worker:
    """A worker that notes what it is sent."""

    shutting_down, gateway = False, SimpleNamespace(id="")

    def __init__(self) -> None:
        self.sent: list[int] = []

    def send_runtest_some(self, indices: list[int]) -> None:
        self.sent += indices

    def shutdown(self) -> None:
        self.shutting_down = True


def test_each_test_is_sent_to_one_worker_and_a_file_that_ended_is_forgotten() -> None:
    names = [f"tests/test_{file}.py::test[{case}]" for file in "abcde" for case in range(4)]
    options = {"tx": ["2*popen"], "loadscopereorder": False}
    config = SimpleNamespace(getvalue=options.__getitem__, option=SimpleNamespace(**options))
    schedule = Schedule(config)
    workers = [Worker(), Worker()]
    for worker in workers:
        schedule.add_node(worker)
        schedule.add_node_collection(worker, names)
    schedule.schedule()
    done: list[int] = []
    while any(worker.sent for worker in workers):
        for worker in workers:
            if worker.sent:
                done.append(worker.sent.pop(0))
                schedule.mark_test_complete(worker, done[-1])
                assert all(set(file.values()) != {True} for file in schedule.assigned_work[worker].values())
    assert sorted(done) == list(range(len(names)))
    assert not schedule.has_pending
    assert [Indexed(names).index(name) for name in names] == list(range(len(names)))


@pytest.mark.parametrize(("verbose", "fewer"), [(-1, True), (0, True), (1, False)])
def test_what_passes_without_a_word_is_two_messages(verbose: int, fewer: bool) -> None:
    sent: list[tuple[str, dict[str, Any]]] = []
    worker = type("WorkerInteractor", (), {})()
    worker.sendevent = lambda name, **values: sent.append((name, values))
    options = SimpleNamespace(verbose=verbose, durations_min=None)
    plugins = SimpleNamespace(get_plugins=lambda: [object(), worker])
    send_results_alone(SimpleNamespace(option=options, pluginmanager=plugins))  # type: ignore[arg-type]
    quick = {"outcome": "passed", "duration": 0.001, "sections": [], "keywords": {"name": 1}}
    reports = [quick | {"when": when} for when in ("setup", "call", "teardown")]
    names = ["logstart", "logfinish", "runtest_protocol_complete"]
    for name in names:
        worker.sendevent(name)
    for report in reports:
        worker.sendevent("testreport", data=dict(report))
    left = [("runtest_protocol_complete", {}), ("testreport", {"data": reports[1] | {"keywords": {}}})]
    everything = [*((name, {}) for name in names), *(("testreport", {"data": report}) for report in reports)]
    assert sent == (left if fewer else everything)
    sent.clear()
    shown: list[dict[str, Any]] = [
        {"outcome": "failed"},
        {"outcome": "skipped"},
        {"duration": 0.1},
        {"sections": [("out", "text")]},
    ]
    for changed in shown:
        worker.sendevent("testreport", data=reports[0] | changed)
    assert len(sent) == len(shown)
