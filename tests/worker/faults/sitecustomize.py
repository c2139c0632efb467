"""Put before all that Python imports in processes of a test: jobs of some analysts never end, or die as native code does.

As long as the file that FAULTS names is there. The analyst "loop" is one whose jobs never end, "crash" one whose jobs die.
"""

import importlib.abc
import importlib.util
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

TARGET = "starling.worker.jobs"


def _patch(module: Any) -> None:
    plain = module.Jobs.carry_out

    def carry_out(jobs: Any, charge: Any) -> None:
        if Path(os.environ["FAULTS"]).exists():
            while charge.analyst == "loop":
                time.sleep(1)
            if charge.analyst == "crash":
                os.kill(os.getpid(), signal.SIGSEGV)
        plain(jobs, charge)

    module.Jobs.carry_out = carry_out


class _Finder(importlib.abc.MetaPathFinder):
    """Patches the module once it has been loaded."""

    def find_spec(self, name: str, *_: Any) -> Any:
        if name != TARGET:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.loader is not None
        load = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            load(module)
            _patch(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


sys.meta_path.insert(0, _Finder())
