"""docs/reference/genome-statistics.md, row by row, on real genotypes: equal to PLINK and SciPy, or another, where it says so."""

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from starling.genome.export import standard_error
from starling.genome.inference.answers import odds_ratio
from starling.genome.source.counting import genotype_tables, status_masks
from starling.genome.statistics.association import PTest, allele_tables, d_prime, p_values, r_squared
from tests.genome.plink import plink

pytestmark = pytest.mark.slow

HUGE = Fraction(10**6)
FEW = 300
"""Cases where there are fewer of them than controls."""
MANY = 6000
"""SNPs that PLINK has a number for, at least; a thousand of the list are alike in all people."""
REACH = 5
"""SNPs between neighbours, at most."""


class Real(NamedTuple):
    """Real genotypes, and what PLINK says of them."""

    folder: Path
    copies: np.ndarray
    is_case: np.ndarray
    tables: np.ndarray
    names: list[str]


@pytest.fixture(scope="module")
def real(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Real:
    prefix = shared_data / "genome" / "hapsample_chr9_13" / "hapsample"
    people = [line.split() for line in prefix.with_suffix(".fam").read_text().splitlines()]
    names = [line.split()[1] for line in prefix.with_suffix(".bim").read_text().splitlines()]
    packed = np.fromfile(prefix.with_suffix(".bed"), dtype=np.uint8)[3:].reshape(len(names), -1)
    codes = np.stack([(packed >> shift) & 3 for shift in (0, 2, 4, 6)], axis=2).reshape(len(names), -1)
    codes = codes[:, : len(people)]
    assert not (codes == 1).any(), "nothing is missing"
    is_case = np.array([fields[5] == "2" for fields in people])
    folder = tmp_path_factory.mktemp("plink")
    given = ("--bfile", prefix, "--allow-no-sex", "--keep-allele-order")
    plink("plink1.9", *given, "--model", "--cell", "0", "--out", folder / "m")
    plink("plink1.9", *given, "--assoc", "--ci", "0.95", "--out", folder / "a")
    # With as many cases as controls both of Fisher's tests are one: so here the first FEW are the cases.
    lines = (f"{who[0]} {who[1]} {2 if at < FEW else 1}\n" for at, who in enumerate(people))
    (folder / "few.txt").write_text("".join(lines))
    fisher = ("--model", "fisher", "--cell", "0", "--pheno", folder / "few.txt")
    plink("plink1.9", *given, *fisher, "--out", folder / "f")
    plink(
        "plink1.9",
        *given,
        "--r2",
        "--ld-window",
        "2",
        "--ld-window-kb",
        "100000",
        "--ld-window-r2",
        "0",
        "--out",
        folder / "r",
    )
    glm = ("--glm", "dominant", "allow-no-covars", "--threads", "1")
    plink("plink2", "--bfile", prefix, *glm, "--out", folder / "w")
    return Real(
        folder, np.choose(codes, [2, 0, 1, 0]), is_case, genotype_tables(packed, status_masks(is_case), "a1"), names
    )


@cache
def report(path: Path, kind: str = "") -> dict[str, dict[str, str]]:
    """Lines of a report of PLINK by SNP, of one test."""
    head, *lines = (line.split() for line in path.read_text().splitlines())
    rows = [dict(zip(head, line, strict=True)) for line in lines]
    return {row.get("SNP", row.get("ID", "")): row for row in rows if not kind or row["TEST"] == kind}


def of_model(tables: np.ndarray, model: str) -> np.ndarray:
    """2x2 tables of carriers, or of alleles; 2x3 tables as they are."""
    if model == "ALLELIC":
        return allele_tables(tables)
    if model in ("GENO", "TREND"):
        return tables
    has = tables[:, [1, 4]] + tables[:, [2, 5]] if model == "DOM" else tables[:, [2, 5]]
    return np.stack(
        [has[:, 0], tables[:, :3].sum(axis=1) - has[:, 0], has[:, 1], tables[:, 3:].sum(axis=1) - has[:, 1]], axis=1
    )


def equal(ours: np.ndarray, theirs: list[str]) -> None:
    """As far as PLINK writes digits; what it has no number for is left out."""
    found = [(mine, float(text)) for mine, text in zip(ours.tolist(), theirs, strict=True) if text not in ("NA", "nan")]
    assert len(found) > MANY
    assert np.array([mine for mine, _ in found]) == pytest.approx(np.array([text for _, text in found]), rel=2e-3)


@pytest.mark.series(1)
@pytest.mark.parametrize(
    ("line", "test"), [("DOM", "chi2"), ("REC", "chi2"), ("GENO", "chi2"), ("TREND", "trend"), ("ALLELIC", "chi2")]
)
def test_p_values_equal_plinks_model(real: Real, line: str, test: PTest) -> None:
    told = report(real.folder / "m.model", line)
    tables = of_model(real.tables, line)
    if test == "chi2" and line == "GENO":
        # Where a genotype is missing from the study PLINK takes one degree of freedom; here the law is public, so it does not change.
        whole = (tables[:, :3] + tables[:, 3:] > 0).all(axis=1)
        assert not whole.all()
        tables = tables[whole]
        told = {name: told[name] for name, one in zip(real.names, whole.tolist(), strict=True) if one}
    else:
        told = {name: told[name] for name in real.names}
    ours = p_values(tables, test)
    rows = [row["P"] for row in told.values()]
    # PLINK has no statistic where all people are alike; here it is 0, p = 1.
    assert all(p == 1 for text, p in zip(rows, ours, strict=True) if text == "NA")
    equal(ours, rows)


def test_wald_equals_plink2s_regression(real: Real) -> None:
    (path,) = real.folder.glob("w*.glm.logistic*")
    told = report(path, "DOM")
    tables = of_model(real.tables, "DOM")
    whole = [(at, told[name]) for at, name in enumerate(real.names) if name in told and tables[at].min() > 0]
    same = [(at, row) for at, row in whole if row["A1"] == allele(real, at) and row["P"] != "NA"]
    assert len(same) > 5000
    ours = p_values(tables[[at for at, _ in same]], "wald")
    assert ours == pytest.approx(np.array([float(row["P"]) for _, row in same]), rel=2e-3)
    ratios = [float(odds_ratio(tuple(tables[at].tolist()), 0).estimate) for at, _ in same]
    assert ratios == pytest.approx([float(row["OR"]) for _, row in same], rel=2e-3)


def allele(real: Real, at: int) -> str:
    """The first of the .bim."""
    return report(real.folder / "a.assoc")[real.names[at]]["A1"]


def test_effects_of_alleles_equal_plinks_assoc(real: Real) -> None:
    told, alleles = report(real.folder / "a.assoc"), allele_tables(real.tables)
    rows = [told[name] for name in real.names]
    equal(alleles[:, 0] / alleles[:, :2].sum(axis=1), [row["F_A"] for row in rows])
    equal(alleles[:, 2] / alleles[:, 2:].sum(axis=1), [row["F_U"] for row in rows])
    whole = np.flatnonzero(alleles.min(axis=1) >= 20)[::10]
    ratios = [float(odds_ratio(tuple(alleles[at].tolist()), 0).estimate) for at in whole]
    assert ratios == pytest.approx([float(rows[at]["OR"]) for at in whole], rel=2e-3)
    errors = [standard_error(real.tables[at].tolist(), 2000, "genotypic", "lattice", HUGE) for at in whole]
    assert errors == pytest.approx([float(rows[at]["SE"]) for at in whole], rel=2e-3)


def test_fisher_is_twice_the_smaller_tail_and_plinks_is_not(real: Real) -> None:
    told, has, few = report(real.folder / "f.model", "DOM"), real.copies > 0, np.arange(real.copies.shape[1]) < FEW
    columns = [(row & who).sum(axis=1) for who in (few, ~few) for row in (has, ~has)]
    tables, other = np.stack(columns, axis=1), 0
    for at in range(0, len(tables), 97):
        cells = tables[at].reshape(2, 2)
        tails = [stats.fisher_exact(cells, side).pvalue for side in ("less", "greater")]
        ours = float(p_values(tables[[at]], "fisher")[0])
        assert ours == pytest.approx(min(1.0, 2 * min(tails)), rel=1e-6)
        theirs = float(told[real.names[at]]["P"])
        assert theirs == pytest.approx(stats.fisher_exact(cells).pvalue, rel=2e-3)
        other += abs(ours / theirs - 1) > 0.01
    assert other > 30, "of a hundred"


def carrying(copies: np.ndarray, rarer: bool) -> tuple[np.ndarray, np.ndarray]:
    """Copies of the rarer (or the commoner) allele of each SNP of 5 % or more, and who carries it."""
    share = copies.mean(axis=1) / 2
    common = np.minimum(share, 1 - share) >= 0.05
    kept = np.where(((share > 0.5) == rarer)[:, np.newaxis], 2 - copies, copies)[common]
    return kept, kept > 0


def standard(values: np.ndarray) -> np.ndarray:
    """Rows of mean 0 and length 1; of a row that is all alike, 0."""
    off = values.astype(np.float32) - values.mean(axis=1, keepdims=True, dtype=np.float32)
    length = np.sqrt((off * off).sum(axis=1, keepdims=True))
    return np.asarray(np.divide(off, length, out=np.zeros_like(off), where=length > 0))


def squared(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """r^2 of rows that are standard."""
    return np.asarray(np.einsum("ij,ij->i", first, second) ** 2)


def test_r2_is_of_carriers_and_plinks_of_copies(real: Real) -> None:
    head, *lines = (line.split() for line in (real.folder / "r.ld").read_text().splitlines())
    told = {(line[head.index("SNP_A")], line[head.index("SNP_B")]): float(line[head.index("R2")]) for line in lines}
    pairs = [at for at in range(0, len(real.names) - 1, 7) if (real.names[at], real.names[at + 1]) in told]
    first, second = real.copies[pairs], real.copies[[at + 1 for at in pairs]]
    theirs = np.array([told[real.names[at], real.names[at + 1]] for at in pairs])
    assert squared(standard(first), standard(second)) == pytest.approx(theirs, rel=2e-3, abs=1e-4)
    has, other = first > 0, second > 0
    tables = np.stack(
        [(x & y).sum(axis=1) for x, y in ((has, other), (has, ~other), (~has, other), (~has, ~other))], axis=1
    )
    assert r_squared(tables) == pytest.approx(squared(standard(has), standard(other)), abs=1e-4)
    assert (np.abs(r_squared(tables) - theirs) > 0.05).mean() > 0.05
    assert (d_prime(tables) >= np.sqrt(r_squared(tables)) - 1e-9).all()


def test_the_page_tells_how_much_the_carried_allele_matters(real: Real, root: Path) -> None:
    page = (root / "docs" / "reference" / "genome-statistics.md").read_text("utf-8")
    shown = []
    for rarer in (True, False):
        copies, carried = (standard(each) for each in carrying(real.copies, rarer))
        of_copies = [squared(copies[:-apart], copies[apart:]) for apart in range(1, REACH + 1)]
        of_carriers = [squared(carried[:-apart], carried[apart:]) for apart in range(1, REACH + 1)]
        one, two = np.concatenate(of_copies), np.concatenate(of_carriers)
        shown.append((np.corrcoef(one, two)[0, 1], (two[one > 0.5] < 0.5).mean()))
    (rare, weak), (common, weaker) = shown
    assert f"correlate by {rare:.2f}".replace("0.", ".") in page
    assert f"and by {common:.2f} when".replace("0.", ".") in page
    assert f"{weak:.0%} and {weaker:.0%}".replace("%", " %") in page
