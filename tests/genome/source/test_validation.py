"""What is wrong with records is told to the custodian alone, counted, without a call or a phenotype."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from starling.errors import LISTED, RecordsInvalid
from starling.genome.counts.study import count_study
from starling.genome.source import open_genotypes, validate
from starling.privacy.trust import inspect
from starling.release.domain import Validated
from tests.genome.source.test_relatives import family
from tests.genome.studies import Study, a_study, plan_of, write_bed, write_phenotypes, write_vcf


def looked_at(study: Study, folder: Path, fam: str | None = None) -> Validated:
    plan = plan_of(study, folder)
    prefix = write_bed(study, folder / "x")
    if fam is not None:
        Path(f"{prefix}.fam").write_text(fam)
    return validate(plan, open_genotypes(prefix, plan)).value


def with_words(study: Study, *words: str) -> Study:
    return Study(
        study.copies, study.alleles, tuple(words[row % len(words)] for row in range(study.people)), study.places
    )


def test_a_study_in_order_has_no_problems(tmp_path: Path) -> None:
    study = with_words(a_study(missing=0.25), "1", "2")
    found = looked_at(study, tmp_path)
    assert (found.values["people"], found.values["cases"], found.problems.total) == (11, 5, 0)
    assert found.values["missing_calls"] == pytest.approx(np.mean(study.copies < 0))
    found.problems.refuse()


def test_missing_and_constant_phenotypes(tmp_path: Path) -> None:
    found = looked_at(with_words(a_study(), "1", "2", "-9"), tmp_path)
    assert found.problems.by_field == {"phenotype": 3}
    assert str(found.problems.listed[0]) == "x.fam: phenotype of f p2: has no phenotype; such a person is a control"
    with pytest.raises(RecordsInvalid, match=r"records have 3 problems \(phenotype 3\)"):
        found.problems.refuse()
    for word, who in (("1", "nobody"), ("2", "everybody")):
        (decisive,) = looked_at(with_words(a_study(), word), tmp_path).problems.decisive
        assert f"is constant: {who} is a case; look at the coding: a case is 2 in the plan, the file says 11" in str(
            decisive
        )
    assert "more than two values" in str(looked_at(with_words(a_study(), "1", "2", "3"), tmp_path).problems.listed[0])


def test_attack_a29_the_wrong_coding_is_told_first(tmp_path: Path) -> None:
    """Cases and controls written as 1 and 0: nobody is a case, and it stood last, after "missing" for each control."""
    found = looked_at(with_words(a_study(people=200), "0", "1"), tmp_path).problems
    (decisive,) = found.decisive
    assert str(decisive) == (
        "x.fam: phenotype is constant: nobody is a case; look at the coding: a case is 2 in the plan, the file says 100 times 0,"
        " 100 times 1"
    )
    with pytest.raises(RecordsInvalid) as refused:
        found.refuse()
    lines = str(refused.value).splitlines()
    assert "nobody is a case" in lines[0]
    assert lines[1].startswith("records have 100 problems (phenotype 100)")
    assert lines[-1] == "and 80 more: --all (in Python `most`) lists them"
    study = with_words(a_study(people=200), "0", "1")
    plan = replace(plan_of(study, tmp_path), case="1")
    assert validate(plan, open_genotypes(write_bed(study, tmp_path / "y"), plan)).value.problems.none, (
        "0 is a control here"
    )


def test_attack_a29_the_phenotypes_of_another_study_are_told_first(tmp_path: Path) -> None:
    study = with_words(a_study(missing=0), "1", "2")
    plan = plan_of(study, tmp_path)
    theirs = tmp_path / "theirs.txt"
    theirs.write_text("#IID T2D\n" + "".join(f"q{row} 2\n" for row in range(11)))
    for genotypes, first in ((write_vcf(study, tmp_path / "x.vcf"), "p0"), (write_bed(study, tmp_path / "x"), "f p0")):
        found = validate(plan, open_genotypes(genotypes, plan, theirs)).value.problems
        (decisive,) = found.decisive
        assert f"theirs.txt: person names nobody of the genotypes: {first} is the first there, q0 here" in str(decisive)
        assert found.by_field == {"phenotype": 11}
        assert (
            str(found.listed[-1]) == f"theirs.txt: phenotype of {first[:-1]}10: has no line; such a person is a control"
        )


def test_every_finding_is_listed_where_all_are_asked_for(tmp_path: Path) -> None:
    study = with_words(a_study(people=90), "1", "2", "NA")
    plan = plan_of(study, tmp_path)
    opened = open_genotypes(write_bed(study, tmp_path / "x"), plan)
    few, every = (validate(plan, opened, most=most).value.problems for most in (5, LISTED))
    assert (few.total, len(few.listed), few.more) == (30, 5, 25)
    assert (every.total, len(every.listed), every.more) == (30, 30, 0)
    assert every.listed[:5] == few.listed


def test_attack_a29_records_without_any_of_the_snps_are_told_first(tmp_path: Path) -> None:
    study = with_words(a_study(missing=0), "1", "2")
    plan = plan_of(study, tmp_path)
    phenotypes = write_phenotypes(study, tmp_path / "p.txt")
    path = write_vcf(study, tmp_path / "x.vcf")
    other = path.read_text().replace("\trs", "\tss")
    header = "".join(line for line in other.splitlines(keepends=True) if line.startswith("#"))
    for text, says in (
        (other, "records are 7, and none is of the plan's list: nobody carries any SNP; look at the ids (the first of"),
        (header, "records are none that can be read: nobody carries any SNP"),
    ):
        path.write_text(text)
        decisive = validate(plan, open_genotypes(path, plan, phenotypes)).value.problems.decisive
        assert f"x.vcf: {says}" in str(decisive[0])
        assert "SNPs have nobody who carries its allele: 7 of the 7 of the list" in str(decisive[1])


def test_lines_and_people(tmp_path: Path) -> None:
    found = looked_at(a_study(people=4), tmp_path, "f a 0 0 1 2\nf a 0 0 1 1\nf b 0 0 1 1\n\nf c\n")
    assert found.problems.by_field == {"phenotype": 1, "line": 1, "people": 1}
    assert "x.fam:5: line does not have 6 fields; write them all" in [str(one) for one in found.problems.listed]


def test_several_lines_of_one_person_in_a_phenotype_file(tmp_path: Path) -> None:
    study = with_words(a_study(), "1", "2")
    plan = plan_of(study, tmp_path)
    phenotypes = write_phenotypes(study, tmp_path / "p.txt")
    phenotypes.write_text(phenotypes.read_text() + "f p0 2\n")
    found = validate(plan, open_genotypes(write_bed(study, tmp_path / "x"), plan, phenotypes)).value
    assert found.problems.by_field == {"person": 1}


def test_snps_without_calls_or_carriers(tmp_path: Path) -> None:
    study = with_words(a_study(missing=0), "1", "2")
    study.copies[2], study.copies[4], study.copies[5] = -1, 0, 2
    found = looked_at(study, tmp_path)
    assert found.problems.by_field == {"all calls missing": 1}
    assert str(found.problems.listed[0]).startswith("rs3 has nothing but missing calls")
    assert found.notes.by_field == {"carried by nobody": 1, "one allele": 1}
    assert [problem.field for problem in found.notes.listed] == ["rs5", "rs6"]


@pytest.mark.series(1)
@pytest.mark.parametrize(("apart", "told"), [(100_000, {"duplicates": 1, "relatives": 1}), (1000, {"duplicates": 1})])
def test_duplicates_and_kin(tmp_path: Path, apart: int, told: dict[str, int]) -> None:
    """A list of 1.5 megabases tells who is there twice, not who is kin."""
    copies = family()
    places = tuple(("1", apart * (row + 1)) for row in range(len(copies)))
    study = Study(copies, (("A", "C"),) * len(copies), ("1", "2") * 20, places)
    found = looked_at(study, tmp_path)
    by_field = found.notes.by_field
    assert {field: by_field[field] for field in ("duplicates", "relatives") if field in by_field} == told
    assert any("f p0 and f p1" in str(problem) for problem in found.notes.listed)


def test_a_run_has_an_answer_whatever_validate_says(tmp_path: Path) -> None:
    """Total rules: nothing but missing calls, a constant phenotype and broken lines still give every SNP a table of n people."""
    study = with_words(a_study(), "-9")
    study.copies[:] = -1
    plan = plan_of(study, tmp_path)
    prefix = write_bed(study, tmp_path / "x")
    Path(f"{prefix}.fam").write_bytes(b"\xff\n" * 11)
    opened = open_genotypes(prefix, plan)
    assert inspect(count_study(plan, opened)).value.tables().tolist() == [[0, 0, 0, 11]] * 7
    assert validate(plan, opened).value.problems.total > 0


def test_a_vcf_is_validated_too(tmp_path: Path) -> None:
    study = with_words(a_study(missing=0), "1", "2")
    plan = plan_of(study, tmp_path)
    phenotypes = write_phenotypes(study, tmp_path / "p.txt")
    opened = open_genotypes(write_vcf(study, tmp_path / "x.vcf"), plan, phenotypes)
    assert validate(plan, opened).value.problems.total == 0
    lines = opened.path.read_text().splitlines(keepends=True)
    opened.path.write_text("".join(lines[:-1]))
    found = validate(plan, open_genotypes(opened.path, plan, phenotypes)).value
    assert found.problems.by_field == {"SNPs of the list": 1}
    assert found.notes.by_field == {"carried by nobody": 1}
