"""BGEN: the dosages that other formats have, from files of PLINK 2 and of a slow writer; what is wrong is refused, or missing."""

import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import SourceError
from starling.genome.source import Dosages, bgen, open_genotypes, read, read_dosages, validate
from starling.genome.source.dosages import MOST, NO_DOSAGE, STEP
from tests.genome.plink import plink
from tests.genome.source.test_dosages import dosage_plan, steps_of_file, write_vcf

Person = Sequence[int] | None
"""Numbers of a person, that of the last genotype included, of all copies one after the other; None for no call."""


def compressed(content: bytes, compression: int) -> bytes:
    if compression == 0:
        return content
    packed = zlib.compress(content) if compression == 1 else pa.compress(content, codec="zstd", asbytes=True)
    return struct.pack("<I", len(content)) + packed


def block(people: Sequence[tuple[int, Person]], alleles: int, bits: int, phased: bool) -> bytes:
    """The probabilities of a variant, by the format's description: copies and numbers of each person."""
    stream, length = 0, 0
    ploidies = bytes(copies | (128 if numbers is None else 0) for copies, numbers in people)
    for copies, numbers in people:
        size = alleles if phased or copies == 1 else alleles * (alleles + 1) // 2
        parts = numbers or [0] * size * copies
        for start in range(0, 0 if copies == 0 else len(parts) if phased else size, size):
            for number in parts[start : start + size - 1]:
                stream |= number << length
                length += bits
    copies_of = [copies for copies, _ in people]
    head = struct.pack("<IHBB", len(people), alleles, min(copies_of), max(copies_of))
    return head + ploidies + bytes([phased, bits]) + stream.to_bytes(-(-length // 8), "little")


def write_bgen(
    path: Path, blocks: Sequence[bytes], people: int, alleles: Sequence[str] = ("A", "C"), compression: int = 1
) -> Path:
    """Variants rs0, rs1, ... as `test_dosages.dosage_plan` lists them."""
    names = b"".join(struct.pack("<H", len(name)) + name for name in (b"p%d" % row for row in range(people)))
    samples = struct.pack("<II", 8 + len(names), people) + names
    flags = compression | 2 << 2 | 1 << 31
    header = struct.pack("<IIII4sI", 20 + len(samples), 20, len(blocks), people, b"bgen", flags)
    content = header + samples
    for row, each in enumerate(blocks):
        for text in (b"", b"rs%d" % row, b"01"):
            content += struct.pack("<H", len(text)) + text
        content += struct.pack("<IH", 10 * row + 10, len(alleles))
        content += b"".join(struct.pack("<I", len(allele)) + allele.encode() for allele in alleles)
        content += struct.pack("<I", len(each)) + each
    path.write_bytes(content)
    path.with_suffix(".txt").write_text("#IID T\n" + "".join(f"p{person} 2\n" for person in range(people)))
    return path


@pytest.mark.slow
def test_plink_writes_the_dosages_of_its_pgen(tmp_path: Path) -> None:
    """Bit by bit of 16 bits, with either compression; of 8 bits as near as these are."""
    random = np.random.default_rng(3)
    numbers = random.choice([0.0, 1.0, 2.0, np.nan, 0.123, 0.9, 1.77], (9, 23))
    numbers = np.where(np.isnan(numbers), random.uniform(0, 2, (9, 23)), numbers)
    lines = [("C", "DS", [f"{number:.4f}" if number != 0.9 else "." for number in row]) for row in numbers]
    vcf, plan, phenotype = write_vcf(tmp_path / "x.vcf", lines), dosage_plan(), tmp_path / "x.txt"
    plink("plink2", "--vcf", vcf, "dosage=DS", "--double-id", "--make-pgen", "--out", tmp_path / "p")
    wanted = steps_of_file(tmp_path / "p.pgen", plan, phenotype)
    assert (wanted == steps_of_file(vcf, plan, phenotype)).all()
    for form, bits, most in (("bgen-1.2", 16, 0), ("bgen-1.3", 16, 0), ("bgen-1.2", 8, STEP // 200)):
        out = tmp_path / f"{form}-{bits}"
        plink("plink2", "--pfile", tmp_path / "p", "--export", form, f"bits={bits}", "id-paste=iid", "--out", out)
        steps = steps_of_file(Path(f"{out}.bgen"), plan, phenotype)
        assert np.abs(steps.astype(int) - wanted).max() <= most
        genotypes = open_genotypes(Path(f"{out}.bgen"), plan, phenotype)
        assert genotypes.people.names() == [f"p{row}" for row in range(23)]


@st.composite
def variants(draw: Any) -> tuple[list[tuple[int, Person]], int, int, bool]:
    """Copies and numbers of each of four people; alleles; bits; whether phases are known."""
    alleles, bits, phased = (
        draw(st.integers(2, 4)),
        draw(st.sampled_from((1, 2, 7, 8, 16, 31, 32))),
        draw(st.booleans()),
    )
    people: list[tuple[int, Person]] = []
    for _ in range(4):
        copies = draw(st.integers(0, 2))
        size = alleles if phased or copies == 1 else alleles * (alleles + 1) // 2
        numbers: list[int] = []
        for _ in range(copies if phased else 1):
            cuts = sorted(draw(st.lists(st.integers(0, 2**bits - 1), min_size=size - 1, max_size=size - 1)))
            numbers += [high - low for low, high in zip([0, *cuts], [*cuts, 2**bits - 1], strict=True)]
        people.append((copies, draw(st.sampled_from((numbers, numbers, None))) if copies else None))
    return people, alleles, bits, phased


@given(variants(), st.integers(0, 3))
def test_any_probabilities_are_read(case: tuple[list[tuple[int, Person]], int, int, bool], carried: int) -> None:
    people, alleles, bits, phased = case
    carried %= alleles
    out = np.zeros(4, dtype=np.uint16)
    content = block(people, alleles, bits, phased)
    assert bgen._decode(np.frombuffer(content, dtype=np.uint8), alleles, carried, out)
    pairs = sorted(combinations_with_replacement(range(alleles), 2), key=lambda pair: pair[::-1])
    for step, (copies, numbers) in zip(out.tolist(), people, strict=True):
        if numbers is None:
            assert step == NO_DOSAGE
            continue
        if phased or copies == 1:
            each = [copy.count(carried) for copy in [(at,) for at in range(alleles)] * copies]
        else:
            each = [pair.count(carried) for pair in pairs]
        total = sum(number * count for number, count in zip(numbers, each, strict=True)) * (2 if copies == 1 else 1)
        assert step == int(Fraction(total * STEP, 2**bits - 1) + Fraction(1, 2))
    for cut in range(len(content)):
        bgen._decode(np.frombuffer(content[:cut], dtype=np.uint8), alleles, carried, out)
        assert ((out <= MOST) | (out == NO_DOSAGE)).all()


GOOD = block([(2, [0, 255, 0]), (2, [51, 102, 102]), (2, None)], 2, 8, phased=False)
WANTED = [STEP, round(1.2 * STEP), NO_DOSAGE]


@pytest.mark.parametrize("compression", [0, 1, 2])
def test_a_variant_that_cannot_be_read_is_missing_and_named(tmp_path: Path, compression: int) -> None:
    """Others are read; so it is with lengths that lie, and bytes that decompress to more than there can be."""
    pack = partial(compressed, compression=compression)
    broken = [
        b"",
        pack(GOOD)[:-1],
        pack(GOOD[:-1]),
        pack(b"\4" + GOOD[1:]),
        pack(GOOD[:4] + b"\3" + GOOD[5:]),
        pack(GOOD[:8] + b"\3" + GOOD[9:]),
        pack(GOOD[:12] + b"\0" + GOOD[13:]),
        pack(GOOD[:12] + b"\41" + GOOD[13:]),
        pack(GOOD[:11] + b"\2" + GOOD[12:]),
        bytes(1 << 20),
        struct.pack("<I", 0xFFFFFFFF) + pack(GOOD)[4:],
        struct.pack("<I", 1) + pack(GOOD)[4:],
        pack(bytes(1 << 24)),
    ]
    path = write_bgen(tmp_path / "x.bgen", [pack(GOOD), *broken, pack(GOOD)], 3, compression=compression)
    plan, lost = dosage_plan(snps=len(broken) + 2, people=3), list[int]()
    genotypes = open_genotypes(path, plan, tmp_path / "x.txt")
    rows: dict[int, list[int]] = {}

    def note(some: Dosages) -> None:
        rows.update(zip(some.snps.tolist(), some.steps.tolist(), strict=True))

    list(read_dosages(genotypes, plan, note, lost=lambda snps: lost.extend(snps.tolist())))
    assert lost == [*range(1, len(broken) + 1)]
    assert rows == {0: WANTED, **dict.fromkeys(lost, [NO_DOSAGE] * 3), len(broken) + 1: WANTED}
    found = validate(plan, genotypes).value
    assert "% of the dosages missing, or further than .1 from 0, 1 and 2" in found.read
    findings = found.problems
    assert findings.by_field["malformed records"] == len(broken)


def test_alleles_stand_either_way_and_snps_are_picked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bgen, "BYTES", 1)
    path = write_bgen(tmp_path / "x.bgen", [compressed(GOOD, 1)] * 4, 3)
    plan = dosage_plan(snps=3, people=3, carried="A")
    genotypes = open_genotypes(path, plan, tmp_path / "x.txt")
    turned = [STEP, MOST - WANTED[1], NO_DOSAGE]
    found = list(
        read_dosages(genotypes, plan, lambda some: (some.snps.tolist(), some.steps.tolist()), np.array([2, 0]))
    )
    assert found == [([0], [turned]), ([2], [turned])]
    assert [*read(genotypes, plan, lambda calls: calls.packed.tolist(), np.array([1]))] == [[[0b01_01_10]]]


CHANGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "a cut": (lambda content: content[:-1], "does not end where its header and its variants say that it does"),
    "a byte more": (lambda content: content + b"x", "does not end where its header and its variants say that it does"),
    "nothing": (lambda _: b"", "does not end where its header"),
    "letters": (lambda content: content[:16] + b"GEN!" + content[20:], "does not begin as a BGEN does"),
    "layout": (lambda content: content[:20] + b"\5" + content[21:], "is a BGEN of another version than 1.2 and 1.3"),
    "no names": (
        lambda content: content[:23] + b"\0" + content[24:],
        "does not name its people; put its .sample beside",
    ),
    "more people": (lambda content: content[:28] + b"\4" + content[29:], "does not end where its header"),
    "a long name": (lambda content: content[:32] + b"\377" + content[33:], "does not end where its header"),
    "a long allele": (lambda content: content.replace(b"\1\0\0\0C", b"\1\0\0\77C"), "does not end where its header"),
    "many variants": (lambda content: content[:8] + b"\377" * 4 + content[12:], "does not end where its header"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_refused_is_its_public_shape(tmp_path: Path, change: str) -> None:
    path, plan = write_bgen(tmp_path / "x.bgen", [compressed(GOOD, 1)], 3), dosage_plan(snps=1, people=3)
    alter, problem = CHANGES[change]
    path.write_bytes(alter(path.read_bytes()))
    with pytest.raises(SourceError, match=f"x.bgen: genotypes {problem}"):
        open_genotypes(path, plan, tmp_path / "x.txt")


def test_plans_people_and_snps_have_to_fit(tmp_path: Path) -> None:
    path, words = write_bgen(tmp_path / "x.bgen", [compressed(GOOD, 1)], 3), tmp_path / "x.txt"
    plan = dosage_plan(snps=1, people=3)
    for other, problem in (
        (dosage_plan(snps=2, people=3), "rs1 of the plan's list is not there"),
        (dosage_plan(snps=1, people=4), "4"),
        (replace(plan, genotypes="calls"), 'has probabilities, and the plan counts calls; write genotypes = "dosages"'),
    ):
        with pytest.raises(SourceError, match=problem):
            open_genotypes(path, other, words)
    with pytest.raises(SourceError, match="has no phenotypes"):
        open_genotypes(path, plan)
    genotypes = open_genotypes(path, plan, words)
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(SourceError, match="changed or vanished"):
        list(read_dosages(genotypes, plan, lambda some: some))
