"""A study at a server is asked as one here: every question is charged once, answered by the worker, and verified where it arrives."""

from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from starling.client.studies import Study, question_json
from starling.errors import BudgetRefused, IntegrityError, ParameterError, PolicyRefused
from starling.genome.analysis import GenomeRelease
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, Question, SnpCorr, SnpPval
from starling.ledger.opening import open_ledger
from starling.verification import Outcome, verify
from tests.client.conftest import DEADLINE, Site

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

HALF = Fraction(1, 2)
ASKED: dict[str, tuple[dict[str, Any], Question]] = {
    "num_sig": ({"k": 3}, NumSig("g", 3, HALF)),
    "loc_sig": ({"k": 2}, LocSig("g", 2, HALF)),
    "loc_block": ({"snps": "s3"}, LocBlock("r2", Fraction(1, 5), ("s3",), HALF)),
    "snp_pval": ({"snp": "s3"}, SnpPval("s3", "g", HALF)),
    "snp_corr": ({"first": "s3", "second": "s4"}, SnpCorr("s3", "s4", "r2", HALF)),
    "explore": ({"most": 2}, Explore("g", "r2", Fraction(1, 5), HALF, most=2)),
}


@pytest.mark.slow
def test_every_question_is_asked_paid_once_and_answered_as_in_the_library(study_site: Site, tmp_path: Path) -> None:
    with study_site.client() as client:
        study = client.study("data", tmp_path / "answers")
        assert isinstance(study, Study)
        assert study.plan.title in repr(study)
        for name, (choices, question) in ASKED.items():
            answered = getattr(study, name)(**choices, epsilon="0.5", request_id=name)
            assert isinstance(answered, GenomeRelease)
            assert (answered.question, answered.request_id) == (question, name)
            assert answered.answer is not None
        assert client.budget("data").left["analyst"] == "0"
        asked = {"kind": "num_sig", "k": 3, "epsilon": "0.5"}
        looks: list[int] = []
        one = client.ask("data", asked, tmp_path / "one.zip", on_progress=lambda progress: looks.append(progress.wait))
        assert isinstance(one, GenomeRelease)
        assert (one.request_id, one.question, looks) == ("num_sig", ASKED["num_sig"][1], [])
        assert study.ask(ASKED["num_sig"][1]).request_id == "num_sig", "asked again it is the same, at no cost"
        with pytest.raises(BudgetRefused):
            study.num_sig(epsilon="0.1")
    assert study_site.charges() == len(ASKED)
    assert sum(study_site.slept) >= DEADLINE
    ledger = study_site.home.settings.ledger
    for path in (tmp_path / "answers").iterdir():
        found = verify(path, ledger=ledger, key=study_site.home.key.public)
        assert found.outcome is Outcome.VERIFIED, str(found)


def test_answers_stay_where_they_were_wanted_when_the_working_folder_changes(
    study_site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    here.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(here)
    with study_site.client() as client:
        study = client.study("data", "answers")
        asked = question_json(ASKED["num_sig"][1])
        one = client.ask("data", asked, "one.zip", on_progress=lambda _: monkeypatch.chdir(elsewhere))
        assert Path.cwd() == elsewhere
        assert study.ask(ASKED["num_sig"][1]).request_id == one.request_id
        monkeypatch.chdir(here)
        (number,) = (path.stem.rpartition("-")[2] for path in (here / "answers").iterdir())
        path = client.fetch(int(number), "fetched.zip")
        monkeypatch.chdir(elsewhere)
        assert path.read_bytes() == (here / "one.zip").read_bytes()
    assert not [*elsewhere.iterdir()]


def test_a_preview_is_free_and_the_same_here_and_there(study_site: Site, tmp_path: Path) -> None:
    with study_site.client() as client:
        study, question = client.study("data", tmp_path / "answers"), NumSig("g", 3, HALF)
        seen = client.preview("data", question_json(question))
        assert (seen.measure, seen.amount, seen.more, seen.ask_first) == ("epsilon", "0.5", 6, False)
        said = client.preview("data", {"kind": "num_sig", "k": 3, "epsilon": "0.5"})
        assert replace(said, question=seen.question) == seen, (
            "what has a default may be left out, and amounts may be decimals"
        )
        rows = [row for section in seen.sections for table in section["tables"] for row in table["rows"]]
        here = repr(study.preview(question))
        assert rows
        assert all(cell in here for row in rows[:3] for cell in row)
        (dataset,) = client.datasets()
        assert (dataset.cost, dataset.domain) == (None, "genome")
        assert dataset.questions is not None
        assert (client.budget("data").amount, client.budget("data").more) == (None, None)
    assert study_site.charges() == 0


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"kind": "num_sig", "k": 3}, "question.epsilon"),
    ({"kind": "num_sig", "epsilon": 0.5}, "question.epsilon"),
    ({"kind": "num_sig", "epsilon": "-1"}, "epsilon"),
    ({"kind": "loc_sig", "epsilon": "1", "k": 99}, "k"),
    ({"kind": "snp_pval", "epsilon": "1", "snp": "rs7"}, "snp"),
    ({"kind": "snp_pval", "epsilon": "1", "snp": ["s1"]}, "question.snp"),
    ({"kind": "num_sig", "epsilon": "1", "plan": "/etc/passwd"}, "question.plan"),
    ({"kind": "all"}, "question.kind"),
    ({}, "question.kind"),
]


