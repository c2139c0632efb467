"""Answers that protect phenotypes alone: what is found, what every one of them says first, and who may pay for it."""

from html import unescape
from pathlib import Path

import pytest

import starling
from starling.errors import PolicyRefused
from starling.genome.measurements import Number, SelectedSnps
from starling.genome.plan import LocSig, NumSig
from starling.genome.plan.choices import UNPROTECTED
from starling.genome.publish import release
from starling.ledger.opening import create_ledger
from starling.privacy.neighbours import REPLACE_PHENOTYPE
from starling.release.payment import PaymentOptions
from tests.genome.studies import plan_of
from tests.genome.worlds import HUGE, a_study, a_world


def test_answers_are_right_and_say_first_what_is_not_protected(tmp_path: Path) -> None:
    world = a_world(tmp_path / "world")
    plan = plan_of(a_study(), tmp_path, "additive", "score")
    with pytest.raises(PolicyRefused, match="of protection is the phenotype, of this population it is the person"):
        release(
            plan,
            NumSig("score", 8, HUGE),
            world.prefix,
            tmp_path / "no",
            payment=PaymentOptions(world.url, "t2d", "eve", unvalidated=True),
        )
    url = f"sqlite:///{tmp_path / 'phenotypes.sqlite'}"
    ledger = create_ledger(url)
    ledger.custody.add_population("diabetes", "epsilon", REPLACE_PHENOTYPE, HUGE * 8)
    ledger.custody.add_dataset("t2d", "diabetes", {})
    ledger.custody.grant("diabetes", "eve", HUGE * 8)
    payment = PaymentOptions(url, "t2d", "eve", unvalidated=True)
    number = release(plan, NumSig("score", 8, HUGE), world.prefix, tmp_path / "number", payment=payment)
    assert number.answer == Number(3, 3)
    snps = release(plan, LocSig("score", 3, HUGE), world.prefix, tmp_path / "snps", payment=payment)
    assert isinstance(snps.answer, SelectedSnps)
    assert set(snps.answer.snps) == {"rs1", "rs2", "rs3"}
    paid = LocSig("score", 2, HUGE, prevalence_epsilon=HUGE / 2)
    rare = release(plan, paid, world.prefix, tmp_path / "rare", payment=payment)
    assert isinstance(rare.answer, SelectedSnps)
    assert rare.answer.cases == 100
    page = unescape((rare.folder / "report.html").read_text())
    assert "About 100 people are cases (off by 0 at most with a chance of 95 %); the threshold follows" in page
    assert "number of cases, or sum of squares: discrete Laplace noise, sensitivity 1 phenotype" in page
    assert starling.open_release(rare.folder).to_pandas("cases")["CASES"].tolist() == [100]
    for done in (number, snps, rare):
        page = unescape((done.folder / "report.html").read_text())
        assert f"{UNPROTECTED}</h1>" in page
        assert f"{UNPROTECTED}: each person's phenotype alone is." in page
        assert "sensitivity 1 phenotype" in page
        starling.verify(done.folder, ledger=url).refuse()
    assert len(ledger.reading.account("diabetes").charges) == 3
