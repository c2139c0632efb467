"""A release against the truth: for the custodian's own eyes, never to be published.

What comes out is exact errors, and whoever has a release and its errors knows more than the release tells. So it goes by the second way,
`trust.inspect`, and is marked `NotPrivate`, which no release, worker or server takes.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from starling.engine.spark import DUCKDB, cluster_for
from starling.errors import SourceError
from starling.groups.counts import count
from starling.groups.optimise.distances import earth_movers_distance
from starling.groups.optimise.tree import Int64
from starling.groups.plan import Plan
from starling.groups.postprocess import Conditions, conditions
from starling.groups.source import Held, Records
from starling.privacy.trust import NotPrivate, inspect
from starling.release.codec import Json
from starling.release.session import Described, Part

WARNING: Final = "NOT PRIVATE: exact errors. They tell of the groups what the release does not; publish neither these nor parts of them."
THRESHOLDS: Final = (1, 10, 100)
"""Numbers of groups that a reader may look for."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What becomes of readers who look for sizes that a region has at least so many groups of.

    Attributes:
        least: How many groups.
        claimed: Pairs of region and size that the release states it of.
        false: Those of them of which it is not true.
        missed: Pairs of which it is true and the release does not say it.
    """

    least: int
    claimed: int
    false: int
    missed: int


@dataclass(frozen=True, slots=True)
class LevelErrors:
    """Errors of the published numbers of groups of one level, over all regions and sizes.

    Attributes:
        l1: Sum of absolute errors; at most 2 G where the release adds up to the public total.
        emd: Sum of absolute errors of the numbers of groups of at most each size: the earth mover's distance.
        largest: The largest absolute error.
        readings: One for each of THRESHOLDS.
    """

    l1: int
    emd: int
    largest: int
    readings: tuple[Reading, ...]

    @classmethod
    def of(cls, published: Int64, true: Int64) -> "LevelErrors":
        """The errors of int64 (regions, sizes)."""
        apart = published - true
        readings = []
        for least in THRESHOLDS:
            claimed, holds = published >= least, true >= least
            counted = (claimed, claimed & ~holds, holds & ~claimed)
            readings.append(Reading(least, *(int(np.count_nonzero(each)) for each in counted)))
        emd = earth_movers_distance(apart)
        return cls(int(np.abs(apart).sum()), emd, int(np.abs(apart).max(initial=0)), tuple(readings))


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Described):
    """A release beside the truth.

    Attributes:
        title: Of the plan.
        levels: The errors of each level by its name, root first.
        violations: How many of the conditions the published numbers break.
    """

    title: str
    levels: dict[str, LevelErrors]
    violations: Conditions

    def _facts(self) -> list[tuple[str, str]]:
        broken = self.violations
        conditions = (
            f"consistency {broken.consistency:,}, validity {broken.validity:,}, faithfulness {broken.faithfulness:,}"
        )
        marked, warning = WARNING.split(": ", 1)
        return [(marked, warning), ("plan", self.title), ("broken", conditions)]

    def _parts(self) -> tuple[Part, ...]:
        rows = [
            (
                name,
                *(f"{each:,}" for each in (errors.l1, errors.emd, errors.largest)),
                *(f"{reading.false:,} of {reading.claimed:,}" for reading in errors.readings),
            )
            for name, errors in self.levels.items()
        ]
        header = ("level", "L1", "earth mover's", "largest", *(f"false, of {least}+" for least in THRESHOLDS))
        return (header, rows), "false, of 10+: sizes that a region is said to have 10 groups of or more, and has not"

    def as_json(self) -> dict[str, Json]:
        """The errors of each level, under the warning."""
        return {"not_private": True, "warning": WARNING, **asdict(self)}


def evaluate(plan: Plan, records: Records | Held, release: Path, *, engine: str = DUCKDB) -> NotPrivate[Evaluation]:
    """Compare a release with the records it was drawn from.

    Args:
        plan: The plan of the release.
        records: The records, opened.
        release: The folder of the release.
        engine: Counts: duckdb, or spark://local, or the spark://HOST:PORT of a cluster. The counts are the same.

    Raises:
        ParameterError: there is no such engine, or it does not start.
        SourceError: the folder holds no tables, or tables of another plan.
    """
    published = [_published(plan, release, level) for level in range(plan.levels)]
    with cluster_for(engine, records.files, records.sizes) as cluster:
        return inspect(count(plan, records, cluster=cluster).map(partial(compare, plan, published)))


def compare(plan: Plan, published: Sequence[Int64], leaves: Int64) -> Evaluation:
    """The errors of published numbers, given the exact numbers of groups by leaf and size: what runs within the trust boundary."""
    true, violations = plan.regions.sums(leaves), conditions(plan, tuple(published))
    levels = {
        name: LevelErrors.of(numbers, exact)
        for name, numbers, exact in zip(plan.regions.levels, published, true, strict=True)
    }
    if violations == Conditions(0, 0, 0):
        assert all(each.l1 <= 2 * plan.groups for each in levels.values()), "numbers that add up are no further off"
    return Evaluation(plan.title, levels, violations)


def _published(plan: Plan, release: Path, level: int) -> Int64:
    """The published numbers of groups of a level, int64 (regions, sizes)."""
    file = f"data/{plan.regions.levels[level]}.parquet"
    try:
        table = pq.read_table(release / file, columns=["region", "size", "groups"])
    except (OSError, pa.ArrowException, ValueError):
        fix = "give the folder of a release"
        raise SourceError(file, "is missing or not readable as Parquet", fix) from None
    ids = pa.array(plan.regions.ids[level], pa.string())
    shape = (len(ids), plan.sizes)
    rows = pc.index_in(table["region"].cast(pa.string()), ids).fill_null(-1).to_numpy()
    if not np.array_equal(rows * plan.sizes + table["size"].to_numpy(), np.arange(shape[0] * shape[1])):
        raise SourceError(file, "has rows of another plan", "give the plan of the release")
    groups: Int64 = table["groups"].to_numpy().reshape(shape)
    return groups
