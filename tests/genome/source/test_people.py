"""Who is a case: one total rule for every line of every kind of file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.errors import SourceError
from starling.genome.source.people import open_people
from tests.genome.plan.test_model import plan_with


def cases(folder: Path, text: str, name: str = "x.fam", phenotypes: str | None = None, **plan: Any) -> list[bool]:
    (folder / name).write_text(text)
    given = None
    if phenotypes is not None:
        given = folder / "pheno.txt"
        given.write_text(phenotypes)
    people = len([line for line in text.splitlines() if line.strip() and not line.startswith("#")])
    chosen = plan_with(people=people, **plan)
    found: list[bool] = open_people(chosen, given, file=folder / name).cases(people).tolist()
    return found


def test_everybody_but_the_plans_word_is_a_control(tmp_path: Path) -> None:
    text = "f a 0 0 1 2\n\nf b 0 0 1 1\nf c 0 0 1 -9\nf d 0 0 1\ne\nf g 0 0 1 2.0\r\nf h 0 0 1 2\r\n"
    assert cases(tmp_path, text) == [True, False, False, False, False, False, True]
    assert cases(tmp_path, text, case="1") == [False, True, False, False, False, False, False]


def test_bytes_that_are_no_text_are_no_failure(tmp_path: Path) -> None:
    (tmp_path / "x.fam").write_bytes(b"\xff\x00 b 0 0 1 2\nf \xfe 0 0 1 \xff\n")
    assert open_people(plan_with(people=2), None, file=tmp_path / "x.fam").cases(2).tolist() == [True, False]


def test_phenotypes_of_their_own_are_found_by_family_and_person(tmp_path: Path) -> None:
    fam = "f a 0 0 1 2\ng a 0 0 1 2\nf b 0 0 1 2\n"
    assert cases(tmp_path, fam, phenotypes="g a 2\nf a 1\n") == [False, True, False]
    # Without families in the file, by person alone; the first line counts.
    assert cases(tmp_path, fam, phenotypes="IID T2D\na 2\na 1\nb 1\n") == [True, True, False]


def test_a_column_is_chosen_by_name(tmp_path: Path) -> None:
    fam = "f a 0 0 1 2\nf b 0 0 1 2\n"
    header = "#FID IID BMI T2D\nf a 2 1\nf b 1 2\n"
    assert cases(tmp_path, fam, phenotypes=header) == [True, False]
    assert cases(tmp_path, fam, phenotypes=header, phenotype="T2D") == [False, True]


def test_a_psam_has_named_phenotypes(tmp_path: Path) -> None:
    text = "##meta\n#FID\tIID\tSEX\tA\tB\nf a 1 2 1\nf b 1 NA 2\n"
    assert cases(tmp_path, text, "x.psam") == [True, False]
    assert cases(tmp_path, text, "x.psam", phenotype="B") == [False, True]
    assert cases(tmp_path, "f a 0 0 1 2\nf b 0 0 1 1\n", "y.psam") == [True, False]
    # Its phenotypes are not needed beside a file of their own.
    assert cases(tmp_path, "#IID SEX\na 1\nb 1\n", "z.psam", phenotypes="#IID X\nb 2\n") == [False, True]
    plain = "f a 0 0 1 2\nf b 0 0 1 1\n"
    assert cases(tmp_path, plain, "y.psam", phenotypes="#IID X\nb 2\n", phenotype="X") == [False, True]


def test_people_of_a_vcf_are_known_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("#FID IID X\nf b 2\nf c 1\n")
    people = open_people(plan_with(people=3), tmp_path / "p", samples=(b"a", b"b", b"c"))
    assert people.cases(3).tolist() == [False, True, False]
    assert "'b'" not in repr(people)


FAM = "f a 0 0 1 2\nf b 0 0 1 1\n"


@pytest.mark.parametrize(
    ("name", "text", "phenotypes", "plan", "problem"),
    [
        ("x.fam", FAM, None, {"people": 3}, "x.fam: people does not name 3 people, as the plan has"),
        ("x.fam", FAM, None, {"phenotype": "T2D"}, "x.fam: phenotype does not name its phenotype"),
        ("x.fam", FAM, "f a 2\n", {"phenotype": "T2D"}, "pheno.txt: phenotype has no header"),
        ("x.fam", FAM, "FID IID A\n", {"phenotype": "T2D"}, "pheno.txt:1: phenotype has no phenotype T2D"),
        ("x.fam", FAM, "FID IID\n", {}, "pheno.txt:1: phenotype has no phenotype; add a column"),
        ("x.fam", FAM, "FID IID A A\n", {}, "pheno.txt:1: header has a header that names a column twice"),
        ("x.psam", "#IID SEX\na 1\nb 1\n", None, {}, "x.psam:1: phenotype has no phenotype"),
        (
            "x.psam",
            "#FID SEX\na 1\nb 1\n",
            None,
            {},
            "x.psam:1: header has a header that names a column twice, or no IID",
        ),
    ],
)
def test_what_does_not_fit_is_refused_before_the_charge(
    tmp_path: Path, name: str, text: str, phenotypes: str | None, plan: dict[str, Any], problem: str
) -> None:
    (tmp_path / name).write_text(text)
    given = None if phenotypes is None else tmp_path / "pheno.txt"
    if given is not None:
        given.write_text(phenotypes or "")
    with pytest.raises(SourceError) as error:
        open_people(plan_with(**{"people": 2, **plan}), given, file=tmp_path / name)
    assert str(error.value).startswith(problem)


def test_a_file_that_changed_since_is_found(tmp_path: Path) -> None:
    (tmp_path / "x.fam").write_text(FAM)
    people = open_people(plan_with(people=2), None, file=tmp_path / "x.fam")
    (tmp_path / "x.fam").write_text(FAM * 2)
    with pytest.raises(SourceError, match="changed or vanished"):
        people.cases(2)


def test_phenotypes_make_no_other_error_whatever_they_are(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    (tmp_path / "x.fam").write_text(FAM)
    for _ in range(200):
        (tmp_path / "p").write_bytes(b"f a 2\n" + random.integers(0, 256, 60, dtype=np.uint8).tobytes())
        people = open_people(plan_with(people=2), tmp_path / "p", file=tmp_path / "x.fam")
        assert people.cases(2)[0]


def test_attack_a29_public_ids_that_do_not_join_are_refused(tmp_path: Path) -> None:
    """Where ids are confidential the same files are read: who is in one and not in the other is the custodian's alone."""
    fam = "f a 0 0 1 2\nf b 0 0 1 2\nf c 0 0 1 1\n"
    for phenotypes, says in (
        ("#IID T2D\nx 2\ny 1\nz 2\n", ["pheno.txt: person names nobody of the genotypes, where f a is the first"]),
        ("#IID T2D\na 2\nc 1\nz 1\n", ["pheno.txt: person f b has no line; write a line for everybody"]),
        ("#IID T2D\na 2\nb 1\nb 2\nc 1\n", ["pheno.txt: person b has several lines; keep one"]),
        ("#IID T2D\na 2\nc 1\nc 1\n", ["pheno.txt: person f b has no line", "pheno.txt: person c has several lines"]),
    ):
        cases(tmp_path, fam, phenotypes=phenotypes)
        with pytest.raises(SourceError) as refused:
            cases(tmp_path, fam, phenotypes=phenotypes, ids="public")
        told = str(refused.value).splitlines()
        assert [line.startswith(start) for line, start in zip(told, says, strict=True)] == [True] * len(says)
    whole = "#IID T2D\na 2\nb NA\nc 1\nz 1\n"
    assert cases(tmp_path, fam, phenotypes=whole, ids="public") == [True, False, False]
    with pytest.raises(SourceError, match=r"x.fam: people have the id f a twice"):
        cases(tmp_path, fam + "f a 0 0 1 1\n", ids="public")
