"""Other libraries, each in an environment and an interpreter of its own, asked over a pipe.

`python -m bench.peers` makes the environments. A peer's script (`opendp_noise.py`, ...) imports nothing of Starling. It writes one JSON
line saying who it is, then answers every JSON line on its standard input, a measurement to make, with one: {"seconds": ...}. It stays
open, so that rivals are measured in turn within one run, and what is timed is the library's own call: no start, no pipe.
"""

import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent.parent
"""The checkout."""
DEFAULT: Final = ROOT / ".peers"
NAMES: Final = (
    "opendp",
    "diffprivlib",
    "tmlt",
    "tmlt_analytics",
    "solvers",
    "inf_tda",
    "opendp_polars",
    "pipeline_dp",
    "ro_crate",
    "opendp_mbi",
    "residual_planner",
    "gwas_ssf",
)


def requirements(name: str) -> Path:
    """The pinned packages of a peer."""
    return Path(__file__).with_name(f"{name}.txt")


def interpreter(folder: Path, name: str) -> Path:
    """The Python of a peer's environment."""
    return folder / name / "bin" / "python"


class Peer:
    """A peer's script that runs and waits for measurements to make.

    Attributes:
        name: Of the library.
        process: The number of its process.
        versions: Package to version, as the peer itself reports them.
    """

    def __init__(self, name: str, script: str, folder: Path) -> None:
        self.name = name
        self._process = subprocess.Popen(
            [interpreter(folder, name), "-m", f"bench.peers.{script}"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.process = self._process.pid
        self.versions: dict[str, str] = self._answer()

    def seconds(self, **measurement: Any) -> float:
        """The time of one measurement; what may stand in it is the script's business."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(measurement) + "\n")
        self._process.stdin.flush()
        return float(self._answer()["seconds"])

    def close(self) -> None:
        """Let the script end."""
        self._process.communicate()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended with {self._process.wait()}; its message is above")
        return json.loads(line)


@contextmanager
def running(scripts: dict[str, str], folder: Path) -> Iterator[dict[str, Peer]]:
    """The peers that `folder` has an environment for, running.

    Args:
        scripts: The script to run of each peer.
        folder: Where `python -m bench.peers` made the environments.
    """
    with ExitStack() as stack:
        peers = {}
        for name, script in scripts.items():
            if interpreter(folder, name).exists():
                peers[name] = Peer(name, script, folder)
                stack.callback(peers[name].close)
            else:
                print(f"without {name}: `python -m bench.peers` makes its environment")
        yield peers
