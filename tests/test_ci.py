"""What `.ci/run` does is what the README says, and a skipped test does not pass it."""

import doctest
import importlib.util
import re
import subprocess
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

import pytest

from starling.domains import DOMAINS
from tests.conftest import ROOT


def load(name: str) -> ModuleType:
    """A script of the checks, as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def no_skips() -> ModuleType:
    return load("no_skips")


REPORT = """<testsuites><testsuite>
<testcase classname="tests.privacy.test_a" name="test_runs[1]"/>
<testcase classname="tests.privacy.test_a.TestB" name="test_method"/>
{more}
</testsuite></testsuites>"""
TRACED = ["tests/privacy/test_a.py::test_runs", "tests/privacy/test_a.py::TestB::test_method"]


def test_a_run_without_skips_is_fine(no_skips: ModuleType) -> None:
    assert no_skips.problems([ET.fromstring(REPORT.format(more=""))], TRACED) == []


def test_a_traced_test_may_run_in_any_tier(no_skips: ModuleType) -> None:
    slow = '<testsuite><testcase classname="tests.test_s" name="test_long"/></testsuite>'
    reports = [ET.fromstring(REPORT.format(more="")), ET.fromstring(slow)]
    assert no_skips.problems(reports, [*TRACED, "tests/test_s.py::test_long"]) == []
    assert no_skips.problems(reports[:1], [*TRACED, "tests/test_s.py::test_long"])


@pytest.mark.parametrize(
    ("more", "traced", "said"),
    [
        ('<testcase classname="t" name="n"><skipped message="no Spark"/></testcase>', [], "skipped: t::n: no Spark"),
        ("", ["tests/privacy/test_a.py::test_gone"], "did not run and pass: tests/privacy/test_a.py::test_gone"),
        (
            '<testcase classname="tests.test_f" name="test_f"><failure message="x"/></testcase>',
            ["tests/test_f.py::test_f"],
            "did not run and pass: tests/test_f.py::test_f",
        ),
    ],
)
def test_a_skip_or_a_gap_is_said(no_skips: ModuleType, more: str, traced: list[str], said: str) -> None:
    (line,) = no_skips.problems([ET.fromstring(REPORT.format(more=more))], TRACED + traced)
    assert said in line


def test_a_tier_without_a_test_is_no_success(no_skips: ModuleType) -> None:
    empty = ET.fromstring("<testsuites/>")
    assert no_skips.problems([empty], []) == ["no test ran"]
    assert no_skips.problems([ET.fromstring(REPORT.format(more="")), empty], []) == ["no test ran"]


def test_the_script_exits_with_1(no_skips: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report, trace = tmp_path / "report.xml", tmp_path / "trace.toml"
    report.write_text(REPORT.format(more=""))
    trace.write_text(f"[[row]]\ntests = {TRACED}\n")
    assert no_skips.main(str(trace), str(report)) == 0
    trace.write_text('[[row]]\ntests = ["tests/test_x.py::test_gone"]\n')
    assert no_skips.main(str(trace), str(report)) == 1
    assert "test_gone" in capsys.readouterr().out


def test_the_scripts_of_the_checks_are_well_formed() -> None:
    for script in (ROOT / ".ci").iterdir():
        if script.is_file() and script.suffix != ".py":
            subprocess.run(["bash", "-n", script], check=True)


def test_what_fails_in_a_queue_is_named_and_what_follows_runs() -> None:
    code = """set -uo pipefail
    source .ci/queues
    check first false
    beside "second: echo 2; exit 3" "third: echo 3"
    beside "fourth: echo 4"
    join
    beside "fifth: false"
    join
    printf 'failed: %s\\n' "${failed[@]}"
    """
    done = subprocess.run(["bash", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    printed = [line for line in lines if not line.startswith("==")]
    assert (printed, done.stderr) == (["2", "3", "4", "failed: first", "failed: second", "failed: fifth"], "")
    timed = [match[1] for line in lines if (match := re.fullmatch(r"== (\w+): \d+ s, processors \d+ \+ \d+ s", line))]
    assert timed == ["first", "second", "third", "fourth", "fifth"]


def test_every_requirement_declares_its_lowest_version() -> None:
    lowest = load("lowest")
    assert doctest.testmod(lowest) == (0, 1)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "click==8.2" in lowest.constraints(project, [*project["optional-dependencies"]])
    with pytest.raises(ValueError, match="scipy"):
        lowest.constraints({**project, "dependencies": ["scipy"]}, [])


def test_a_python_that_is_missing_fails(tmp_path: Path) -> None:
    for version in ("3.12", "3.13"):
        assert version in (ROOT / ".ci" / "run").read_text()
        assert f"Python :: {version}" in (ROOT / "pyproject.toml").read_text()
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    missing = subprocess.run([ROOT / ".ci" / "pythons", "3.99"], env=env, capture_output=True, text=True, check=False)
    assert (missing.returncode, "Python 3.99 is not here" in missing.stderr) == (1, True)


STEP = """#!/usr/bin/env bash
name=$(basename "$0")
last=${*: -1}
step="$name ${last##*/}"
[ "$name" = python ] && step="python ${last%% *}"
[[ $name = python3* ]] || echo "$step" >>"$STEPS"
[ "$step" = "python import" ] && echo "pip install 'starling-dp[$EXTRA]'" >&2 && exit 1
[ "$step" != "$FAIL" ]
"""
"""Notes what is run in place of a tool, and fails where it is told to; Python says what extra is lacking."""
EXTRAS = "install_into .[demo,h3,pandas,polars,excel,sdmx,pgen,postgres,client,server]"
TOOLS = "install_into pytest-xdist"
LOWEST = "pytest not killed_release"
SLOW, QUICK = (
    "pytest test_surroundings.py::test_releases_with_a_decimal_comma_other_disks_and_awkward_names_and_without_asserts",
    "pytest test_publish.py",
)
"""Steps are named by the last word of each."""
ENVIRONMENTS = """new_environment() { mkdir -p "$1/bin" && for each in pytest starling python; do ln -s "$PWD/step" "$1/bin/$each"; done; }
PATH=$PWD:$PATH
"""


@pytest.mark.parametrize(
    ("version", "steps"),
    [
        ("3.12", ["install_into .", "each_domain venv", "python import", EXTRAS, "python from", TOOLS, LOWEST]),
        ("3.13", ["install_into .[demo]", "starling demo", "install_into .[test]", SLOW, QUICK]),
    ],
)
def test_each_step_on_another_python_fails_its_check(tmp_path: Path, version: str, steps: list[str]) -> None:
    """Each domain is released before any extra is installed, and the demo before those of tests are."""
    checks = tmp_path / ".ci"
    checks.mkdir()
    (checks / "pythons").write_text((ROOT / ".ci" / "pythons").read_text())
    (checks / "environments").write_text(ENVIRONMENTS)
    (tmp_path / "step").write_text(STEP)
    (tmp_path / "step").chmod(0o755)
    for name in ("install_into", f"python{version}", ".ci/each_domain"):
        (tmp_path / name).symlink_to(tmp_path / "step")

    def run(fail: str, extra: str = "client") -> tuple[int, list[str]]:
        noted = tmp_path / "steps"
        noted.write_text("")
        env = {
            "PATH": f"{tmp_path}:/usr/bin:/bin",
            "HOME": str(tmp_path),
            "STEPS": str(noted),
            "FAIL": fail,
            "EXTRA": extra,
        }
        done = subprocess.run(["bash", checks / "pythons", version], env=env, capture_output=True, check=False)
        return done.returncode, noted.read_text().splitlines()

    assert run("") == (0, steps)
    for step in dict.fromkeys(steps):
        if step != "python import":
            assert run(step) == (1, steps[: steps.index(step) + 1])
    if "python import" in steps:
        assert run("", "server") == (1, steps[:3])


def test_the_tests_of_other_pythons_are_there() -> None:
    named = re.findall(r"^  \"?(tests/[^\s\":]+)(?:::(\w+))?", (ROOT / ".ci" / "pythons").read_text(), re.MULTILINE)
    assert all(f"def {test}" in (ROOT / path).read_text() for path, test in named)
    for part in ("release", "ledger", "cli", *DOMAINS):
        assert any(path.startswith(f"tests/{part}/") for path, _ in named)
    assert sum(test != "" for _, test in named) == 2
