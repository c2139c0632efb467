"""A charged question is answered from what was kept of it, which is believed only as far as the ledger's hash goes."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from starling.errors import BudgetRefused, IntegrityError, PolicyRefused
from starling.genome.analysis import GenomeRelease
from starling.genome.asking import QuestionPlan
from starling.genome.plan import Plan
from starling.ledger.opening import Ledger
from starling.server.charges import Charges
from starling.server.datasets import Catalogue, Dataset
from starling.server.home import Home
from starling.verification import Outcome, open_release, verify
from starling.worker.findings import Inspections
from starling.worker.sources import Registered, Sources
from tests.worker.studies import carry_out, write_study

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

ASKED: dict[str, Any] = {"kind": "num_sig", "k": 2, "epsilon": "0.5"}


@pytest.fixture
def study(tmp_path: Path) -> Registered:
    return write_study(tmp_path)


@pytest.fixture
def home(served: Home, custodian: Ledger, study: Registered) -> Home:
    """With the study registered as `data`, on which ada may spend an epsilon of 1."""
    relation = Sources(served).register("data", study, deadline=8).relation
    custodian.custody.add_population("people", "epsilon", relation, 5)
    custodian.custody.add_dataset("data", "people", {}, 3)
    custodian.custody.grant("people", "ada", 1)
    custodian.custody.delegate("data", served.key.public, days=1)
    custodian.custody.accept("data", Inspections(served).token(Sources(served).open("data")))
    return served


def understood(home: Home, study: Registered, **changes: Any) -> Dataset:
    """What the server makes of the question, by processes of their own."""
    publication = QuestionPlan(Plan.load(study.plan)).ask({**ASKED, **changes})
    described = Catalogue(home.folder / "datasets").study("data")
    return described.question(publication.title, publication.request, publication.guarantee)


def test_a_question_is_answered_once(home: Home, study: Registered) -> None:
    with closing(Charges(home)) as charges:
        seq = charges.charge("ada", understood(home, study), "first", ASKED)
        assert charges.charge("ada", understood(home, study), "again", ASKED) == seq
    carry_out(home)
    carry_out(home)
    bundle = home.releases / f"{seq}.zip"
    assert verify(bundle, ledger=home.settings.ledger, key=home.key.public).outcome is Outcome.VERIFIED
    opened = open_release(bundle)
    assert isinstance(opened, GenomeRelease)
    assert opened.question == QuestionPlan(opened.plan).ask(ASKED).question


def test_a_question_that_was_changed_or_lost_is_not_answered(home: Home, study: Registered) -> None:
    """Nothing is drawn for it; once it is restored the same charge is answered."""
    with closing(Charges(home)) as charges:
        seq = charges.charge("ada", understood(home, study), "first", ASKED)
    (kept,) = (home.folder / "questions").iterdir()
    text = kept.read_text()
    kept.write_text(text.replace('"k": 2', '"k": 3'))
    with pytest.raises(PolicyRefused, match="another release than the registered one"):
        carry_out(home)
    kept.unlink()
    with pytest.raises(IntegrityError, match="not there as it was asked"):
        carry_out(home)
    assert not list(home.releases.iterdir())
    kept.write_text(text)
    carry_out(home)
    assert (home.releases / f"{seq}.zip").exists()


def test_nothing_is_kept_of_what_is_refused(home: Home, study: Registered, custodian: Ledger) -> None:
    with closing(Charges(home)) as charges:
        dear = {"epsilon": "2"}
        with pytest.raises(BudgetRefused):
            charges.charge("ada", understood(home, study, **dear), "first", {**ASKED, **dear})
        custodian.custody.set_terms("data", ask_first=True)
        with pytest.raises(PolicyRefused, match="no approval of the custodian"):
            charges.charge("ada", understood(home, study), "second", ASKED)
    assert not list((home.folder / "questions").iterdir())


def test_another_plan_is_not_asked_in_its_place(home: Home, study: Registered) -> None:
    plan = Path(study.plan)
    text = plan.read_text()
    plan.write_text(text.replace("model = ", 'alpha = "0.01"\nmodel = ', 1))
    assert plan.read_text() != text
    with pytest.raises(PolicyRefused, match="were changed since they were registered"):
        Sources(home).open("data")
