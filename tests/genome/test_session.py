"""A study in a session: a short way to a plan, frames or files, answers that are opened at once, pictures, and an invented study."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from starling import genome
from starling.errors import OutputError, ParameterError, PlanError
from starling.verification import Outcome
from tests.genome.studies import MISSING, a_study, plan_of, write_bed

STUDY = a_study()
QUESTION = genome.NumSig("g", 2, Fraction(1))


def rows() -> list[tuple[str, str, int, str, str]]:
    sites = zip(STUDY.ids, STUDY.places, STUDY.alleles, strict=True)
    return [(name, chromosome, at, carried, other) for name, (chromosome, at), (carried, other) in sites]


def test_a_question_is_previewed_released_and_verified(tmp_path: Path) -> None:
    prefix = write_bed(STUDY, tmp_path / "study")
    plan_of(STUDY, tmp_path)
    plan = genome.Plan.load(next(tmp_path.glob("*.toml")))
    assert plan.preview(QUESTION) is not None
    assert plan.validate(prefix).read
    release = plan.release(prefix, QUESTION)
    assert release.question == QUESTION
    assert release.verify().outcome is Outcome.CONSISTENT


def test_a_short_plan_is_that_of_a_file(tmp_path: Path) -> None:
    loaded = plan_of(STUDY, tmp_path)
    listed = next(tmp_path.glob("*.bim"))
    frame = pd.DataFrame(rows(), columns=["id", "chromosome", "position", "carried", "other"])
    for snps in (listed, str(listed), rows(), frame, frame.astype({"chromosome": int})):
        made = genome.plan(
            snps, STUDY.people, model=loaded.model, tests=loaded.tests, alpha=loaded.alpha, title=loaded.title
        )
        assert made.digest == loaded.digest
        made.save(tmp_path / f"{len([*tmp_path.iterdir()])}.toml")
    saved = sorted(tmp_path.glob("[0-9]*.toml"))
    assert len(saved) == 5
    assert {genome.Plan.load(each).digest for each in saved} == {loaded.digest}
    regions = genome.plan(rows(), STUDY.people, regions={"start": ("1", 1, 2000)}).regions
    assert [(each.name, each.chromosome, each.low, each.high) for each in regions] == [("start", "1", 1, 2000)]
    with pytest.raises(PlanError, match="people"):
        genome.plan(rows(), 1)
    with pytest.raises(PlanError, match="model"):
        genome.plan(rows(), 100, model="none")  # type: ignore[arg-type] # no model


def test_frames_are_released_and_validated(tmp_path: Path) -> None:
    plan = genome.plan(rows(), STUDY.people)
    names = [f"p{row}" for row in range(STUDY.people)]
    frame = pd.DataFrame(np.where(STUDY.copies == MISSING, np.nan, STUDY.copies).T, columns=STUDY.ids, index=names)
    ill = pd.DataFrame({"IID": names, "ill": STUDY.phenotypes})
    seen, from_files = plan.validate(frame, phenotype=ill), plan.validate(write_bed(STUDY, tmp_path / "study"))
    assert seen.read == from_files.read
    release = plan.release(
        frame, genome.SnpPval(snp="rs1", test="g", epsilon=Fraction(20)), tmp_path / "out", phenotype=ill
    )
    assert release.verify().outcome is Outcome.CONSISTENT
    with pytest.raises(OutputError, match="exists"):
        plan.release(frame, QUESTION, tmp_path / "out", phenotype=ill)
    plots = release.plot()
    assert {*plots.pictures} >= {"manhattan"}
    assert "manhattan: " in repr(plots)
    assert plots._repr_html_().count("<svg") == len(plots.pictures)
    page, *pictures = plots.save(tmp_path / "pictures")
    assert [path.name for path in (page, *pictures)] == ["index.html", *(f"{name}.svg" for name in plots.pictures)]
    assert all(path.read_text().startswith("<svg") for path in pictures)
    with pytest.raises(ParameterError, match="is not manhattan or qq or ld or effects or scan or scan-qq"):
        release.plot("map")
    with pytest.raises(ParameterError, match="hold nothing"):
        plan.release(frame, QUESTION, phenotype=ill).plot()


def test_a_study_is_invented_for_a_plan(tmp_path: Path) -> None:
    plan = genome.plan(rows(), 40, phenotype="T2D", case="ill")
    files = plan.generate(tmp_path / "one", cases=7, seed=3)
    assert plan.validate(files.records, phenotype=files.files["phenotype"]).values["cases"] == 7
    again = plan.generate(tmp_path / "two", cases=7, seed=3)
    assert all(
        (tmp_path / "two" / each.name).read_bytes() == each.read_bytes() for each in (tmp_path / "one").iterdir()
    )
    assert again.files.keys() == files.files.keys()
    assert (
        plan.generate(tmp_path / "three", seed=4).records.with_suffix(".bed").read_bytes()
        != Path(f"{files.records}.bed").read_bytes()
    )
    for wrong in ({"cases": 0}, {"cases": 40}, {"seed": -1}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            plan.generate(tmp_path / "four", **wrong)
    with pytest.raises(OutputError, match="exists"):
        plan.generate(tmp_path / "one")
