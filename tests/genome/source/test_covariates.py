"""Covariates: numbers found by person and by name, by one total rule; what is wrong by public shape is refused."""

from dataclasses import replace
from pathlib import Path

import pytest

from starling.errors import SourceError
from starling.genome.plan import Plan
from starling.genome.source import open_genotypes, validate
from starling.genome.source.covariates import open_covariates, read_covariates
from starling.genome.source.held import as_files
from starling.genome.source.people import open_people
from tests.genome.plan.test_model_phenotypes import VALUES
from tests.genome.studies import a_study, write_bed

PLAN = Plan.of({**VALUES, "study": {"people": 8}})


def read(folder: Path, text: bytes, names: tuple[str, ...] = ("age", "sex")) -> list[list[float]]:
    (folder / "x.fam").write_text("".join(f"f{row} p{row} 0 0 1 1\n" for row in range(8)))
    (folder / "covariates.txt").write_bytes(text)
    plan = replace(PLAN, covariates=names)
    people = open_people(plan, None, file=folder / "x.fam")
    values = read_covariates(open_covariates(folder / "covariates.txt", plan), people, names, 8)
    rows: list[list[float]] = values.tolist()
    return rows


def test_numbers_are_found_by_person_and_the_rest_is_the_mean(tmp_path: Path) -> None:
    text = (
        b"#FID IID sex other age\nf1 p1 1 x 40\nf0 p0 2 x 20.5\nf0 p0 9 x 99\nf2 p2 -9 x NA\nf3 p3 M\nf4 \xff p4\n"
        b"f5 p5 1e999 x inf\ng6 p6 7 x 7\n"
    )
    mean_of_age, mean_of_sex = (40 + 20.5) / 2, (1 + 2) / 2
    rest = [[mean_of_age, mean_of_sex]] * 6
    assert read(tmp_path, text) == [[20.5, 2], [40, 1], *rest]
    # Without families in the file, by person alone.
    assert read(tmp_path, b"IID age\np6 7\np0 1\n", ("age",)) == [[1], *[[4]] * 5, [7], [4]]
    assert read(tmp_path, b"IID age\nnobody 7\n", ("age",)) == [[0]] * 8


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"f0 p0 1 2\n", "covariates.txt:1: covariates has no header"),
        (b"#FID IID age\n", "covariates.txt:1: covariates have no column sex"),
        (b"#FID IID Age sex\n", "have no column age; did you mean Age"),
        (b"#FID age sex\n", "names a column twice, or no IID"),
        (b"IID,age,sex\n", "apart by commas"),
    ],
)
def test_what_is_wrong_by_public_shape_is_refused(tmp_path: Path, text: bytes, problem: str) -> None:
    with pytest.raises(SourceError, match=problem):
        read(tmp_path, text)


def test_the_file_goes_with_the_plan(tmp_path: Path) -> None:
    study = a_study(people=8)
    write_bed(study, tmp_path / "study")
    rows = zip(study.ids, study.places, study.alleles, strict=True)
    listed = Plan.snp_list([(name, *place, *alleles) for name, place, alleles in rows])
    plan = Plan.of({**VALUES, "study": {"people": 8}, "snps": listed})
    with pytest.raises(SourceError, match="covariates are missing; give covariates: a file with age, sex"):
        open_genotypes(tmp_path / "study", plan)
    file = tmp_path / "both.txt"
    file.write_text("IID T age sex\n" + "".join(f"p{row} 2 {row} M\n" for row in range(1, 9)))
    with pytest.raises(SourceError, match="is given, and the plan adjusts for none"):
        open_genotypes(tmp_path / "study", replace(plan, covariates=()), None, file)
    opened = open_genotypes(tmp_path / "study", plan, None, file)
    assert opened.files[-1] == file
    text = str(validate(plan, opened).value)
    assert "sex: holds no number for anybody of the genotypes; it adjusts for nothing" in text
    assert "age: holds" not in text
    import pyarrow as pa

    frame = pa.table({"IID": ["p1", "p2"], "sex": [1, None], "age": [1.5, 2.0]})
    with as_files(plan, tmp_path / "study", None, frame) as (genotypes, phenotype, covariates):
        assert (genotypes, phenotype) == (tmp_path / "study", None)
        assert Path(str(covariates)).read_text() == "#IID\tage\tsex\np1\t1.5\t1\np2\t2\tNA\n"
