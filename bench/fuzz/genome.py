"""What is fuzzed of genotypes: a small study as .bed, .pgen, VCF and BCF, whose lines or bytes are changed, and its phenotypes."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

import numpy as np

from bench.fuzz.forms import Form, forms
from bench.fuzz.inputs import ODD, corrupt, mutate
from bench.fuzz.source import Source

PEOPLE: Final = 11
SNPS: Final = 40
_IDS: Final = [f"p{at}" for at in range(PEOPLE)]
_SITES: Final = [(str(1 + at % 2), 1000 * (at + 1), f"rs{at}") for at in range(SNPS)]
_BIM: Final = "".join(f"{place}\t{name}\t0\t{at}\tA\tC\n" for place, at, name in _SITES)
_PHENOTYPES: Final = "#FID IID T2D\n" + "".join(f"f {name} {1 + at % 2}\n" for at, name in enumerate(_IDS))
_PLAN: Final = f"""title = "Small"
[privacy]
unit = "person"
neighbours = "replace-one"
[study]
people = {PEOPLE}
[snps]
list = "public.bim"
[analysis]
model = "dominant"
tests = ["g"]
"""
_HEADER: Final = (
    "##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=2>\n"
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t" + "\t".join(_IDS) + "\n"
)
_FIELDS: Final = (
    *(
        b"0/1",
        b"1|1",
        b"./.",
        b".",
        b"0",
        b"2/1",
        b"0/1/1",
        b"1/",
        b"/",
        b"0/9999999999",
        b"-1/0",
        b"GT",
        b"DP:GT",
        b"GT:GT",
    ),
    *(b"<DEL>", b"*", b"A,C", b"chr1", b"rs1;rs999", b"0", b"2147483648", b"PASS", b"END=5", b"", b"0/1:" + b"x" * 300),
)
GENOME: Final = Source(
    "genome-study",
    "genome",
    {"plan.toml": _PLAN, "public.bim": _BIM, "phenotypes.txt": _PHENOTYPES},
    {},
    forms("bed", "pgen", "vcf", "bcf", "phenotypes", spark=False),
    records="genotypes",
    public={"phenotype": "phenotypes.txt"},
)


def write(form: Form, random: Random, folder: Path) -> tuple[Path, int]:
    """Write the study into a folder that has its public files; the path of the calls, and how many inputs they are."""
    path = _WRITERS[form.kind](random, folder, not form.whole)
    if form.whole:
        files = [each for each in folder.iterdir() if each.name not in ("plan.toml", "public.bim")]
        changed = folder / "phenotypes.txt" if form.kind == "phenotypes" else random.choice(sorted(files))
        changed.write_bytes(corrupt(random, changed.read_bytes()))
        return path, 1
    return path, {"vcf": SNPS, "phenotypes": PEOPLE}.get(form.kind, 1)


def _line(random: Random, place: str, at: int, name: str) -> bytes:
    calls = [random.choice(("0/0", "0/1", "1/1", "./.", "1|0")) for _ in _IDS]
    return "\t".join((place, str(at), name, "C", "A", ".", ".", ".", "GT", *calls)).encode()


def _odd(random: Random, line: bytes) -> bytes:
    fields, chance = line.split(b"\t"), random.random()
    if chance < 0.3:
        for _ in range(random.choice((1, 1, 3))):
            fields[random.randrange(len(fields))] = random.choice((*_FIELDS, *ODD))
    elif chance < 0.4:
        del fields[random.randrange(len(fields)) :]
    line = b"\t".join(fields)
    return mutate(random, line, (line,)) if 0.4 <= chance < 0.6 else line


def _vcf(random: Random, folder: Path, odd: bool) -> Path:
    lines = [_line(random, *site) for site in _SITES]
    path = folder / "calls.vcf"
    path.write_bytes(_HEADER.encode() + b"\n".join(_odd(random, line) if odd else line for line in lines) + b"\n")
    return path


def _bcf(random: Random, folder: Path, odd: bool) -> Path:  # noqa: ARG001 - its bytes alone are changed
    from cyvcf2 import VCF, Writer

    text = _vcf(random, folder, False)
    path = folder / "calls.bcf"
    reader = VCF(str(text))
    writer = Writer(str(path), reader, mode="wb")
    for variant in reader:
        writer.write_record(variant)
    writer.close()
    reader.close()
    text.unlink()
    return path


def _bed(random: Random, folder: Path, odd: bool) -> Path:  # noqa: ARG001 - any calls are right
    (folder / "calls.bed").write_bytes(b"\x6c\x1b\x01" + random.randbytes(SNPS * ((PEOPLE + 3) // 4)))
    (folder / "calls.bim").write_text(_BIM)
    (folder / "calls.fam").write_text("".join(f"f {name} 0 0 1 {random.choice('012x')}\n" for name in _IDS))
    return folder / "calls"


def _pgen(random: Random, folder: Path, odd: bool) -> Path:  # noqa: ARG001 - any calls are right
    from pgenlib import PgenWriter

    path = folder / "calls.pgen"
    with PgenWriter(str(path).encode(), PEOPLE, variant_ct=SNPS, nonref_flags=False) as writer:
        for _ in _SITES:
            writer.append_biallelic(np.array([random.choice((0, 1, 2, -9)) for _ in _IDS], np.int8))
    rows = "".join(f"{place}\t{at}\t{name}\tC\tA\n" for place, at, name in _SITES)
    (folder / "calls.pvar").write_text("#CHROM\tPOS\tID\tREF\tALT\n" + rows)
    (folder / "calls.psam").write_text("#FID\tIID\tSEX\n" + "".join(f"f\t{name}\t1\n" for name in _IDS))
    return path


def _phenotypes(random: Random, folder: Path, odd: bool) -> Path:
    head, *lines = _PHENOTYPES.encode().splitlines()
    changed = [mutate(random, line, lines) if odd and random.random() < 0.3 else line for line in lines]
    (folder / "phenotypes.txt").write_bytes(b"\n".join((head, *changed)) + b"\n")
    return _vcf(random, folder, False)


_WRITERS: Final[dict[str, Callable[[Random, Path, bool], Path]]] = {
    "bed": _bed,
    "pgen": _pgen,
    "vcf": _vcf,
    "bcf": _bcf,
    "phenotypes": _phenotypes,
}
