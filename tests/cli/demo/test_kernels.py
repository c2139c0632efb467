"""What the demo compiles."""

import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import gc, sys
from click.testing import CliRunner
from numba.core.dispatcher import Dispatcher
from starling.cli.demo import demo
print(CliRunner().invoke(demo, ["--out", sys.argv[1], "--persons", "2000"], catch_exceptions=False).exit_code)
kernels = [each for each in gc.get_objects() if isinstance(each, Dispatcher) and each.py_func.__module__.startswith("starling.")]
print(sum(1 for each in kernels if each.overloads))
for each in kernels:
    if len(each.overloads) > 1:
        print(each.py_func.__module__, each.py_func.__name__, *each.overloads, sep="; ")
"""


@pytest.mark.slow
def test_each_kernel_of_the_demo_is_compiled_for_one_type(tmp_path: Path) -> None:
    line = [sys.executable, "-c", CODE, str(tmp_path / "demo")]
    ran = subprocess.run(line, capture_output=True, text=True, check=True)
    code, number, *others = ran.stdout.splitlines()
    assert code == "0"
    assert int(number) > 40
    assert not others
