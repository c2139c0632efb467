"""Small studies written as every kind of file, with nothing of the package's own readers or packers."""

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from starling.genome.plan import Plan

Copies = npt.NDArray[np.int8]
MISSING = -1


@dataclass(frozen=True)
class Study:
    """What a study's files say.

    Attributes:
        copies: Of A1, int8 (m, n), MISSING where there is no call.
        alleles: A1 and A2 of each SNP.
        phenotypes: Of each person, as text.
        places: Chromosome and position of each SNP.
    """

    copies: Copies
    alleles: tuple[tuple[str, str], ...]
    phenotypes: tuple[str, ...]
    places: tuple[tuple[str, int], ...]

    @property
    def ids(self) -> list[str]:
        return [f"rs{row + 1}" for row in range(len(self.copies))]

    @property
    def people(self) -> int:
        return int(self.copies.shape[1])

    def carried(self, flips: Sequence[bool] = ()) -> Copies:
        """Copies of the carried allele, which is A2 where flipped."""
        out = self.copies.copy()
        for row, flip in enumerate(flips):
            if flip:
                out[row] = np.where(out[row] == MISSING, MISSING, 2 - out[row])
        return out


def a_study(snps: int = 7, people: int = 11, seed: int = 1, missing: float = 0.15) -> Study:
    """Any study: two chromosomes, every code in it."""
    random = np.random.default_rng(seed)
    copies = random.integers(0, 3, (snps, people)).astype(np.int8)
    copies[random.random(copies.shape) < missing] = MISSING
    bases = [("A", "C"), ("G", "T"), ("T", "A"), ("C", "G")]
    half = (snps + 1) // 2
    places = [("1" if row < half else "2", 1000 * (row % half + 1)) for row in range(snps)]
    phenotypes = random.choice(["1", "2", "2", "-9"], people)
    return Study(copies, tuple(bases[row % 4] for row in range(snps)), tuple(phenotypes.tolist()), tuple(places))


def write_bed(study: Study, prefix: Path, order: Sequence[int] | None = None) -> Path:
    """.bed, .bim and .fam, SNPs in the given order."""
    rows = range(len(study.copies)) if order is None else order
    code = {2: "00", MISSING: "01", 1: "10", 0: "11"}
    content = bytearray(b"\x6c\x1b\x01")
    for row in rows:
        codes = [code[int(value)] for value in study.copies[row]]
        for start in range(0, len(codes), 4):
            # The first person in the lowest bits.
            content.append(int("".join(reversed(codes[start : start + 4])), 2))
    Path(f"{prefix}.bed").write_bytes(bytes(content))
    write_bim(study, Path(f"{prefix}.bim"), rows)
    write_fam(study, Path(f"{prefix}.fam"))
    return prefix


def write_bim(study: Study, path: Path, order: Sequence[int] | None = None) -> Path:
    rows = range(len(study.copies)) if order is None else order
    lines = [
        f"{study.places[row][0]}\t{study.ids[row]}\t0\t{study.places[row][1]}\t{study.alleles[row][0]}\t{study.alleles[row][1]}\n"
        for row in rows
    ]
    path.write_text("".join(lines))
    return path


def write_fam(study: Study, path: Path) -> Path:
    path.write_text("".join(f"f p{row} 0 0 1 {word}\n" for row, word in enumerate(study.phenotypes)))
    return path


def write_phenotypes(study: Study, path: Path, header: str = "#FID IID T2D\n", family: str = "f ") -> Path:
    path.write_text(header + "".join(f"{family}p{row} {word}\n" for row, word in enumerate(study.phenotypes)))
    return path


VCF_HEADER = (
    "##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=2>\n"
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t"
)


def vcf_text(study: Study, named: bool = True) -> str:
    """REF is A2, ALT A1."""
    text = {2: "1/1", 1: "0/1", 0: "0|0", MISSING: "./."}
    lines = [VCF_HEADER + "\t".join(f"p{row}" for row in range(study.people)) + "\n"]
    for row, name in enumerate(study.ids):
        (place, position), (first, second) = study.places[row], study.alleles[row]
        calls = "\t".join(text[int(value)] for value in study.copies[row])
        lines.append(f"{place}\t{position}\t{name if named else '.'}\t{second}\t{first}\t.\t.\t.\tGT\t{calls}\n")
    return "".join(lines)


def bgzip(content: bytes) -> bytes:
    """Compressed in blocks, an empty one last (SAM format specification, section 4.1)."""
    blocks = []
    for start in (*range(0, len(content), 65280), len(content)):
        data = content[start : start + 65280]
        deflate = zlib.compressobj(wbits=-15)
        body = deflate.compress(data) + deflate.flush()
        head = struct.pack("<4BI2BH2BHH", 31, 139, 8, 4, 0, 0, 255, 6, 66, 67, 2, len(body) + 25)
        blocks.append(head + body + struct.pack("<2I", zlib.crc32(data), len(data)))
    return b"".join(blocks)


def write_vcf(study: Study, path: Path) -> Path:
    text = vcf_text(study)
    if path.suffix == ".gz":
        path.write_bytes(bgzip(text.encode()))
    else:
        path.write_text(text)
    return path


PLAN = """title = "Small"

[privacy]
unit = "person"
neighbours = "replace-one"

[study]
people = {people}

[snps]
list = "public.bim"

[analysis]
model = "{model}"
tests = ["{test}"]
"""


def plan_of(study: Study, folder: Path, model: str = "dominant", test: str = "g", carriers: str = "") -> Plan:
    """A plan with the study's own sites as its list; `carriers` is the text of a file of carried alleles."""
    write_bim(study, folder / "public.bim")
    text = PLAN.format(people=study.people, model=model, test=test)
    if test == "score":
        text = text.replace('unit = "person"', 'unit = "phenotype"')
    if carriers:
        (folder / "carriers.txt").write_text(carriers)
        text = text.replace('list = "public.bim"\n', 'list = "public.bim"\ncarriers = "carriers.txt"\n')
    (folder / "plan.toml").write_text(text)
    return Plan.load(folder / "plan.toml")


def tables_of(carried: Copies, cases: npt.NDArray[np.bool_], model: str) -> npt.NDArray[np.int64]:
    """The tables, counted the slow way."""
    number = np.where(carried == MISSING, 0, carried)
    if model in ("genotypic", "allelic"):
        return np.array(
            [[np.sum((row == k) & who) for who in (cases, ~cases) for k in range(3)] for row in number], dtype=np.int64
        )
    has = number >= (2 if model == "recessive" else 1)
    return np.array(
        [[np.sum(row & cases), np.sum(~row & cases), np.sum(row & ~cases), np.sum(~row & ~cases)] for row in has],
        dtype=np.int64,
    )
