"""Cross tables of Adult: what 93 tables cost at one margin, how far their cells and sums are off, and how often intervals hold.

The records are those of the folder that STARLING_DATA names; its NOTE.md says where they come from. All tables are drawn some times,
and one table with its parts 10,000 times, each time with fresh noise: of so many, a share of 5 % is known to .2 %. So are tables of
invented records: of a survey at random, and of people in districts of counties, whose sizes and branches differ.
"""

import csv
import gzip
import os
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import sqrt
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np

from bench.measure import Json
from bench.peers import ROOT
from bench.record import Limit, Recorder
from starling.privacy.sampling.noise import draw
from starling.tables.counts.cross_counting import CrossCounts
from starling.tables.inference.cross_estimates import cross_estimates, deviations
from starling.tables.inference.cross_queries import query_variance
from starling.tables.measurements import CrossMeasurements, Int64
from starling.tables.mechanism.residuals import residuals
from starling.tables.plan.residual_targets import margins_first
from starling.tables.plan.residuals import Floats, Shape, Shares, Table, best_shares, noise, replace_one, subsets

COLUMNS: Final = ("age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "income>50K")
AGES: Final = 10
"""Classes of equal width that the numbers of the ages are put into."""
VARIANCE: Final = 100.0
"""Of every cell of every table: a deviation of 10 records."""
DRAWS: Final = 20
DRAWS_OF_ONE: Final = 10_000
DEVIATIONS: Final = 1.96
HALF: Final[Table] = (3, 5, 7)
"""Marital status by race by income: the table of which a sum of about half the cells is asked for."""


BUDGET: Final = Fraction(1, 4)
INVENTED: Final = (
    ("random survey", (2, 5, 3), None),
    ("districts", (2, 4, 3), (0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 3)),
)
"""Invented records: sizes of columns, and of the districts, if any, the county of each."""


@dataclass(frozen=True, slots=True)
class Adult:
    """The coded records, int64 (records, columns), and the values of each column."""

    records: Int64
    sizes: tuple[int, ...]

    def counts(self, shape: Shape) -> CrossCounts:
        """The exact counts of the largest tables."""
        largest = [table for table in shape.tables if not any(set(table) < set(other) for other in shape.tables)]
        return CrossCounts(shape, {table: self._cells(table) for table in largest})

    def _cells(self, table: Table) -> Int64:
        sizes = [self.sizes[column] for column in table]
        cell = np.ravel_multi_index([self.records[:, column] for column in table], sizes)
        return np.bincount(cell, minlength=int(np.prod(sizes)))[np.newaxis]


def adult() -> Adult:
    """The records of the file."""
    folder = Path(os.environ.get("STARLING_DATA") or ROOT.parent / "shared" / "data") / "tables"
    with gzip.open(folder / "adult_coded.csv.gz", "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    records = np.array(rows, dtype=np.int64)[:, [header.index(column) for column in COLUMNS]]
    records[:, 0] = records[:, 0] * AGES // (records[:, 0].max() + 1)
    return Adult(records, tuple(int(each) + 1 for each in records.max(axis=0)))


def invented(sizes: tuple[int, ...], parents: tuple[int, ...] | None, seed: int) -> tuple[Shape, CrossCounts]:
    """All tables of columns of these sizes of invented records: at random in every cell, or in districts that differ by the factor 100."""
    random = np.random.default_rng(seed)
    tables = tuple(subsets(tuple(range(len(sizes)))))
    shape = Shape(sizes, tables) if parents is None else Shape(sizes, tables, max(parents) + 1, (parents,))
    people = np.ones(shape.regions[-1]) if parents is None else 10.0 ** random.uniform(-1, 1, shape.regions[-1])
    cells = random.poisson(20 * people[:, np.newaxis] * random.exponential(1, (1, int(np.prod(sizes)))))
    return shape, CrossCounts(shape, {tables[-1]: cells.astype(np.int64)})


def measured(shape: Shape, shares: Shares, counts: CrossCounts) -> CrossMeasurements:
    """One draw of all parts, as the mechanism makes it."""
    rows = []
    for level, of_level in enumerate(shares):
        for place, (part, share) in enumerate(zip(shape.parts, of_level, strict=True)):
            exact = residuals(counts.part(level, part))
            drawn: Int64 = exact + draw(noise(shape, part, share), exact.shape)
            rows.append((level, place, drawn.reshape(len(drawn), -1)))
    return rows


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("cross_tables", "Cost, errors and coverage of cross tables.")
    recorder.parser.add_argument("--draws", type=int, default=DRAWS, help="draws of all tables")
    recorder.parser.add_argument(
        "--draws-of-one", type=int, default=DRAWS_OF_ONE, help="draws of one table and its parts"
    )
    chosen = recorder.begin()
    records = adult()
    tables = tuple(table for size in range(4) for table in combinations(range(len(COLUMNS)), size))
    shape = Shape(records.sizes, tables)
    begin = perf_counter()
    solved = margins_first(shape, ((VARIANCE,) * len(tables),))
    planned = perf_counter() - begin
    assert solved.bound is not None
    shares = best_shares(shape, solved.weights, solved.budget)
    budget, by_themselves = float(solved.budget), len(tables) / (2 * VARIANCE)
    counts = records.counts(shape)
    one = Shape(records.sizes, tuple(subsets(HALF)))
    of_one = (tuple(share for part, share in zip(shape.parts, shares[0], strict=True) if part in one.parts),)
    rows = [
        *errors(shape, shares, counts, 2 if chosen.quick else chosen.draws, "93 tables", HALF),
        *errors(one, of_one, counts, 20 if chosen.quick else chosen.draws_of_one, "one table", HALF),
    ]
    for what, sizes, parents in INVENTED:
        other, people = invented(sizes, parents, 7)
        even = best_shares(other, [[1.0] * len(other.tables)] * len(other.regions), BUDGET)
        rows += errors(other, even, people, 20 if chosen.quick else chosen.draws_of_one, what, other.tables[-1])
    many = [each for each in rows if each["numbers"] >= DRAWS_OF_ONE] or rows
    recorder.end(
        settings={
            "records": len(records.records),
            "tables": len(tables),
            "cells": sum(map(shape.cells, tables)),
            "draws": chosen.draws,
            "draws_of_one": chosen.draws_of_one,
            "rho": budget,
            "bound": round(solved.bound, 5),
            "rho_of_tables_by_themselves": by_themselves,
            "replace_one_times_rho": round(float(replace_one(shape, shares)) / budget, 4),
            "planned_in_seconds": round(planned, 3),
        },
        rows=list[Json](rows),
        limits=[
            Limit("93 tables: rho of tables by themselves", round(by_themselves / budget, 3), 2.5, "times", least=True),
            Limit("93 tables: rho over the dual bound", round(budget / solved.bound, 5), 1.0011, "times"),
            Limit("93 tables: time to plan", round(planned, 3), 1.1, "s"),
            Limit(
                "cells: coverage of the published intervals, least",
                min(each.get("held", each["covered"]) for each in many),
                0.945,
                "",
                least=True,
            ),
            Limit("cells: drawn over stated deviation, largest", round(max(map(over, many)), 4), 1.03, "times"),
        ],
    )


def errors(
    shape: Shape, shares: Shares, counts: CrossCounts, draws: int, what: str, half: Table
) -> Iterator[dict[str, Any]]:
    """A row for each level and number of columns: errors over stated deviations of all cells of all draws, with the share that is within
    1.96 of them, and the share that published intervals hold, with their step besides. And one of the sum of half the
    cells of a table in half the regions of the finest level.
    """
    stated = deviations(shape, shares, 1)
    finest = len(shares) - 1
    sizes = [shape.regions[finest], *(shape.sizes[column] for column in half)]
    weights = np.random.default_rng(5).integers(0, 2, sizes).astype(np.float64)
    exact = {(level, table): counts.part(level, table) for level in range(len(shares)) for table in shape.tables}
    relative: dict[tuple[int, int], list[Floats]] = {}
    held: dict[tuple[int, int], list[float]] = {}
    halves = []
    for _ in range(draws):
        estimates = cross_estimates(shape, shares, measured(shape, shares, counts))
        for level, spread in enumerate(stated):
            for at, table in enumerate(shape.tables):
                error = estimates.counts(level, table) - exact[level, table]
                scaled = error.reshape(len(error), -1) / spread[:, at, np.newaxis]
                relative.setdefault((level, len(table)), []).append(scaled.ravel())
                step = shape.step(table) / spread[:, at, np.newaxis]
                inside = np.abs(scaled) <= DEVIATIONS + step
                held.setdefault((level, len(table)), []).append(float(inside.sum()))
                if (level, table) == (finest, half):
                    halves.append(float((error * weights).sum()))
    for (level, columns), parts in relative.items():
        some = [at for at, table in enumerate(shape.tables) if len(table) == columns]
        where = f" of level {level + 1}" if finest else ""
        root = sqrt(np.mean(stated[level][:, some] ** 2))
        every = np.concatenate(parts)
        named = f"{what}, cells{where} by {columns} columns"
        yield row(named, root, every) | {"held": round(sum(held[level, columns]) / len(every), 4)}
    deviation = sqrt(query_variance(shape, shares, 1, {(finest, half): weights}))
    yield row(f"{what}, the sum of half the cells by three", deviation, np.array(halves) / deviation)


def over(each: dict[str, Any]) -> float:
    """The drawn deviation over the stated one."""
    return float(each["drawn"] / each["stated"])


def row(what: str, stated: float, relative: Floats) -> dict[str, Any]:
    """Errors over their stated deviations."""
    return {
        "what": what,
        "numbers": len(relative),
        "stated": round(stated, 3),
        "drawn": round(stated * float(np.sqrt(np.mean(relative**2))), 3),
        "covered": round(float(np.mean(np.abs(relative) <= DEVIATIONS)), 4),
    }


if __name__ == "__main__":
    main()
