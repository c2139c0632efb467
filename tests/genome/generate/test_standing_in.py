"""A study that stands in for that of a plan: the plan is the same but for its title, and answers are not all nothing."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from starling.errors import ParameterError, PlanError
from starling.genome import NumSig, Plan, Scan, release
from starling.genome.domain import GENOME
from starling.genome.generate import standing_in
from starling.genome.measurements import Number
from starling.release.domain import Delivery
from starling.release.payment import PaymentOptions
from tests.genome.plan.test_model_values import VALUES, changed


def stood_in(plan: Plan, folder: Path) -> tuple[Plan, Delivery]:
    """The plan and the delivery of an invented study, in which there is nothing wrong."""
    assert GENOME.delivering is not None
    assert GENOME.delivering.invent is not None
    theirs = folder / "theirs"
    theirs.mkdir()
    plan.save(theirs / "plan.toml")
    (folder / "invented").mkdir()
    made = GENOME.delivering.invent(str(theirs / "plan.toml"), {}, folder / "invented")
    for path in theirs.iterdir():
        path.unlink()
    again = Plan.load(made.plan)
    assert (again.title, again.digest) == (f"Invented: {plan.title}", plan.digest)
    delivery = GENOME.delivering.open(made.plan, made.files)
    found = delivery.validate(10)
    assert (found.problems.total, found.problems.decisive) == (0, ())
    assert found.values == {"people": plan.people, "cases": plan.people // 2, "missing_calls": 0.0}
    return again, delivery


@pytest.mark.parametrize(
    "study",
    [
        {"people": 200},
        {"people": 201, "case": "1"},
        {"people": 63, "case": "ill", "phenotype": "T2D"},
        {"people": 64, "phenotype": "T2D", "ids": "public", "build": "GRCh38"},
    ],
)
def test_a_study_of_any_plan_is_one_that_the_plan_reads(tmp_path: Path, study: dict[str, Any]) -> None:
    stood_in(Plan.of(changed(study=study)), tmp_path)


def test_chromosomes_that_are_no_numbers_are_written_as_they_are_read(tmp_path: Path) -> None:
    rows = [
        (f"{place}-{at}", place, at, "AT", "A") for place in ("22", "X", "Y", "XY", "MT", "HLA*1") for at in range(1, 4)
    ]
    stood_in(Plan.of({**VALUES, "snps": Plan.snp_list(rows)}), tmp_path)


def test_of_many_snps_a_few_are_significant_and_nobody_is_kin(tmp_path: Path) -> None:
    rows = [(f"rs{at}", str(1 + at // 500), 1 + 200_000 * (at % 500), "A", "G") for at in range(2000)]
    plan, delivery = stood_in(Plan.of({**changed(study={"people": 600}), "snps": Plan.snp_list(rows)}), tmp_path)
    assert delivery.validate(10).notes.total == 0
    payment = PaymentOptions(unvalidated=True)
    answer = release(
        plan,
        NumSig("g", k=20, epsilon=Fraction(50)),
        tmp_path / "invented" / "study",
        tmp_path / "out",
        payment=payment,
    )
    assert isinstance(answer.answer, Number)
    # Four are causal, and the SNPs of their blocks follow.
    assert 1 <= answer.answer.low <= answer.answer.high <= 16
    note = json.loads((tmp_path / "invented" / "GENERATED.json").read_text())
    assert note["notice"].startswith("Invented data.")
    assert (note["people"], note["cases"], note["snps"], len(note["causal"])) == (600, 300, 2000, 4)
    assert {each["snp"] for each in note["causal"]} <= set(plan.snps.ids)


def test_a_study_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing_in, "MOST_BYTES", 149)
    with pytest.raises(ParameterError, match="150 bytes of calls"):
        stood_in(Plan.of(VALUES), tmp_path)
    assert not list((tmp_path / "invented").iterdir())
    monkeypatch.setattr(standing_in, "MOST_BYTES", 150)
    (tmp_path / "again").mkdir()
    stood_in(Plan.of(VALUES), tmp_path / "again")


def test_a_plan_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError):
        standing_in.stand_in(str(tmp_path / "plan.toml"), tmp_path)


@pytest.mark.slow
def test_components_find_the_populations_of_a_study_of_phenotypes(tmp_path: Path) -> None:
    """Without them many SNPs seem to have an effect. Public seeds, and an epsilon that turns no coin, leave nothing to chance."""
    rows = [(f"rs{at}", str(1 + at // 150), 1 + 200_000 * (at % 150), "A", "G") for at in range(3000)]
    values = changed(
        study={"people": 1200},
        privacy={"unit": "phenotype"},
        analysis={"model": "additive", "tests": ["score"], "components": 2},
    )
    plan, _ = stood_in(Plan.of({**values, "snps": Plan.snp_list(rows)}), tmp_path)
    note = json.loads((tmp_path / "invented" / "GENERATED.json").read_text())
    assert note["populations"] == 3
    scans: dict[int, Any] = {}
    for components in (0, 2):
        out, adjusted = tmp_path / f"out-{components}", replace(plan, components=components)
        scans[components] = adjusted.release(tmp_path / "invented" / "study", Scan(Fraction(50)), out).answer
    assert scans[0].inflation > 1.3
    assert 0.8 < scans[2].inflation < 1.2
    assert scans[2].significant


def test_causal_snps_are_named_by_the_plans_list(tmp_path: Path) -> None:
    rows = [(f"rs{at}", "1", 100 * at, "A", "G") for at in range(1, 40)]
    plan = Plan.of({**changed(study={"people": 60}), "snps": Plan.snp_list(rows)})
    made = standing_in.invent(plan, tmp_path / "made", cases=None, seed=1, causal={"rs7": 4.0, "rs3": 0.5})
    causal = json.loads(made.note.read_text())["causal"]
    assert causal == [{"snp": "rs3", "odds_ratio": 0.5}, {"snp": "rs7", "odds_ratio": 4.0}]
    wrong: list[tuple[dict[str, float], str]] = [
        ({"rs40": 2.0}, "causal rs40 is not in the SNP list of the plan"),
        ({"rs7": 101.0}, "causal has an odds ratio not from 0.01 to 100"),
    ]
    for named, words in wrong:
        with pytest.raises(ParameterError, match=words):
            standing_in.invent(plan, tmp_path / "none", cases=None, seed=1, causal=named)
    assert not (tmp_path / "none").exists()
