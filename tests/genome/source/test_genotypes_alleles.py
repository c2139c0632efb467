"""Sites of several alternate alleles: each SNP counts copies of its own allele, the same from every file, as people counted one by one."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pgenlib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import SourceError
from starling.genome.arrays import Int8
from starling.genome.counts.scan import read_scores
from starling.genome.counts.study import count_study
from starling.genome.plan import Plan
from starling.genome.plan.sites import Site
from starling.genome.source import open_genotypes, read, read_dosages, validate
from starling.genome.source.calls import MISSING, copies
from starling.genome.source.dosages import NO_DOSAGE, STEP
from starling.genome.source.genotypes import match_sites
from starling.privacy.trust import inspect
from tests.genome.plan.test_model_phenotypes import VALUES
from tests.genome.plan.test_snps import made
from tests.genome.source.test_bgen import block
from tests.genome.studies import PLAN, VCF_HEADER, tables_of
from tests.genome.variant_files import rows_of, write_bcf

Call: TypeAlias = tuple[int, int] | None
"""The two alleles of a person, 0 being REF; None for no call."""
Record: TypeAlias = tuple[str, str, str, list[Call]]
"""Id, REF, ALT and the calls of people, at position 10, 20, ... of chromosome 1."""

PEOPLE = 61
SITES = (("rs1", "G", "A,C,T"), ("rs2", "A", "G"), ("rs3;rs4", "C", "<DEL>,CT"), ("rs5", "T", "G,A"))
IDS = ("rs1:A", "rs1:C", "rs1:T", "rs2", "rs3:<DEL>;rs4:<DEL>", "rs3:CT;rs4:CT", "rs5:G", "rs5:A")


def invented(seed: int = 1) -> list[Record]:
    random = np.random.default_rng(seed)
    records: list[Record] = []
    for name, reference, alternate in SITES:
        number = 2 + alternate.count(",")
        calls = [(int(a), int(b)) if a >= 0 else None for a, b in random.integers(0, number, (PEOPLE, 2))]
        records.append((name, reference, alternate, [None if random.random() < 0.1 else call for call in calls]))
    return records


def unnamed(records: Sequence[Record]) -> list[Record]:
    return [(".", reference, alternate, calls) for _, reference, alternate, calls in records]


def counted(records: Sequence[Record]) -> Int8:
    """Copies of each alternate allele in turn, people one by one."""
    return np.array(
        [
            [MISSING if call is None else call.count(allele) for call in calls]
            for _, _, alternate, calls in records
            for allele in range(1, 2 + alternate.count(","))
        ],
        dtype=np.int8,
    )


def planned(records: Sequence[Record], folder: Path, model: str = "genotypic") -> Plan:
    """A plan whose list is the sites, as a .pvar; phenotypes beside it."""
    sites = [f"1\t{10 * at + 10}\t{name}\t{ref}\t{alt}\n" for at, (name, ref, alt, _) in enumerate(records)]
    (folder / "public.pvar").write_text("#CHROM\tPOS\tID\tREF\tALT\n" + "".join(sites))
    people = len(records[0][3])
    (folder / "x.txt").write_text("#IID T2D\n" + "".join(f"p{row} {1 + row % 2}\n" for row in range(people)))
    text = PLAN.format(people=people, model=model, test="g").replace("public.bim", "public.pvar")
    (folder / "plan.toml").write_text(text)
    return Plan.load(folder / "plan.toml")


def write_vcf(records: Sequence[Record], path: Path, *, split: bool = False) -> Path:
    lines = [VCF_HEADER + "\t".join(f"p{row}" for row in range(len(records[0][3]))) + "\n"]
    for at, (name, reference, alternate, calls) in enumerate(records):
        for own, allele in enumerate(alternate.split(","), start=1):
            # As bcftools norm -m- writes a record for each: whoever has another allele has the reference there.
            shown = [
                "./."
                if call is None
                else "/".join(str(int(each == own)) for each in call)
                if split
                else f"{call[0]}|{call[1]}"
                for call in calls
            ]
            alleles = allele if split else alternate
            lines.append(f"1\t{10 * at + 10}\t{name}\t{reference}\t{alleles}\t.\t.\t.\tGT\t" + "\t".join(shown) + "\n")
            if not split:
                break
    path.write_text("".join(lines))
    return path


def write_pgen(records: Sequence[Record], path: Path) -> Path:
    people = len(records[0][3])
    numbers = [2 + alternate.count(",") for _, _, alternate, _ in records]
    writer = pgenlib.PgenWriter(
        bytes(path), people, variant_ct=len(records), nonref_flags=False, allele_ct_limit=max(numbers)
    )
    for number, (*_, calls) in zip(numbers, records, strict=True):
        alleles = [each for call in calls for each in (call or (-9, -9))]
        writer.append_alleles(np.array(alleles, dtype=np.int32), all_phased=False, allele_ct=number)
    writer.close()
    sites = [f"1\t{10 * at + 10}\t{name}\t{ref}\t{alt}\n" for at, (name, ref, alt, _) in enumerate(records)]
    path.with_suffix(".pvar").write_text("#CHROM\tPOS\tID\tREF\tALT\n" + "".join(sites))
    path.with_suffix(".psam").write_text("#IID T2D\n" + "".join(f"p{row} {1 + row % 2}\n" for row in range(people)))
    return path


def write_bgen(records: Sequence[Record], path: Path) -> Path:
    """Sure probabilities of 8 bits, without compression."""
    people = len(records[0][3])
    names = b"".join(len(name).to_bytes(2, "little") + name for name in (b"p%d" % row for row in range(people)))
    samples = (8 + len(names)).to_bytes(4, "little") + people.to_bytes(4, "little") + names
    numbers = (20 + len(samples), 20, len(records), people)
    content = b"".join(number.to_bytes(4, "little") for number in numbers) + b"bgen"
    content += (2 << 2 | 1 << 31).to_bytes(4, "little") + samples
    for at, (name, reference, alternate, calls) in enumerate(records):
        alleles = [reference, *alternate.split(",")]
        pairs = [(first, second) for second in range(len(alleles)) for first in range(second + 1)]
        persons = [
            (2, None if call is None else [255 * (pair == (min(call), max(call))) for pair in pairs]) for call in calls
        ]
        for text in (b"", name.encode(), b"1"):
            content += len(text).to_bytes(2, "little") + text
        content += (10 * at + 10).to_bytes(4, "little") + len(alleles).to_bytes(2, "little")
        content += b"".join(len(allele).to_bytes(4, "little") + allele.encode() for allele in alleles)
        each = block(persons, len(alleles), 8, phased=False)
        content += len(each).to_bytes(4, "little") + each
    path.write_bytes(content)
    return path


def copies_of(path: Path, plan: Plan, phenotype: Path | None = None) -> Int8:
    out = np.full((len(plan.snps), plan.people), 9, dtype=np.int8)
    for calls in read(open_genotypes(path, plan, phenotype), plan, lambda calls: calls):
        assert not calls.second.any()
        assert (out[calls.snps] == 9).all()
        out[calls.snps] = copies(calls.packed, plan.people)
    return out


def test_each_allele_is_counted_from_every_file(tmp_path: Path) -> None:
    records = invented()
    plan, wanted = planned(records, tmp_path), counted(records)
    assert plan.snps.ids == IDS
    vcf = write_vcf(records, tmp_path / "x.vcf")
    pgen = write_pgen(records, tmp_path / "x.pgen")
    files = (vcf, write_bcf(vcf), write_vcf(records, tmp_path / "split.vcf", split=True), pgen)
    people = tmp_path / "x.txt"
    cases = np.arange(PEOPLE) % 2 == 1
    tables = tables_of(wanted, cases, "genotypic")
    some = np.array([6, 2, 0])
    for path in files:
        np.testing.assert_array_equal(copies_of(path, plan, people), wanted)
        counts = inspect(count_study(plan, open_genotypes(path, plan, people))).value
        np.testing.assert_array_equal(counts.tables(), tables)
        np.testing.assert_array_equal(counts.tables(some), tables[some])


def test_dosages_and_scans_count_each_allele_from_every_file(tmp_path: Path) -> None:
    records = invented(2)
    listed = planned(records, tmp_path).snps
    plan = replace(Plan.of({**VALUES, "study": {"people": PEOPLE}, "snps": listed}), covariates=(), components=0)
    wanted = counted(records)
    steps = np.where(wanted == MISSING, NO_DOSAGE, wanted.astype(np.int64) * STEP)
    vcf = write_vcf(records, tmp_path / "x.vcf")
    # The same as dosages of each alternate allele.
    text, number = vcf.read_text(), {name: 1 + alternate.count(",") for name, _, alternate in SITES}
    lines = [line.split("\t") for line in text.splitlines()]
    for line in lines:
        if len(line) > 9 and line[2] in number:
            line[8:] = ["DS", *(_dosages(call, number[line[2]]) for call in line[9:])]
    (tmp_path / "ds.vcf").write_text("".join("\t".join(line) + "\n" for line in lines))
    pgen, bgen = write_pgen(records, tmp_path / "x.pgen"), write_bgen(records, tmp_path / "x.bgen")
    response = (np.random.default_rng(1).random(PEOPLE) < 0.5).astype(np.float64)
    people, dosages = tmp_path / "x.txt", replace(plan, genotypes="dosages")
    scores = read_scores(plan, open_genotypes(vcf, plan, people), response)
    np.testing.assert_array_equal(scores.frequencies, np.ma.masked_less(wanted, 0).mean(axis=1) / 2)
    for path in (vcf, write_bcf(vcf), tmp_path / "ds.vcf", pgen, bgen):
        out = np.zeros(wanted.shape, dtype=np.uint16)
        for some in read_dosages(open_genotypes(path, dosages, people), dosages, lambda some: some):
            out[some.snps] = some.steps
        np.testing.assert_array_equal(out, steps)
        for mine, other in zip(
            read_scores(dosages, open_genotypes(path, dosages, people), response), scores, strict=True
        ):
            np.testing.assert_array_equal(mine, other)
    for mine, other in zip(read_scores(plan, open_genotypes(pgen, plan, people), response), scores, strict=True):
        np.testing.assert_array_equal(mine, other)


def _dosages(call: str, alternates: int) -> str:
    if call == "./.":
        return "."
    return ",".join(str(call.split("|").count(str(allele))) for allele in range(1, alternates + 1))


@pytest.mark.series(1)
@pytest.mark.parametrize("ending", ["vcf", "bcf", "pgen"])
def test_records_without_an_id_are_found_by_place_and_alleles(tmp_path: Path, ending: str) -> None:
    records = invented()
    plan = planned(records, tmp_path)
    path = tmp_path / f"x.{ending}"
    if ending == "pgen":
        write_pgen(unnamed(records), path)
    else:
        write_vcf(unnamed(records), tmp_path / "x.vcf")
    if ending == "bcf":
        write_bcf(tmp_path / "x.vcf")
    phenotype = None if ending == "pgen" else tmp_path / "x.txt"
    assert (copies_of(path, plan, phenotype) == counted(records)).all()
    found = validate(plan, open_genotypes(path, plan, phenotype)).value
    assert not found.problems.by_field


@pytest.mark.parametrize("change", [("\t20\t", "\t21\t"), ("\tA\tG\t", "\tA\tC\t"), ("1\t20\t", "2\t20\t")])
def test_a_record_without_an_id_of_another_place_or_other_alleles_is_no_snp_of_the_list(
    tmp_path: Path, change: tuple[str, str]
) -> None:
    records = invented()
    plan = planned(records, tmp_path)
    path = write_vcf(unnamed(records), tmp_path / "x.vcf")
    assert path.read_text().count(change[0]) == 1
    path.write_text(path.read_text().replace(*change))
    wanted = counted(records)
    wanted[IDS.index("rs2")] = 0
    assert (copies_of(path, plan, tmp_path / "x.txt") == wanted).all()


def test_an_id_comes_before_a_record_without_one_and_two_of_these_are_refused(tmp_path: Path) -> None:
    sites = [Site("1", 10, "rs1", "A", "G"), Site("1", 10, "rs2", "C", "G"), Site("1", 20, "rs3", "A", "G")]
    plan = Plan.of({**VALUES, "snps": made(sites)})
    path = tmp_path / "x.bim"
    path.write_text("1 . 0 10 A G\n1 . 0 10 G C\n1 rs1 0 10 G A\n1 . 0 20 A G\n")
    assert match_sites(path, plan).rows.tolist() == [2, 1, 3]
    path.write_text(path.read_text() + "1 . 0 20 G A\n")
    with pytest.raises(SourceError, match=r"x\.bim:5: \. is there twice"):
        match_sites(path, plan)


@st.composite
def records_and_lists(draw: st.DrawFn) -> tuple[list[Record], list[tuple[str, list[str]]]]:
    """Records of four people; and of each the alternate alleles of the list, of which the record has some."""
    records: list[Record] = []
    listed: list[tuple[str, list[str]]] = []
    for at in range(draw(st.integers(1, 3))):
        alternates = draw(st.lists(st.sampled_from("ACTGN"), min_size=1, max_size=4, unique=True))
        call = st.none() | st.tuples(*[st.integers(0, len(alternates))] * 2)
        records.append((f"rs{at}", "GA", ",".join(alternates), draw(st.lists(call, min_size=4, max_size=4))))
        more = draw(st.lists(st.sampled_from(["AA", "AC", *alternates]), min_size=2, max_size=5, unique=True))
        listed.append((f"rs{at}", more))
    return records, listed


@pytest.mark.examples(20)
@given(case=records_and_lists(), split=st.booleans(), named=st.booleans())
def test_any_record_gives_the_alleles_that_it_has(
    tmp_path_factory: pytest.TempPathFactory,
    case: tuple[list[Record], list[tuple[str, list[str]]]],
    split: bool,
    named: bool,
) -> None:
    """Whole or split, with ids or without; an allele of the list that no record has is carried by nobody."""
    records, listed = case
    sites = [Site("1", 10 * at + 10, name, ",".join(alleles), "GA") for at, (name, alleles) in enumerate(listed)]
    analysis = {"model": "additive", "tests": ["score"]}
    plan = Plan.of({**VALUES, "study": {"people": 4}, "snps": made(sites), "analysis": analysis})
    written = records if named else unnamed(records)
    rows = rows_of(write_vcf(written, tmp_path_factory.mktemp("x") / "x.vcf", split=split), plan)
    wanted: list[list[int]] = []
    for (_, _, alternate, calls), (_, alleles) in zip(records, listed, strict=True):
        has = alternate.split(",")
        for allele in alleles:
            own = 1 + has.index(allele) if allele in has else None
            wanted.append([0] * 4 if own is None else [MISSING if call is None else call.count(own) for call in calls])
    assert [rows[at] for at in range(len(plan.snps))] == wanted


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("rs1\tG\tA,C,T", "rs1\tG\tA,C", "rs1:T of the plan's list is not there"),
        ("rs1\tG\tA,C,T", "rs1\tGG\tA,C,T", "rs1 has other alleles than in the plan's list"),
        ("\t10\trs1", "\t11\trs1", "rs1 is at another place than in the plan's list"),
        ("rs2\tA\tG", "rs1\tG\tT", "rs1 is there twice"),
    ],
)
def test_sites_that_do_not_fit_are_refused_before_the_charge(tmp_path: Path, old: str, new: str, problem: str) -> None:
    records = invented()
    plan = planned(records, tmp_path)
    sites = write_pgen(records, tmp_path / "x.pgen").with_suffix(".pvar")
    assert old in sites.read_text()
    sites.write_text(sites.read_text().replace(old, new))
    with pytest.raises(SourceError) as error:
        open_genotypes(tmp_path / "x.pgen", plan)
    assert problem in str(error.value.problems[0])


def test_a_bed_does_not_tell_several_alleles_apart(tmp_path: Path) -> None:
    records = invented()
    plan = planned(records, tmp_path)
    people = "".join(f"p{row} p{row} 0 0 0 {1 + row % 2}\n" for row in range(PEOPLE))
    (tmp_path / "x.fam").write_text(people)
    (tmp_path / "x.bed").write_bytes(b"\x6c\x1b\x01" + bytes(4 * -(-PEOPLE // 4)))
    sites = [f"1 {name} 0 {10 * at + 10} {alt} {ref}\n" for at, (name, ref, alt, _) in enumerate(records)]
    (tmp_path / "x.bim").write_text("".join(sites))
    with pytest.raises(SourceError, match=r"has more than two alleles, which a \.bed does not tell apart") as error:
        open_genotypes(tmp_path / "x.bed", plan)
    assert len(error.value.problems) == 7


def test_hostile_records_end_nothing(tmp_path: Path) -> None:
    """Alleles twice, thousands of alleles and ids, and calls of alleles that the record has not: read by the rules, in time."""
    records = invented()
    plan = planned(records, tmp_path)
    path = write_vcf(records, tmp_path / "x.vcf")
    many = ",".join("ACGT"[at % 4] * (2 + at // 4 % 40) for at in range(20_000))
    names = ";".join(f"x{at}" for at in range(20_000))
    text = path.read_text().replace("rs1\tG\tA,C,T", "rs1\tG\tA,A,C").replace("rs2\tA\tG", f"{names}\tA\t{many}")
    path.write_text(text)
    found = copies_of(path, plan, tmp_path / "x.txt")
    calls = records[0][3]
    first = [MISSING if call is None else call.count(1) for call in calls]
    third = [MISSING if call is None else call.count(3) for call in calls]
    assert found[:4].tolist() == [first, third, [0] * PEOPLE, [0] * PEOPLE]
    np.testing.assert_array_equal(found[4:], counted(records)[4:])


def test_validate_says_what_is_counted(tmp_path: Path) -> None:
    records = invented()
    plan = planned(records, tmp_path)
    vcf, pgen = write_vcf(records, tmp_path / "x.vcf"), write_pgen(records, tmp_path / "x.pgen")
    for path in (vcf, pgen):
        found = validate(plan, open_genotypes(path, plan, tmp_path / "x.txt")).value
        assert "; 7 SNPs are alleles of 3 sites, each counted by its own copies (nobody" in found.read
        assert found.problems.none
    vcf.write_text(vcf.read_text().replace("rs1\tG\tA,C,T", "rs1\tG\tA,C"))
    found = validate(plan, open_genotypes(vcf, plan, tmp_path / "x.txt")).value
    assert found.problems.by_field == {"SNPs of the list": 1}
    assert "rs1:T have no record" in str(found.problems.listed[0])
    two = replace(plan, snps=made([Site("1", 20, "rs2", "G", "A")]))
    assert "alleles of" not in validate(two, open_genotypes(vcf, two, tmp_path / "x.txt")).value.read
