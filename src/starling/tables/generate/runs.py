"""What all invented files of tables have in common: random streams of a public seed, and runs of rows that several threads make.

The same seed gives the same bytes on any number of cores, because rows are made in runs of a fixed size, each with its own random stream,
and are written in order. (With the same NumPy: its distributions may change between versions, so NOTE names it.)
"""

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import numpy as np

from starling.engine.machine import in_order

E = TypeVar("E")
E_contra = TypeVar("E_contra", contravariant=True)

NOTE: Final = "GENERATED.json"
NOTICE: Final = (
    "Invented data. No person, address or people is described: every value was drawn from the public seed below, and how common "
    "a group is says nothing about the group whose name it bears. Tables made from it are no statistics of any place."
)
RUN: Final = 1 << 18
"""Rows of one run; part of what the seed means, so not an option."""


class Sink(Protocol[E_contra]):
    """A file that takes runs of rows in its own form."""

    def write(self, encoded: E_contra) -> None:
        """Append a run."""
        ...

    def close(self) -> None:
        """Finish the file."""
        ...


def stream(seed: int, *which: int) -> np.random.Generator:
    """One of the independent random streams of a seed."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=which)))


def write_runs(sink: Sink[E], make: Callable[[range], E], rows: int, workers: int) -> None:
    """So many rows into a file, which is closed at the end: written in order, with a bounded number of runs in memory.

    Several threads call `make`, which gives the rows of a range in the form of the file.
    """
    runs = (range(start, min(start + RUN, rows)) for start in range(0, rows, RUN))
    with closing(sink), closing(in_order(make, runs, workers)) as encoded_runs:
        for run in encoded_runs:
            sink.write(run)


def write_note(folder: Path, seed: int, title: str, sizes: Mapping[str, int], more: Mapping[str, Any]) -> None:
    """Write NOTE: that everything in the folder is invented, from which seed, for which plan, and how much of it there is."""
    note = {"notice": NOTICE, "seed": seed, **more, "plan": title, "numpy": np.__version__, "sizes": dict(sizes)}
    (folder / NOTE).write_text(json.dumps(note, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
