"""What all invented files of tables have in common: random streams of a public seed, and runs of rows that several threads make.

The same seed gives the same bytes on any number of cores, because rows are made in runs of a fixed size, each with its own random stream,
and are written in order. (With the same NumPy: its distributions may change between versions, so GENERATED.json names it.)
"""

from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from starling.engine.machine import in_order
from starling.planfile import invented
from starling.tables.generate.files import Writer

NOTICE: Final = (
    "Invented data. No person, address or people is described: every value was drawn from the public seed below, and how common "
    "a group is says nothing about the group whose name it bears. Tables made from it are no statistics of any place."
)
RUN: Final = 1 << 18
"""Rows of one run; part of what the seed means, so not an option."""


def stream(seed: int, *which: int) -> np.random.Generator:
    """One of the independent random streams of a seed."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=which)))


def write_runs(writer: Writer, make: Callable[[range], pa.Table], rows: int, workers: int) -> int:
    """What `make` gives for so many rows, into a file that is closed at the end; gives how many records there are.

    Several threads make and encode runs, which are written in order, with a bounded number of them in memory.
    """

    def encoded(run: range) -> tuple[int, Any]:
        table = make(run)
        return len(table), writer.encode(table)

    runs, records = (range(start, min(start + RUN, rows)) for start in range(0, rows, RUN)), 0
    with closing(writer), closing(in_order(encoded, runs, workers)) as encoded_runs:
        for many, run in encoded_runs:
            records += many
            writer.write(run)
    return records


def write_note(folder: Path, seed: int, title: str, sizes: Mapping[str, int], more: Mapping[str, Any]) -> None:
    """Write the note that everything in the folder is invented, from which seed, for which plan, and how much of it there is."""
    note = {"seed": seed, **more, "plan": title, "numpy": np.__version__, "sizes": dict(sizes)}
    invented.write_note(folder, NOTICE, note)
