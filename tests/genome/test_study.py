"""A session: a study is opened, asked, asked again, and its lines of code repeat what was answered."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import starling
from starling.errors import BudgetRefused, OutputError, ParameterError, PlanError, SourceError
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, SnpCorr, SnpPval
from starling.genome.study import Study
from starling.release.payment import PaymentOptions
from tests.genome.worlds import World, a_world

SAID = {
    "epsilon": "5/2",
    "correlation": "dprime",
    "delta_c": "0.7",
    "regions": ["1"],
    "longest": 3,
    "most": 2,
    "noise": "laplace",
    "independent": True,
    "selection": "exponential",
}
CALLS: dict[str, tuple[str, Any]] = {
    "num_sig": ("study.num_sig(epsilon=1)", NumSig("g", 1, Fraction(1))),
    "num_sig, all said": (
        "study.num_sig('g', epsilon='0.5', k=3, selection='exponential')",
        NumSig("g", 3, Fraction(1, 2), "exponential"),
    ),
    "loc_sig": ("study.loc_sig(epsilon=1)", LocSig("g", 1, Fraction(1))),
    "loc_sig, all said": (
        "study.loc_sig('g', epsilon='1/3', k=2, regions='1', excluding=[('rs1', 'rs2')])",
        LocSig("g", 2, Fraction(1, 3), ("1",), (("rs1", "rs2"),)),
    ),
    "loc_block": ("study.loc_block('rs2', epsilon=1)", LocBlock("r2", Fraction(1, 5), ("rs2",), Fraction(1))),
    "loc_block, all said": (
        "study.loc_block(['rs2', 'rs3'], epsilon=2, correlation='dprime', delta_c='0.9', regions='1', longest=4, excluding=OUT)",
        LocBlock("dprime", Fraction(9, 10), ("rs2", "rs3"), Fraction(2), ("1",), 4, (("rs4", "rs5"),)),
    ),
    "snp_pval": ("study.snp_pval('rs2', epsilon=1)", SnpPval("rs2", "g", Fraction(1))),
    "snp_pval, all said": (
        "study.snp_pval('rs2', 'g', epsilon=1, noise='laplace')",
        SnpPval("rs2", "g", Fraction(1), "laplace"),
    ),
    "snp_corr": ("study.snp_corr('rs1', 'rs2', epsilon=1)", SnpCorr("rs1", "rs2", "r2", Fraction(1))),
    "snp_corr, all said": (
        "study.snp_corr('rs1', 'rs2', epsilon=1, correlation='dprime', noise='laplace')",
        SnpCorr("rs1", "rs2", "dprime", Fraction(1), "laplace"),
    ),
    "explore": ("study.explore(epsilon=4)", Explore("g", "r2", Fraction(1, 5), Fraction(4))),
    "explore, all said": (
        "study.explore('g', **SAID)",
        Explore("g", "dprime", Fraction(7, 10), Fraction(5, 2), ("1",), 3, 2, "laplace", True, "exponential"),
    ),
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return a_world(tmp_path / "world")


def session(world: World, tmp_path: Path, **options: Any) -> Study:
    return Study.open(
        world.plan, world.prefix, folder=tmp_path / "answers", payment=PaymentOptions(**options, unvalidated=True)
    )


@pytest.mark.series(5)
@pytest.mark.parametrize("name", CALLS)
def test_each_question_is_asked_and_its_line_repeats_it(world: World, tmp_path: Path, name: str) -> None:
    call, question = CALLS[name]
    study = session(world, tmp_path, ledger=world.url, dataset="t2d", analyst="ann")
    first = eval(call, {"study": study, "SAID": SAID, "OUT": [("rs4", "rs5")]})  # what a session would do
    assert first.question == question
    assert first.receipt is not None
    assert first.folder.parent == tmp_path / "answers"
    # Another day, another process: the line is all that is known.
    study = session(world, tmp_path, ledger=world.ledger, dataset="t2d", analyst="ann")
    again = eval(first.code, {"study": study})
    assert (again.question, again.answer, again.error) == (question, first.answer, first.error)
    assert (again.receipt, again.request_id, world.charges) == (None, first.request_id, 1)
    opened = starling.open_release(first.folder)
    assert (opened.question, opened.answer) == (question, first.answer)  # type: ignore[attr-defined] # a GenomeRelease


def test_the_same_question_is_answered_once(world: World, tmp_path: Path) -> None:
    for options in ({"ledger": world.ledger, "dataset": "t2d", "analyst": "ann"}, {}):
        study = session(world, tmp_path / ("paid" if options else "own"), **options)
        first, again, other = (study.num_sig(epsilon=1), study.num_sig(epsilon="1.0"), study.num_sig(epsilon=2))
        assert (again.answer, again.receipt, again.folder) == (first.answer, None, first.folder)
        assert other.receipt is not None
        assert other.folder != first.folder
    assert world.charges == 2


def test_a_budget_that_is_spent_ends_the_session(world: World, tmp_path: Path) -> None:
    study = session(world, tmp_path, ledger=world.url, dataset="t2d", analyst="ann")
    study.snp_pval("rs1", epsilon=99)
    with pytest.raises(BudgetRefused, match="has 1 left of 100"):
        study.snp_pval("rs2", epsilon=2)
    assert len(list((tmp_path / "answers").iterdir())) == 1


def test_a_study_that_cannot_be_asked_is_not_opened(world: World, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is not the prefix"):
        Study.open(
            world.plan, tmp_path / "nothing", folder=tmp_path / "answers", payment=PaymentOptions(unvalidated=True)
        )
    with pytest.raises(PlanError):
        Study.open(
            tmp_path / "nothing.toml",
            world.prefix,
            folder=tmp_path / "answers",
            payment=PaymentOptions(unvalidated=True),
        )
    with pytest.raises(ParameterError, match="ledger"):
        Study.open(
            world.plan,
            world.prefix,
            folder=tmp_path / "answers",
            payment=PaymentOptions(ledger="sqlite:///nowhere.sqlite", unvalidated=True),
        )
    with pytest.raises(ParameterError, match="dataset is not a name"):
        session(world, tmp_path, ledger=world.url)
    assert not (tmp_path / "answers").exists()
    (tmp_path / "answers").write_text("")
    with pytest.raises(OutputError, match="cannot be made"):
        session(world, tmp_path)


def test_what_is_no_number_or_no_measure_is_refused(world: World, tmp_path: Path) -> None:
    study = session(world, tmp_path)
    with pytest.raises(ParameterError, match="is a float"):
        study.num_sig(epsilon=0.5)  # type: ignore[arg-type] # refused at run time too
    with pytest.raises(ParameterError, match="epsilon is not above 0"):
        study.num_sig(epsilon=0)
    with pytest.raises(ParameterError, match="measure of correlation"):
        study.snp_corr("rs1", "rs2", epsilon=1, correlation="r")  # type: ignore[arg-type] # likewise
    with pytest.raises(ParameterError, match="corr"):
        study.loc_block("rs1", epsilon=1, correlation="r")  # type: ignore[arg-type] # likewise
    assert list((tmp_path / "answers").iterdir()) == []


def test_a_preview_spends_and_reads_nothing(world: World, tmp_path: Path) -> None:
    study = session(world, tmp_path, ledger=world.ledger, dataset="t2d", analyst="ann")
    for path in world.prefix.parent.glob(f"{world.prefix.name}.*"):
        path.unlink()
    shown = {question: study.preview(question) for _, question in CALLS.values()}
    assert world.charges == 0
    assert not list((tmp_path / "answers").iterdir())
    for question, found in shown.items():
        assert "100 cases" in repr(found)
        assert f"ε = {float(question.epsilon):g}"[:6] in repr(found)
        assert "<script" not in found._repr_html_()
        assert "<table" in found._repr_html_()
    assert "20 cases" in repr(study.preview(NumSig("g", 1, Fraction(1)), cases=20))
    with pytest.raises(ParameterError, match="not among the plan's tests"):
        study.preview(NumSig("none", 1, Fraction(1)))
    with pytest.raises(ParameterError, match="cases"):
        study.preview(NumSig("g", 1, Fraction(1)), cases=1000)


def test_a_session_shows_itself(world: World, tmp_path: Path) -> None:
    study = Study.open(
        replace(world.plan, title="<b>T2D</b>"),
        world.prefix,
        folder=tmp_path / "answers",
        payment=PaymentOptions(ledger=world.ledger, dataset="t2d", analyst="ann", unvalidated=True),
    )
    assert "the ledger, for t2d, in the name of ann" in repr(study)
    assert "200 people, 8 SNPs" in repr(study)
    assert "&lt;b&gt;T2D" in study._repr_html_()
    assert "nothing limits what all of them cost" in repr(session(world, tmp_path))
    answer = study.num_sig(epsilon=1)
    assert answer.request_id in repr(answer)
    assert answer.request_id in answer._repr_html_()
    assert "&lt;b&gt;T2D" in answer._repr_html_()
    opened = starling.open_release(answer.folder)
    assert str(answer.folder) in str(opened)
    assert opened.signer.fingerprint in str(opened)
    assert "&lt;b&gt;T2D" in opened._repr_html_()
    for shown in (study, answer, opened, study.preview(answer.question)):
        assert dir(shown)
        assert not [name for name in dir(shown) if name.startswith("_")]
