"""A BGEN without names: its people are those of the .sample beside it, which is refused before the charge or never."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.errors import SourceError
from starling.genome.counts.men import Men
from starling.genome.plan import Scan
from starling.genome.publish import deliver, release
from starling.genome.source import open_genotypes, study_files, validate
from starling.genome.study import Study
from starling.release.payment import PaymentOptions
from tests.genome.plink import plink
from tests.genome.source.test_bgen import GOOD, compressed, write_bgen
from tests.genome.source.test_dosages import dosage_plan, steps_of_file, write_vcf

SAMPLE = "ID_1 ID_2 missing sex T\n0 0 0 D B\nf p0 0 1 0\nf p1 0 2 1\ng p0 0 NA 1\n"
PLAN = dosage_plan(snps=1, people=3)
UNVALIDATED = PaymentOptions(unvalidated=True)


def without_names(path: Path) -> Path:
    """Take the names out of a BGEN."""
    content = path.read_bytes()
    begin, header = (int.from_bytes(content[at : at + 4], "little") for at in (0, 4))
    flags = (content[header + 3] & 127).to_bytes(1, "little")
    start = header.to_bytes(4, "little") + content[4 : header + 3] + flags
    path.write_bytes(start + content[4 + begin :])
    return path


def study(folder: Path, sample: str | bytes | None = SAMPLE, phenotypes: str = "#FID IID T\ng p0 2\nf p1 2\n") -> Path:
    path = without_names(write_bgen(folder / "x.bgen", [compressed(GOOD, 1)], 3))
    if sample is not None:
        (folder / "x.sample").write_bytes(sample.encode() if isinstance(sample, str) else sample)
    (folder / "x.txt").write_text(phenotypes)
    return path


@pytest.mark.parametrize(
    ("sample", "phenotypes", "names", "cases"),
    [
        (SAMPLE, "#FID IID T\ng p0 2\nf p1 2\n", ["f p0", "f p1", "g p0"], [False, True, True]),
        (SAMPLE, "#IID T\np0 2\n", ["f p0", "f p1", "g p0"], [True, False, True]),
        # ID_1 that is 0 is no family.
        ("ID_1 ID_2 missing\n0 0 0\n0 a 0\n0 b 0\n0 c 0\n", "a a 1\nc c 2\n", ["a", "b", "c"], [False, False, True]),
        ("ID_1 ID_2\n0 0\n0 a\n1 b\n0 c\n", "0 a 2\n0 b 2\n0 c 1\n", ["0 a", "1 b", "0 c"], [True, False, False]),
        # A further column's name is not that of an id; Windows ends its lines by two letters; a blank line is nobody.
        ("id missing FID\r\n0 0 D\r\na 0 f\r\n\r\nb 0 f\r\nc 0 f\r\n", "#IID T\nb 2\n", [*"abc"], [False, True, False]),
    ],
)
def test_people_are_those_of_the_sample(
    tmp_path: Path, sample: str, phenotypes: str, names: list[str], cases: list[bool]
) -> None:
    people = open_genotypes(study(tmp_path, sample, phenotypes), PLAN, tmp_path / "x.txt").people
    assert (people.names(), people.cases(3).tolist()) == (names, cases)


def test_names_within_a_bgen_come_first(tmp_path: Path) -> None:
    path = write_bgen(tmp_path / "x.bgen", [compressed(GOOD, 1)], 3)
    path.with_suffix(".sample").write_text("not one\n")
    assert open_genotypes(path, PLAN, tmp_path / "x.txt").people.names() == ["p0", "p1", "p2"]


@pytest.mark.slow
def test_plinks_samples_are_read(tmp_path: Path) -> None:
    """Of both kinds, beside its BGEN without names: people, phenotypes and dosages are those with names."""
    random = np.random.default_rng(5)
    lines = [("C", "DS", [f"{number:.3f}" for number in random.uniform(0, 2, 23)]) for _ in range(9)]
    vcf, plan, phenotype = write_vcf(tmp_path / "x.vcf", lines), dosage_plan(), tmp_path / "x.txt"
    phenotype.write_text("#IID T\n" + "".join(f"p{row} {row % 2 + 1}\n" for row in range(23)))
    for name, kind in (("a", []), ("b", ["sample-v2"])):
        out = tmp_path / name
        plink("plink2", "--vcf", vcf, "dosage=DS", "--export", "bgen-1.2", *kind, "--out", out)
        path = Path(f"{out}.bgen")
        named = steps_of_file(path, plan, phenotype), open_genotypes(path, plan, phenotype).people
        nameless = steps_of_file(without_names(path), plan, phenotype), open_genotypes(path, plan, phenotype).people
        assert (named[0] == nameless[0]).all()
        assert named[1].names() == nameless[1].names()
        assert named[1].cases(23).tolist() == nameless[1].cases(23).tolist() == [bool(row % 2) for row in range(23)]


def test_sexes_of_a_sample_count(tmp_path: Path) -> None:
    plan, words = replace(PLAN, x_model=1), tmp_path / "x.txt"
    path = study(tmp_path)
    assert Men.of(plan, open_genotypes(path, plan, words)).flags.tolist() == [True, False, False]
    path.with_suffix(".sample").write_text(SAMPLE.replace("sex", "age"))
    with pytest.raises(SourceError, match=r"x\.sample: genotypes states no sex"):
        open_genotypes(path, plan, words)
    path = write_bgen(tmp_path / "x.bgen", [compressed(GOOD, 1)], 3)
    with pytest.raises(SourceError, match=r"x\.bgen: genotypes states no sex"):
        open_genotypes(path, plan, words)


@pytest.mark.parametrize(
    ("sample", "problem"),
    [
        (None, r"x\.bgen: genotypes does not name its people; put its \.sample beside it as x\.sample"),
        (SAMPLE + "g p1 0 1 0\n", r"x\.sample: people does not name as many people as the genotypes have"),
        (SAMPLE.replace("g p0 0 NA 1\n", ""), r"x\.sample: people does not name as many people as the genotypes have"),
        (SAMPLE.partition("\n")[2], r"x\.sample:1: header has a first line that is not a \.sample's"),
        ("\n" + SAMPLE, r"x\.sample:1: header has a first line"),
        ("", r"x\.sample:1: header has a first line"),
        ("#FID IID T\nf p0 1\nf p1 1\ng p0 1\n", r"x\.sample:1: header has a first line"),
        ("ID_1 ID_2 missing", r"x\.sample:2: header does not have the type of each column"),
        (SAMPLE.replace("0 0 0 D B\n", ""), r"x\.sample:2: header does not have the type"),
        (SAMPLE.replace("0 0 0 D B", "0 0 0 D"), r"x\.sample:2: header does not have the type"),
        (SAMPLE.replace("0 0 0 D B", "0 D 0 D B"), r"x\.sample:2: header does not have the type"),
        (SAMPLE.replace("0 0 0 D B", "0 0 0 D X"), r"x\.sample:2: header does not have the type"),
        (SAMPLE.encode("utf-16"), r"x\.sample:1: people is UTF-16"),
    ],
)
def test_what_does_not_fit_is_refused_before_the_charge(
    tmp_path: Path, sample: str | bytes | None, problem: str
) -> None:
    path = study(tmp_path, sample)
    with pytest.raises(SourceError, match=problem) as refused:
        open_genotypes(path, PLAN, tmp_path / "x.txt")
    assert "p0" not in str(refused.value)
    assert "p1" not in str(refused.value)


def test_other_people_than_the_plans_are_refused(tmp_path: Path) -> None:
    path = study(tmp_path)
    with pytest.raises(SourceError, match=r"x\.sample: people does not name 4 people, as the plan has"):
        open_genotypes(path, dosage_plan(snps=1, people=4), tmp_path / "x.txt")


@pytest.mark.parametrize("first", ["ID_1 ID_2 missing T", "ID missing T"])
def test_a_sample_is_no_file_of_phenotypes(tmp_path: Path, first: str) -> None:
    """Its third column would be the phenotype, and everybody a control."""
    words = tmp_path / "y.sample"
    words.write_text(f"{first}\n0 0 0 B\nf p0 0 1\n")
    with pytest.raises(SourceError, match=r"y\.sample:1: phenotype begins as an Oxford \.sample does; write #FID IID"):
        open_genotypes(study(tmp_path), PLAN, words)


def test_no_line_of_a_sample_makes_a_run_fail(tmp_path: Path) -> None:
    """Whatever its fields are, and however few; also where all of them were changed to others as long."""
    random, plan, words = np.random.default_rng(7), replace(PLAN, x_model=1), tmp_path / "x.txt"
    for _ in range(100):
        lines = [b"x" + bytes(random.integers(0, 256, 9, dtype=np.uint8)).replace(b"\n", b" ") for _ in range(3)]
        path = study(tmp_path, b"ID_1 ID_2 missing sex\n0 0 0 D\n" + b"\n".join(lines))
        genotypes = open_genotypes(path, plan, words)
        for _ in range(2):
            assert len(genotypes.people.names()) <= 3
            assert len(genotypes.people.cases(3)) == len(genotypes.people.levels(3)) == 3
            assert Men.of(plan, genotypes).flags.shape == (3,)
            size = path.with_suffix(".sample").stat().st_size
            path.with_suffix(".sample").write_bytes(bytes(random.integers(0, 256, size, dtype=np.uint8)))


@pytest.mark.slow
def test_a_sample_is_a_file_of_the_study(tmp_path: Path) -> None:
    """So that who accepted the findings of `validate` is asked again when it changes; those name its lines."""
    path = study(tmp_path, SAMPLE.replace("g p0 0 NA 1", "f p0"))
    files = (path, tmp_path / "x.sample", tmp_path / "x.txt")
    assert study_files(path, tmp_path / "x.txt") == files
    genotypes = open_genotypes(path, PLAN, tmp_path / "x.txt")
    assert genotypes.files == files
    shown = [str(problem) for problem in validate(PLAN, genotypes).value.problems.listed]
    assert any("x.sample:5: line does not have 5 fields" in each for each in shown)
    assert any("x.sample: people have the id f p0 twice" in each for each in shown)
    (tmp_path / "x.sample").write_text(SAMPLE + "\n")
    with pytest.raises(SourceError, match=r"x\.sample: genotypes changed or vanished"):
        genotypes.people.cases(3)


def test_a_sample_of_another_stem_is_found_where_it_can_be_no_other(tmp_path: Path) -> None:
    """As UK Biobank calls it, before others in the folder; or the only one. Of several, and beside names, none is taken."""
    path, words = study(tmp_path, None), tmp_path / "x.txt"
    named = ["f p0", "f p1", "g p0"]
    other, own = tmp_path / "people.sample", tmp_path / "x_s3.sample"
    other.write_text(SAMPLE)
    genotypes = open_genotypes(path, PLAN, words)
    assert (genotypes.people.names(), genotypes.files) == (named, (path, other, words))
    own.write_text(SAMPLE.replace("p1", "p9"))
    (tmp_path / "x1_s3.sample").write_text(SAMPLE)
    assert open_genotypes(path, PLAN, words).people.names() == ["f p0", "f p9", "g p0"]
    (tmp_path / "x_s4.sample").write_text(SAMPLE)
    problem = r"x\.bgen: genotypes has 2 \.sample beside it, and none is x\.sample; call its own x\.sample, or give"
    with pytest.raises(SourceError, match=problem):
        open_genotypes(path, PLAN, words)
    (tmp_path / "x1_s3.sample").unlink()
    own.rename(tmp_path / "a.sample")
    (tmp_path / "x_s4.sample").rename(tmp_path / "b.sample")
    with pytest.raises(SourceError, match=r"has 3 \.sample beside it"):
        study_files(path, words)
    (tmp_path / "x.sample").write_text(SAMPLE)
    assert study_files(path, words) == (path, tmp_path / "x.sample", words)
    (tmp_path / "x.sample").unlink()
    write_bgen(path, [compressed(GOOD, 1)], 3)
    assert study_files(path, words) == (path, words)
    path.write_bytes(b"no BGEN")
    assert study_files(path, words) == (path, words)
    assert study_files(tmp_path / "none.bgen", words) == (tmp_path / "none.bgen", words)


def test_a_sample_of_any_stem_is_taken_where_it_is_given(tmp_path: Path) -> None:
    """Before the one beside it: by questions, by a session, and by whoever registers or validates a dataset."""
    path, words, given = study(tmp_path, SAMPLE.replace("p1", "p9")), tmp_path / "x.txt", tmp_path / "all" / "b.sample"
    given.parent.mkdir()
    given.write_text(SAMPLE)
    genotypes = open_genotypes(path, PLAN, words, sample=given)
    assert (genotypes.people.names(), genotypes.files) == (["f p0", "f p1", "g p0"], (path, given, words))
    PLAN.save(tmp_path / "plan.toml")
    delivery = deliver(str(tmp_path / "plan.toml"), {"genotypes": path, "phenotype": words, "sample": given})
    assert tuple(delivery.source.files()) == (path, given, words)
    opened = Study.open(PLAN, path, words, sample=given, folder=tmp_path / "answers", payment=UNVALIDATED)
    assert ("people", f"{given} (confidential, not read)") in opened._facts()
    given.write_text(SAMPLE + "g p7 0 1 0\n")
    with pytest.raises(SourceError, match=r"b\.sample: people does not name as many people as the genotypes have"):
        opened.ask(Scan(Fraction(2)))


def test_a_sample_that_no_bgen_asks_for_is_refused(tmp_path: Path) -> None:
    path, words = study(tmp_path), tmp_path / "x.txt"
    with pytest.raises(SourceError, match=r"b\.sample: people cannot be opened"):
        open_genotypes(path, PLAN, words, sample=tmp_path / "b.sample")
    with pytest.raises(SourceError, match=r"x\.txt: sample is not the \.sample of a BGEN; give a file that ends in"):
        open_genotypes(path, PLAN, words, sample=words)
    with pytest.raises(SourceError, match=r"x\.sample: sample is given, and the genotypes are no BGEN; give a file"):
        open_genotypes(tmp_path / "x.vcf", PLAN, words, sample=tmp_path / "x.sample")
    write_bgen(path, [compressed(GOOD, 1)], 3)
    with pytest.raises(
        SourceError, match=r"x\.sample: sample is given, and x\.bgen names its people itself; leave it out"
    ):
        open_genotypes(path, PLAN, words, sample=tmp_path / "x.sample")


@pytest.mark.slow
def test_an_answer_says_which_sample_it_took(tmp_path: Path) -> None:
    path, words, given = study(tmp_path, None), tmp_path / "x.txt", tmp_path / "all" / "b.sample"
    given.parent.mkdir()
    given.write_text(SAMPLE)
    paid: Any = {"phenotype": words, "payment": UNVALIDATED}
    with pytest.raises(SourceError, match="does not name its people"):
        release(PLAN, Scan(Fraction(1)), path, tmp_path / "out", **paid)
    answered = release(PLAN, Scan(Fraction(1)), path, tmp_path / "out", sample=given, **paid)
    assert f"sample={str(given)!r}" in answered.code
