"""A response that a server's worker has drawn is scanned again by another plan, for another analyst, at no cost."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from starling.errors import IntegrityError, PolicyRefused
from starling.genome.asking import QuestionPlan
from starling.genome.generate import generate
from starling.genome.plan import Plan
from starling.ledger.opening import Ledger
from starling.server.backup import back_up
from starling.server.charges import Charges
from starling.server.datasets import Catalogue, Dataset
from starling.server.home import Home
from starling.verification import Outcome, verify
from starling.worker.findings import Inspections
from starling.worker.sources import Registered, Sources, source_of
from tests.worker.studies import carry_out

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


@pytest.fixture
def studies(tmp_path: Path) -> dict[str, Registered]:
    """The same study by two plans, which a server knows as two datasets."""
    made = generate(people=60, snps=12, seed=1, out=tmp_path / "study", populations=2)
    assert made.plan is not None
    other = made.plan.with_name("dominant.toml")
    other.write_text(made.plan.read_text().replace("additive", "dominant"))
    plans = {"additive": made.plan, "dominant": other}
    return {name: source_of("genome", str(plan), {"genotypes": made.records}) for name, plan in plans.items()}


@pytest.fixture
def home(served: Home, custodian: Ledger, studies: dict[str, Registered]) -> Home:
    """With both, on which ada may spend an epsilon of 2, and bob nearly nothing."""
    for name, study in studies.items():
        relation = Sources(served).register(name, study, deadline=8).relation
        if name == "additive":
            custodian.custody.add_population("people", "epsilon", relation, 5)
        custodian.custody.add_dataset(name, "people", {}, 3)
        custodian.custody.delegate(name, served.key.public, days=1)
        custodian.custody.accept(name, Inspections(served).token(Sources(served).open(name)))
    custodian.custody.grant("people", "ada", 2)
    custodian.custody.grant("people", "bob", "0.001")
    return served


def understood(home: Home, studies: dict[str, Registered], name: str, question: dict[str, Any]) -> Dataset:
    """What the server makes of a question, by processes of their own."""
    publication = QuestionPlan(Plan.load(studies[name].plan)).ask(question)
    described = Catalogue(home.folder / "datasets").study(name)
    return described.question(publication.title, publication.request, publication.guarantee)


@pytest.mark.slow
def test_another_analyst_scans_it_by_another_plan(
    home: Home, studies: dict[str, Registered], custodian: Ledger, tmp_path: Path
) -> None:
    scan = {"kind": "scan", "epsilon": "2"}
    with closing(Charges(home)) as charges:
        first = charges.charge("ada", understood(home, studies, "additive", scan), "first", scan)
        again = {**scan, "response": first}
        dominant = understood(home, studies, "dominant", again)
        # Before it was drawn there is nothing to read.
        with pytest.raises(PolicyRefused, match="paid for none that was kept"):
            charges.charge("bob", dominant, "early", again)
        carry_out(home)
        second = charges.charge("bob", dominant, "second", again)
    (stored,) = (home.folder / "responses").iterdir()
    content = stored.read_bytes()
    stored.write_bytes(content[::-1])
    with pytest.raises(IntegrityError, match="is not here as it was drawn"):
        carry_out(home)
    stored.write_bytes(content)
    carry_out(home)
    for seq in (first, second):
        found = verify(home.releases / f"{seq}.zip", ledger=home.settings.ledger, key=home.key.public)
        assert found.outcome is Outcome.VERIFIED
    spent = {cap.name: cap.spent // 10**9 for cap in custodian.reading.account("people").caps}
    assert spent == {"people": 2, "additive": 2, "dominant": 0, "ada": 2, "bob": 0}
    custodian.reading.verify()
    back_up(home, tmp_path / "copy")
    assert (tmp_path / "copy" / "responses" / stored.name).read_bytes() == content
