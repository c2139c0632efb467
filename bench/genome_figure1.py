"""Figure 1 of the genome paper: how often num_sig answers rightly, and how far it may answer too much. Nothing is timed.

The distribution of the answer is computed exactly for every database, as published and by permute-and-flip. Only databases are drawn. A
database
is answered rightly by the range that holds its own number of significant SNPs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bench.estimate import Claim, Estimate
from bench.genome_distributions import exponential, permute_and_flip
from bench.genome_pictures import draw
from bench.genome_studies import CARRIERS, CASES, CONTROLS, PEOPLE, carrying, observed, sampled, unrelated
from bench.measure import Json
from bench.record import Limit, Recorder
from starling.genome.distance.significance import distance_to_significance
from starling.genome.scores.locations import num_sig_outputs, num_sig_scores
from starling.genome.statistics.association import p_values

Int64: TypeAlias = npt.NDArray[np.int64]
Float64: TypeAlias = npt.NDArray[np.float64]

ALPHA: Final = 0.05
EPSILONS: Final = (1.0, 0.6, 0.2)
POPULATIONS: Final = (1_138, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000)
DATABASES: Final = 400
FEWER: Final = 100
"""Where a setting is not the paper's."""
SELECTIONS: Final[dict[str, Callable[[Int64, float], Float64]]] = {
    "exponential": exponential,
    "permute-and-flip": permute_and_flip,
}
WEAKER: Final = (28, 26, 25, 24, 22, 20, 19, 17, 16)
"""Carriers among cases of a second SNP with 78 among controls: from just significant to far from the threshold."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a database is like.

    Attributes:
        people: Patients, 567 of 1,138 of them cases.
        snps: m; significant at or below .05/m.
        least: Smallest frequency of the minor allele of a SNP without effect.
        k: As far as num_sig answers exactly.
    """

    people: int
    snps: int = 100_000
    least: float = 0.05
    k: int = 1

    @property
    def threshold(self) -> str:
        """Of p-values."""
        return repr(ALPHA / self.snps)

    def others(self, number: int, of: int) -> Int64:
        """Signed distances of `number` SNPs without effect; `of` says which database."""
        cases, random = self._cases(of)
        kinds = unrelated(carrying(number, self.least, random), cases, self.people - cases, random)
        return np.repeat(distance_to_significance(kinds.tables, "g", self.threshold), kinds.counts)

    def causal(self, of: int) -> Int64:
        """Signed distances of the two significant SNPs: as observed in the study of 1,138, drawn in others."""
        cases, random = self._cases(-1 - of)
        tables = observed() if self.people == PEOPLE else sampled(cases, self.people - cases, random)
        return distance_to_significance(tables, "g", self.threshold)

    def _cases(self, stream: int) -> tuple[int, np.random.Generator]:
        seed = [2013, 1, self.people, self.snps, round(1000 * self.least), stream % (1 << 32)]
        return round(self.people * CASES / (CASES + CONTROLS)), np.random.default_rng(seed)


def all_scores(setting: Setting, ks: tuple[int, ...], databases: int) -> dict[int, Int64]:
    """Scores of num_sig's outputs, int64 (databases, outputs), for each k: one pass over the databases."""
    found: dict[int, list[Int64]] = {k: [] for k in ks}
    for of in range(databases):
        distances = np.concatenate((setting.causal(of), setting.others(setting.snps - 2, of)))
        for k in ks:
            found[k].append(num_sig_scores(distances, num_sig_outputs(k, setting.snps)))
    return {k: np.stack(rows) for k, rows in found.items()}


def answered(setting: Setting, scores: Int64, epsilon: float, selection: str) -> dict[str, Json]:
    """How the databases of a setting are answered at one epsilon by one mechanism."""
    outputs = np.array(num_sig_outputs(setting.k, setting.snps))
    chances = np.stack([SELECTIONS[selection](row, epsilon) for row in scores])
    right = (chances * (scores >= 0)).sum(axis=1)
    beyond = chances[:, outputs >= 128].sum(axis=1)
    ends = np.append(outputs[1:], setting.snps + 1) - 1
    reached = np.cumsum(chances.mean(axis=0))
    return {
        "people": setting.people,
        "snps": setting.snps,
        "least_frequency": setting.least,
        "k": setting.k,
        "epsilon": epsilon,
        "selection": selection,
        **Estimate.of(right).to_json("right"),
        **Estimate.of(1 - right).to_json("wrong"),
        **Estimate.of(beyond).to_json("beyond_128"),
        "upper_95": int(ends[np.argmax(reached >= 0.95)]),
        "upper_99": int(ends[np.argmax(reached >= 0.99)]),
        "truth_is_two": float((scores[:, outputs == 2] >= 0).mean()),
        "databases": len(scores),
    }


