"""Detailed race and ethnicity of one state: Starling against tmlt.analytics on local Spark, same records, same definitions, same budget.

The plan is one level of the production definitions: the state by detailed iterations, with its budget. Both make stage 1, the noisy
total of every group, and stage 2, sex by age as its branch says, with noise of the same variance (`peers/tmlt_state.py` says how
tmlt.analytics does). What is timed is the way from the file of persons to noisy numbers in memory, in processes that run already:
interpreters, Java and Spark are started before the clock. Beside it stage 1 alone by tmlt.analytics, and the whole command
`starling tables release`, from its start to a signed folder. What tmlt.analytics answers is compared with the exact counts afterwards.
"""

import csv
import json
import os
import shutil
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

import numpy as np

from bench.measure import Json, Spread, in_turn, ratios, timed
from bench.peers import ROOT, running
from bench.process import STARLING, run
from bench.record import Limit, Recorder
from starling.privacy.distributions.discrete import DiscreteGaussian
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Receipt, inspect, publish
from starling.tables.counts import count
from starling.tables.generate import generate
from starling.tables.measurements import Int64, branches
from starling.tables.mechanism import SafeTab
from starling.tables.plan import Piece, Plan, read_geography
from starling.tables.plan.census_records import census_records
from starling.tables.plan.sex_by_age import BANDS23, SEX_BY_AGE
from starling.tables.source import open_persons

PEER: Final = "tmlt_analytics"
STATE: Final = "37"
LEVEL: Final = "privacy_budget_p_level_2_state"
REPEATS: Final = 5
"""Of a third of a second, in each round: its figure is the median of so many, beside one run of half a minute."""


T = TypeVar("T")


class Free:
    """An account for invented people: it pays whatever is asked."""

    def charge(self, guarantee: Guarantee, /) -> Receipt:
        """Nothing is written down."""
        return Receipt("benchmark", guarantee, "in memory")

    def resume(self) -> None:
        """Nothing is kept."""

    def commit(self, drawn: T, /) -> T:
        """As it is."""
        return drawn


def one_level(definitions: Path, folder: Path) -> Plan:
    """The production definitions with the one level that is measured, as a Census folder of its own."""
    shutil.copytree(definitions, folder)
    file = folder / "config.json"
    config = json.loads(file.read_text())
    off = {key: 0 for key in config if key.startswith("privacy_budget_p_level_") and key != LEVEL}
    file.write_text(json.dumps(config | off | {"run_pr": False, "state_filter_us": [STATE]}))
    return Plan.load(folder)


def told(plan: Plan, file: Path) -> None:
    """The plan as the peer reads it: the iterations of each code, nothing of Starling's."""
    (level,) = plan.levels
    of: dict[str, dict[str, list[str]]] = {"combined": {}, "alone": {}, "ethnicity": {}}
    for iteration in level.iterations:
        kind = "ethnicity" if iteration.kind == "ethnicity" else "alone" if iteration.alone else "combined"
        for code in iteration.codes:
            of[kind].setdefault(code, []).append(iteration.code)
    races = [f"QRACE{column}" for column in range(1, census_records(plan).max_race_codes + 1)]
    facts = {
        "races": races,
        "bands": BANDS23,
        "cells": [SEX_BY_AGE.within(3, branch).tolist() for branch in range(len(SEX_BY_AGE.sizes))],
        "iterations": [iteration.code for iteration in level.iterations],
        "total_only": [iteration.code for iteration in level.iterations if iteration.total_only],
        "thresholds": level.thresholds,
        "stability": level.stability,
        "rho": float(level.budget),
        "gamma": float(plan.gamma),
    }
    file.write_text(json.dumps(of | facts))


def every_cell(plan: Plan, land: Path, records: Path) -> Int64:
    """Sex by age of every group, exact: int64 (groups, 46). The people are invented."""
    regions = read_geography(land, plan)
    level = plan.levels[0]
    every = Piece(0, 0, len(regions.regions[level.geography]), len(level.iterations))
    return inspect(count(plan, regions, open_persons(records, plan))).value.cells(every, np.arange(every.groups))


def check(folder: Path, plan: Plan, exact: Int64) -> None:
    """Stop unless both stages of tmlt.analytics answer what was asked, with the noise that Starling draws.

    Args:
        folder: The peer's answers: totals.csv, cells.csv, whole.csv.
        plan: One level, of one region.
        exact: Of the same persons, sex by age of every group: int64 (groups, 46).
    """
    (level,) = plan.levels
    stage_noise = plan.stage_noise(level)
    order = {iteration.code: place for place, iteration in enumerate(level.iterations)}
    found, detail, bare = (_answers(folder / f"{name}.csv", order) for name in ("totals", "cells", "whole"))
    stage1 = found[:, 1]
    branch = branches(stage1, level.thresholds)
    branch[level.total_only] = 0
    sizes = np.array(SEX_BY_AGE.sizes)[branch]
    assert found[:, 0].tolist() == list(range(len(order)))
    assert detail[:, 0].tolist() == np.repeat(np.arange(len(order)), sizes).tolist()
    assert detail[:, 1].tolist() == [cell for size in sizes for cell in range(size)]
    assert bare[:, 0].tolist() == np.flatnonzero(level.total_only).tolist()
    truth = np.concatenate([SEX_BY_AGE.merged(exact[[place]], 3, int(which))[0] for place, which in enumerate(branch)])
    _noise("stage 1", stage1 - exact.sum(axis=1), stage_noise.stage1)
    _noise("stage 2", detail[:, 2] - truth, stage_noise.stage2)
    _noise("total-only groups", bare[:, 1] - exact[level.total_only].sum(axis=1), stage_noise.total_only)