def test_what_is_no_question_is_refused_before_anything_is_charged(study_site: Site, tmp_path: Path) -> None:
    with study_site.client() as client:
        for said, field in WRONG:
            for ask in (client.preview, lambda name, question: client.charge(name, question=question)):
                with pytest.raises(ParameterError) as caught:
                    ask("data", said)
                assert caught.value.problems[0].field == field
        with pytest.raises(ParameterError, match="question is missing"):
            client.release("data", tmp_path / "data.zip")
        with pytest.raises(ParameterError, match="question is missing"):
            client.preview("data")
    assert study_site.charges() == 0


def test_a_plan_alone_is_asked_nothing(site: Site, tmp_path: Path) -> None:
    with site.client() as client:
        with pytest.raises(ParameterError, match="is not asked here"):
            client.charge("data", question={"kind": "num_sig"})
        with pytest.raises(ParameterError, match="is not asked here"):
            client.study("data", tmp_path / "answers")
        seen = client.preview("data")
        assert (seen.title, seen.amount, seen.more) == ("Households by size", "1", 1)
        assert seen.sections[0]["title"] == "Expected error"


@pytest.mark.slow
def test_a_question_is_approved_like_a_release(study_site: Site, tmp_path: Path) -> None:
    question = NumSig("g", 3, HALF)
    with closing(open_ledger(study_site.home.settings.ledger)) as ledger, study_site.client() as client:
        ledger.custody.set_terms("data", ask_first=True)
        study = client.study("data", tmp_path / "answers")
        with pytest.raises(PolicyRefused, match="no approval"):
            study.ask(question)
        asked = client.request("data", "For a paper", question=question_json(question))
        assert (asked.cost, "number of significant SNPs" in asked.title) == ("epsilon 0.5", True)
        found = study_site.home.requests.find(asked.number)
        ledger.custody.approve(found.request, found.guarantee, days=1)
        with pytest.raises(PolicyRefused, match="no approval"):
            study.num_sig(k=3, epsilon=1)
        assert study.ask(question).question == question
        ledger.reading.verify()


def test_an_answer_to_another_question_is_refused(study_site: Site, tmp_path: Path) -> None:
    """Whatever a server says: what is opened is what was asked."""
    with study_site.client() as client:
        study = client.study("data", tmp_path / "answers")
        first = client.charge("data", question=question_json(NumSig("g", 3, HALF)))
        client.charge = lambda *_, **__: first  # type: ignore[method-assign]
        with pytest.raises(IntegrityError, match="another question"):
            study.num_sig(k=2, epsilon="0.5")


def test_attack_a25_a_preview_needs_no_records(study_site: Site, tmp_path: Path) -> None:
    """Whatever the records are, and where there are none, a preview is the same."""
    asked = question_json(NumSig("g", 3, HALF))
    with study_site.client() as client:
        before = client.preview("data", asked)
        records = sorted((tmp_path / "study").glob("study.*"))
        assert records
        for path in records:
            path.write_bytes(b"other records")
        assert client.preview("data", asked) == before
        for path in records:
            path.unlink()
        assert client.preview("data", asked) == before
