"""PLINK itself, run by tests; they skip with a plain reason where it is not installed."""

import shutil
import subprocess
from pathlib import Path

import pytest


def plink(version: str, *arguments: str | Path) -> None:
    """Run plink1.9 or plink2 as Debian's packages name them."""
    if shutil.which(version) is None:
        pytest.skip(f"{version} is not installed")
    done = subprocess.run([version, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
