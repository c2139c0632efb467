"""A release against the truth: for the custodian's own eyes, never to be published.

What comes out is exact errors, and whoever has a release and its errors knows more than the release tells. So it goes by the second way,
`trust.inspect`, and is marked `NotPrivate`, which no release, worker or server takes.

The error is that of the paper (HTF 2021, eq. 3): 100 |estimate - true| / max(true, 20), its mean over the
rectangles of `generate.rectangles`.
"""

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from starling.engine.spark import DUCKDB, cluster_for
from starling.errors import PlanError, SourceError
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.arrays import Float64, Int64
from starling.places.artifact.columns import CELLS
from starling.places.counts import count
from starling.places.generate.worlds import RANDOM, SQUARES, workloads
from starling.places.occupied import Counted
from starling.places.plan import Plan
from starling.places.plan.records import PlanOfRecords
from starling.places.source import Held, Records
from starling.privacy.trust import NotPrivate, inspect
from starling.release.codec import Json
from starling.release.reading import Release, open_release
from starling.release.session import Described, Part
from starling.release.text import rounded

WARNING: Final = "NOT PRIVATE: exact errors. They tell of the points what the release does not; publish neither these nor parts of them."
SMOOTHING: Final = 20
"""Points that a count is taken to have at least where an error is related to it."""


@dataclass(frozen=True, slots=True)
class SliceErrors:
    """Errors of one slice: of its true points, its total, its worst cell, and in percent by kind of rectangle."""

    points: int
    total: float
    largest: float
    relative: dict[str, float]


class Compared(Described):
    """A release beside the truth: a dataclass."""

    __slots__ = ()

    title: str

    def _facts(self) -> list[tuple[str, str]]:
        marked, warning = WARNING.split(": ", 1)
        return [(marked, warning), ("plan", self.title)]

    def as_json(self) -> dict[str, Json]:
        """All errors, under the warning."""
        own: Any = self
        return {"not_private": True, "warning": WARNING, **asdict(own)}


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Compared):
    """A release beside the truth."""

    title: str
    slices: dict[str, SliceErrors]

    def _parts(self) -> tuple[Part, ...]:
        kinds = (*SQUARES, RANDOM)
        rows = [
            (
                name,
                f"{each.points:,}",
                rounded(each.total),
                rounded(each.largest),
                *(rounded(each.relative[kind]) for kind in kinds),
            )
            for name, each in self.slices.items()
        ]
        header = ("slice", "points", "total off by", "cell off by", *kinds)
        what = "of each kind of rectangle: mean error in percent of the true count, taken as at least 20"
        return (header, rows), what


def evaluate(
    plan: Plan, records: Records | Held, release: Path, *, seed: int = 1, engine: str = DUCKDB
) -> NotPrivate[Evaluation]:
    """Compare a release with the records it was drawn from.

    Args:
        plan: The plan of the release.
        records: The records, opened.
        release: The folder of the release.
        seed: Of the rectangles; public.
        engine: Counts: duckdb, or spark://local, or the spark://HOST:PORT of a cluster. The counts are the same.

    Raises:
        ParameterError: there is no such engine, or it does not start.
        SourceError: the release is none of points, or one of another plan.
        PlanError: the grid is sparse: errors are of cells.
    """
    if plan.grid.sparse:
        raise PlanError(
            "grid", "is sparse, and errors are of a table of all cells", "evaluate a plan with larger cells"
        )
    with open_release(release) as opened:
        check_same(opened, plan)
        grids = opened.table(CELLS)["points"].to_numpy().reshape(len(plan.slice_names), *plan.grid.shape)
    with cluster_for(engine, records.files, records.sizes) as cluster:
        return inspect(count(plan, records, cluster=cluster).map(partial(_compare, plan, grids, seed)))


def check_same(opened: Release, plan: PlanOfRecords) -> None:
    """Raises SourceError where a release is one of another plan."""
    # The plan of another kind of release may not be read as one of this; its digest is another in any case.
    mechanism = opened.statement.get("mechanism")
    stated = mechanism.get("plan_sha256") if isinstance(mechanism, dict) else None
    if opened.statement["domain"] != "places" or stated != plan.digest:
        raise SourceError("release", "is none of this plan", "give the plan of the release")


def _compare(plan: Plan, grids: Float64, seed: int, exact: Counted) -> Evaluation:
    assert isinstance(exact, np.ndarray)  # A sparse grid is refused before.
    slices = {
        name: _errors(published, true, seed)
        for name, published, true in zip(plan.slice_names, grids, exact, strict=True)
    }
    return Evaluation(plan.title, slices)


def _errors(published: Float64, true: Int64, seed: int) -> SliceErrors:
    counts, exact_counts = CumulativeGrid(published), CumulativeGrid(true)
    relative = {}
    for name, rectangles in workloads(true.shape, seed):
        answer, right = counts.count(rectangles).counts, exact_counts.count(rectangles).counts
        relative[name] = float(100 * np.mean(np.abs(answer - right) / np.maximum(right, SMOOTHING)))
    apart = published - true
    return SliceErrors(int(true.sum()), float(apart.sum()), float(np.abs(apart).max()), relative)
