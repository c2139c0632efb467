"""Estimates of questions to a study: they grow with what is asked and with the plan, and real previews reckon no more than they say."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.genome.arrays import Float64
from starling.genome.plan import Explore, LocBlock, LocSig, NumSig, Plan, Snps
from starling.genome.preview import selections
from starling.genome.preview.expected import preview
from starling.genome.preview.work import PER_NUMBER, previewing, understanding

ONE = Fraction(1)


def study(snps: int, people: int = 200, test: str = "g") -> Plan:
    ids = tuple(f"rs{at}" for at in range(snps))
    listed = Snps(ids, ("1",) * snps, np.arange(1, snps + 1), ("A",) * snps, ("C",) * snps)
    return Plan("A study", people, listed, "dominant", (test,))


@pytest.mark.parametrize(
    ("less", "more"),
    [
        (NumSig("g", 2, ONE), NumSig("g", 3, ONE)),
        (LocSig("g", 2, ONE), LocSig("g", 3, ONE)),
        (LocBlock("r2", ONE / 5, ("rs1",), ONE), LocBlock("r2", ONE / 5, ("rs1", "rs2"), ONE)),
        (Explore("g", "r2", ONE / 5, ONE, most=2), Explore("g", "r2", ONE / 5, ONE, most=3)),
    ],
)
def test_an_estimate_grows_with_each_choice_and_with_the_list(less: Any, more: Any) -> None:
    assert previewing(study(9), less).steps < previewing(study(9), more).steps
    assert previewing(study(9), less).steps < previewing(study(10), less).steps
    assert understanding(study(9), less).steps < understanding(study(10), less).steps
    assert understanding(study(9), less).steps < previewing(study(9), less).steps


def test_an_estimate_of_an_exact_test_grows_with_the_people() -> None:
    asked = NumSig("fisher", 2, ONE)
    assert previewing(study(9, 300, "fisher"), asked).steps > previewing(study(9, 200, "fisher"), asked).steps


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 300), st.sampled_from(["permute-and-flip", "exponential"]))
def test_a_preview_reckons_no_more_chances_than_is_estimated(k: int, selection: Any) -> None:
    reckoned = 0
    chances = selections.chances

    def counted(scores: Any, *rest: Any) -> Float64:
        nonlocal reckoned
        reckoned += len(scores) * 128
        return chances(scores, *rest)

    plan, asked = study(300), replace(NumSig("g", 1, ONE), k=k, selection=selection)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selections, "chances", counted)
        preview(plan, asked)
    assert 0 < reckoned <= previewing(plan, asked).steps - previewing(plan, replace(asked, k=0)).steps + PER_NUMBER * 20
