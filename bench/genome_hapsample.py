"""`explore` on real genotypes: the chance that it follows up both causal SNPs, by its cost. Exact distributions, nothing drawn.

The study: 2,000 people, 9,935 SNPs of chromosomes 9 and 13, two simulated causal SNPs, which are the only significant ones. The number
of significant SNPs is an answer of `num_sig` at a quarter of the budget; its upper end, at most MOST_FOUND, is k; then k SNPs are chosen
one after another at a quarter of the budget.

Chosen one after another without replacement, candidates come in the order of independent exponential clocks that run at their weights.
Both of two SNPs are among the first k when, as the later one of the two rings, at most k - 2 others have rung: an integral over that
time of a Poisson-binomial chance, by Gauss's rule.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from bench.genome_distributions import exponential, permute_and_flip
from bench.peers import ROOT
from bench.record import Limit, Recorder
from starling.genome.counts.study import count_study
from starling.genome.plan import Plan
from starling.genome.plan.distances import signed_distances
from starling.genome.plan.queries import MOST_FOUND, Selection
from starling.genome.scores.locations import loc_sig_scores, num_sig_outputs, num_sig_scores
from starling.genome.source import open_genotypes
from starling.privacy.trust import inspect

EPSILONS: Final = (1, 2, 3, 4, 6, 8)
STATED: Final = 4
"""The budget that the documentation states."""
CAUSAL: Final = ("rs4111409", "rs2324591")
PLAN: Final = """title = "HAPSAMPLE"
[privacy]
unit = "person"
neighbours = "replace-one"
[study]
people = 2000
[snps]
list = "{list}"
[analysis]
model = "dominant"
tests = ["g"]
"""
NODES: Final = 400


def study() -> tuple[Plan, npt.NDArray[np.int64]]:
    """The plan, and the signed distance of every SNP: of data that are public."""
    data = Path(os.environ.get("STARLING_DATA") or ROOT.parent / "shared" / "data") / "genome" / "hapsample_chr9_13"
    if not data.exists():
        sys.exit("no study: set STARLING_DATA to the folder that holds genome/hapsample_chr9_13")
    with TemporaryDirectory() as scratch:
        file = Path(scratch, "plan.toml")
        file.write_text(PLAN.format(list=data / "hapsample.bim"), encoding="utf-8")
        plan = Plan.load(file)
    genotypes = open_genotypes(data / "hapsample", plan)
    return plan, signed_distances(plan, inspect(count_study(plan, genotypes)).value.tables(), "g")


def both_among(scores: npt.NDArray[np.int64], two: tuple[int, int], k: int, epsilon: float) -> float:
    """The chance that two candidates are among the first `k` that the exponential mechanism chooses, `epsilon` a round.

    >>> round(both_among(np.array([0, 0, 0]), (0, 1), 2, 1.0), 6)
    0.333333
    >>> round(both_among(np.array([4, 2, 0, 0]), (0, 1), 4, 1.0), 6)
    1.0
    """
    weights = np.exp(epsilon / 2 * (scores - scores.max()))
    first, second = weights[list(two)]
    others, counts = np.unique(np.delete(weights, two), return_counts=True)
    # As s = e^(-first t) runs from 1 to 0, time runs from 0 on; likewise for the other.
    nodes, widths = np.polynomial.legendre.leggauss(NODES)
    total = 0.0
    for last, early in ((first, second), (second, first)):
        # t = x^3 / (1 - x) stretches both ends of the time.
        x = (nodes + 1) / 2
        scale = 1 / last
        t = scale * x**3 / (1 - x)
        speed = scale * (3 * x**2 * (1 - x) + x**3) / (1 - x) ** 2 / 2
        density = last * np.exp(-last * t) * -np.expm1(-early * t)
        total += float((widths * speed * density * _few(others, counts, t, k - 2)).sum())
    return total


def _few(
    weights: npt.NDArray[np.float64], counts: npt.NDArray[np.int64], times: npt.NDArray[np.float64], most: int
) -> npt.NDArray[np.float64]:
    """The chance that at most `most` of the candidates have rung, at each time: coefficients of a product of polynomials."""
    chances = np.zeros((most + 1, times.size))
    chances[0] = 1.0
    for weight, count in zip(weights.tolist(), counts.tolist(), strict=True):
        silent = np.exp(-weight * times)
        rung = -np.expm1(-weight * times)
        term = np.empty_like(chances)
        with np.errstate(divide="ignore", invalid="ignore"):
            term[0] = silent**count
            for number in range(1, most + 1):
                step = term[number - 1] * rung / silent * (count - number + 1) / number
                term[number] = np.where(silent > 0, step, 0.0)
        chances = np.array([(chances[: number + 1] * term[number::-1]).sum(axis=0) for number in range(most + 1)])
    return np.asarray(chances.sum(axis=0))


def found(
    distances: npt.NDArray[np.int64], two: tuple[int, int], epsilon: float, selection: Selection
) -> dict[str, Any]:
    """The chances at one budget."""
    snps = len(distances)
    outputs = num_sig_outputs(MOST_FOUND, snps)
    scores = num_sig_scores(distances, outputs)
    distribution = (exponential if selection == "exponential" else permute_and_flip)(scores, epsilon / 4)
    ends = [*(output - 1 for output in outputs[1:]), snps]
    places = loc_sig_scores(distances)
    both = {
        k: both_among(places, two, k, epsilon / 4 / k) if k > 1 else 0.0
        for k in {max(1, min(end, MOST_FOUND)) for end in ends}
    }
    right = float(distribution[outputs.index(2)])
    followed = sum(
        chance * both[max(1, min(end, MOST_FOUND))]
        for chance, end in zip(distribution.tolist(), ends, strict=True)
        if end > 0
    )
    return {
        "epsilon": epsilon,
        "selection": selection,
        "number_right": right,
        "those_two": right * both[2],
        "both_followed": followed,
    }


def main() -> None:
    """Compute and write the result."""
    recorder = Recorder("genome_hapsample", "The chance that explore follows up both causal SNPs of a real study.")
    recorder.begin()
    plan, distances = study()
    two = (plan.snps.index(CAUSAL[0]), plan.snps.index(CAUSAL[1]))
    selections: tuple[Selection, ...] = ("permute-and-flip", "exponential")
    rows = [found(distances, two, epsilon, selection) for selection in selections for epsilon in EPSILONS]
    stated = next(row for row in rows if row["epsilon"] == STATED)
    recorder.end(
        settings={
            "people": plan.people,
            "snps": len(plan.snps),
            "causal": list(CAUSAL),
            "patients": [int(-distances[place]) for place in two],
        },
        rows=[*rows],
        limits=[
            Limit(f"explore finds both causal SNPs, epsilon {STATED}", stated["both_followed"], 0.9, "", least=True)
        ],
    )


if __name__ == "__main__":
    main()
