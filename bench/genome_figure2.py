"""Figure 2 of the genome paper: how much of the two largest p-value exponents is lost by loc_sig and by its rivals. Nothing is timed.

The loss is the paper's: -ln p by the G test, summed over the two SNPs that a mechanism names, compared with the sum over the two smallest
p-values. Distributions of loc_sig (as published, and with permute-and-flip in each round) and of the exponential mechanism on
chi-squared (Yu et al. 2014) are exact for every database. Of Laplace noise on chi-squared (Fienberg et al. 2011) draws are taken:
continuous noise of the scale that bench.rivals uses, whose grid of 1/4096 does not show here.

Half of the patients are cases, since the restricted sensitivity needs it. The SNPs without effect have the frequencies of public
genotypes over the paper's locus, again and again until there are enough, in place of the paper's HapMap region; a second set leaves
rare ones out.
"""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bench.estimate import Claim, Estimate
from bench.genome_distributions import kept_of_two, nothing_lost_by_flips
from bench.genome_pictures import draw
from bench.genome_studies import Kinds, sampled, unrelated
from bench.measure import Json
from bench.peers import ROOT
from bench.record import Limit, Recorder
from bench.rivals import Neighbours, sensitivity
from starling.genome.distance.significance import distance_to_significance
from starling.genome.statistics.association import chi_squared_statistic, log10_p_values

Float64: TypeAlias = npt.NDArray[np.float64]

SNPS: Final = 100_000
EPSILON: Final = 1.0
ROUNDS: Final = 2
THRESHOLD: Final = "5e-7"
POPULATIONS: Final = (1_138, 2_000, 2_500, 3_000, 4_000, 5_000, 7_500, 10_000)
DATABASES: Final = {3_000: 400, 5_000: 400}
"""Where the paper states a chance; elsewhere, and without rare SNPs, `FEWER`."""
FEWER: Final = 100
DRAWS: Final = 5
"""Of Laplace noise, for each database."""
LOSSES: Final = tuple(step / 20 for step in range(21))
FREQUENCIES: Final = {"all": 0.0, "common": 0.05}
"""Smallest frequency of a minor allele."""
DRAWN: Final[dict[str, Neighbours]] = {
    "Laplace on chi-squared, restricted": "restricted",
    "Laplace on chi-squared, unrestricted": "unrestricted",
}
PUBLISHED: Final = "loc_sig as published"
FLIPPED: Final = "loc_sig by permute-and-flip"
YU: Final = "exponential on chi-squared, restricted"


@dataclass(frozen=True, slots=True)
class Study:
    """One database.

    Attributes:
        kinds: Its SNPs.
        exponents: -ln p of each kind.
        scores: Of loc_sig, for each kind.
        statistics: chi-squared of each kind.
    """

    kinds: Kinds
    exponents: Float64
    scores: npt.NDArray[np.int64]
    statistics: Float64

    @classmethod
    def of(cls, shares: Float64, people: int, random: np.random.Generator) -> "Study":
        """Two significant SNPs, and one without effect for each share of carriers."""
        half = people // 2
        others = unrelated(shares, half, half, random)
        kinds = Kinds(
            np.concatenate((sampled(half, half, random), others.tables)), np.concatenate(([1, 1], others.counts))
        )
        return cls(
            kinds,
            -np.log(10) * log10_p_values(kinds.tables, "g"),
            -distance_to_significance(kinds.tables, "g", THRESHOLD),
            chi_squared_statistic(kinds.tables),
        )

    def kept(self, mechanism: str, people: int) -> Float64:
        """For each of `LOSSES` the chance that no more is lost, by an exponential mechanism."""
        reach = float(sensitivity(people, "chi2", "restricted"))
        scores = self.statistics / reach if mechanism == YU else self.scores
        return kept_of_two(scores, self.exponents, self.kinds.counts, EPSILON / ROUNDS, LOSSES)

    def by_flips(self) -> float:
        """The chance that permute-and-flip in each round loses nothing."""
        return nothing_lost_by_flips(self.scores, self.exponents, self.kinds.counts, EPSILON / ROUNDS)

    def drawn(self, scale: float, random: np.random.Generator) -> Float64:
        """For each of `LOSSES` how often no more was lost, by Laplace noise on chi-squared."""
        statistics, exponents = (np.repeat(each, self.kinds.counts) for each in (self.statistics, self.exponents))
        most = np.sort(exponents)[-2:].sum()
        lost = []
        for _ in range(DRAWS):
            noisy = statistics + random.laplace(0, scale, statistics.size)
            named = np.argpartition(noisy, -2)[-2:]
            lost.append(1 - exponents[named].sum() / most)
        return np.asarray((np.array(lost) <= np.array(LOSSES)[:, np.newaxis] + 1e-9).mean(axis=1))


def carriers(genotypes: Path, least: float) -> Float64:
    """Shares of people who carry the minor allele, of the variants whose minor allele is at least so frequent."""
    with np.load(genotypes) as held:
        copies = held["geno"]
    minor = np.where(copies.mean(axis=0) > 1, 2 - copies, copies)
    return np.asarray((minor > 0).mean(axis=0)[minor.mean(axis=0) / 2 >= least])


