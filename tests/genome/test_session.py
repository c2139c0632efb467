"""A study in a session: one plan, and answers that are opened at once."""

from fractions import Fraction
from pathlib import Path

from starling import genome
from starling.verification import Outcome
from tests.genome.studies import a_study, plan_of, write_bed


def test_a_question_is_previewed_released_and_verified(tmp_path: Path) -> None:
    study = a_study()
    prefix = write_bed(study, tmp_path / "study")
    plan_of(study, tmp_path)
    plan = genome.Plan.load(next(tmp_path.glob("*.toml")))
    question = genome.NumSig("g", 2, Fraction(1))
    assert plan.preview(question) is not None
    assert plan.validate(prefix).read
    release = plan.release(prefix, question)
    assert release.question == question
    assert release.verify().outcome is Outcome.CONSISTENT