def _answers(file: Path, order: dict[str, int]) -> Int64:
    """The rows of a table, in plan order, the position of the iteration in place of its code: int64 (rows, columns)."""
    with file.open(newline="") as opened:
        rows = [(order[code], *map(int, rest)) for code, *rest in list(csv.reader(opened))[1:]]
    return np.array(sorted(rows), dtype=np.int64)


def _noise(what: str, noise: Int64, law: Any) -> None:
    """Stop unless noise has the variance of a law; a right one strays by 7 standard errors once in 10^11."""
    assert isinstance(law, DiscreteGaussian)
    share = float(np.mean(noise.astype(float) ** 2)) / float(law.sigma_squared)
    assert abs(share - 1) < 7 * (2 / len(noise)) ** 0.5, f"{what}: {share:.3f} of the stated variance"
    print(f"tmlt.analytics, {what}: {len(noise):,} values, {share:.3f} of the variance {float(law.sigma_squared):.4g}")


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("tables_tmlt", "One state against tmlt.analytics on local Spark.", peers=True)
    recorder.parser.add_argument("--persons", type=int, default=1_000_000)
    recorder.parser.add_argument("--rounds", type=int, default=1, help="a round of a million persons takes minutes")
    chosen = recorder.begin()
    data = Path(os.environ.get("STARLING_DATA") or ROOT.parent / "shared" / "data") / "tables" / "NMFv7-2020"
    if not data.is_dir():
        sys.exit("no production definitions: set STARLING_DATA to the folder that holds tables/NMFv7-2020")
    persons, rounds = (5_000, 1) if chosen.quick else (chosen.persons, chosen.rounds)
    with TemporaryDirectory() as name, running({PEER: "tmlt_state"}, chosen.peers) as peers:
        if PEER not in peers:
            sys.exit("nothing to compare with")
        folder, peer = Path(name), peers[PEER]
        plan = one_level(data, folder / "plan")
        made = generate(plan, persons=persons, seed=1, out=folder / "made", states=[STATE])
        few = generate(plan, persons=2_000, seed=2, out=folder / "few", states=[STATE])
        told(plan, folder / "plan.json")
        exact = every_cell(plan, made.files["geography"], made.records)

        def ours(records: Path, land: Path) -> None:
            regions = read_geography(land, plan)
            publish(count(plan, regions, open_persons(records, plan)), SafeTab(plan, regions), Free())

        def theirs(records: Path, stages: int) -> float:
            return peer.seconds(persons=str(records), plan=str(folder / "plan.json"), out=str(folder), stages=stages)

        def theirs_checked() -> float:
            took = theirs(made.records, 2)
            check(folder, plan, exact)
            return took

        def release() -> float:
            out = folder / "release"
            files: list[str | Path] = ["--persons", made.records, "--geography", made.files["geography"], "--out", out]
            took = run([STARLING, "tables", "release", folder / "plan", *files, "--yes", "--unvalidated"]).seconds
            shutil.rmtree(out)
            return took

        # What is compiled or fetched at a first use is not measured.
        ours(few.records, few.files["geography"])
        theirs(few.records, 2)
        release()
        rivals = {
            "Starling, both stages": lambda: median(
                timed(lambda: ours(made.records, made.files["geography"])) for _ in range(REPEATS)
            ),
            "tmlt.analytics, both stages": theirs_checked,
            "tmlt.analytics, stage 1": lambda: theirs(made.records, 1),
            "starling tables release, the whole command": release,
        }
        found = in_turn(rivals, rounds)
    here, there, half, command = found.values()
    faster, half_faster, command_faster = ratios(there, here), ratios(half, here), ratios(there, command)
    recorder.end(
        settings={
            "persons": persons,
            "states": STATE,
            "definitions": data.name,
            "iterations": len(plan.levels[0].iterations),
            "rho": float(plan.levels[0].budget),
            "rounds": rounds,
            "spark": "local[2], 8 GB",
        },
        rows=[
            *(_row(name, times, persons) for name, times in found.items()),
            {"run": "tmlt.analytics over Starling", "times": faster.to_json()},
            {"run": "tmlt.analytics, stage 1, over Starling, both stages", "times": half_faster.to_json()},
            {"run": "tmlt.analytics over the whole command", "times": command_faster.to_json()},
        ],
        limits=[Limit.of("tables of a state, times faster than tmlt.analytics", faster, 100, "", least=True)],
        peers=list(peers.values()),
    )


def _row(name: str, seconds: list[float], persons: int) -> Json:
    rates: Any = Spread.of(persons / one for one in seconds)
    return {"run": name, "seconds": Spread.of(seconds).to_json(), "persons_per_second": rates.to_json()}


if __name__ == "__main__":
    main()
