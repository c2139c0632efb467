"""Tables from packed bytes against those that PLINK 1.9 writes (`--model`), missing calls included."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from starling.genome.source.counting import carrier_tables, genotype_tables, status_masks
from starling.genome.statistics.association import allele_tables, chi_squared_statistic, trend_statistic
from tests.genome.packed import MISSING, encoded

PEOPLE, SNPS = 61, 40


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[np.ndarray, np.ndarray, list[dict[str, str]]]:
    """Codes, who is a case, and the lines of PLINK's report. The last half of the SNPs has missing calls."""
    if shutil.which("plink1.9") is None:
        pytest.skip("no plink1.9 on the PATH (Debian: plink1.9)")
    folder: Path = tmp_path_factory.mktemp("plink")
    numbers = np.random.default_rng(19)
    codes = np.array([0, 2, 3])[numbers.integers(0, 3, (SNPS, PEOPLE))]
    codes[SNPS // 2 :][numbers.random((SNPS // 2, PEOPLE)) < 0.15] = MISSING
    is_case = numbers.random(PEOPLE) < 0.4
    (folder / "a.bed").write_bytes(b"\x6c\x1b\x01" + encoded(codes).tobytes())
    (folder / "a.bim").write_text("".join(f"1\trs{snp}\t0\t{snp + 1}\tA\tG\n" for snp in range(SNPS)))
    (folder / "a.fam").write_text("".join(f"f p{i} 0 0 1 {2 if case else 1}\n" for i, case in enumerate(is_case)))
    options = ["--bfile", "a", "--keep-allele-order", "--model", "--cell", "0", "--out", "a"]
    subprocess.run(["plink1.9", *options], cwd=folder, check=True, capture_output=True)
    head, *lines = ((folder / "a.model").read_text()).splitlines()
    return codes, is_case, [dict(zip(head.split(), line.split(), strict=True)) for line in lines]


@pytest.mark.parametrize("test", ["DOM", "REC", "GENO", "TREND", "ALLELIC"])
def test_tables_are_plinks(written: tuple[np.ndarray, np.ndarray, list[dict[str, str]]], test: str) -> None:
    codes, is_case, report = written
    bed, among = encoded(codes), status_masks(is_case)
    lines = [line for line in report if line["TEST"] == test]
    plinks = np.array([[int(x) for group in ("AFF", "UNAFF") for x in line[group].split("/")] for line in lines])
    genotypes = genotype_tables(bed, among, "a1")
    ours = {
        "DOM": carrier_tables(bed, among, "dominant", "a1"),
        "REC": carrier_tables(bed, among, "recessive", "a1"),
        "GENO": genotypes[:, [2, 1, 0, 5, 4, 3]],
        "TREND": allele_tables(genotypes),
        "ALLELIC": allele_tables(genotypes),
    }[test]
    # PLINK leaves missing calls out; here they are without the allele, which stands last of each group.
    missing = np.stack([(codes[:, group] == MISSING).sum(axis=1) for group in (is_case, ~is_case)], axis=1)
    cells = plinks.shape[1] // 2
    plinks[:, [cells - 1, 2 * cells - 1]] += missing * (2 if test in ("ALLELIC", "TREND") else 1)
    assert np.array_equal(ours, plinks)
    whole = missing.sum(axis=1) == 0
    told = np.array([float(line["CHISQ"]) for line in lines])
    statistic = trend_statistic(genotypes) if test == "TREND" else chi_squared_statistic(ours)
    assert statistic[whole] == pytest.approx(told[whole], rel=1e-3, abs=1e-9)
