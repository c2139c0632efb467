"""What is compiled beforehand is what first runs need, and nothing stays."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from starling.cli.warm import DOMAINS
from starling.cli.warming import FIRST_RUNS
from starling.domains import DOMAINS as REGISTERED

RUN = """
import json, os, sys
from numba.core.dispatcher import Dispatcher
from starling.cli import main
try:
    main(["warm", "groups", "places"])
except SystemExit as ended:
    assert not ended.code
modules = [each for name, each in sorted(sys.modules.items()) if name.startswith(("starling.groups", "starling.places"))]
kernels = {each for module in modules for each in vars(module).values() if isinstance(each, Dispatcher)}
inner = {name for each in kernels for name in each.py_func.__code__.co_names}
named = {each: f"{each.py_func.__module__}.{each.__name__}".removeprefix("starling.") for each in kernels}
waiting = [name for each, name in named.items() if not each.overloads and each.__name__ not in inner]
json.dump([len(kernels), sorted(waiting), os.listdir(os.environ["TMPDIR"])], sys.stderr)
"""
"""Which kernels have been imported, and which of them that Python calls have not been called."""
WAITING = {
    "groups.optimise.flow_kernels.active_at": "public totals of regions beside histograms, a method that a user has to name",
    "groups.optimise.flow_kernels.cheapest_flow": "as before",
    "groups.optimise.flow_kernels.distances": "as before",
    "groups.optimise.flow_kernels.move_units": "as before",
    "places.answers.leaf_table._count": "grids that are too fine to be held whole",
    "places.answers.regions.sum_rings": "hexagons, of an extra",
    "places.mechanism.boxes.deviations": "the method htf, which a user has to name",
    "places.occupied._bits": "as before",
}
"""Kernels that are compiled when they are needed, and why."""


@pytest.mark.slow
def test_every_kernel_that_first_runs_need_is_compiled_and_nothing_stays(tmp_path: Path) -> None:
    """Of two domains; the first runs of the others would take longer than they show more."""
    assert set(DOMAINS) == set(REGISTERED) == set(FIRST_RUNS)
    run = [sys.executable, "-c", RUN]
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = os.environ | {"TMPDIR": str(temporary)}
    ended = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert ended.stdout == "compiled for groups, places\n"
    count, waiting, left = json.loads(ended.stderr.splitlines()[-1])
    assert count > 60, "the kernels are found"
    assert set(waiting) == set(WAITING)
    assert left == []
    assert [each.name for each in tmp_path.iterdir()] == ["temporary"]
