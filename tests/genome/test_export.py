"""Exports follow the rules of their formats, tell what was released, and leave out what was not."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from hashlib import md5
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from starling.errors import OutputError, ParameterError
from starling.genome import export as exporting
from starling.genome.export import ASSOC_COLUMNS
from starling.genome.measurements import Block, Cells, Explored, Number, SelectedSnps
from starling.genome.plan import Explore, Plan, Scan, SnpPval, Snps
from starling.genome.postprocess.estimates import estimate
from tests.genome.artifact.test_scan_formats import FIVE, SCORES
from tests.genome.inference.test_scans import FAR, PLAN, scanned

ONE = Fraction(1)
export = partial(exporting.export, day="2026-01-31")
LISTED = Snps(
    ("rs1", "exm-2", "rs3", "rs4"),
    ("2", "2", "11", "X"),
    np.array([100, 200, 50, 7]),
    ("A", "G", "AT", "<DEL>"),
    ("C", "T", "A", "A"),
)
SIX, FOUR = Cells((300, 500, 200, 480, 420, 100)), Cells((700, 300, 520, 480))
QUESTION = Explore("chi2", "r2", Fraction(1, 5), Fraction(16))


def a_plan(model: Any = "allelic") -> Plan:
    return Plan("A trait", 2000, LISTED, model, ("chi2",), build="GRCh38")


def explored(cells: Cells = SIX, snps: tuple[str, ...] = ("rs3", "rs1", "exm-2")) -> Explored:
    blocks = (Block(None, None, 0),) * len(snps)
    return Explored(Number(2, 3), len(snps), SelectedSnps(snps), blocks, (cells,) * len(snps))


def ssf(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    header, *lines = [line.split("\t") for line in path.read_text().splitlines()]
    return header, [dict(zip(header, line, strict=True)) for line in lines]


def check_ssf(header: list[str], rows: list[dict[str, str]]) -> None:
    """The rules of Table 1 of GWAS-SSF 1.0.2, where a value is not missing."""
    assert header[:4] == ["chromosome", "base_pair_location", "effect_allele", "other_allele"]
    assert header[4] in ("beta", "odds_ratio", "hazard_ratio")
    assert header[5:7] == ["standard_error", "effect_allele_frequency"]
    assert header[7] in ("p_value", "neg_log_10_p_value")
    rules: dict[str, Callable[[str], object]] = {
        "chromosome": lambda text: 1 <= int(text) <= 25,
        "base_pair_location": lambda text: int(text) > 0,
        "effect_allele": lambda text: re.fullmatch("[ACGT]+", text),
        "other_allele": lambda text: re.fullmatch("[ACGT]+", text),
        "odds_ratio": lambda text: float(text) >= 0,
        "standard_error": lambda text: float(text) > 0,
        "effect_allele_frequency": lambda text: 0 <= float(text) <= 1,
        "p_value": lambda text: 0 < float(text) <= 1,
        "neg_log_10_p_value": lambda text: float(text) >= 0,
        "rsid": lambda text: re.fullmatch("rs[0-9]+", text),
        "n": lambda text: int(text) > 0,
    }
    for row in rows:
        assert all(row.values())
        assert all(rule(row[name]) for name, rule in rules.items() if name in row and row[name] != "#NA")
    places = [(int(row["chromosome"]), int(row["base_pair_location"])) for row in rows]
    assert places == sorted(places)


def test_gwas_ssf_of_an_exploration(tmp_path: Path) -> None:
    data, beside = export(a_plan(), QUESTION, explored(), tmp_path / "found.tsv", "gwas-ssf")
    assert (data.name, beside.name) == ("found.tsv", "found.tsv-meta.yaml")
    header, rows = ssf(data)
    check_ssf(header, rows)
    assert [row["snp"] for row in rows] == ["rs1", "exm-2", "rs3"], "by place, not by selection"
    assert [row["rsid"] for row in rows] == ["rs1", "#NA", "rs3"]
    told = estimate(a_plan(), QUESTION, explored()).answer.p_values[0]  # type: ignore[union-attr] # of an exploration
    first = rows[0]
    # 900 of 2,000 alleles of cases, 620 of 2,000 of controls.
    assert float(first["odds_ratio"]) == pytest.approx(900 * 1380 / (1100 * 620), rel=1e-5)
    assert float(first["effect_allele_frequency"]) == pytest.approx(1520 / 4000)
    assert (float(first["p_value"]), first["test"], first["n"]) == (told.p, "chi2", "2000")
    assert float(first["odds_ratio_noise_low"]) < float(first["odds_ratio"]) < float(first["odds_ratio_noise_high"])
    assert float(first["p_value_noise_low"]) <= told.p <= float(first["p_value_noise_high"])


def test_a_name_that_a_spreadsheet_would_take_for_a_formula_is_text(tmp_path: Path) -> None:
    plan = a_plan()
    named = replace(
        plan, snps=replace(plan.snps, ids=tuple("=1+1" if name == "exm-2" else name for name in plan.snps.ids))
    )
    data, _ = export(named, QUESTION, explored(snps=("rs3", "rs1", "=1+1")), tmp_path / "found.tsv", "gwas-ssf")
    assert [row["snp"] for row in ssf(data)[1]] == ["rs1", "'=1+1", "rs3"]


def test_gwas_ssf_says_in_its_metadata_that_it_is_noisy(tmp_path: Path) -> None:
    data, beside = export(a_plan(), QUESTION, explored(), tmp_path / "found.tsv", "gwas-ssf")
    stated = yaml.safe_load(beside.read_text())
    assert stated["data_file_md5sum"] == md5(data.read_bytes(), usedforsecurity=False).hexdigest()
    assert (stated["data_file_name"], stated["file_type"]) == ("found.tsv", "GWAS-SSF v1.0")
    assert (stated["genome_assembly"], stated["coordinate_system"]) == ("GRCh38", "1-based")
    assert stated["samples"] == [
        {"sample_size": 2000, "sample_ancestry_category": ["NR"], "case_control_study": True}
    ], "how many are cases was not released"
    assert stated["date_metadata_last_modified"] == "2026-01-31"
    assert (stated["is_harmonised"], stated["is_sorted"]) == (False, True)
    for words in ("differential privacy", "estimate from noisy counts", "95 %", "allelic", "small by selection"):
        assert words in stated["author_notes"]


def test_what_cannot_be_told_is_missing(tmp_path: Path) -> None:
    """Of carriers there is no allele frequency; of a count near its noise no standard error; a symbolic allele has no letters."""
    data, _ = export(
        a_plan("dominant"), QUESTION, explored(FOUR, ("rs4", "rs1", "exm-2")), tmp_path / "a.tsv", "gwas-ssf"
    )
    header, rows = ssf(data)
    check_ssf(header, rows)
    assert [row["effect_allele_frequency"] for row in rows] == ["#NA"] * 3
    assert [row["effect_allele"] for row in rows] == ["A", "G", "#NA"]
    assert rows[2]["chromosome"] == "23"
    assert 0.0938 < float(rows[0]["standard_error"]) < 0.1, "Woolf's, and a little for the noise"
    few = SnpPval("rs1", "chi2", Fraction(1, 100))
    data, _ = export(a_plan("dominant"), few, FOUR, tmp_path / "b.tsv", "gwas-ssf")
    assert ssf(data)[1][0]["standard_error"] == "#NA"


def test_tiny_p_values_are_told_by_their_logarithms(tmp_path: Path) -> None:
    plan = replace(a_plan("dominant"), people=20_000)
    data, _ = export(plan, SnpPval("rs1", "chi2", ONE), Cells((9900, 100, 100, 9900)), tmp_path / "a.tsv", "gwas-ssf")
    header, rows = ssf(data)
    check_ssf(header, rows)
    assert header[7] == "neg_log_10_p_value"
    assert float(rows[0]["neg_log_10_p_value"]) > 4000


def test_plinks_columns(tmp_path: Path) -> None:
    data, beside = export(a_plan(), QUESTION, explored(), tmp_path / "found.assoc", "plink-assoc")
    header, *lines = [line.split() for line in data.read_text().splitlines()]
    assert tuple(header) == ASSOC_COLUMNS
    rows = [dict(zip(header, line, strict=True)) for line in lines]
    assert [row["SNP"] for row in rows] == ["rs1", "exm-2", "rs3"]
    assert (rows[0]["F_A"], rows[0]["F_U"], rows[0]["A1"], rows[0]["A2"]) == ("0.45", "0.31", "A", "C")
    n, delta = 4000, 900 * 1380 - 1100 * 620
    chi2 = n * delta**2 / (2000 * 2000 * 1520 * 2480)
    assert float(rows[0]["CHISQ"]) == pytest.approx(chi2, rel=1e-3)
    assert float(rows[0]["OR"]) == pytest.approx(1.821, rel=1e-3)
    assert "estimate from noisy counts" in beside.read_text()
    carriers, _ = export(a_plan("dominant"), QUESTION, explored(FOUR), tmp_path / "two.assoc", "plink-assoc")
    row = dict(zip(header, carriers.read_text().splitlines()[1].split(), strict=True))
    assert [row[name] for name in ("F_A", "F_U", "CHISQ", "OR")] == ["NA"] * 4


def test_mistakes_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    out = tmp_path / "found.tsv"
    with pytest.raises(ParameterError, match="holds no p-values; export a release of snp-pval, explore, scan,"):
        export(a_plan(), QUESTION.number(a_plan()), Number(2, 3), out, "gwas-ssf")
    with pytest.raises(ParameterError, match="holds no p-values"):
        export(a_plan(), QUESTION.number(a_plan()), Number(2, 3), out, "plink-glm")
    with pytest.raises(ParameterError, match="format is not gwas-ssf, plink-assoc, plink-glm"):
        export(a_plan(), QUESTION, explored(), out, "ssf")  # type: ignore[arg-type]
    odd = replace(a_plan(), snps=replace(LISTED, chromosomes=("2", "2", "11", "scaffold")), regions=())
    with pytest.raises(ParameterError, match="on 'scaffold', which GWAS-SSF has no number for"):
        export(odd, SnpPval("rs4", "chi2", ONE), SIX, out, "gwas-ssf")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "found.tsv-meta.yaml").touch()
    with pytest.raises(OutputError, match="exists"):
        export(a_plan(), QUESTION, explored(), out, "gwas-ssf")
    assert not out.exists()


def test_equal_releases_give_equal_files(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    first = export(a_plan(), QUESTION, explored(), tmp_path / "a.tsv", "gwas-ssf")
    second = export(a_plan(), QUESTION, explored(), tmp_path / "again" / "a.tsv", "gwas-ssf")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert json.dumps(yaml.safe_load(first[1].read_text()))


@pytest.mark.parametrize(("z", "column"), [(3.0, "p_value"), (60.0, "neg_log_10_p_value")])
def test_gwas_ssf_of_a_scan_has_no_value_missing_that_its_validator_wants(
    z: float, column: str, tmp_path: Path
) -> None:
    """SNP 3 says nothing, SNP 4 is far beyond any odds ratio, SNP 5 has a deletion; the validator refuses a file with such a row."""
    snps = PLAN.snps
    plan = replace(PLAN, snps=replace(snps, other=(*snps.other[:5], "<DEL>")))
    drawn = scanned([z, -1.0, 0.0, 2000.0, 1e-9, 2.0])
    data, beside = export(plan, Scan(FAR), drawn, tmp_path / "scan.tsv", "gwas-ssf")
    header, rows = ssf(data)
    assert header[7] == column
    check_ssf(header, rows)
    assert [row["snp"] for row in rows] == ["rs0", "rs1", "rs4"]
    wanted = {*header} - {"rsid", "ci_lower", "ci_upper"}
    assert not [row for row in rows if "#NA" in {row[name] for name in wanted}]
    assert all(float(row["ci_lower"]) < float(row["odds_ratio"]) < float(row["ci_upper"]) for row in rows)
    about = yaml.safe_load(beside.read_text())["author_notes"]
    assert about.startswith("Genotypes, covariates and who takes part are not protected")
    assert "Left out: 3 SNPs without an effect, or with alleles other than A, C, G and T." in about
    with pytest.raises(ParameterError, match="has no SNP with an effect"):
        export(plan, Scan(FAR), scanned([0.0] * 6), tmp_path / "none.tsv", "gwas-ssf")


def test_gwas_ssf_of_effects_has_no_value_missing_that_its_validator_wants(tmp_path: Path) -> None:
    """The validator (bench/summary_statistics.py) takes such a file of SNPs on all chromosomes."""
    for cases, effect in ((200, "odds_ratio"), (None, "beta")):
        question = replace(FIVE, prevalence_epsilon=None if cases is None else Fraction(1))
        data, beside = export(PLAN, question, replace(SCORES, cases=cases), tmp_path / f"{effect}.tsv", "gwas-ssf")
        header, rows = ssf(data)
        check_ssf(header, rows)
        assert header[4] == effect
        assert [row["snp"] for row in rows] == ["rs1", "rs4"], "covariates explain rs2"
        assert not [row for row in rows for name, value in row.items() if value == "#NA" and name != "rsid"]
        assert all(float(row["ci_lower"]) < float(row[effect]) < float(row["ci_upper"]) for row in rows)
        assert "Left out: 1 SNPs without an effect" in yaml.safe_load(beside.read_text())["author_notes"]
    with pytest.raises(ParameterError, match="is plink-assoc, which is of p-values that were asked for"):
        export(PLAN, FIVE, SCORES, tmp_path / "x", "plink-assoc")
