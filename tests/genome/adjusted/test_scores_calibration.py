"""SNPs that do nothing have the statistics they should where populations mix and phenotypes are flipped; unflipped, they are PLINK's."""

from math import exp, sinh
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from starling.genome.adjusted import ScoreTests, covariate_basis, principal_components
from starling.genome.arrays import Float64
from starling.genome.source.calls import packed
from tests.genome.adjusted.test_components import populations, reader
from tests.genome.plink import plink
from tests.genome.residuals import as_calls

EPSILON = 2
FLIP = 1 / (1 + exp(EPSILON))


@pytest.mark.slow
@pytest.mark.statistical
def test_statistics_are_calibrated_where_populations_mix() -> None:
    """20 phenotypes that follow populations, each flipped, on 2,000 SNPs: lambda 1, and the share of the sample that the formula says.

    A right scan's mean lambda has a standard error of .012, so it leaves .95 to 1.05 with a chance of 3e-5; the share's is .011, so it is
    .05 off with a chance of 5e-6. Without components, and with the variance of a response that was not flipped, the same checks fail.
    """
    people, snps, seeds = 1000, 2000, 20
    carried = populations(people, snps, missing=0.01)
    calls = as_calls(carried)
    adjusted = covariate_basis(principal_components(reader(carried, 500), people, 2))
    plain = covariate_basis(np.empty((people, 0)))
    random = np.random.default_rng(11)
    prevalence = np.repeat([0.15, 0.4, 0.6], [500, 333, 167])
    lambdas: dict[str, list[float]] = {"right": [], "no components": [], "variance before flips": []}
    shares = []
    for _ in range(seeds):
        cases = (random.random(people) < prevalence).astype(np.float64)
        response = (np.where(random.random(people) < FLIP, 1 - cases, cases) - FLIP) / (1 - 2 * FLIP)
        before = ScoreTests.of("additive", cases, adjusted).score(calls)
        after = ScoreTests.of("additive", response, adjusted).score(calls)
        naive = ScoreTests.of("additive", response, plain).score(calls)
        z, exact = after.scores / np.sqrt(after.variances), before.scores / np.sqrt(before.variances)
        lambdas["right"].append(inflation(z))
        lambdas["no components"].append(inflation(naive.scores / np.sqrt(naive.variances)))
        lambdas["variance before flips"].append(inflation(after.scores / np.sqrt(before.variances)))
        shares.append((z @ exact / (exact @ exact)) ** 2)
    within = {name: 0.95 < np.mean(each) < 1.05 for name, each in lambdas.items()}
    assert within == {"right": True, "no components": False, "variance before flips": False}
    variance = np.mean(prevalence * (1 - prevalence))
    assert np.mean(shares) == pytest.approx(variance / (variance + 1 / (4 * sinh(EPSILON / 2) ** 2)), abs=0.05)


def inflation(z: Float64) -> float:
    """Median of the squares over that of chi-squared: lambda."""
    return float(np.median(z * z) / chi2.ppf(0.5, 1))


def test_effects_are_those_of_plink(tmp_path: Path) -> None:
    """plink2 --glm on a number with covariates: the effect, and t from score and squares, to all digits that it prints."""
    people, snps = 400, 60
    carried = populations(people, snps, missing=0)
    random = np.random.default_rng(4)
    covariates = random.normal(size=(people, 3))
    response = random.normal(size=people) + 0.3 * carried[5] + covariates[:, 0]
    (tmp_path / "s.bed").write_bytes(b"\x6c\x1b\x01" + packed(carried).tobytes())
    (tmp_path / "s.bim").write_text("".join(f"1\ts{row}\t0\t{row}\tA\tG\n" for row in range(1, snps + 1)))
    (tmp_path / "s.fam").write_text(
        "".join(f"p{row} p{row} 0 0 1 {each!r}\n" for row, each in enumerate(response.tolist()))
    )
    rows = (f"p{row} p{row} {' '.join(map(repr, each))}\n" for row, each in enumerate(covariates.tolist()))
    (tmp_path / "c.txt").write_text("#FID IID a b c\n" + "".join(rows))
    words = ("--bfile", tmp_path / "s", "--covar", tmp_path / "c.txt", "--glm", "hide-covar", "omit-ref")
    plink("plink2", *words, "--out", tmp_path / "out")
    head, *lines = [line.split("\t") for line in (tmp_path / "out.PHENO1.glm.linear").read_text().splitlines()]
    told = {name: np.array([float(line[head.index(name)]) for line in lines]) for name in ("BETA", "T_STAT")}
    basis = covariate_basis(covariates)
    found = ScoreTests.of("additive", response, basis).score(as_calls(carried))
    assert np.allclose(found.scores / found.squares, told["BETA"], rtol=1e-5)
    rest = response - basis @ (basis.T @ response)
    left = (rest @ rest - found.scores**2 / found.squares) / (people - basis.shape[1] - 1)
    assert np.allclose(found.scores / np.sqrt(found.squares * left), told["T_STAT"], rtol=1e-5)
    # Under no association the variance that holds for any response is near the one that supposes equal variances.
    z = found.scores / np.sqrt(found.variances)
    small = np.abs(told["T_STAT"]) < 3
    assert np.abs(z - told["T_STAT"])[small].max() < 0.35
