"""No byte of a VCF or BCF makes reading fail."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from starling.errors import SourceError
from starling.genome.source import vcf
from starling.genome.source.vcf import check_vcf, variants
from tests.genome.studies import a_study, bgzip, plan_of, vcf_text, write_vcf
from tests.genome.variant_files import rows_of, write_bcf

MUTANTS = 300


def _mutants(content: bytes, begin: int, seed: int) -> list[bytes]:
    """Copies in which bytes after `begin` were changed, left out, doubled or cut off."""
    random = np.random.default_rng(seed)
    mutants = []
    for _ in range(MUTANTS):
        mutant = bytearray(content)
        for _ in range(int(random.integers(1, 4))):
            at = int(random.integers(begin, len(mutant)))
            match int(random.integers(0, 6)):
                case 0 | 1:
                    mutant[at] = int(
                        random.choice([0, 9, 10, 13, 15, 0x7F, 0x80, 0xF7, 0xFF, int(random.integers(0, 256))])
                    )
                case 2:
                    mutant[at : at + 4] = int(random.choice([0, 1, 2**31, 2**32 - 1])).to_bytes(4, "little")
                case 3:
                    del mutant[at : at + int(random.integers(1, 40))]
                case 4:
                    mutant[at:at] = mutant[begin:at][-50:]
                case _:
                    del mutant[max(at, begin + 1) :]
        mutants.append(bytes(mutant))
    return mutants


@pytest.mark.slow
@pytest.mark.series(2)
@pytest.mark.parametrize("form", ["vcf", "vcf.gz", "bcf", "blocks"])
def test_no_bytes_make_reading_fail(tmp_path: Path, form: str) -> None:
    study = a_study(snps=12, people=6)
    plan = plan_of(study, tmp_path)
    content = vcf_text(study).encode()
    path = tmp_path / f"x.{form.replace('blocks', 'vcf.gz')}"
    if form == "bcf":
        content = gzip.decompress(write_bcf(write_vcf(study, tmp_path / "x.vcf")).read_bytes())
    begin = content.rfind(b"p5") + 3
    wrap = {"vcf": bytes, "blocks": bytes}.get(form, bgzip)
    if form == "blocks":
        content, begin = bgzip(content), 20
    sound = 0
    for mutant in _mutants(content, begin, seed=sum(form.encode())):
        path.write_bytes(wrap(mutant))
        rows = rows_of(path, plan)
        assert sorted(rows) == list(range(12))
        assert all(len(row) == 6 for row in rows.values())
        sound += any(1 in row for row in rows.values())
    # A change within a compressed block ends the file there.
    assert sound > (0 if form == "blocks" else MUTANTS // 4), "not all was passed over"


def test_any_header_is_read_or_refused(tmp_path: Path) -> None:
    """Before the charge: a refusal, or people and then calls."""
    study = a_study(snps=5, people=6)
    plan = plan_of(study, tmp_path)
    content = vcf_text(study).encode()
    refused = 0
    for mutant in _mutants(content, 0, seed=8):
        (tmp_path / "x.vcf").write_bytes(mutant)
        try:
            size, _ = check_vcf(tmp_path / "x.vcf")
        except SourceError:
            refused += 1
        else:
            assert len(rows_of(tmp_path / "x.vcf", plan, size)) == 5
    assert refused


def test_a_line_of_one_field_is_passed_over(tmp_path: Path) -> None:
    """It ended the process: on a chromosome that the header does not name, cyvcf2 took a record that htslib had not parsed."""
    study = a_study(snps=3, people=6)
    plan = plan_of(study, tmp_path)
    lines = vcf_text(study).splitlines(keepends=True)
    for line in ("x\n", "x\t1\n", "\n", "\t" * 14 + "\n", "x\t1000\trs1\n"):
        for at in range(len(lines) - 3, len(lines) + 1):
            (tmp_path / "x.vcf").write_text("".join([*lines[:at], line, *lines[at:]]))
            assert rows_of(tmp_path / "x.vcf", plan) == {row: list(copy) for row, copy in enumerate(study.copies)}


def test_a_line_without_end_costs_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starling.genome.source.calls.LONGEST", 1000)
    monkeypatch.setattr("starling.genome.source.calls.LONGEST_CALL", 0)
    monkeypatch.setattr("starling.genome.source.bgzip.PIECE", 100)
    study = a_study(snps=3, people=6)
    plan = plan_of(study, tmp_path)
    text = vcf_text(study)
    broken: list[int] = []
    (tmp_path / "x.vcf").write_text(text.replace("\n1\t1000\t", "\n1\t1000" + "0" * 5000 + "\t"))
    assert list(rows_of(tmp_path / "x.vcf", plan)[0]) == [0] * 6
    assert len(list(variants(tmp_path / "x.vcf", 6, lambda: broken.append(1)))) == 2
    assert len(broken) == 1


@pytest.mark.parametrize("name", ["caf\u00e9", "a b", "p0", "", ";", "x" * 5000])
def test_any_sample_names_are_read(tmp_path: Path, name: str) -> None:
    study = a_study(snps=3, people=6)
    plan = plan_of(study, tmp_path)
    text = vcf_text(study).encode().replace(b"\tp3\t", b"\t" + name.encode("latin-1") + b"\t")
    (tmp_path / "x.vcf").write_bytes(text)
    assert check_vcf(tmp_path / "x.vcf")[1][3] == name.encode("latin-1")
    assert rows_of(tmp_path / "x.vcf", plan) == {row: list(copy) for row, copy in enumerate(study.copies)}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (b"\n", b"\r", "ends its lines by a carriage return alone"),
        (b"##fileformat", b"\xef\xbb\xbf##fileformat", "begins with a byte order mark"),
        (b"#CHROM\tPOS\tID", b"#CHROM POS ID", "does not name the columns|columns are not apart by tabs"),
        (b"#CHROM\t", b"#chrom\t", "has no header"),
    ],
)
def test_the_true_cause_is_named(tmp_path: Path, old: bytes, new: bytes, problem: str) -> None:
    (tmp_path / "x.vcf").write_bytes(vcf_text(a_study()).encode().replace(old, new))
    with pytest.raises(SourceError, match=problem):
        check_vcf(tmp_path / "x.vcf")


def test_a_file_without_genotypes_says_so(tmp_path: Path) -> None:
    (tmp_path / "x.vcf").write_text("##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n")
    with pytest.raises(SourceError, match="has no genotypes"):
        check_vcf(tmp_path / "x.vcf")


def test_line_ends_of_windows_are_read(tmp_path: Path) -> None:
    study = a_study()
    plan = plan_of(study, tmp_path)
    (tmp_path / "x.vcf").write_bytes(vcf_text(study).encode().replace(b"\n", b"\r\n"))
    assert check_vcf(tmp_path / "x.vcf")[1][-1] == b"p10"
    assert rows_of(tmp_path / "x.vcf", plan) == {row: list(copy) for row, copy in enumerate(study.copies)}


def test_the_carried_allele_may_be_in_small_letters(tmp_path: Path) -> None:
    study = a_study()
    plan = plan_of(study, tmp_path)
    lines = [
        line if line.startswith("#") else line.lower().replace("gt", "GT") for line in vcf_text(study).splitlines()
    ]
    (tmp_path / "x.vcf").write_text("\n".join(lines) + "\n")
    assert rows_of(tmp_path / "x.vcf", plan) == {row: list(copy) for row, copy in enumerate(study.copies)}


def test_chunks_are_bounded_by_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vcf, "BYTES", 1)
    study = a_study()
    plan = plan_of(study, tmp_path)
    path = write_vcf(study, tmp_path / "x.vcf.gz")
    assert rows_of(path, plan) == {row: list(copy) for row, copy in enumerate(study.copies)}
