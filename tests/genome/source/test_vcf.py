"""VCF and BCF records become calls by total rules: whatever a record says, every SNP of the list comes once."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from starling.errors import SourceError
from starling.genome.plan import Plan
from starling.genome.source import vcf
from starling.genome.source.bgzip import END_BLOCK
from starling.genome.source.calls import Calls, copies
from starling.genome.source.vcf import check_vcf, read_vcf
from tests.genome.plink import plink
from tests.genome.studies import VCF_HEADER, Study, a_study, plan_of, vcf_text, write_vcf


def carried_in(path: Path, plan: Plan, indices: list[int] | None = None) -> dict[int, list[int]]:
    """Copies of the carried allele by place in the list."""
    seen: dict[int, list[int]] = {}

    def note(calls: Calls) -> None:
        assert not calls.second.any()
        for place, row in zip(calls.snps.tolist(), copies(calls.packed, plan.people).tolist(), strict=True):
            assert place not in seen
            seen[place] = row

    size, _ = check_vcf(path)
    chosen = np.arange(len(plan.snps)) if indices is None else np.array(indices)
    list(read_vcf(path, size, plan, chosen, note))
    return seen


@pytest.mark.parametrize("name", ["x.vcf", "x.vcf.gz"])
@pytest.mark.parametrize("calls", [1, 30, 1 << 20])
def test_calls_are_those_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, calls: int) -> None:
    monkeypatch.setattr(vcf, "CALLS", calls)
    study = a_study()
    plan = plan_of(study, tmp_path)
    path = write_vcf(study, tmp_path / name)
    assert check_vcf(path) == (path.stat().st_size, tuple(b"p%d" % row for row in range(11)))
    assert carried_in(path, plan) == {at: row.tolist() for at, row in enumerate(study.copies)}
    assert carried_in(path, plan, [5, 2]) == {at: study.copies[at].tolist() for at in (2, 5)}


def test_the_carried_allele_may_be_the_reference(tmp_path: Path) -> None:
    study = a_study()
    plan = plan_of(
        study, tmp_path, carriers="".join(f"rs{row + 1} {pair[1]}\n" for row, pair in enumerate(study.alleles))
    )
    found = carried_in(write_vcf(study, tmp_path / "x.vcf"), plan)
    assert found == {at: row.tolist() for at, row in enumerate(study.carried([True] * 7))}


def one_snp(tmp_path: Path, *records: str, people: int = 6) -> list[int]:
    """Copies of the carried allele A (or C) of rs1, from these records."""
    study = Study(np.zeros((1, people), dtype=np.int8), (("A", "C"),), ("1",) * people, (("1", 1000),))
    plan = plan_of(study, tmp_path)
    header = VCF_HEADER + "\t".join(f"p{row}" for row in range(people)) + "\n"
    (tmp_path / "x.vcf").write_text(header + "".join(record.replace(" ", "\t") + "\n" for record in records))
    return carried_in(tmp_path / "x.vcf", plan)[0]


def test_every_kind_of_call(tmp_path: Path) -> None:
    record = "1 1000 rs1 C A . . . GT 0/0 0|1 1/1 ./. ./1 1"
    assert one_snp(tmp_path, record) == [0, 1, 2, -1, -1, 2]
    record = "1 1000 rs1 C A . . . GT:DP 0:3 .:4 1/1/1:5 0/1/1/1 0/0/1 ."
    assert one_snp(tmp_path, record) == [0, -1, 2, 2, 1, -1]


def test_other_alleles_are_not_carried(tmp_path: Path) -> None:
    record = "1 1000 rs1 C G,A . . . GT 0/1 1/2 2/2 1/1 0/2 ./2"
    assert one_snp(tmp_path, record) == [0, 1, 2, 0, 1, -1]
    assert one_snp(tmp_path, "1 1000 rs1 C G . . . GT 0/1 1/1 0/0 ./. 0/1 0/1") == [0, 0, 0, -1, 0, 0]


def test_a_record_without_an_id_is_known_by_place_and_alleles(tmp_path: Path) -> None:
    study = a_study(missing=0)
    sites = [
        f"{place} {place}:{position}:{second}:{first} 0 {position} {first} {second}\n"
        for (place, position), (first, second) in zip(study.places, study.alleles, strict=True)
    ]
    plan_of(study, tmp_path)
    (tmp_path / "public.bim").write_text("".join(sites))
    plan = Plan.load(tmp_path / "plan.toml")
    (tmp_path / "x.vcf").write_text(vcf_text(study, named=False).replace("\n1\t", "\nchr1\t"))
    assert carried_in(tmp_path / "x.vcf", plan) == {at: row.tolist() for at, row in enumerate(study.copies)}


GOOD = "1 1000 rs1 C A . . . GT 0/1 1/1 0/0 0/0 0/0 0/0"


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ((), [0] * 6),
        (("1 1000 rs2 C A . . . GT 0/1 1/1 0/0 0/0 0/0 0/0",), [0] * 6),
        ((GOOD, GOOD.replace("1/1", "0/0")), [1, 2, 0, 0, 0, 0]),
        ((GOOD.replace("GT", "DP").replace("/", ""),), [-1] * 6),
        (("1 1000 rs1 C A . . . . . . . . . .",), [-1] * 6),
        ((GOOD.replace("1/1", "1/1/q"), "1 2000 rs2 C A . . . GT 0/1 1/1 0/0 0/0 0/0 0/0"), [1, -1, 0, 0, 0, 0]),
        (("1 1000 rs1", GOOD), [1, 2, 0, 0, 0, 0]),
        ((GOOD.replace("1 1000", "77 1000"),), [1, 2, 0, 0, 0, 0]),
        ((GOOD.replace("1/1", "9/9"),), [1, 0, 0, 0, 0, 0]),
    ],
)
def test_no_record_is_a_failure(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], records: tuple[str, ...], expected: list[int]
) -> None:
    assert one_snp(tmp_path, *records) == expected
    # Nothing is told of it.
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_compressed_file_with_a_broken_block_ends(tmp_path: Path) -> None:
    """Whatever is in it, once its public shape is right, nothing fails."""
    study = a_study(snps=2000, people=50)
    plan = plan_of(study, tmp_path)
    path = write_vcf(study, tmp_path / "x.vcf.gz")
    path.write_bytes(path.read_bytes()[:-3000] + END_BLOCK)
    assert len(carried_in(path, plan)) == 2000


def test_attack_a29_a_file_that_was_cut_off_is_refused_by_its_end(tmp_path: Path) -> None:
    """It was read as a file in which nobody carries the SNPs after the cut."""
    study = a_study(snps=500, people=20)
    whole = write_vcf(study, tmp_path / "x.vcf.gz").read_bytes()
    assert whole.endswith(END_BLOCK)
    text = vcf_text(study).encode()
    for content, problem in (
        (whole[: len(whole) // 2], "was cut off: it lacks the block by which bgzip ends a file"),
        (whole[:-1], "was cut off: it lacks the block"),
        (whole[: -len(END_BLOCK)], "was cut off: it lacks the block"),
        (gzip.compress(text), "is compressed by gzip, which does not show whether a file was cut off"),
        (text[: len(text) // 2], "was cut off: it ends within a line"),
    ):
        (tmp_path / "cut.vcf.gz").write_bytes(content)
        with pytest.raises(SourceError, match=f"cut.vcf.gz: genotypes {problem}"):
            check_vcf(tmp_path / "cut.vcf.gz")
    bare = tmp_path / "bare.bcf"
    plink("plink2", "--vcf", write_vcf(study, tmp_path / "x.vcf"), "--export", "bcf", "--out", tmp_path / "x")
    assert len(check_vcf(tmp_path / "x.bcf")[1]) == 20
    bare.write_bytes(gzip.decompress((tmp_path / "x.bcf").read_bytes()))
    with pytest.raises(SourceError, match=r"bare.bcf: genotypes is a BCF without compression"):
        check_vcf(bare)


@pytest.mark.parametrize("content", [b"", b"PLINK", b"##fileformat=VCFv4.2\n", b"\x1f\x8bnot", b"BCF\x02\x02"])
def test_what_is_no_vcf_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str], content: bytes) -> None:
    (tmp_path / "x.vcf").write_bytes(content)
    with pytest.raises(
        SourceError, match=r"x.vcf: genotypes (does not begin as a|has no header of a|is (a BCF|compressed by gzip))"
    ):
        check_vcf(tmp_path / "x.vcf")
    assert capfd.readouterr().err == ""


def test_a_file_that_changed_is_found(tmp_path: Path) -> None:
    plan = plan_of(a_study(), tmp_path)
    path = write_vcf(a_study(), tmp_path / "x.vcf")
    with pytest.raises(SourceError, match="changed or vanished"):
        list(read_vcf(path, 7, plan, np.arange(7), lambda calls: calls))
    path.unlink()
    with pytest.raises(SourceError, match="changed or vanished"):
        list(read_vcf(path, 7, plan, np.arange(7), lambda calls: calls))
