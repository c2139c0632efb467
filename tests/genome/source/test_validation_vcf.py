"""What is wrong with the records of a VCF is counted by kind, and the first are named."""

from pathlib import Path

from starling.genome.source.validation import _records, _Tally
from tests.genome.studies import a_study, plan_of, vcf_text


def found(folder: Path, *changes: tuple[str, str]) -> dict[str, tuple[int, list[str]]]:
    study = a_study(missing=0)
    plan = plan_of(study, folder)
    text = vcf_text(study)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / "x.vcf").write_text(text)
    tally = _Tally(100)
    _records(folder / "x.vcf", plan, tally)
    faults = tally.findings()
    kinds = {
        field: [str(one) for one in faults.listed if one.field == field or one.field.startswith(f"{field} of ")]
        for field in faults.by_field
    }
    return {field: (faults.by_field[field], kinds[field]) for field in kinds}


def test_a_file_in_order(tmp_path: Path) -> None:
    assert found(tmp_path) == {}


def test_every_kind_of_fault_is_found(tmp_path: Path) -> None:
    faults = found(
        tmp_path,
        ("\n1\t1000\trs1\tC\tA", "\n1\t1001\trs1\tC\tA"),
        ("rs2\tT\tG", "rs2\tT\tC"),
        ("rs4", "rs3"),
        ("rs5\tC\tA\t.\t.\t.\tGT\t", "rs5\tC\tA\t.\t.\t.\tGT\tq"),
        ("rs7\tA\tT\t.\t.\t.\tGT\t", "rs7\tA\tT\t.\t.\t.\tGT\t0/0\t"),
        ("rs6\tT\tG\t.\t.\t.\tGT\t", "rs6\tT\tG\t.\t.\t.\tXX\t"),
    )
    assert {field: total for field, (total, _) in faults.items()} == {
        "place": 1,
        "alleles": 1,
        "records": 1,
        "malformed calls": 1,
        "malformed records": 1,
        "calls": 1,
        "SNPs of the list": 2,
    }
    assert faults["place"][1] == [
        "x.vcf: place of rs1 is another one than in the plan's list; use one build of the genome; its calls count until then"
    ]
    assert [text.split(" have")[0] for text in faults["SNPs of the list"][1]] == [
        "x.vcf: SNPs of the list of rs4",
        "x.vcf: SNPs of the list of rs7",
    ]
