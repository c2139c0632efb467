"""Result files: one JSON document a benchmark, with the machine, the settings, the rows and the limits that were to be kept."""

import argparse
import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from bench import machine
from bench.measure import Json, Spread
from bench.peers import DEFAULT, ROOT, Peer

RESULTS: Final = ROOT / "bench" / "results"


@dataclass(frozen=True, slots=True)
class Limit:
    """A figure with a bound.

    Attributes:
        what: The figure in words.
        measured: The median; of several cases, the worst one.
        bound: How far it may go.
        unit: Of both.
        least: Whether the bound is the least it may be, not the most.
        best: The best round, nearest to what an idle machine would give; the measured figure if there is only that.
    """

    what: str
    measured: float
    bound: float
    unit: str
    least: bool = False
    best: float | None = None

    @classmethod
    def of(cls, what: str, found: Spread, bound: float, unit: str, *, least: bool = False) -> "Limit":
        """The limit of a figure that was measured several times."""
        return cls(what, found.median, bound, unit, least, found.most if least else found.least)

    @property
    def kept(self) -> bool:
        """Whether the figure is within its bound."""
        return self.measured >= self.bound if self.least else self.measured <= self.bound

    def to_json(self) -> Json:
        """As it stands in a result file."""
        return {
            "what": self.what,
            "measured": self.measured,
            "best": self.measured if self.best is None else self.best,
            "bound": self.bound,
            "unit": self.unit,
            "kind": "least" if self.least else "most",
            "kept": self.kept,
        }


class Recorder:
    """A run of a benchmark, from its arguments to its file.

    Args:
        name: Of the benchmark: its module and its file.
        about: What it measures.
        peers: Whether it asks other libraries.
    """

    def __init__(self, name: str, about: str, *, peers: bool = False) -> None:
        self.name = name
        parser = argparse.ArgumentParser(prog=f"python -m bench.{name}", description=about)
        parser.add_argument("--quick", action="store_true", help="tiny sizes, nothing written: does it run?")
        parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR", help="folder of the result file")
        if peers:
            parser.add_argument(
                "--peers", type=Path, default=DEFAULT, metavar="DIR", help="made by python -m bench.peers"
            )
        self.parser = parser

    def begin(self, arguments: Sequence[str] | None = None) -> argparse.Namespace:
        """Parse the arguments and look at the clock."""
        chosen = self.parser.parse_args(arguments)
        self._quick, self._out = chosen.quick, chosen.out
        self._watch = machine.Watch()
        return chosen

    def end(
        self,
        *,
        settings: dict[str, Json],
        rows: list[Json],
        limits: Sequence[Limit] = (),
        peers: Sequence[Peer] = (),
    ) -> dict[str, Json]:
        """Write the file, print the limits, and hand back what was written."""
        document: dict[str, Json] = {
            "benchmark": self.name,
            "command": f"python -m bench.{self.name}",
            "date": datetime.now(UTC).date().isoformat(),
            "source": source(),
            "machine": machine.describe(),
            "peers": {peer.name: dict(peer.versions) for peer in peers},
            "load_before": self._watch.load_before,
            "others_share": self._watch.others(),
            "settings": settings,
            "rows": rows,
            "limits": [limit.to_json() for limit in limits],
        }
        if self._quick:
            print(as_text(document))
        else:
            self._out.mkdir(parents=True, exist_ok=True)
            (self._out / f"{self.name}.json").write_text(as_text(document))
        for limit in limits:
            bound = f"{'at least' if limit.least else 'at most'} {limit.bound:,g} {limit.unit}"
            print(f"{'kept' if limit.kept else 'MISSED'}: {limit.what}: {limit.measured:,g} {limit.unit} ({bound})")
        return document


def load(name: str, folder: Path = RESULTS) -> dict[str, Any]:
    """The result file of a benchmark."""
    found: dict[str, Any] = json.loads((folder / f"{name}.json").read_text())
    return found


def as_text(document: Json) -> str:
    """JSON with a line for each innermost object.

    >>> print(as_text({"rows": [{"median": 1.5, "runs": 3}]}), end="")
    {
     "rows": [
      {"median": 1.5, "runs": 3}
     ]
    }
    """
    spread = json.dumps(document, indent=1, ensure_ascii=False)
    return re.sub(r"\{\s*([^{}\[\]]*?)\s*\}", lambda inner: "{" + re.sub(r"\s+", " ", inner[1]) + "}", spread) + "\n"


def source() -> str:
    """Which source ran: the commit, and whether the package differed from it."""
    try:
        commit = _git("rev-parse", "--short=12", "HEAD")
        return f"{commit} with changes" if _git("status", "--porcelain", "--", "src") else commit
    except (OSError, subprocess.CalledProcessError):
        return "not a checkout"


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
