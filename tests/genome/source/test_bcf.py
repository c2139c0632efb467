"""VCF and BCF against htslib, the slow twin; and what a BCF says of itself is held against what is there."""

import gzip
from pathlib import Path

import cyvcf2
import numpy as np
import pytest

from starling.genome.source.bcf import Stream
from starling.genome.source.vcf import variants
from tests.genome.studies import VCF_HEADER
from tests.genome.variant_files import write_bcf


@pytest.mark.parametrize("form", ["text", "bcf"])
@pytest.mark.parametrize("others", [2, 200])
def test_well_formed_calls_are_those_of_htslib(tmp_path: Path, form: str, others: int) -> None:
    """cyvcf2 as the slow twin: every ploidy, phase, missing allele, further field and width of number."""
    random = np.random.default_rng(4)
    alleles = ["0", "1", "1", "2", str(others), "."]
    people, records = 40, 60
    lines = []
    for record in range(records):
        calls = [
            str(random.choice(["/", "|"])).join(random.choice(alleles, int(random.integers(1, 5))))
            + str(random.choice(["", ":3", ":4:5,6"]))
            for _ in range(people)
        ]
        letters = ",".join("A" * (number + 1) for number in range(others))
        lines.append(f"1\t{record + 1}\trs{record}\tC\t{letters}\t.\t.\t.\tGT:DP:AD\t" + "\t".join(calls) + "\n")
    more = "".join(
        f'##FORMAT=<ID={name},Number={number},Type=Integer,Description="x,ID=y">\n'
        for name, number in (("DP", 1), ("AD", "R"))
    )
    header = VCF_HEADER.replace("#CHROM", f"{more}#CHROM") + "\t".join(f"p{row}" for row in range(people)) + "\n"
    path = tmp_path / "x.vcf"
    path.write_text(header + "".join(lines))
    if form == "bcf":
        path = write_bcf(path)
    compared = 0
    for theirs, ours in zip(cyvcf2.VCF(str(path)), variants(path, people), strict=True):
        assert (ours.chromosome, ours.position, ours.id) == (theirs.CHROM, theirs.POS, theirs.ID)
        assert (theirs.REF, *theirs.ALT) == ours.alleles
        out = np.empty(people, dtype=np.int8)
        assert ours.calls is not None
        assert ours.calls.count(1, out) == 0
        for row, call in enumerate(theirs.genotype.array(fill=-2)[:, :-1].tolist()):
            known = [allele for allele in call if allele != -2]
            number = known.count(1) * (2 if len(known) == 1 else 1)
            assert out[row] == (-1 if -1 in known else min(2, number))
            compared += 1
    assert compared == people * records


@pytest.mark.parametrize("kind", ["contig", "FORMAT", "INFO"])
@pytest.mark.parametrize("number", [b"", b"0", b"-1", b"x", b"4294967296", b"9" * 5000, b"\xd9\xa3"])
def test_no_number_of_a_header_line_can_stop_a_run(tmp_path: Path, kind: str, number: bytes) -> None:
    """Python makes no number of thousands of digits: such a line once raised after the charge."""
    (tmp_path / "x.vcf").write_text(f"{VCF_HEADER}p0\n1\t7\trs0\tC\tA\t.\t.\t.\tGT\t0/1\n")
    whole = gzip.decompress(write_bcf(tmp_path / "x.vcf").read_bytes())
    header = whole[9 : 9 + int.from_bytes(whole[5:9], "little")]
    line = b"##%s=<ID=odd,IDX=%s>\n#CHROM" % (kind.encode(), number)
    longer = header.replace(b"#CHROM", line)
    (tmp_path / "y.bcf").write_bytes(whole[:5] + len(longer).to_bytes(4, "little") + longer + whole[9 + len(header) :])
    assert [each.id for each in variants(tmp_path / "y.bcf", 1)] == ["rs0"]


def test_bytes_are_taken_across_pieces() -> None:
    content = bytes(range(200))
    for length in (1, 3, 50, 500):
        stream = Stream([content[start : start + length] for start in range(0, 200, length)])
        assert (stream.take(0), stream.take(7), stream.take(100)) == (b"", content[:7], content[7:107])
        stream.skip(13)
        assert (stream.take(500), stream.take(1)) == (content[120:], b"")
