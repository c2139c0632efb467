"""Neighbour relations: what they say, and what an add-remove cost is under the replace-one adjacency (row 9)."""

from fractions import Fraction
from math import log

import numpy as np
import pytest

from starling.privacy.budget import Epsilon, Rho
from starling.privacy.neighbours import (
    ADD_REMOVE_HOUSEHOLD,
    ADD_REMOVE_PERSON,
    REPLACE_PERSON,
    Relation,
    as_replace_one,
)


def test_relations_say_what_they_protect() -> None:
    assert str(ADD_REMOVE_PERSON) == "add or remove one person"
    assert str(REPLACE_PERSON) == "replace one person"
    assert ADD_REMOVE_PERSON == Relation("add-remove", "person") != ADD_REMOVE_HOUSEHOLD


def test_the_2020_release_under_both_adjacencies() -> None:
    """The configuration's rho 4.944 (add or remove) is the registry's 19.776 (replace one): exactly four times."""
    assert as_replace_one(Rho(Fraction("4.944"))) == Rho(Fraction("19.776"))


def test_pure_dp_doubles() -> None:
    assert as_replace_one(Epsilon(Fraction("15.29"))) == Epsilon(Fraction("30.58"))


@pytest.mark.parametrize("order", [1.5, 2.0, 7.0])
def test_four_rho_is_what_a_replacement_can_cost(order: float) -> None:
    """Two steps in one cell move it by 2: the Renyi divergence is at most 4 rho times the order, and at integer orders no less."""
    s2 = 30.0
    x = np.arange(-200, 201)
    log_p = -(x**2) / (2 * s2)
    log_p -= np.log(np.exp(log_p).sum())
    log_q = -((x - 2) ** 2) / (2 * s2)
    log_q -= np.log(np.exp(log_q).sum())
    found = log(np.exp(order * log_p + (1 - order) * log_q).sum()) / (order - 1)
    assert found <= 4 * order / (2 * s2) * (1 + 1e-12)
    assert found == pytest.approx(4 * order / (2 * s2), rel=1e-6)


def test_two_epsilon_is_what_a_replacement_can_cost() -> None:
    """Two steps in one cell: the ratio of probabilities reaches e^(2 epsilon), and no more."""
    epsilon = 0.3
    x = np.arange(-50, 51)
    ratios = np.exp(-epsilon * np.abs(x)) / np.exp(-epsilon * np.abs(x - 2))
    assert np.log(ratios).max() == pytest.approx(2 * epsilon)
