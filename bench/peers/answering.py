"""The loop of a peer's script. Uses the standard library alone: it runs in every peer's environment."""

import json
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any


def answer(packages: tuple[str, ...], measure: Callable[..., float]) -> None:
    """Say which versions run, then answer each line of standard input with the seconds that `measure(**line)` found."""
    versions = {"python": platform.python_version()} | {package: version(package) for package in packages}
    print(json.dumps(versions), flush=True)
    for line in sys.stdin:
        asked: dict[str, Any] = json.loads(line)
        print(json.dumps({"seconds": measure(**asked)}), flush=True)