def rows_of(frequencies: str, shares: Float64, people: int, databases: int) -> Iterator[dict[str, Json]]:
    """All mechanisms on the databases of one size."""
    random = np.random.default_rng([2013, 2, people, list(FREQUENCIES).index(frequencies)])
    everyone = np.resize(shares, SNPS - 2)
    kept: dict[str, list[Float64]] = {name: [] for name in (PUBLISHED, YU, *DRAWN)}
    flipped = []
    for _ in range(databases):
        study = Study.of(everyone, people, random)
        for name in (PUBLISHED, YU):
            kept[name].append(study.kept(name, people))
        flipped.append(study.by_flips())
        for name, neighbours in DRAWN.items():
            scale = 2 * ROUNDS * float(sensitivity(people, "chi2", neighbours)) / EPSILON
            kept[name].append(study.drawn(scale, random))
    about: dict[str, Json] = {"frequencies": frequencies, "people": people}
    for name, found in kept.items():
        yield {**about, "mechanism": name, **summary(np.stack(found))}
    yield {**about, "mechanism": FLIPPED, **Estimate.of(flipped).to_json("no_loss"), "databases": databases}


def summary(kept: Float64) -> dict[str, Json]:
    """Chances of losses over databases, from (databases, LOSSES); a percentile is the least of `LOSSES` that holds so many."""
    within = np.clip(kept, 0, 1)  # Rounding.
    means = within.mean(axis=0)

    def chance(loss: float, *, beyond: bool = False) -> Estimate:
        column = within[:, LOSSES.index(loss)]
        return Estimate.of(1 - column if beyond else column)

    return {
        **chance(0.0).to_json("no_loss"),
        **chance(0.05).to_json("within_5"),
        **chance(0.2).to_json("within_20"),
        **chance(0.4, beyond=True).to_json("beyond_40"),
        **chance(0.95, beyond=True).to_json("beyond_95"),
        **{f"loss_{percent}": LOSSES[int(np.argmax(means >= percent / 100 - 1e-12))] for percent in (50, 95, 99)},
        "databases": len(kept),
    }


def chosen(rows: list[dict[str, Any]], mechanism: str, people: int, frequencies: str = "all") -> dict[str, Any]:
    """One row."""
    asked = {"mechanism": mechanism, "people": people, "frequencies": frequencies}
    return next(row for row in rows if asked.items() <= row.items())


def claims(rows: list[dict[str, Any]]) -> list[Claim]:
    """What the paper says of this figure, and in its abstract."""

    def claim(where: str, says: str, mechanism: str, people: int, name: str, bound: float) -> Claim:
        row = chosen(rows, mechanism, people)
        found = Estimate(row[name], row[f"{name}_low"], row[f"{name}_high"], row["databases"])
        return Claim(where, f"{says}, n = {people:,}", found, bound, least=True)

    restricted, unrestricted = DRAWN
    return [
        claim("7.2", "P(loc_sig loses nothing)", PUBLISHED, 3_000, "no_loss", 0.5),
        claim("7.2", "P(loc_sig loses nothing)", PUBLISHED, 5_000, "no_loss", 0.99),
        claim("7.2", "P(restricted Laplace loses over 40 %)", restricted, 5_000, "beyond_40", 0.5),
        *(
            claim("7.2", "P(unrestricted Laplace loses over 95 %)", unrestricted, people, "beyond_95", 0.99)
            for people in (1_138, 3_000, 5_000)
        ),
        claim("abstract", "P(loc_sig loses at most 20 %)", PUBLISHED, 3_000, "within_20", 0.5),
        claim("abstract", "P(unrestricted Laplace loses over 95 %)", unrestricted, 3_000, "beyond_95", 0.5),
        claim("abstract", "P(restricted Laplace loses over 95 %)", restricted, 3_000, "beyond_95", 0.5),
    ]


def main() -> None:
    """Compute all of it, and draw the picture."""
    recorder = Recorder(
        "genome_figure2", "What loc_sig and its rivals lose; exact distributions where there are, nothing is timed."
    )
    quick = recorder.begin().quick
    data = Path(os.environ.get("STARLING_DATA") or ROOT.parent / "shared" / "data")
    genotypes = data / "genome" / "il23r_1kg" / "il23r_geno.npz"
    if not genotypes.exists():
        sys.exit("no genotypes: set STARLING_DATA to the folder that holds genome/il23r_1kg")
    rows: list[dict[str, Json]] = []
    variants: dict[str, Json] = {}
    for frequencies, least in FREQUENCIES.items():
        shares = carriers(genotypes, least)
        variants[f"variants_{frequencies}"] = len(shares)
        for people in (5_000,) if quick else POPULATIONS if frequencies == "all" else (1_138, 3_000, 5_000):
            databases = DATABASES.get(people, FEWER) if frequencies == "all" else FEWER // 2
            rows.extend(rows_of(frequencies, shares, people, 2 if quick else databases))
    if quick:
        recorder.end(settings=variants, rows=[*rows])
        return
    found = claims(rows)
    document = recorder.end(
        settings={"snps": SNPS, "epsilon": EPSILON, "k": ROUNDS, "draws": DRAWS, **variants},
        rows=[*rows, *(claim.to_json() for claim in found)],
        limits=[
            Limit(claim.says, claim.found.mean, claim.bound, "of all", least=True)
            for claim in found
            if claim.where == "7.2" and "unrestricted" not in claim.says
        ],
    )
    draw(document)


if __name__ == "__main__":
    main()
