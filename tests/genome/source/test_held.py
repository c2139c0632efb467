"""A study in data frames is read as the same study in files: every kind of frame, every code, any names and words of people."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import SourceError
from starling.genome.counts.study import count_study
from starling.genome.plan import Plan
from starling.genome.source import open_genotypes, read_dosages
from starling.genome.source.dosages import NO_DOSAGE, STEP
from starling.genome.source.held import PERSON, _person, _word, _write_columns, as_files
from starling.privacy.trust import inspect
from tests.genome.studies import MISSING, Study, a_study, plan_of, write_bed

STUDY = a_study(snps=9, people=14, seed=3)


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return plan_of(STUDY, tmp_path_factory.mktemp("plan"))


def frame(study: Study) -> pd.DataFrame:
    """Copies of the first allele, which the plan carries."""
    copies = np.where(study.copies == MISSING, np.nan, study.copies).T
    return pd.DataFrame(copies, columns=study.ids, index=[f"p{row}" for row in range(study.people)])


def phenotypes(study: Study) -> pd.DataFrame:
    """In another order than the genotypes, with a line of somebody else."""
    made = pd.DataFrame({PERSON: [f"p{row}" for row in range(study.people)], "ill": [*map(int, study.phenotypes)]})
    return pd.concat([made[::-1], pd.DataFrame({PERSON: ["other"], "ill": [2]})])


def read(plan: Plan, genotypes: Any, phenotype: Any = None) -> list[list[int]]:
    """The table of each SNP, as a query reads it."""
    with as_files(plan, genotypes, phenotype) as files:
        counts = inspect(count_study(plan, open_genotypes(files[0], plan, files[1]))).value
        return cast("list[list[int]]", counts.tables().tolist())


FORMS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "index": lambda each: each,
    "column": lambda each: each.rename_axis(PERSON).reset_index()[::-1][::-1],
    "integers": lambda each: each.fillna(-1).astype("int8"),
    "nullable": lambda each: each.astype("Int8"),
    "arrow": lambda each: pa.Table.from_pandas(each.rename_axis(PERSON).reset_index(), preserve_index=False),
    "polars": lambda each: pl.from_pandas(each.rename_axis(PERSON).reset_index()),
    "arrays": lambda each: {PERSON: each.index.to_numpy(), **{name: each[name].to_numpy() for name in each.columns}},
    "more SNPs, in another order": lambda each: each[each.columns[::-1]].assign(rs0="no number"),
    "half a call is none": lambda each: each.fillna(0.5),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_frame_is_the_study_of_the_files(plan: Plan, tmp_path: Path, form: str) -> None:
    expected = read(plan, write_bed(STUDY, tmp_path / "study"))
    assert read(plan, FORMS[form](frame(STUDY)), phenotypes(STUDY)) == expected
    assert read(plan, FORMS[form](frame(STUDY)), pa.Table.from_pandas(phenotypes(STUDY))) == expected


def test_phenotypes_alone_may_be_a_frame(plan: Plan, tmp_path: Path) -> None:
    files = write_bed(STUDY, tmp_path / "study")
    assert read(plan, files, phenotypes(STUDY)) == read(plan, files)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda each: each.drop(columns="rs3"), "rs3 of the plan's list has no column"),
        (lambda each: each.astype({"rs3": str}), "rs3 is a column of large_string"),
        (lambda each: each[:-1], "does not name 14 people"),
        (lambda _: 7, "records of type int names no columns"),
        (lambda _: [1], "records of type list names no columns"),
    ],
)
def test_what_is_refused_is_public(plan: Plan, change: Callable[[pd.DataFrame], Any], problem: str) -> None:
    with pytest.raises(SourceError, match=problem):
        read(plan, change(frame(STUDY)), phenotypes(STUDY))


def test_people_are_named_by_all_frames_or_by_none(plan: Plan) -> None:
    words, named = phenotypes(STUDY)[:-1][::-1], frame(STUDY)
    by_place = words.reset_index(drop=True).drop(columns=PERSON)
    with pytest.raises(SourceError, match="phenotype is a frame without IID, and the genotypes name people"):
        read(plan, named, by_place)
    assert read(plan, named.reset_index(drop=True), by_place) == read(plan, named, words)


@pytest.mark.parametrize("case", ["1", "true", "True", "false", "2"])
def test_booleans_are_cases_by_the_words_of_the_plan(plan: Plan, case: str) -> None:
    words = phenotypes(STUDY)
    expected = read(plan, frame(STUDY), words)
    ill = words.assign(ill=(words["ill"] == 2) != (case == "false"))
    if case == "2":
        with pytest.raises(SourceError, match="phenotype is a column of booleans, and the word for a case is 2"):
            read(plan, frame(STUDY), ill)
    else:
        assert read(replace(plan, case=case), frame(STUDY), ill) == expected


def test_booleans_are_covariates_of_0_and_1(tmp_path: Path) -> None:
    _write_columns(pa.table({PERSON: ["a", "b"], "smokes": [True, None]}), ("1", "0"), tmp_path / "c.txt")
    assert (tmp_path / "c.txt").read_text() == "#IID\tsmokes\na\t1\nb\tNA\n"


def test_a_frame_of_genotypes_needs_phenotypes(plan: Plan) -> None:
    with pytest.raises(SourceError, match="phenotype is missing"):
        read(plan, frame(STUDY))


@pytest.mark.slow
@pytest.mark.examples(12)
@given(
    people=st.lists(st.text(), min_size=14, max_size=14),
    words=st.lists(st.text() | st.none(), min_size=14, max_size=14),
)
def test_no_name_and_no_word_stops_reading(plan: Plan, people: list[str], words: list[str | None]) -> None:
    given = pd.DataFrame({PERSON: people, "ill": words})
    found = read(plan, frame(STUDY).set_axis(people), given)
    cases = sum(words[people.index(name)] == "2" for name in people)
    assert {sum(table[:2]) for table in found} == {cases}


@pytest.mark.slow
@pytest.mark.examples(20)
@given(st.lists(st.text(), unique=True, min_size=2, max_size=9))
def test_different_people_stay_different(names: list[str]) -> None:
    fields = [_person(name) for name in names]
    assert len({*fields}) == len(names)
    assert all(field.split() == [field] for field in fields)


@given(st.text() | st.floats() | st.integers() | st.none() | st.booleans())
def test_a_word_is_one_field(value: object) -> None:
    assert len(_word(value).split()) == 1


def test_a_frame_of_dosages_is_read_as_it_is() -> None:
    listed = Plan.snp_list([("rs1", "1", 10, "A", "C"), ("rs2", "X", 20, "G", "T")])
    values: dict[str, Any] = {
        "title": "x",
        "privacy": {"unit": "phenotype", "neighbours": "replace-one"},
        "study": {"people": 4},
        "snps": listed,
        "analysis": {"model": "additive", "tests": ["score"], "genotypes": "dosages"},
    }
    columns = {"rs2": [0.25, 2.0, 2.5, -1.0], "rs1": [1.5, np.nan, 1e-7, 1.0]}
    people = ["a b", "p1", "p2", "p3"]
    with as_files(
        (plan := Plan.of(values)),
        pd.DataFrame(columns, index=people),
        pd.DataFrame({PERSON: people, "ill": [2, 1, 2, 1]}),
    ) as files:
        genotypes = open_genotypes(files[0], plan, files[1])
        (steps,) = read_dosages(genotypes, plan, lambda some: some.steps[np.argsort(some.snps)].tolist())
        assert genotypes.people.cases(4).tolist() == [True, False, True, False]
    assert steps == [[STEP * 3 // 2, NO_DOSAGE, 0, STEP], [STEP // 4, 2 * STEP, NO_DOSAGE, NO_DOSAGE]]
