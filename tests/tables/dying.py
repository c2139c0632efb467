"""A release of the toy data set that dies where it is told to: `python -m tests.tables.dying LEDGER DATA OUT POINT [TOP_UP]`."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starling.ledger import account, charging
from starling.ledger.opening import open_ledger
from starling.release import bundle
from starling.tables import artifact, counts, publish
from starling.tables.artifact import measured
from starling.tables.plan import Plan

POINTS: dict[str, tuple[Any, str, bool]] = {
    "before the charge": (charging.Charging, "charge", False),
    "after the charge": (charging.Charging, "charge", True),
    "while reading": (counts.GroupCounts, "totals", False),
    "after the draw": (publish, "tabulate", False),
    "while drawing": (measured, "_table", True),
    "while writing": (artifact, "write_tables", True),
    "before the flush": (bundle, "_flush", False),
    "before the answer": (account.RequestAccount, "answer", False),
    "after the answer": (account.RequestAccount, "answer", True),
    "before the rename": (bundle, "_place", False),
    "after the rename": (bundle, "_place", True),
}
"""Where, which function, and whether before or after it."""

REQUEST = "toy-release"


def release(
    url: str, data: Path, out: Path, request_id: str = REQUEST, top_up: Path | None = None
) -> publish.Published:
    """The toy data set under the zCDP configuration, paid by the ledger; on top of an earlier release if one is named."""
    toy = data / "tables" / "toy_dataset"
    return publish.release(
        Plan.load(toy / "input_dir_zcdp"),
        toy / "person-records.txt",
        toy / "GRF-C.txt",
        out,
        top_up=top_up,
        ledger=open_ledger(url),
        dataset="toy",
        request_id=request_id,
    )


def strike(owner: Any, name: str, after: bool) -> None:
    """Kill this process, as kill -9 would, when the function is called, or when it returns."""
    plain: Callable[..., Any] = getattr(owner, name)

    def struck(*arguments: Any, **named: Any) -> Any:
        if after:
            plain(*arguments, **named)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, name, struck)


def main(url: str, data: str, out: str, point: str, *top_up: str) -> None:
    """See above."""
    strike(*POINTS[point])
    release(url, Path(data), Path(out), top_up=Path(top_up[0]) if top_up else None)


if __name__ == "__main__":
    main(*sys.argv[1:])
