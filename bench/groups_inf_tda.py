"""Consistent group sizes against InfTDA (PyPI `inf_tda`), at the same epsilon and delta, on real groups.

InfTDA measures the histograms of every level of a hierarchy with discrete Gaussian noise of equal budgets, fixes the number of groups,
and goes from the root down: a region's counts are the nearest, in the largest deviation, to the noisy ones that add up to their parent.
Its index (size, region, smaller region) is our tree. Both protect one person more or less in a group whose number is public.

It takes rho from epsilon and delta by the bound epsilon = rho + 2 sqrt(rho ln(1/delta)); Starling by the privacy loss of the discrete
Gaussian itself, so that it draws less noise for the same claim. TopDown is shown with either rho, which separates this gain from that
of the methods. Beside them are methods at epsilon alone, with delta 0: a stronger promise.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

import numpy as np

from bench.groups_data import REAL, Groups
from bench.measure import Json, Spread
from bench.peers import Peer, running
from bench.record import Limit, Recorder
from starling.groups.optimise.cumulative import project_cumulative
from starling.groups.optimise.empirical_bayes import project_empirical_bayes
from starling.groups.optimise.histogram import project_histogram
from starling.groups.optimise.topdown import project_top_down
from starling.groups.optimise.tree import Int64, Projection
from starling.privacy.accounting.conversion import epsilon_at_delta
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.events import DiscreteGaussianNoise
from starling.privacy.guarantee import Guarantee, sequential
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.privacy.sampling.noise import draw

PEER: Final = "inf_tda"
EPSILON: Final = Fraction(1)
DELTA: Final = Fraction(1, 10**9)
STEPS: Final = 24
"""Halvings of the interval in which rho is looked for."""
LEVELS: Final = 3
Project = Callable[[Sequence[Int64], Groups, Sequence[float]], Projection]


@dataclass(frozen=True, slots=True)
class Method:
    """A way to release.

    Attributes:
        name: What it is called.
        noise: The noise of every count.
        cumulative: Whether counts of groups of at most each size are measured, not of each size.
        project: Makes consistent histograms of noisy counts, the groups' tree and total, and the variance of each level.
    """

    name: str
    noise: Distribution
    cumulative: bool
    project: Project

    def release(self, groups: Groups) -> tuple[Int64, ...]:
        """One release."""
        exact = [np.cumsum(level, axis=1) for level in groups.levels] if self.cumulative else groups.levels
        noisy = [level + draw(self.noise, level.size).reshape(level.shape) for level in exact]
        if self.cumulative:
            noisy[0][0, -1] = groups.total
        return self.project(noisy, groups, [standard_deviation(self.noise) ** 2] * LEVELS).levels


def guarantee(rho: Fraction) -> Guarantee:
    """All levels of histograms, each with a third of rho: squared L2 sensitivity 2, variance 2 / (2 rho / 3)."""
    event = DiscreteGaussianNoise(sigma_squared=LEVELS / rho, squared_l2_sensitivity=Fraction(2))
    return sequential("levels", [Guarantee("level", ADD_REMOVE_PERSON, event)] * LEVELS)


def largest_rho() -> Fraction:
    """The largest rho, to one part in millions, with which the histograms are (EPSILON, DELTA)-DP by their exact privacy loss."""
    low, high = simple_rho(), Fraction(1)
    for _ in range(STEPS):
        middle = (low + high) / 2
        if epsilon_at_delta(guarantee(middle), DELTA) <= EPSILON:
            low = middle
        else:
            high = middle
    return low


def simple_rho() -> Fraction:
    """The rho that InfTDA takes."""
    log = math.log(1 / DELTA)
    return Fraction(log * (math.sqrt(1 + EPSILON / log) - 1) ** 2)


def methods() -> tuple[Method, ...]:
    """What is compared with InfTDA."""
    rho, simple = largest_rho(), simple_rho()
    top_down: Project = lambda noisy, groups, _: project_top_down(noisy, groups.parents, groups.total)  # noqa: E731
    histogram: Project = lambda noisy, groups, _: project_histogram(noisy, groups.parents, groups.total)  # noqa: E731
    joint: Project = lambda noisy, groups, spread: project_cumulative(noisy, groups.parents, groups.total, spread)  # noqa: E731
    bayes: Project = lambda noisy, groups, spread: project_empirical_bayes(noisy, groups.parents, groups.total, spread)  # noqa: E731
    # Histograms have squared L2 sensitivity 2 and cumulative counts 1, so that the same rho takes half the variance.
    laplace = DiscreteLaplace(LEVELS / EPSILON)
    return (
        Method("topdown, the rho of InfTDA", DiscreteGaussian(LEVELS / simple), cumulative=False, project=top_down),
        Method("topdown", DiscreteGaussian(LEVELS / rho), cumulative=False, project=top_down),
        Method("h", DiscreteGaussian(LEVELS / rho), cumulative=False, project=histogram),
        Method("c_joint", DiscreteGaussian(LEVELS / (2 * rho)), cumulative=True, project=joint),
        Method("c_eb", DiscreteGaussian(LEVELS / (2 * rho)), cumulative=True, project=bayes),
        Method("c_joint, delta 0", laplace, cumulative=True, project=joint),
        Method("c_eb, delta 0", laplace, cumulative=True, project=bayes),
    )


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("groups_inf_tda", "Consistent group sizes against InfTDA.", peers=True)
    chosen = recorder.begin()
    rounds, sets = (1, list(REAL)[:1]) if chosen.quick else (10, list(REAL))
    rows: list[Json] = []
    limits: list[Limit] = []
    with running({PEER: "inf_tda_groups"}, chosen.peers) as peers, TemporaryDirectory() as scratch:
        for name in sets:
            found = _compare(REAL[name](), peers.get(PEER), Path(scratch), rounds)
            for method, (errors, seconds) in found.items():
                rows.append(
                    {"data": name, "method": method, "seconds": Spread.of(seconds).to_json()}
                    | {
                        f"level {level}": Spread.of(column).to_json()
                        for level, column in enumerate(zip(*errors, strict=True), 1)
                    }
                )
            if PEER in found:
                theirs, ours = (Spread.of(row[-1] for row in found[method][0]) for method in (PEER, "c_eb"))
                limits.append(
                    Limit(
                        f"{name}: error of c_eb in the smallest regions, over that of InfTDA",
                        ours.median / theirs.median,
                        1,
                        "times",
                    )
                )
    recorder.end(
        settings={
            "epsilon": str(EPSILON),
            "delta": "1e-9",
            "rounds": rounds,
            "rho": float(largest_rho()),
            "rho of InfTDA": float(simple_rho()),
        },
        rows=rows,
        limits=limits,
        peers=list(peers.values()),
    )


def _compare(
    groups: Groups, peer: Peer | None, scratch: Path, rounds: int
) -> dict[str, tuple[list[list[float]], list[float]]]:
    """L1 errors by level, and seconds, of each method in each round."""
    leaves, parents, out = (scratch / name for name in ("leaves.npy", "parents.npy", "out.npy"))
    np.save(leaves, groups.levels[-1])
    np.save(parents, groups.parents[-1])
    found: dict[str, tuple[list[list[float]], list[float]]] = {}

    def keep(name: str, levels: Sequence[Int64], seconds: float) -> None:
        errors, times = found.setdefault(name, ([], []))
        errors.append([float(np.abs(one - other).sum()) for one, other in zip(levels, groups.levels, strict=True)])
        times.append(seconds)

    chosen = methods()
    for method in chosen:
        method.release(groups)  # what is compiled at a first use is not measured
    for _ in range(rounds):
        if peer is not None:
            took = peer.seconds(
                leaves=str(leaves), parents=str(parents), out=str(out), epsilon=float(EPSILON), delta=float(DELTA)
            )
            cells = np.load(out)
            middle = np.zeros_like(groups.levels[1])
            np.add.at(middle, groups.parents[1], cells)
            keep(PEER, (middle.sum(axis=0, keepdims=True), middle, cells), took)
        for method in chosen:
            began = perf_counter()
            levels = method.release(groups)
            keep(method.name, levels, perf_counter() - began)
    return found


if __name__ == "__main__":
    main()
