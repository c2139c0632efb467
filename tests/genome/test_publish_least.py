"""Every question is answered at its least budget, in few steps, and refused below it before anything is charged."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from starling.errors import ParameterError
from starling.genome import preview
from starling.genome.plan import (
    Explore,
    ExploreEffects,
    LocBlock,
    LocSig,
    NumSig,
    Question,
    Scan,
    SnpCorr,
    SnpEffects,
    SnpPval,
)
from starling.genome.publish import release
from starling.privacy.least import LEAST_LATTICE_RATE, LEAST_SELECTION_RATE
from starling.release.payment import PaymentOptions
from tests.genome.worlds import World, a_world
from tests.stepping import at_most

PICK = 2 * LEAST_SELECTION_RATE
FIFTH = Fraction(1, 5)
QUESTIONS: dict[str, Question] = {
    "num_sig": NumSig("g", 2, PICK),
    "num_sig, exponential": NumSig("g", 8, PICK, "exponential"),
    "loc_sig": LocSig("g", 1, PICK),
    "loc_sig, 3": LocSig("g", 3, 3 * PICK),
    "loc_block": LocBlock("r2", FIFTH, ("rs1",), PICK),
    "loc_block, dprime": LocBlock("dprime", Fraction(4, 5), ("rs4",), PICK, longest=3),
    "snp_pval": SnpPval("rs1", "g", LEAST_LATTICE_RATE),
    "snp_pval, laplace": SnpPval("rs1", "g", LEAST_LATTICE_RATE, "laplace"),
    "snp_corr": SnpCorr("rs1", "rs2", "r2", LEAST_LATTICE_RATE),
    "snp_corr, laplace": SnpCorr("rs1", "rs2", "dprime", LEAST_LATTICE_RATE, "laplace"),
    "explore": Explore("g", "r2", FIFTH, 4 * 10 * LEAST_LATTICE_RATE),
    "explore, laplace": Explore(
        "g", "r2", FIFTH, 4 * 2 * LEAST_LATTICE_RATE, most=2, noise="laplace", independent=True
    ),
}
"""By their names, each at its least."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return a_world(tmp_path_factory.mktemp("least"))


def answered(world: World, question: Question, out: Path) -> None:
    payment = PaymentOptions(world.ledger, "t2d", "ann", unvalidated=True)
    release(world.plan, question, world.prefix, out, payment=payment)


def test_every_kind_of_question_is_looked_at() -> None:
    """Questions of other plans have theirs in test_publish_scan.py, plan/test_effects.py and plan/test_exploring_effects.py."""
    known = set(Question.__args__) - {Scan, SnpEffects, ExploreEffects}
    assert {type(question) for question in QUESTIONS.values()} == known


@pytest.mark.series(3)
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_answered_at_its_least(world: World, tmp_path: Path, name: str) -> None:
    preview(world.plan, QUESTIONS[name])
    answered(world, QUESTIONS[name], tmp_path / "answer")


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("factor", [Fraction(2**20 - 1, 2**20), Fraction(1, 10**20)])
def test_less_is_refused_before_it_is_charged(world: World, tmp_path: Path, name: str, factor: Fraction) -> None:
    question = replace(QUESTIONS[name], epsilon=QUESTIONS[name].epsilon * factor)
    charged = world.charges
    with at_most(2_000_000):
        for work in (lambda: preview(world.plan, question), lambda: answered(world, question, tmp_path / "answer")):
            with pytest.raises(ParameterError, match=r"^epsilon .*at least [0-9]"):
                work()
    assert world.charges == charged


@pytest.mark.series(2)
@pytest.mark.parametrize(
    "name", [name for name, each in QUESTIONS.items() if isinstance(each, NumSig | LocSig | LocBlock)]
)
def test_what_was_charged_for_less_before_is_carried_out(
    world: World, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a version that stated no least budget: the charge stands, and no later step fails or takes many steps."""
    monkeypatch.setattr("starling.release.pipeline.check_least", lambda _: None)
    with at_most(2_000_000):
        answered(world, replace(QUESTIONS[name], epsilon=Fraction(1, 10**24)), tmp_path / "answer")
