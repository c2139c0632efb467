"""What an exploration is made of, and that its parts never cost more than the whole, which is charged."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from starling.errors import ParameterError
from starling.genome.plan import Explore, LocBlock, LocSig, Query, SnpPval
from starling.genome.plan.queries import Noise
from starling.privacy.budget import Epsilon
from starling.privacy.guarantee import BoundedOverlap, Guarantee
from starling.privacy.neighbours import REPLACE_PERSON
from tests.genome.plan.test_model import plan_with

QUERY = Explore("g", "r2", Fraction(1, 5), Fraction(1))


@pytest.mark.parametrize("k", range(1, 7))
def test_the_parts_are_the_whole(k: int) -> None:
    plan = plan_with()
    parts: list[Query] = [QUERY.number(plan), QUERY.locations(k, k)]
    for _ in range(k):
        parts += [QUERY.block(("rs0",), k), QUERY.table("rs0", k)]
    for part in parts:
        part.check(plan)
    assert sum(part.epsilon for part in parts) == QUERY.epsilon
    assert sum(QUERY.locations(1, k).epsilon for _ in range(k)) == QUERY.locations(k, k).epsilon
    assert QUERY.guarantee.cost == Epsilon(Fraction(1))
    assert QUERY.guarantee is QUERY.guarantee, "the cost of a thousand rounds is worked out once"


def leaves(guarantee: Guarantee) -> Counter[object]:
    """Every event, as often as a person meets it."""
    if isinstance(guarantee.event, BoundedOverlap):
        (part,) = guarantee.parts
        return Counter(event for event in leaves(part).elements() for _ in range(guarantee.event.overlap))
    return Counter([guarantee.event])


@pytest.mark.parametrize("noise", ["lattice", "laplace"])
@pytest.mark.parametrize("k", range(1, 7))
def test_the_events_stated_for_k_are_those_of_the_questions_asked(k: int, noise: Noise) -> None:
    plan, explore = plan_with(), replace(QUERY, noise=noise)
    number, *quarters = explore.guarantee.parts
    assert number.event == explore.number(plan).event
    asked: list[LocSig | LocBlock | SnpPval] = [
        explore.locations(1, k),
        explore.block(("rs0",), k),
        explore.table("rs0", k),
    ]
    for quarter, query in zip(quarters, asked, strict=True):
        assert isinstance(quarter.event, BoundedOverlap)
        assert (quarter.event.overlap, len(quarter.parts)) == (1, explore.most)
        event = query.event(REPLACE_PERSON) if isinstance(query, SnpPval) else query.event
        assert leaves(quarter.parts[k - 1]) == {event: k}
    assert leaves(explore.locations(k, k).guarantee) == {explore.locations(1, k).event: k}


def test_k_is_clamped() -> None:
    plan = plan_with()
    assert [QUERY.clamped(plan, high) for high in (0, 1, 5, 100)] == [1, 1, 5, 6]
    narrow = Explore("g", "r2", Fraction(1, 5), Fraction(1), regions=("2",), most=4)
    assert [narrow.clamped(plan, high) for high in (1, 100)] == [1, 2]
    narrow.check(plan)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        (Explore("wald", "r2", Fraction(1, 5), Fraction(1)), "test"),
        (Explore("g", "r3", Fraction(1, 5), Fraction(1)), "corr"),  # type: ignore[arg-type] # refused at run time too
        (Explore("g", "r2", Fraction(1, 1000), Fraction(1)), "delta_c"),
        (Explore("g", "r2", Fraction(1, 5), Fraction(0)), "epsilon"),
        (Explore("g", "r2", Fraction(1, 5), Fraction(1, 10_000)), "epsilon"),
        (Explore("g", "r2", Fraction(1, 5), Fraction(1), regions=("3",)), "regions"),
        (Explore("g", "r2", Fraction(1, 5), Fraction(1), most=0), "most"),
        (Explore("g", "r2", Fraction(1, 5), Fraction(1), longest=0), "longest"),
        (Explore("g", "r2", Fraction(1, 5), Fraction(1), noise="gauss"), "noise"),  # type: ignore[arg-type] # refused too
    ],
)
def test_what_could_not_be_asked_is_refused_at_the_start(query: Explore, field: str) -> None:
    with pytest.raises(ParameterError, match=field):
        query.check(plan_with())
