"""All tables of up to three of eight columns of Adult by Starling, tmlt.analytics, OpenDP and ResidualPlanner at one rho: errors and time.

The rho is what Starling takes for a margin of 20 records in every cell. tmlt.analytics and OpenDP's contingency table (`Fixed`) measure
each table with an equal part of it; ResidualPlanner makes the largest variance least. Errors are those of all cells, from exact counts.

OpenDP's answers are the tables as it measures them. It also fits a model to them, whose numbers agree and are at least 0; of these tables
that has a cell for each combination of the eight columns, 13 million, and is left out.

Time is the way from Parquet to cells in a process that runs already and has answered two tables before; of Starling, which also writes,
signs and documents a release, that of the whole command stands beside. CPU seconds are of the process and of what it began. ResidualPlanner
is no package: `--residual-planner DIR` names the folder of its code, residual_planner/ of github.com/dkifer/ResidualPlanner. It is left out
without.
"""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from pathlib import Path
from shutil import rmtree
from statistics import mean, median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.cross_tables import Adult, adult
from bench.measure import Json
from bench.peers import Peer, running
from bench.process import STARLING, run
from bench.record import Limit, Recorder
from starling.release.payment import PaymentOptions
from starling.tables import Plan, release
from starling.tables import plan as plan_of
from starling.tables.artifact.cross import of_plan
from starling.tables.postprocess.cross import table_names

MARGIN: Final = 20
RUNS: Final = 3
NAMES: Final = ("age", "workclass", "education", "marital", "occupation", "race", "sex", "income")
"""Of the columns of Adult, as all libraries take them."""
PEERS: Final = {
    "residual_planner": "residual_planner_cross",
    "tmlt_analytics": "tmlt_cross",
    "opendp_mbi": "opendp_cross",
}
LEAST: Final = {"tmlt_analytics": 2.4, "opendp_mbi": 2.4, "residual_planner": 0.97}
"""How many times Starling's the variance of each is at least."""
OURS: Final = "Starling"
FEW: Final = 2
"""Tables that are asked for before anything is measured."""
CODE: Final = "RESIDUAL_PLANNER"
"""The setting under which the script of ResidualPlanner finds its code."""

Answers: TypeAlias = list[list[float]]
"""The cells of each table, in the order of their codes."""
Measured: TypeAlias = tuple[Answers, float, float]
"""Answers, seconds and CPU seconds."""


