"""No tree of a sparse grid grows beyond its bound, whatever the data and epsilon are: every rule that a plan of such a grid can name."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from starling.places.mechanism import growing
from starling.places.mechanism.table import PURPOSES
from starling.places.mechanism.two_regimes import TwoRegimes
from starling.places.occupied import occupied
from starling.places.plan.choices import ADAPTIVE, SPARSE
from starling.privacy.neighbours import ADD_REMOVE_POINT

SIDE = 64
EPSILON = Fraction(50)
RULES: dict[str, tuple[type[Any], dict[str, int]]] = {
    **{purpose: (kind, {}) for purpose, kind in PURPOSES.items()},
    "earlier, by depth": (TwoRegimes, {"many": -(1 << 62)}),
    "earlier, by counts": (TwoRegimes, {"many": 1 << 62}),
}


def test_no_other_method_takes_a_sparse_grid() -> None:
    assert SPARSE == (ADAPTIVE,)


@pytest.mark.parametrize(("rule", "most"), [*product(RULES, [400, 1500])])
def test_a_tree_stays_within_its_bound_and_paths_pay_the_same(
    rule: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, parameters = RULES[rule]
    points = np.random.default_rng(most).integers(0, 2000, SIDE * SIDE)
    exact = occupied((SIDE, SIDE), np.arange(SIDE * SIDE), points)
    method = kind((SIDE, SIDE), ADD_REMOVE_POINT, EPSILON, **parameters)
    assert len(method.draw(exact).tree.parents) > 2000
    monkeypatch.setattr(growing, "MOST_BOXES", most)
    drawn = method.draw(exact)
    assert len(drawn.tree.parents) <= most
    boxes = drawn.tree.boxes[drawn.node]
    amounts = [1 / each.scale for each in drawn.noises]
    for row, column in product(range(0, SIDE, 13), repeat=2):
        holds = (boxes[:, 0] <= row) & (row < boxes[:, 1]) & (boxes[:, 2] <= column) & (column < boxes[:, 3])
        assert sum((amounts[kind] for kind in drawn.noise[holds].tolist()), Fraction(0)) == EPSILON
    # A table of all cells bounds the tree itself, and is not cut short.
    assert len(method.draw(points.reshape(SIDE, SIDE)).tree.parents) > 2000
