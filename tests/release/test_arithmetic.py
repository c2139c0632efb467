"""The stated cost is computed again from events and compositions, and any other number is found."""

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.privacy.accounting.conversion import epsilon_at_delta
from starling.privacy.budget import DELTA, decimal_up
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.privacy.events import ZCDP, PureDP
from starling.privacy.guarantee import Guarantee, bounded_overlap, measurement, sequential
from starling.privacy.neighbours import ADD_REMOVE_PERSON, REPLACE_PERSON, Relation
from starling.privacy.trust import Receipt
from starling.release.arithmetic import check_cost, rational
from starling.release.claims import claim
from starling.release.statement import AddsTo, Particulars, statement


def stated(guarantee: Guarantee) -> dict[str, Any]:
    """privacy.json of a guarantee, as a reader gets it."""
    made: dict[str, Any] = json.loads(json.dumps(statement(Receipt("id", guarantee, "x"), Particulars("tables", {}))))
    return made


def gaussian(relation: Relation = ADD_REMOVE_PERSON) -> Guarantee:
    """Rho 9/20 + 1/3."""
    one = measurement("first", relation, DiscreteGaussian(Fraction(10)))
    two = measurement("second", relation, DiscreteGaussian(Fraction(3)))
    return sequential("all", (bounded_overlap("a", 9, (one,)), bounded_overlap("b", 2, (two,))))


def laplace() -> Guarantee:
    """Epsilon 6/7 in a count of sensitivity 2, and a selection."""
    count = measurement("count", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(7, 3)), 2)
    return sequential("all", (count, Guarantee("choice", ADD_REMOVE_PERSON, PureDP(Fraction(1, 2)))))


CASES = {"gaussian": gaussian(), "laplace": laplace(), "replaced": gaussian(REPLACE_PERSON)}


@pytest.mark.parametrize("guarantee", CASES.values(), ids=CASES)
def test_what_a_release_states_follows(guarantee: Guarantee) -> None:
    found, problems = check_cost(stated(guarantee))
    assert not problems
    assert found == guarantee


RHO_ALONE = Guarantee("earlier", ADD_REMOVE_PERSON, ZCDP(Fraction(1, 3)))


def topped(earlier: Guarantee = RHO_ALONE) -> dict[str, Any]:
    """privacy.json of a release that adds to another."""
    domain = Particulars("tables", {}, adds_to=(AddsTo("r-1", "", "0" * 64, earlier),))
    made: dict[str, Any] = json.loads(json.dumps(statement(Receipt("id", gaussian(), "x"), domain)))
    return made


def test_a_release_states_what_it_costs_together_with_those_that_it_adds_to() -> None:
    said = topped()
    assert check_cost(said)[1] == []
    assert said["joint"]["cost"]["add-remove"]["rho"] == "67/60"
    assert said["joint"]["cost"]["replace-one"]["rho"] == "67/15"
    assert float(said["joint"]["approximate_dp"]["epsilon"]) > float(said["approximate_dp"]["epsilon"])
    assert stated(gaussian())["joint"] is None


def test_a_top_up_states_the_best_renyi_order_and_one_made_before_what_it_stated() -> None:
    earlier = measurement("earlier", ADD_REMOVE_PERSON, DiscreteGaussian(Fraction(3, 2)))
    said, fixed = topped(earlier), sequential("both", (gaussian(), earlier))
    assert check_cost(said)[1] == []
    assert said["joint"]["approximate_dp"]["epsilon"] == decimal_up(epsilon_at_delta(fixed, DELTA, method="renyi"))
    before = copy.deepcopy(said)
    before["joint"]["approximate_dp"] = claim(fixed).losses()["approximate_dp"]
    assert check_cost(before)[1], "of budgets chosen after the first release no loss distribution is known"
    del before["joint"]["composition"]
    assert check_cost(before)[1] == []


def test_a_smaller_sum_than_all_charges_is_found() -> None:
    changes: tuple[Callable[[dict[str, Any]], Any], ...] = (
        lambda said: said.update(joint=None),
        lambda said: said["joint"].update(cost=said["cost"]),
        lambda said: said["joint"]["approximate_dp"].update(epsilon=said["approximate_dp"]["epsilon"]),
        lambda said: said["adds_to"][0]["cost"].update(rho="1/4"),
        lambda said: said.update(adds_to=[]),
    )
    for change in changes:
        said = topped()
        change(said)
        assert check_cost(said)[1]


