"""The demo shows charges, rows with their intervals and the truth, and commands that work."""

import json
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from starling.cli.demo import compiling_beside, program
from starling.errors import ParameterError
from starling.privacy import compiling
from tests.cli.conftest import Call

COMPILED = """
import gc, sys
from click.testing import CliRunner
from numba.core.dispatcher import Dispatcher
from starling.cli import main
result = CliRunner().invoke(main, ["demo", "--out", sys.argv[1], "--persons", "20000", "--json"], catch_exceptions=False)
assert result.exit_code == 0, result.output
print(" ".join(result.stdout.split()))
kernels = [each for each in gc.get_objects() if isinstance(each, Dispatcher) and each.py_func.__module__.startswith("starling.")]
print(sum(1 for each in kernels if each.overloads))
for each in kernels:
    if len(each.overloads) > 1:
        print(each.py_func.__module__, each.py_func.__name__, *each.overloads, sep="; ")
"""


@dataclass(frozen=True)
class Machines:
    """A demo for machines, made by a process of its own.

    Attributes:
        folder: Where it is.
        told: What it says, read from JSON.
        compiled: How many kernels it compiled.
        others: Those that it compiled for several types.
    """

    folder: Path
    told: Any
    compiled: int
    others: list[str]


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Machines:
    folder = tmp_path_factory.mktemp("machines") / "d"
    line = [sys.executable, "-c", COMPILED, str(folder)]
    ran = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=True)
    told, number, *others = ran.stdout.splitlines()
    return Machines(folder, json.loads(told), int(number), others)


@pytest.mark.slow
def test_the_demo_tells_its_story_and_its_next_steps_work(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = call("demo", "--persons", "30000")
    assert result.exit_code == 0, result.output
    text = result.stdout
    assert "30,000 persons" in text
    assert "Nobody in it exists." in text
    assert re.search(r"charged +rho 0\.\d+", text)
    assert re.search(r"[\d,]+ +[\d,]+ to [\d,]+ +[\d,]+ +holds it", text)
    assert re.search(r"[\d,]+ +[\d,]+ to [\d,]+ +[\d,]+ +misses it", text)
    assert re.search(r"charged +epsilon 4", text)
    # The first SNP found is near a planted one but for a chance of 1e-8: 69 patients and more lie between them and all others.
    assert re.search(r"^s\d+ +\S+ +\S+ to \S+ +yes +s(1200|3800)", text, re.MULTILINE)
    tables, genome = Path("starling-demo/tables"), Path("starling-demo/genome")
    assert sorted(path.name for path in tables.iterdir()) == [".release.records", "invented", "plan.toml", "release"]
    assert sorted(path.name for path in genome.iterdir()) == ["answers", "study"]
    assert (tables / "release/report.html").is_file()
    assert len(list(genome.glob("answers/*/report.html"))) == 1
    last = text.rstrip().split("Try next:\n")[1].splitlines()
    assert len(last) == 12
    assert str(tmp_path) not in text, "paths are from where it was begun"
    for line in last:
        words = shlex.split(line)
        assert words[0] == "starling"
        assert call(*words[1:]).exit_code == 0, line
    assert (tables / "second").is_dir()
    assert (genome / "again").is_dir()
    assert list((genome / "pictures").glob("*.svg"))
    assert "declared public" in text
    # The number of aircraft with a flight or more is exact but for noise of scale 3.
    assert re.search(r"^50 or more +[\d,]+ +[\d,]+ to [\d,]+ +[\d,]+$", text, re.MULTILINE)
    assert (Path("starling-demo/groups") / "pictures" / "sizes-1.svg").is_file()
    assert (Path("starling-demo/places") / "map.html").is_file()
    assert re.search(r"^all of the map +[\d,]+ +[\d,]+ to [\d,]+ +[\d,]+$", text, re.MULTILINE)


def test_next_steps_name_the_program_as_the_user_called_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for called, shown in (
        (".venv/bin/starling", ".venv/bin/starling"),
        ("a b/starling", "'a b/starling'"),
        ("x/pytest", "starling"),
    ):
        monkeypatch.setattr(sys, "argv", [called])
        assert program() == shown
    (tmp_path / "starling").touch(mode=0o755)
    monkeypatch.setattr(sys, "argv", [".venv/bin/starling"])
    assert program() == "starling"


@pytest.mark.parametrize(("kept", "processors", "started"), [(True, 2, 1), (False, 2, 0), (True, 1, 0)])
def test_later_chapters_are_compiled_beside_where_that_spares_time(
    monkeypatch: pytest.MonkeyPatch, *, kept: bool, processors: int, started: int
) -> None:
    processes: list[subprocess.Popen[bytes]] = []

    def sleeping(line: list[str], env: dict[str, str], **_: int) -> subprocess.Popen[bytes]:
        assert line[-2:] == ["groups", "places"]
        assert Path(env["TMPDIR"]).is_dir()
        processes.append(real([sys.executable, "-c", "import time; time.sleep(600)"], env=env))
        return processes[-1]

    real = subprocess.Popen
    monkeypatch.setattr("starling.cli.demo.subprocess.Popen", sleeping)
    monkeypatch.setattr("starling.cli.demo.processors", lambda: processors)
    with compiling_beside():
        assert not processes, "where all is compiled, nothing is started"
        compiling.begins(cached=kept)
        compiling.begins(cached=kept)
        assert len(processes) == started
    assert all(each.poll() is not None for each in processes), "none outlives the demo"


@pytest.mark.slow
def test_the_demo_for_machines_shows_rows_beside_the_truth(call: Call, machines: Machines) -> None:
    told = machines.told
    found = told["tables"]
    assert found["holds"]["lower"] <= found["holds"]["truth"] <= found["holds"]["upper"]
    missed = found["misses"]
    assert not missed["lower"] <= missed["truth"] <= missed["upper"]
    share = found["intervals"]["hold_the_truth"] / found["intervals"]["totals"]
    # Published totals of one draw: suppression chooses high noise, so somewhat below 95 % is right.
    assert 0.8 < share < 1
    assert told["genome"]["planted"] == ["s1200", "s3800"]
    assert told["genome"]["significant"]["low"] >= 2
    assert len(told["genome"]["snps"]) == 2
    assert told["groups"]["aircraft"] == 4_043
    # Of six sure intervals one or more misses the truth but for a chance of about 0.3, three or more of 0.002, all of 2e-8.
    assert sum(row["lower"] <= row["truth"] <= row["upper"] for row in told["places"]["rows"]) >= 1
    assert len(told["next"]) == 12
    again = call("demo", "--out", machines.folder, "--json")
    assert again.exit_code == 74
    assert "cannot be made (File exists); name a new folder with --out" in again.stderr


def test_without_msprime_nothing_is_begun(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "msprime", None)
    refused = call("demo", "--out", tmp_path / "d")
    assert refused.exit_code == ParameterError.exit_code
    assert "install 'starling-dp[demo]'" in refused.stderr
    assert not (tmp_path / "d").exists()


@pytest.mark.slow
def test_each_kernel_of_the_demo_is_compiled_for_one_type(machines: Machines) -> None:
    assert machines.compiled > 40
    assert not machines.others