def weaker(databases: int) -> Iterator[dict[str, Json]]:
    """The study of 1,138 with second SNPs of other strengths, at epsilon 1."""
    setting = Setting(PEOPLE)
    others = [setting.others(setting.snps - 2, of) for of in range(databases)]
    outputs = num_sig_outputs(setting.k, setting.snps)
    strong = setting.causal(0)[:1]
    for carriers in WEAKER:
        table = np.array([[carriers, CASES - carriers, 78, CONTROLS - 78]])
        distance = distance_to_significance(table, "g", setting.threshold)
        scores = np.stack([num_sig_scores(np.concatenate((strong, distance, each)), outputs) for each in others])
        rows = {selection: answered(setting, scores, 1.0, selection) for selection in SELECTIONS}
        yield {
            "second_p": float(f"{p_values(table, 'g')[0]:.3g}"),
            "second_score": int(-distance[0]),
            **{f"right_{name}": row["right"] for name, row in rows.items()},
            "databases": databases,
        }


def study(quick: bool) -> list[dict[str, Json]]:
    """All rows."""
    rows: list[dict[str, Json]] = []

    def add(setting: Setting, ks: tuple[int, ...], databases: int, epsilons: tuple[float, ...]) -> None:
        for k, scores in all_scores(setting, ks, 2 if quick else databases).items():
            asked = Setting(setting.people, setting.snps, setting.least, k)
            rows.extend(answered(asked, scores, epsilon, name) for epsilon in epsilons for name in SELECTIONS)

    size = partial(Setting, snps=2_000) if quick else Setting
    for people in POPULATIONS:
        add(size(people), (1, 10), DATABASES, EPSILONS)
    for people in (PEOPLE,) if quick else (PEOPLE, 3_000):
        add(Setting(people, 3_000 if quick else 308_332), (1, 10), FEWER, (1.0,))
        for least in (0.01, 0.0):
            add(size(people, least=least), (1,), FEWER, (1.0,))
    return rows


def chosen(rows: list[dict[str, Any]], **wanted: Json) -> dict[str, Any]:
    """The row of a setting; what is not said is as in the paper."""
    asked = {"people": PEOPLE, "snps": 100_000, "least_frequency": 0.05, "k": 1, "epsilon": 1.0, **wanted}
    return next(row for row in rows if asked.items() <= row.items())


def estimate(row: dict[str, Any], name: str) -> Estimate:
    """A figure of a row."""
    return Estimate(row[name], row[f"{name}_low"], row[f"{name}_high"], row["databases"])


def claims(rows: list[dict[str, Any]]) -> list[Claim]:
    """What the paper says of this figure, and in its abstract."""
    published = partial(chosen, rows, selection="exponential")
    whole = published(snps=308_332)
    return [
        Claim("7.1", "P(right), n = 1,138, ε = 1", estimate(published(), "right"), 0.5, least=True),
        Claim("7.1", "P(range beyond 128), n = 1,138, ε = 1", estimate(published(), "beyond_128"), 0.05, least=False),
        Claim("7.1", "P(wrong), n = 3,000, ε = 1", estimate(published(people=3_000), "wrong"), 0.01, least=False),
        Claim(
            "abstract",
            "P(right), 308,332 SNPs, n = 1,138, ε = 1",
            estimate(whole, "right"),
            0.5,
            least=True,
        ),
        Claim(
            "abstract",
            "the same, numbers up to 10 told exactly",
            estimate(published(snps=308_332, k=10), "right"),
            0.5,
            least=True,
        ),
    ]


def main() -> None:
    """Compute all of it, and draw the picture."""
    recorder = Recorder("genome_figure1", "How often num_sig answers rightly; exact distributions, nothing is timed.")
    quick = recorder.begin().quick
    rows = study(quick)
    second = list(weaker(2 if quick else FEWER))
    if quick:
        recorder.end(settings={"alpha": ALPHA}, rows=[*rows, *second])
        return
    published, better = (chosen(rows, selection=name) for name in SELECTIONS)
    document = recorder.end(
        settings={"alpha": ALPHA, "cases": CASES, "controls": CONTROLS, "carriers": [list(pair) for pair in CARRIERS]},
        rows=[*rows, *second, *(claim.to_json() for claim in claims(rows))],
        limits=[
            Limit("num_sig right, 1,138 patients, ε = 1, as published", published["right"], 0.92, "of all", least=True),
            Limit("num_sig right, the same, permute-and-flip", better["right"], 0.95, "of all", least=True),
            Limit("num_sig beyond 128, 1,138 patients, ε = 1, as published", published["beyond_128"], 0.05, "of all"),
            Limit(
                "num_sig wrong, 3,000 patients, ε = 1, as published",
                chosen(rows, people=3_000, selection="exponential")["wrong"],
                0.01,
                "of all",
            ),
        ],
    )
    draw(document)


if __name__ == "__main__":
    main()