def children(process: int) -> Iterator[int]:
    """A process and what it began and still runs."""
    yield process
    for task in Path(f"/proc/{process}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield from children(int(child))


def cpu_seconds(process: int) -> float:
    """What a process and all that it began have used of the processors."""
    ticks = 0
    for each in children(process):
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def theirs(peer: Peer, out: Path, asked: dict[str, Any], those: list[list[str]]) -> Measured:
    """The answers of a peer to some tables."""
    before = cpu_seconds(peer.process)
    took = peer.seconds(out=str(out), tables=those, **asked)
    return json.loads(out.read_text()), took, cpu_seconds(peer.process) - before


def ours(plan: Plan, stated: Path, data: Path, out: Path) -> Measured:
    """The answers of a release, by the whole command."""
    took = run([STARLING, "tables", "release", stated, "--persons", data, "--out", out, "--yes", "--unvalidated"])
    return cells_of(plan, out), took.seconds, took.cpu_seconds


def ours_called(plan: Plan, data: Path, out: Path) -> Measured:
    """The answers of a release, by a call in this process."""
    before, began = cpu_seconds(os.getpid()), perf_counter()
    release(plan, data, out=out, payment=PaymentOptions(unvalidated=True))
    took, used = perf_counter() - began, cpu_seconds(os.getpid()) - before
    return cells_of(plan, out), took, used


def cells_of(plan: Plan, out: Path) -> Answers:
    """The cells of a release, in the order of the plan's tables; it is removed."""
    names = table_names(of_plan(plan))
    found = [pq.read_table(out / "data" / f"{name}.parquet")["count"].to_pylist() for name in names]
    rmtree(out)
    return found


@dataclass(frozen=True, slots=True)
class Asked:
    """The tables, in the plan's order, and the exact cells of each."""

    tables: list[list[str]]
    exact: list[np.ndarray[Any, np.dtype[np.int64]]]

    @classmethod
    def of(cls, plan: Plan, records: Adult) -> "Asked":
        """What the plan's tables should say of the records."""
        shape = plan.cross_shape
        counts = records.counts(shape)
        named = [[NAMES[column] for column in table] for table in shape.tables]
        return cls(named, [counts.part(0, table).ravel() for table in shape.tables])

    def row(self, library: str, answers: Answers, seconds: float, cpu: float) -> dict[str, Any]:
        """The errors of one set of answers: the root of the mean square over cells, of tables by their number of columns and of all."""
        errors = [np.array(each) - exact for each, exact in zip(answers, self.exact, strict=True)]
        by = {
            size: np.concatenate([each for each, table in zip(errors, self.tables, strict=True) if len(table) == size])
            for size in range(len(max(self.tables, key=len)) + 1)
        }
        return {
            "library": library,
            "errors": [round(float(np.sqrt(np.mean(each**2))), 2) for each in by.values()],
            "mean_square": round(float(np.mean(np.concatenate(errors) ** 2)), 2),
            "apart": round(self.apart(answers), 2),
            "seconds": round(seconds, 2),
            "cpu_seconds": round(cpu, 2),
        }

    def apart(self, answers: Answers) -> float:
        """The most by which the sum of all cells differs between two tables."""
        totals = [sum(each) for each in answers]
        return max(totals) - min(totals)


def together(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The row of several sets of answers: the root of the mean of squared errors, the median of seconds."""
    errors = [
        round(sqrt(mean(one**2 for one in each)), 2) for each in zip(*(row["errors"] for row in found), strict=True)
    ]
    return {
        "library": found[0]["library"],
        "runs": len(found),
        "errors": list[Json](errors),
        "mean_square": round(mean(row["mean_square"] for row in found), 2),
        "apart": max(row["apart"] for row in found),
        "seconds": median(row["seconds"] for row in found),
        "cpu_seconds": median(row["cpu_seconds"] for row in found),
    }


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("cross_rivals", "All tables of up to three columns of Adult by four libraries.", peers=True)
    recorder.parser.add_argument("--runs", type=int, default=RUNS)
    recorder.parser.add_argument("--residual-planner", type=Path, metavar="DIR", help="the code of ResidualPlanner")
    chosen = recorder.begin()
    records, most, runs = adult(), 2 if chosen.quick else 3, 1 if chosen.quick else chosen.runs
    sizes = dict(zip(NAMES, records.sizes, strict=True))
    domains = {name: list(map(str, range(size))) for name, size in sizes.items()}
    plan = plan_of(NAMES, domains, cross=most, margin=MARGIN)
    asked, rho = Asked.of(plan, records), float(plan.cost.amount)
    scripts = dict(PEERS)
    if chosen.residual_planner:
        os.environ[CODE] = str(chosen.residual_planner.absolute())
    else:
        del scripts["residual_planner"]
        print("without residual_planner: name its code with --residual-planner")
    with TemporaryDirectory() as name, running(scripts, chosen.peers) as peers:
        scratch = Path(name)
        coded, texts, stated = scratch / "coded.parquet", scratch / "texts.parquet", scratch / "plan.toml"
        columns = dict(zip(NAMES, records.records.T, strict=True))
        pq.write_table(pa.table(columns), coded)
        pq.write_table(pa.table({key: list(map(str, values)) for key, values in columns.items()}), texts)
        plan.save(stated)
        answers, folder = scratch / "answers.json", scratch / "release"
        rivals: dict[str, Callable[[list[list[str]]], Measured]] = {
            OURS: lambda _: ours_called(plan, texts, folder),
            f"{OURS}, the whole command": lambda _: ours(plan, stated, texts, folder),
        }
        for library, peer in peers.items():
            given = {"data": str(coded), "sizes": sizes, "rho": rho}
            rivals[library] = partial(theirs, peer, answers, given)
        found: dict[str, list[dict[str, Any]]] = {library: [] for library in rivals}
        for answer in rivals.values():
            answer(asked.tables[:FEW])
        for _ in range(runs):
            for library, answer in rivals.items():
                found[library].append(asked.row(library, *answer(asked.tables)))
                print(found[library][-1], flush=True)
    rows = [together(each) for each in found.values()]
    least = rows[0]["mean_square"]
    recorder.end(
        settings={
            "records": len(records.records),
            "tables": len(asked.tables),
            "cells": sum(map(len, asked.exact)),
            "rho": rho,
            "margin": MARGIN,
        },
        rows=[*rows],
        limits=[
            Limit(
                f"93 tables, variance of {row['library']} over Starling's at one rho",
                round(row["mean_square"] / least, 3),
                LEAST[row["library"]],
                "times",
                least=True,
            )
            for row in rows
            if row["library"] in LEAST
        ],
        peers=list(peers.values()),
    )


if __name__ == "__main__":
    main()
