"""The columns of PLINK 2's --glm, as PLINK 2 writes a SNP and one that says nothing."""

from pathlib import Path

import numpy as np
import pytest

from starling.genome.artifact.scan_formats import GLM_COLUMNS, glm, note
from starling.genome.inference.scans import scan_rows
from starling.genome.plan import Scan
from tests.genome.inference.test_scans import FAR, PLAN, scanned
from tests.genome.plink import plink


def test_a_line_for_every_snp_in_the_order_of_the_list() -> None:
    rows = scan_rows(PLAN, Scan(FAR), scanned([3.0, 0.0, -1.0, 1.0, 1.0, 1.0]))
    header, first, silent, *others = [line.rstrip("\n").split("\t") for line in glm(PLAN, rows)]
    assert tuple(header) == GLM_COLUMNS
    start = [
        "1",
        "10",
        "rs0",
        "C",
        "A",
        "A",
        "0.25",
        "ADD",
        "1000",
        "1.34986",
        "0.1",
        "1.1096",
        "1.64213",
        "3",
        "0.0027",
        ".",
    ]
    assert first == start
    assert silent[9:] == ["NA"] * 6 + ["CONST_ALLELE"]
    assert [line[2] for line in others] == ["rs2", "rs3", "rs4", "rs5"]


def test_the_note_says_what_is_not_protected_first() -> None:
    text = note(PLAN, Scan(FAR), None)
    assert text.startswith("Genotypes, covariates and who takes part are not protected")
    assert "Adjusted for: age, sex, 2 principal components" in text


def test_plink2_reads_its_own_columns(tmp_path: Path) -> None:
    rows = scan_rows(PLAN, Scan(FAR), scanned([5.0, 0.0, -1.0, 0.5, 0.25, -2.0]))
    path = tmp_path / "scan.glm"
    path.write_text("".join(glm(PLAN, rows)))
    plink("plink2", "--adjust-file", path, "test=ADD", "--out", tmp_path / "read")
    header, *lines = [line.split("\t") for line in (tmp_path / "read.adjusted").read_text().splitlines()]
    adjusted = {line[header.index("ID")]: float(line[header.index("UNADJ")]) for line in lines}
    assert adjusted == {
        name: pytest.approx(p) for name, p in zip(PLAN.snps.ids, rows.p, strict=True) if not np.isnan(p)
    }
