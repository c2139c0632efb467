"""Tests that sometimes fail, since what they draw is new in each run: `python -m bench.false_alarms [PATH ...]`.

A first round runs every test once, and finds those that draw: which read the operating system's entropy, themselves or in a fixture
of theirs, in this process. These are run again and again, with new fixtures and without what their module keeps in caches. A test that
failed in any round is shown with its first error, as soon as it fails; a false alarm of 1 % is seen in 100 rounds with a chance of 63 %.

Left out are tests that share a browser, a Spark or a process to fork from, and those that start processes or take long. What a module of
helpers keeps for many files of tests is drawn once.
"""

import argparse
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

import pytest
from _pytest.runner import runtestprotocol

from bench.peers import ROOT

LONG: Final = 5.0
"""CPU seconds of a test that is not run again."""
SHARED: Final = {"chromium", "spark"}
"""Fixtures of tests that are left out."""
COUNTED: Final = ((os, "urandom"), (os, "fork"), (subprocess.Popen, "__init__"))
"""Functions whose calls are counted: the first draws, the others start a process."""


@dataclass(eq=False)
class Rounds:
    """A plugin of pytest that runs in many rounds what draws.

    Attributes:
        repeats: Rounds at most.
        seconds: CPU seconds for the rounds of one test, at most; above 0.
        runs: How often each test that draws was run.
        failures: How often each test failed; also of one that does not draw.
        errors: The first error of each test that failed.
        left_out: Tests that were run once, since they take long or start processes.
    """

    repeats: int
    seconds: float
    runs: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    errors: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    _calls: Counter[str] = field(default_factory=Counter)
    _drawing: set[tuple[str, str]] = field(default_factory=set)
    _spent: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out what shares something that takes long to start."""
        from tests.conftest import scope_of

        def alone(item: pytest.Item) -> bool:
            file = item.nodeid.partition("::")[0]
            return not SHARED & set(getattr(item, "fixturenames", ())) and scope_of(file) == file

        out = [item for item in items if not alone(item)]
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if alone(item)]

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, Any]:
        """Note which fixtures draw."""
        before = self._calls["urandom"]
        result = yield
        if self._calls["urandom"] > before:
            self._drawing.add((fixturedef.baseid, fixturedef.argname))
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """A file after the other: all its tests, then many times those that draw."""
        with pytest.MonkeyPatch.context() as patch:
            for owner, name in COUNTED:
                patch.setattr(owner, name, self._counting(name, getattr(owner, name)))
            for path, items in groupby(session.items, key=lambda item: item.path):
                before = self.runs.total()
                self._run_file([*items])
                self._write(session.config, f"{path.name}: {self.runs.total() - before} runs of what draws")
        return True

    def _counting(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **keywords: Any) -> Any:
            self._calls[name] += 1
            return function(*args, **keywords)

        return counted

    def _run_file(self, items: list[pytest.Item]) -> None:
        drawing = set()
        for item, following in _pairs(items):
            before, began = self._calls.copy(), time.process_time()
            ran = self._run(item, following)
            calls = self._calls - before
            if calls["urandom"] and ran:
                drawing.add(item)
            if calls["fork"] + calls["__init__"] or time.process_time() - began > LONG:
                self.left_out.append(item.nodeid)
        again = [item for item in items if item in drawing or self._has_drawn(item)]
        again = [item for item in again if item.nodeid not in self.left_out]
        self.runs.update(item.nodeid for item in again)
        for _ in range(self.repeats - 1):
            again = [item for item in again if self._spent[item.nodeid] < self.seconds]
            if not again:
                return
            _clear(items[0])
            for item, following in _pairs(again):
                began = time.process_time()
                self._run(item, following)
                self._spent[item.nodeid] += time.process_time() - began
            self.runs.update(item.nodeid for item in again)

    def _run(self, item: pytest.Item, following: pytest.Item | None) -> bool:
        """Whether it ran, and was not skipped."""
        reports = runtestprotocol(item, log=False, nextitem=following)
        failed = [report for report in reports if report.failed]
        if failed:
            self.failures[item.nodeid] += 1
            if item.nodeid not in self.errors:
                crash = getattr(failed[0].longrepr, "reprcrash", None)
                text = f"{crash.lineno}: {crash.message}" if crash else str(failed[0].longrepr)
                self.errors[item.nodeid] = text
                self._write(item.config, f"{item.nodeid}\n    {text[:300]}")
        return not any(report.skipped for report in reports)

    def _write(self, config: pytest.Config, line: str) -> None:
        # What a test prints is caught, and so is what is printed between two.
        config.pluginmanager.get_plugin("terminalreporter").write_line(line, flush=True)  # type: ignore[union-attr]

    def _has_drawn(self, item: pytest.Item) -> bool:
        definitions = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        return any((each.baseid, each.argname) in self._drawing for of in definitions.values() for each in of)


def _pairs(items: Sequence[pytest.Item]) -> Iterable[tuple[pytest.Item, pytest.Item | None]]:
    """Each with the one that follows; after the last, all fixtures end."""
    return zip(items, [*items[1:], None], strict=True)


def _clear(item: pytest.Item) -> None:
    """Forget what functions of a module of tests keep."""
    for each in vars(getattr(item, "module", None) or object).values():
        if callable(clear := getattr(each, "cache_clear", None)):
            clear()


def main() -> int:
    """Print every test that failed in any round, and how often; 1 where there is one."""
    parser = argparse.ArgumentParser(prog="python -m bench.false_alarms", description=__doc__)
    parser.add_argument("paths", nargs="*", default=["tests"], metavar="PATH")
    parser.add_argument("--repeats", type=int, default=100, help="rounds at most")
    parser.add_argument("--seconds", type=float, default=10.0, help="CPU seconds for the rounds of one test")
    parser.add_argument("--tier", default="", metavar="MARKS", help="as pytest -m; both tiers by default")
    chosen = parser.parse_args()
    rounds = Rounds(chosen.repeats, chosen.seconds)
    ending = pytest.main(["-n0", "-q", "-m", chosen.tier, f"--rootdir={ROOT}", *chosen.paths], plugins=[rounds])
    for name, failures in rounds.failures.most_common():
        print(f"{failures} of {rounds.runs[name] or 1}: {name}\n    {rounds.errors[name][:300]}")
    ran = f"{rounds.runs.total():,} runs of {len(rounds.runs):,} tests that draw"
    print(f"{ran}; {len(rounds.left_out):,} left out; {len(rounds.failures)} failed at least once")
    wrong = ending not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}
    return int(bool(rounds.failures) or wrong)


if __name__ == "__main__":
    sys.exit(main())
