"""Whether a preview names the method that is nearest on real points, and how large it says that errors are: city data sets beside it.

Of each data set, budget and size of squares: the method that a preview of the plan advises, over all its worlds and for a city alone, and
the one with the least error on the data, each with its error as predicted and as seen. The preview knows the grid, the budget and how many
points there are. The part of the cells that a city occupies is that of BeijingTaxiE, and which worlds are weighed, and which methods tried,
was chosen on these data and those of DPBench; sets held out for methods are left out.
"""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from math import exp, log
from statistics import fmean
from typing import Final

from bench.kept import Row
from bench.places_data import grid
from bench.places_typical import plan_of
from bench.record import Limit, Recorder
from starling.places.plan import Plan
from starling.places.preview import CITY, Errors, World, mean_errors, preview, variants

CITIES: Final = ("BeijingTaxiE", "cabspottingE", "uber", "crime")
OTHERS: Final = ("twitter", "earthquakes")
EPSILONS: Final = ("0.05", "0.1", "0.5")
SIZES: Final = (0.24, 1.0, 5.0, 25.0)
SMALL: Final = 1.0
"""Sides of small squares, in percent, at most."""
WHAT: Final = "small squares of cities: seen error of the method that is advised for a city, in that of the best"
MOST: Final = 1.25
NEAR: Final = 1.1
PART: Final = 0.8
WITHIN: Final = "data sets, budgets and sizes for which the advised method is within 10 % of the best"
TRIALS: Final = 2
SEED: Final = 1


def one(name: str, epsilon: str, sizes: Sequence[float] = SIZES, trials: int = TRIALS) -> list[Row]:
    """For each size of squares: the advised methods and the best seen one, with errors in percent."""
    cells = grid(name)
    plan: Plan = plan_of((cells.shape[0], cells.shape[1]), epsilon)
    points = int(cells.sum())
    seen = mean_errors(dict(variants(plan)), {name: World.of(cells, sizes, SEED)}, trials)
    told = preview(plan, expected=points, sizes=sizes, trials=trials, seed=SEED)
    rows: list[Row] = []
    for at, size in enumerate(sizes):
        here = replace(told, sizes=(size,), errors=of_size(told.errors, at))
        best = min(seen, key=lambda label: seen[label][name][at].percent)
        row: Row = {"data": name, "epsilon": epsilon, "points": points, "side_percent": size}
        for what, label in (("advised", here.best), ("advised_city", here.best_in(CITY)), ("best", best)):
            row |= {
                what: label,
                f"{what}_predicted": round(here.score(label, None if what == "advised" else CITY), 3),
                f"{what}_seen": round(seen[label][name][at].percent, 3),
            }
        rows.append(row)
    return rows


def of_size(errors: Errors, at: int) -> Errors:
    """The errors of one size."""
    return {label: {world: (each[at],) for world, each in of.items()} for label, of in errors.items()}


def times_of_best(rows: Sequence[Row], what: str) -> float:
    """The geometric mean of how many times the seen error of an advised method is that of the best seen one."""
    return exp(fmean(log(row[f"{what}_seen"] / row["best_seen"]) for row in rows))


def part_near(rows: Sequence[Row]) -> float:
    """For which part of the rows the method that is advised over all worlds is nearly as good as the best seen one."""
    return fmean(row["advised_seen"] <= NEAR * row["best_seen"] for row in rows)


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("places_advice", "Whether a preview names the method that is nearest on real points.")
    chosen = recorder.begin()
    if chosen.quick:
        rows = one("cabspottingE", "0.1", (5.0,), 1)
    else:
        cases = [(name, epsilon) for name in (*CITIES, *OTHERS) for epsilon in EPSILONS]
        with ProcessPoolExecutor(2) as pool:
            rows = [row for each in pool.map(one, *zip(*cases, strict=True)) for row in each]
    small = [row for row in rows if row["data"] in CITIES and row["side_percent"] <= SMALL]
    limits = [Limit(WHAT, times_of_best(small, "advised_city"), MOST, "times")] if small else []
    limits.append(Limit(WITHIN, part_near(rows), PART, "of them", least=True))
    recorder.end(settings={"trials": TRIALS, "cities": ", ".join(CITIES)}, rows=[*rows], limits=limits)


if __name__ == "__main__":
    main()
