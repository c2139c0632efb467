"""Counts, sums, means and medians by public groups: Starling against tmlt.analytics, OpenDP and PipelineDP, at one epsilon.

Records are the RAND health insurance experiment (visits by insurance plan, 4 groups) and invented ones (a skewed value from 0 to 100 in one
of 100 groups), these also by 5,000 districts, which makes 500,000 groups. Each record is a person of its own, and neighbours add or
remove one. Every library answers each query by itself with all of epsilon, on the same Parquet file and the same public groups, in the
way that its documentation recommends. Errors are those of each group, over several runs; a median's error is that of its value.

Time is the way from the file to answers: of the others in a process that runs already. Starling is there twice: as the whole command,
from its start to a signed release, which the limits hold to, and as a call in a process that runs already, as the others. What a library
was not asked for is left out: PipelineDP's local backend holds all records as objects of Python (`--objects` asks it for more), and
tmlt.analytics takes minutes for means and medians already of 100 groups. OpenDP is told that the groups that occur are public, and leaves
out the others: it answers fewer of the 500,000, which the others answer all.

A limit for each library says where Starling is fifty times faster and where not: where a library answers in a second, no command can be,
since that is less than it takes to start one. `--only "invented, by district" --out DIR` runs one kind of records.
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from shutil import rmtree
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

import numpy as np
import pandas as pd

from bench.measure import Json
from bench.peers import Peer, running
from bench.process import STARLING, run
from bench.record import RESULTS, Limit, Recorder
from starling.planfile.values import toml_of
from starling.release.payment import PaymentOptions
from starling.tables import Plan, release

PEERS: Final = {"tmlt_analytics": "tmlt_tables", "opendp_polars": "opendp_tables", "pipeline_dp": "pipeline_dp_tables"}
QUERIES: Final = ("count", "sum", "mean", "median")
EPSILON: Final = "0.1"
RUNS: Final = 20
GROUPS: Final = 100
DISTRICTS: Final = 5_000
SEED: Final = 2026
MOST_OBJECTS: Final = 1_000_000
"""Records above which a library that holds them as objects of Python is not asked."""
TIMES_FASTER: Final = 50

CALLED: Final = "starling_called"
"""Starling in a process that runs already."""
FINE: Final = "invented, by district"
"""The records of which 500,000 groups are asked."""


def rand() -> tuple[pd.DataFrame, int]:
    """Visits of the RAND experiment by insurance plan, and the bound on them."""
    from statsmodels.datasets import randhie

    data = randhie.load_pandas().data
    share = np.round(np.exp(data.lncoins) - 1)  # of the costs, in percent
    plan = np.select([share == 0, share == 25, share == 50], ["free", "quarter", "half"], "most")
    return pd.DataFrame({"group": plan, "value": data.mdvis.astype(np.int64)}), 80


def invented(persons: int) -> tuple[pd.DataFrame, int]:
    """Skewed values in groups of different sizes, and the bound on them."""
    rng = np.random.default_rng(SEED)
    number = np.minimum(rng.geometric(0.04, persons) - 1, GROUPS - 1)
    names = np.array([f"g{at:03d}" for at in range(GROUPS)])
    value = np.minimum(rng.lognormal(2.5, 0.9, persons), 100).astype(np.int64)
    return pd.DataFrame({"group": names[number], "value": value}), 100


def in_districts(persons: int, districts: list[str]) -> tuple[pd.DataFrame, int]:
    """The invented records, each in a district: a group is one of each."""
    frame, most = invented(persons)
    district = np.random.default_rng(SEED + 1).integers(0, len(districts), persons)
    named = frame.assign(district=np.array(districts)[district], kind=frame["group"])
    return named.assign(group=named["district"] + " " + named["kind"]), most


def truth(frame: pd.DataFrame, groups: list[str]) -> dict[str, pd.Series]:
    """The exact answers; a median is the least number that half of the records do not exceed."""
    by = frame.groupby("group")["value"]
    exact = {"count": by.size(), "sum": by.sum(), "mean": by.mean()}
    exact["median"] = by.quantile(0.5, interpolation="lower")
    found = {query: answers.reindex(groups) for query, answers in exact.items()}
    # A group without records has neither a mean nor a median, and is left out of their errors.
    return found | {query: found[query].fillna(0) for query in ("count", "sum")}


def write_plan(path: Path, query: str, groups: list[str], most: int, persons: int, regions: list[str]) -> Path:
    """The plan that answers one query, of these groups, in each of the districts where there are any."""
    asked: dict[str, Any] = {"groups": "by group", "budget": EPSILON} | ({"regions": "district"} if regions else {})
    column = "kind" if regions else "group"
    parts = {
        "count": {"levels": [asked]},
        "sum": {"sums": [asked | {"of": "value"}]},
        "mean": {"sums": [asked | {"of": "value"}]},
        "median": {"quantiles": [asked | {"of": "value", "shares": ["0.5"]}]},
    }
    said = {
        "title": f"A {query}",
        "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "epsilon"},
        "records": {"of-a-person": 1, "expected": persons},
        "publication": {"negative-counts": True},
        "columns": [{"name": column, "values": groups}, {"name": "value", "from": 0, "to": most}],
        "groups": [{"name": "by group", "columns": [column]}],
    }
    areas = {"column": "district", "levels": ["district"], "rows": [[each] for each in regions]}
    path.write_text(toml_of(said | parts[query] | ({"regions": areas} if regions else {})))
    return path


def ours(plan: Path, data: Path, query: str, out: Path) -> tuple[dict[str, float], float]:
    """The answers of a release, and the seconds of the whole command."""
    took = run([STARLING, "tables", "release", plan, "--persons", data, "--out", out, "--yes", "--unvalidated"])
    return answers(plan, query, out), took.seconds


def ours_called(plan: Path, data: Path, query: str, out: Path) -> tuple[dict[str, float], float]:
    """The answers of a release, and the seconds of the call in this process."""
    began = perf_counter()
    release(Plan.load(plan), data, out=out, payment=PaymentOptions(unvalidated=True))
    took = perf_counter() - began
    return answers(plan, query, out), took


def answers(plan: Path, query: str, out: Path) -> dict[str, float]:
    """The answers of a release, which is removed."""
    table = pd.read_parquet(out / "data" / ("t1.parquet" if query == "count" else "t3.parquet"))
    if query != "count":
        table = table[table["statistic"] == ("quantile 0.5" if query == "median" else query)]
    values = table["count" if query == "count" else "value"].astype(float)
    rmtree(out)
    names = table["iteration_name"].astype(str)
    if "district" in plan.stem:
        names = table["region_id"].astype(str) + " " + names
    return dict(zip(names, values, strict=True))


def theirs(
    peer: Peer, data: Path, query: str, groups: list[str], most: int, out: Path
) -> tuple[dict[str, float], float]:
    """The answers of a peer, and its seconds."""
    took = peer.seconds(
        query=query, data=str(data), groups=groups, low=0, high=most, epsilon=float(EPSILON), out=str(out)
    )
    return json.loads(out.read_text()), took


def measured(
    answer: Callable[[], tuple[dict[str, float], float]], exact: pd.Series, runs: int, most: int | None
) -> tuple[float, float, float]:
    """Mean absolute error over groups and runs, its standard error, and the median of the seconds.

    Args:
        answer: Gives the answer of each group, and its seconds.
        exact: The exact answers.
        runs: How often it is asked.
        most: The largest that an answer can be, the least being 0; what is beyond is taken for that, whoever says it. None for no bound.
    """
    errors, seconds = [], []
    for _ in range(runs):
        found, took = answer()
        said = pd.Series(found).reindex(exact.index)
        # Where noise hides a mean or a median, the middle is as good as anything; a count or a sum that is not given is no answer, nor 0.
        errors.append((said if most is None else said.fillna(most / 2).clip(0, most)) - exact)
        seconds.append(took)
    off = pd.concat(errors).abs().dropna()
    return float(off.mean()), float(off.std() / np.sqrt(len(off))), median(seconds)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for as long as it is used."""
    with TemporaryDirectory() as name:
        yield Path(name)


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("tables_rivals", "Counts, sums, means and medians against three libraries.", peers=True)
    recorder.parser.add_argument("--persons", type=int, default=10_000_000)
    recorder.parser.add_argument(
        "--runs", type=int, default=RUNS, help="of the RAND records; the invented ones have one, of a hundred groups"
    )
    recorder.parser.add_argument("--only", choices=("RAND", "invented", FINE), help="one kind of records; needs --out")
    recorder.parser.add_argument(
        "--objects", type=int, default=MOST_OBJECTS, help="most records that a library holds as objects of Python"
    )
    chosen = recorder.begin()
    if chosen.only and not chosen.quick and chosen.out == RESULTS:
        sys.exit("--only gives a part of the result: name another folder with --out")
    persons, runs, many = (20_000, 2, 20) if chosen.quick else (chosen.persons, chosen.runs, DISTRICTS)
    districts = [f"d{at:04d}" for at in range(many)]
    rows: list[Json] = []
    limits: list[Limit] = []
    with scratch_folder() as scratch, running(PEERS, chosen.peers) as peers:
        if not peers:
            sys.exit("nothing to compare with")
        for name, make, times in (
            ("RAND", rand, runs),
            ("invented", partial(invented, persons), 1),
            (FINE, partial(in_districts, persons, districts), 1),
        ):
            if chosen.only not in (None, name):
                continue
            frame, most = make()
            data, regions = scratch / f"{name}.parquet", name == FINE
            frame.to_parquet(data, index=False)
            kinds = sorted(frame["kind" if regions else "group"].unique())
            groups = [f"{district} {kind}" for district in districts for kind in kinds] if regions else kinds
            exact = truth(frame, groups)
            for query in QUERIES:
                path, areas = scratch / f"{name}-{query}.toml", districts if regions else []
                plan = write_plan(path, query, kinds, most, len(frame), areas)
                ways: dict[str, Callable[[], tuple[dict[str, float], float]]] = {
                    "starling": partial(ours, plan, data, query, scratch / "out"),
                    CALLED: partial(ours_called, plan, data, query, scratch / "out"),
                }
                for peer in peers.values():
                    objects = peer.name == "pipeline_dp" and len(frame) > chosen.objects
                    if not objects and _is_asked(peer.name, regions=regions, query=query):
                        ways[peer.name] = partial(theirs, peer, data, query, groups, most, scratch / "answers.json")
                found = {}
                for library, way in ways.items():
                    if name == "RAND" or library == CALLED:
                        way()  # what is compiled or fetched at a first use is not measured
                    bound = most if query in ("mean", "median") else None
                    error, deviation, seconds = found[library] = measured(way, exact[query], times, bound)
                    row: dict[str, Json] = {"records": name, "persons": len(frame), "query": query, "library": library}
                    row |= {"mean_absolute_error": error, "standard_error": deviation, "seconds": round(seconds, 2)}
                    print(row)
                    rows.append(row)
                limits += _limits(name, query, found, len(frame))
    settings: dict[str, Json] = {
        "epsilon": EPSILON,
        "runs": runs,
        "groups": GROUPS,
        "districts": many,
        "seed": SEED,
        "persons": persons,
    }
    recorder.end(settings=settings, rows=rows, limits=[] if chosen.quick else limits, peers=list(peers.values()))


def _is_asked(library: str, *, regions: bool, query: str) -> bool:
    """Whether a library can answer within minutes."""
    return library != "tmlt_analytics" or not regions or query in ("count", "sum")


def _limits(name: str, query: str, found: dict[str, tuple[float, float, float]], persons: int) -> Iterator[Limit]:
    """The error is no larger than the least of the others, within two standard errors; on many records it is many times faster."""
    error, deviation, seconds = found.pop("starling")
    found.pop(CALLED)
    least = min(found.values())
    room = 2 * float(np.hypot(deviation, least[1]))
    title = f"{name}, {query} by group, over the least error of three libraries"
    yield Limit(title, round(error / least[0], 3), round(1 + room / least[0], 3), "times")
    if persons >= 10 * MOST_OBJECTS:
        for library, other in found.items():
            title = f"{name}, {query} by group, times faster than {library}"
            yield Limit(title, round(other[2] / seconds, 1), TIMES_FASTER, "", least=True)


if __name__ == "__main__":
    main()
