"""Dosages of VCF, BCF and .pgen: the same from each, by total rules."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import SourceError
from starling.genome.arrays import UInt16
from starling.genome.plan import Plan
from starling.genome.source import Dosages, open_genotypes, read, read_dosages
from starling.genome.source.calls import MISSING, copies
from starling.genome.source.dosages import MOST, NO_DOSAGE, STEP
from starling.genome.source.vcf_text import text_variants
from tests.genome.plan.test_model_phenotypes import VALUES
from tests.genome.plink import plink
from tests.genome.studies import a_study, write_bed
from tests.genome.variant_files import write_bcf

PEOPLE, SNPS = 23, 9
HEADER = (
    "##fileformat=VCFv4.2\n##contig=<ID=1>\n"
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
    '##FORMAT=<ID=DS,Number=A,Type=Float,Description="Dosage">\n'
    '##FORMAT=<ID=GP,Number=G,Type=Float,Description="Probabilities">\n'
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t"
)


def dosage_plan(snps: int = SNPS, people: int = PEOPLE, carried: str = "C") -> Plan:
    other = "A" if carried == "C" else "C"
    listed = Plan.snp_list([(f"rs{row}", "1", 10 * row + 10, carried, other) for row in range(snps)])
    values = {**VALUES, "study": {"people": people}, "snps": listed}
    values["analysis"] = {"model": "additive", "tests": ["score"], "genotypes": "dosages"}
    return Plan.of(values)


def write_vcf(path: Path, lines: list[tuple[str, str, list[str]]]) -> Path:
    """ALT, FORMAT and the calls of each record."""
    people = len(lines[0][2])
    rows = [
        f"1\t{10 * row + 10}\trs{row}\tA\t{alternate}\t.\t.\t.\t{form}\t" + "\t".join(calls)
        for row, (alternate, form, calls) in enumerate(lines)
    ]
    names = "\t".join(f"p{person}" for person in range(people))
    path.write_text("\n".join([HEADER + names, *rows, ""]))
    path.with_suffix(".txt").write_text("#IID T\n" + "".join(f"p{person} 1\n" for person in range(people)))
    return path


def steps_of_file(path: Path, plan: Plan, phenotype: Path | None = None) -> UInt16:
    out = np.full((len(plan.snps), plan.people), 1, dtype=np.uint16)

    def note(some: Dosages) -> None:
        out[some.snps] = some.steps

    genotypes = open_genotypes(path, plan, phenotype)
    assert list(read_dosages(genotypes, plan, note))
    near = np.full(out.shape, 9, dtype=np.int8)
    for calls in read(genotypes, plan, lambda calls: calls):
        near[calls.snps] = copies(calls.packed, plan.people)
    rounded = np.rint(out / STEP)
    is_near = (np.abs(out / STEP - rounded) <= 0.1) & (out != NO_DOSAGE)
    np.testing.assert_array_equal(near, np.where(is_near, rounded, MISSING))
    return out


def one_line(alternate: str, form: str, *calls: str, carried: str = "C") -> list[int]:
    """Steps of the people of one line of text."""
    text = f"{HEADER}x\n1\t10\trs0\tA\t{alternate}\t.\t.\t.\t{form}\t" + "\t".join(calls) + "\n"
    (variant,) = text_variants([text.encode()], len(calls), lambda: None)
    assert variant.dosages is not None
    out = np.zeros(len(calls), dtype=np.uint16)
    variant.dosages.count(variant.allele_index(carried), out)
    return out.tolist()


@pytest.mark.slow
def test_vcf_bcf_and_pgen_hold_the_same(tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    numbers = np.where(random.random((SNPS, PEOPLE)) < 0.4, random.integers(0, 3, (SNPS, PEOPLE)), 9.0)
    numbers = np.where(numbers == 9, random.uniform(0, 2, (SNPS, PEOPLE)), numbers)
    lines = []
    for row in numbers:
        calls = ("0/0", "0/1", "1/1")
        cells = [f"{calls[round(number)]}:{number:.5g}" for number in row]
        lines.append(("C", "GT:DS", ["./.:." if random.random() < 0.1 else cell for cell in cells]))
    vcf = write_vcf(tmp_path / "x.vcf", lines)
    wanted = [[NO_DOSAGE if cell[-1] == "." else round(float(cell[4:]) * STEP) for cell in line[2]] for line in lines]
    plan, phenotype = dosage_plan(), tmp_path / "x.txt"
    assert steps_of_file(vcf, plan, phenotype).tolist() == wanted
    assert steps_of_file(write_bcf(vcf), plan, phenotype).tolist() == wanted
    plink("plink2", "--vcf", vcf, "dosage=DS", "--double-id", "--make-pgen", "--out", tmp_path / "p")
    assert steps_of_file(tmp_path / "p.pgen", plan, phenotype).tolist() == wanted
    turned = [[step if step == NO_DOSAGE else MOST - step for step in row] for row in wanted]
    other = dosage_plan(carried="A")
    for path in (vcf, tmp_path / "x.bcf", tmp_path / "p.pgen"):
        assert steps_of_file(path, other, phenotype).tolist() == turned


def test_a_snp_without_record_is_carried_by_nobody_and_one_without_dosages_by_its_calls(tmp_path: Path) -> None:
    lines = [("C", "GT", ["0/1", "./.", "1/1"]), ("C", "DS", ["0.5", ".", "2"])]
    vcf = write_vcf(tmp_path / "x.vcf", lines)
    wanted = [[STEP, NO_DOSAGE, MOST], [STEP // 2, NO_DOSAGE, MOST], [0, 0, 0]]
    for path in (vcf, write_bcf(vcf)):
        assert steps_of_file(path, dosage_plan(snps=3, people=3), tmp_path / "x.txt").tolist() == wanted


@pytest.mark.parametrize("bcf", [False, True])
def test_probabilities_alleles_and_single_copies(tmp_path: Path, bcf: bool) -> None:
    lines = [
        ("C", "GT:GP", ["0/1:0.25,0.25,0.5", "1:0.5,0.5", "1/1:.", "./.:.", "0/0:0.1,0.1,0.1", "0/0:1,0,0"]),
        ("C", "GT:DS", ["1:0.75", "1:.", "0/1:0.75", "./.:.", "./.:2.1", "1:1.5"]),
        ("T,C", "GT:DS", ["0/1:0.25,0.5", "0/2:.,.", "0/0:0.5", "2/2:0,2", "0/1:1.5,1.5", "2:0.25,0.5"]),
        ("T,C", "GP", ["0,0,0,0,1,0", "0,0,0,0.5,0,0.5", "1,0,0,0,0,0", "0,0,1", "0,0,0,0,0,1", "0.5,0.5"]),
        ("T", "GT:DS", ["0/1:1", "./.:.", "1/1:2", "0/0:0", "0/1:1", "1/1:2"]),
    ]
    path = write_vcf(tmp_path / "x.vcf", lines)
    if bcf:
        path = write_bcf(path)
    wanted: list[list[float | None]] = [
        [1.25, 1, 2, None, None, 0],
        [1.5, 2, 0.75, None, None, None],
        [0.5, 1, None, 2, None, 1],
        [1, 1.5, 0, 2, 2, None],
        [0, None, 0, 0, 0, 0],
    ]
    steps = [[NO_DOSAGE if each is None else int(each * STEP) for each in row] for row in wanted]
    assert steps_of_file(path, dosage_plan(snps=5, people=6), tmp_path / "x.txt").tolist() == steps


@given(st.decimals(0, 2, allow_nan=False, places=7), st.sampled_from(["{}", "{:.3e}", "{:E}", "0{}", "{:.20f}"]))
def test_decimal_numbers_are_read(number: object, form: str) -> None:
    text = form.format(number)
    assert one_line("C", "DS", text) == [int(np.rint(float(np.float32(float(text))) * STEP))]


WORDS = ("-0.5", "nan", "inf", "1e", "1e+", "1.2.3", "", "e5", "1e99999", "0x1", "1,1", "2.0001", "--", "+1", "1 ")


@pytest.mark.parametrize("text", WORDS)
def test_what_is_no_dosage_is_missing_alone(text: str) -> None:
    assert one_line("C", "GT:DS", f"0/1:{text}", "0/1:1.5") == [NO_DOSAGE, STEP * 3 // 2]


@pytest.mark.examples(20)
@given(st.lists(st.text(alphabet="0123456789.,:eE/-+x", max_size=12), min_size=3, max_size=3), st.sampled_from("CT"))
def test_no_text_makes_reading_fail_or_changes_another_person(cells: list[str], carried: str) -> None:
    for form in ("GT:DS", "DS:GT", "GP", "GP:DS:GT"):
        for alternate in ("C", "T,C", "T,C,G,AA,AC,AG,AT", "."):
            steps = one_line(alternate, form, *cells, carried=carried)
            assert all(step <= MOST or step == NO_DOSAGE for step in steps)
            assert steps == [one_line(alternate, form, cell, carried=carried)[0] for cell in cells]


def test_a_bed_has_no_dosages(tmp_path: Path) -> None:
    study = a_study(snps=7)
    write_bed(study, tmp_path / "b")
    rows = zip(study.ids, study.places, study.alleles, strict=True)
    listed = Plan.snp_list([(name, *place, *alleles) for name, place, alleles in rows])
    plan = replace(dosage_plan(people=study.people), snps=listed, regions=())
    with pytest.raises(SourceError, match=r"b.bed: genotypes has calls, and the plan counts dosages; give the .pgen"):
        open_genotypes(tmp_path / "b", plan)