def leaf(said: dict[str, Any]) -> dict[str, Any]:
    """The first leaf of the tree."""
    node = said["composition"]
    while "parts" in node:
        node = node["parts"][0]
    found: dict[str, Any] = node
    return found


Change = Callable[[dict[str, Any]], Any]
CHANGES: dict[str, Change] = {
    "noise": lambda said: leaf(said)["event"].update(sigma_squared="11"),
    "sensitivity": lambda said: leaf(said)["event"].update(squared_l2_sensitivity="2"),
    "mechanism": lambda said: leaf(said).update(event={"mechanism": "discrete Laplace noise", "scale": "10"}),
    "nothing but a cost": lambda said: leaf(said).update(event={"mechanism": "pure DP", "epsilon": "1/20"}),
    "cost of a leaf": lambda said: leaf(said)["cost"].update(rho="1/21"),
    "decimal of a leaf": lambda said: leaf(said)["cost"].update(decimal="0.04"),
    "overlap": lambda said: said["composition"]["parts"][0].update(overlap=8),
    "composition": lambda said: said["composition"].update(composition="bounded overlap", overlap=1),
    "cost of the whole": lambda said: said["composition"]["cost"].update(rho="1/2"),
    "a part left out": lambda said: said["composition"]["parts"].pop(),
    "adjacency": lambda said: said["cost"]["add-remove"].update(rho="1/2"),
    "other adjacency": lambda said: said["cost"]["replace-one"].update(rho="47/60"),
    "adjacencies swapped": lambda said: said.update(
        cost={"add-remove": said["cost"]["replace-one"], "replace-one": said["cost"]["add-remove"]}
    ),
    "neighbours": lambda said: said["neighbours"].update(change="replace-one"),
    "words of the neighbours": lambda said: said["neighbours"].update(words="replace one person"),
    "unit": lambda said: said["neighbours"].update(unit="household"),
    "protected unit": lambda said: said.update(protected_unit="household"),
    "measure": lambda said: said["measure"].update(name="epsilon"),
    "definition": lambda said: said["measure"].update(definition="trust us"),
    "epsilon": lambda said: said["approximate_dp"].update(epsilon="1"),
    "delta": lambda said: said["approximate_dp"].update(delta="1e-20"),
    "format": lambda said: said.update(format="starling-release/2"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_any_other_number_is_found(change: Change) -> None:
    said = stated(gaussian())
    change(said)
    _, problems = check_cost(said)
    assert problems
    assert all(problem.file == "privacy.json" for problem in problems)


def paths(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every value of a JSON document."""
    found = [path]
    pairs = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in pairs:
        found += paths(value, (*path, key))
    return found


HOSTILE: list[Any] = [None, [], {}, "", "x", -1, 1.5, True, "1/0", "9" * 500, "nan", [[]], {"parts": []}]
PATHS = paths(stated(gaussian()))


@given(path=st.sampled_from(PATHS), value=st.sampled_from(HOSTILE))
def test_no_value_whatever_makes_it_fail(path: tuple[Any, ...], value: Any) -> None:
    """A hostile file gives findings, or changes nothing that is checked here; never an exception."""
    said = copy.deepcopy(stated(gaussian()))
    node: Any = said
    for key in path[:-1]:
        node = node[key]
    if path:
        node[path[-1]] = value
    guarantee, problems = check_cost(said if path else value if isinstance(value, dict) else {})
    assert problems or (guarantee and guarantee.cost == gaussian().cost and guarantee.relation == gaussian().relation)


def test_deep_trees_end() -> None:
    said = stated(gaussian())
    for _ in range(40):
        said["composition"] = {**said["composition"], "composition": "sequential", "parts": [said["composition"]]}
    assert check_cost(said)[1]


@pytest.mark.parametrize("text", ["", "-1", "1.5", "1/0", "1/", "/2", " 1", "1e5", "9" * 401, 1, None, "1/2/3", "٣"])
def test_what_is_no_rational_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        rational(text)


def test_rationals_of_any_honest_length_are_read() -> None:
    assert rational(f"{'9' * 400}/{'8' * 400}") == Fraction(int("9" * 400), int("8" * 400))
