"""Detailed race and ethnicity of one state: Starling against tmlt.analytics on local Spark, same records, same definitions, same budget.

The plan is one level of the production definitions: the state by detailed iterations, with its budget. tmlt.analytics makes the noisy
totals alone, stage 1 of the algorithm (`peers/tmlt_totals.py` says how); Starling makes stage 1 and stage 2, sex by age. What is timed is
the way from the file of persons to noisy numbers in memory, in processes that run already: interpreters, Java and Spark are started
before the clock. Beside it the whole command `starling tables release`, from its start to a signed folder.
"""

import json
import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.measure import Json, Spread, in_turn, ratios, timed
from bench.peers import ROOT, running
from bench.process import STARLING, run
from bench.record import Limit, Recorder
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Receipt, publish
from starling.tables.counts import count
from starling.tables.generate import generate
from starling.tables.mechanism import SafeTab
from starling.tables.plan import Plan, load, read_geography
from starling.tables.source import open_persons

PEER: Final = "tmlt_analytics"
STATE: Final = "37"
LEVEL: Final = "privacy_budget_p_level_2_state"


class Free:
    """An account for invented people: it pays whatever is asked."""

    def charge(self, guarantee: Guarantee, /) -> Receipt:
        """Nothing is written down."""
        return Receipt("benchmark", guarantee, "in memory")


def one_level(definitions: Path, folder: Path) -> Plan:
    """The production definitions with the one level that is measured, as a Census folder of its own."""
    shutil.copytree(definitions, folder)
    file = folder / "config.json"
    config = json.loads(file.read_text())
    off = {key: 0 for key in config if key.startswith("privacy_budget_p_level_") and key != LEVEL}
    file.write_text(json.dumps(config | off | {"run_pr": False, "state_filter_us": [STATE]}))
    return load(folder)


def told(plan: Plan, file: Path) -> None:
    """The plan as the peer reads it: the iterations of each code, nothing of Starling's."""
    (level,) = plan.levels
    of: dict[str, dict[str, list[str]]] = {"combined": {}, "alone": {}, "ethnicity": {}}
    for iteration in level.iterations:
        kind = "ethnicity" if iteration.kind == "ethnicity" else "alone" if iteration.alone else "combined"
        for code in iteration.codes:
            of[kind].setdefault(code, []).append(iteration.code)
    races = [f"QRACE{column}" for column in range(1, plan.max_race_codes + 1)]
    names = [iteration.code for iteration in level.iterations]
    facts = {"races": races, "iterations": names, "stability": level.stability, "rho": float(level.budget * plan.gamma)}
    file.write_text(json.dumps(of | facts))


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
    with TemporaryDirectory() as name, running({PEER: "tmlt_totals"}, chosen.peers) as peers:
        if PEER not in peers:
            sys.exit("nothing to compare with")
        folder, peer = Path(name), peers[PEER]
        plan = one_level(data, folder / "plan")
        made = generate(plan, persons=persons, seed=1, out=folder / "made", states=[STATE])
        few = generate(plan, persons=2_000, seed=2, out=folder / "few", states=[STATE])
        told(plan, folder / "plan.json")

        def ours(records: Path, land: Path) -> None:
            regions = read_geography(land, plan)
            publish(count(plan, regions, open_persons(records, plan)), SafeTab(plan, regions), Free())

        def theirs(records: Path) -> float:
            return peer.seconds(persons=str(records), plan=str(folder / "plan.json"))

        def release() -> float:
            out = folder / "release"
            files: list[str | Path] = ["--persons", made.persons, "--geography", made.geography, "--out", out]
            took = run([STARLING, "tables", "release", folder / "plan", *files, "--yes"]).seconds
            shutil.rmtree(out)
            return took

        # What is compiled or fetched at a first use is not measured.
        ours(few.persons, few.geography)
        theirs(few.persons)
        release()
        rivals = {
            "Starling, both stages": lambda: timed(lambda: ours(made.persons, made.geography)),
            "tmlt.analytics, stage 1": lambda: theirs(made.persons),
            "starling tables release, the whole command": release,
        }
        found = in_turn(rivals, rounds)
    here, there, whole = found.values()
    faster, whole_faster = ratios(there, here), ratios(there, whole)
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
            {"run": "tmlt.analytics over the whole command", "times": whole_faster.to_json()},
        ],
        limits=[Limit.of("tables of a state, times faster than tmlt.analytics", faster, 100, "", least=True)],
        peers=list(peers.values()),
    )


def _row(name: str, seconds: list[float], persons: int) -> Json:
    rates: Any = Spread.of(persons / one for one in seconds)
    return {"run": name, "seconds": Spread.of(seconds).to_json(), "persons_per_second": rates.to_json()}


if __name__ == "__main__":
    main()
