"""A release of areas against the truth: for the custodian's own eyes, never to be published, as places/evaluate.py says."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from starling.engine.spark import DUCKDB, cluster_for
from starling.hierarchy.trees import Estimated
from starling.places.areas.answers.unions import LEVEL, deviations
from starling.places.areas.answers.values import means_of, points_of, sums_of
from starling.places.areas.artifact.columns import ends
from starling.places.areas.artifact.public_plan import read_measurements, read_plan
from starling.places.areas.counts import count
from starling.places.areas.mechanism import sums
from starling.places.areas.plan.model import AreasPlan
from starling.places.areas.postprocess import estimates
from starling.places.arrays import Int64
from starling.places.evaluate import Compared, check_same
from starling.places.source import Held, Records
from starling.privacy.trust import NotPrivate, inspect
from starling.release.reading import open_release
from starling.release.session import Part
from starling.release.text import rounded


@dataclass(frozen=True, slots=True)
class LevelErrors:
    """Errors of one level of one slice.

    Attributes:
        slice: Its public name.
        level: Its name.
        points: True points of all nodes.
        error: The mean of the absolute errors of the nodes' points.
        largest: The largest of them.
        held: The part of the nodes whose interval holds the true number.
        mean_error: The mean of the absolute errors of the means of nodes with points; None without a value, or without such nodes.
        means_held: The part of these nodes whose interval holds the true mean.
    """

    slice: str
    level: str
    points: int
    error: float
    largest: float
    held: float
    mean_error: float | None = None
    means_held: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Compared):
    """A release beside the truth."""

    title: str
    levels: tuple[LevelErrors, ...]

    def _parts(self) -> tuple[Part, ...]:
        valued = any(each.mean_error is not None for each in self.levels)
        rows = [
            (
                each.slice,
                each.level,
                f"{each.points:,}",
                rounded(each.error),
                rounded(each.largest),
                _percent(each.held),
                *(
                    ("" if each.mean_error is None else rounded(each.mean_error), _percent(each.means_held))
                    if valued
                    else ()
                ),
            )
            for each in self.levels
        ]
        header = ("slice", "level", "points", "off by", "at most", "intervals hold")
        return (
            (*header, *(("mean off by", "intervals hold the mean") if valued else ())),
            rows,
        ), "off by: on average over the nodes of a level"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:z.0f} %"


def evaluate(
    plan: AreasPlan, records: Records | Held, release: Path, *, engine: str = DUCKDB
) -> NotPrivate[Evaluation]:
    """Compare a release with the records it was drawn from.

    Args:
        plan: The plan of the release.
        records: The records, opened.
        release: The folder of the release.
        engine: Counts: duckdb, or spark://local, or the spark://HOST:PORT of a cluster. The counts are the same.

    Raises:
        ParameterError: there is no such engine, or it does not start.
        SourceError: the release is none of areas, or one of another plan.
    """
    with open_release(release) as opened:
        check_same(opened, plan)
        estimated = estimates(plan, read_measurements(opened.folder, read_plan(opened.folder)))
    with cluster_for(engine, records.files, records.sizes) as cluster:
        exact = count(plan, records, cluster)
        return inspect(exact.map(lambda counts: _compare(plan, estimated, sums(plan, counts))))


def _compare(plan: AreasPlan, estimated: list[Estimated], exact: tuple[Int64, ...]) -> Evaluation:
    truth = [Estimated(each.astype(np.float64), np.zeros(each.shape)) for each in exact]
    levels = list(zip(plan.areas.level_names, estimated, truth, strict=True))
    errors = [
        _errors(plan, (name, level), at, estimate, true)
        for at, name in enumerate(plan.slice_names)
        for level, estimate, true in levels
    ]
    return Evaluation(plan.title, tuple(errors))


def _errors(plan: AreasPlan, names: tuple[str, str], at: int, estimate: Estimated, exact: Estimated) -> LevelErrors:
    released, true = points_of(plan, estimate), points_of(plan, exact).count[:, at]
    apart = np.abs(released.count[:, at] - true)
    lower, upper = ends(plan, released, at)
    held = float(np.mean((lower <= true) & (true <= upper)))
    errors = LevelErrors(*names, round(float(true.sum())), float(apart.mean()), float(apart.max()), held)
    some = true > 0.5
    if plan.value is None or not some.any():
        return errors
    true_means = sums_of(plan.value, exact).count[some, at] / true[some]
    mean, least, most = (each[some, at] for each in means_of(plan.value, estimate, deviations(plan, 1 - LEVEL)))
    means_held = float(np.mean((least <= true_means) & (true_means <= most)))
    off = np.abs(np.where(np.isnan(mean), (plan.value.lower + plan.value.upper) / 2, mean) - true_means)
    return LevelErrors(*names, errors.points, errors.error, errors.largest, held, float(off.mean()), means_held)
