"""What can still be charged is the least that a cap leaves, and of a plan that says all there is one release."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from starling.ledger.rules import Cap, Population, Scope
from starling.ledger.terms import Terms
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.server.budgets import Budget

PEOPLE = Population("people", "rho", ADD_REMOVE_PERSON)
SCOPES: tuple[Scope, ...] = ("analyst", "dataset", "population")
CAPS = st.tuples(*(st.none() | st.integers(0, 20) for _ in SCOPES))


@given(caps=CAPS, spent=st.integers(0, 20), reserve=st.integers(0, 5), amount=st.integers(1, 5), single=st.booleans())
def test_as_many_as_fit_under_every_cap_one_after_the_other(
    caps: tuple[int | None, ...], spent: int, reserve: int, amount: int, single: bool
) -> None:
    """Against a count by hand: charge until a cap breaks."""
    held = tuple(Cap(1, scope, "x", cap, spent, None) for scope, cap in zip(SCOPES, caps, strict=True))
    terms = Terms(ask_first=False, reserve=reserve)

    def budget(release: int | None, *, retired: bool = False) -> Budget:
        return Budget(PEOPLE, amount, held, terms, retired, approved=0, release=release, single=single)

    limits = [
        cap - spent - (reserve if scope == "dataset" else 0)
        for scope, cap in zip(SCOPES, caps, strict=True)
        if cap is not None
    ]
    count = 0
    while limits and all((count + 1) * amount <= each for each in limits):
        count += 1
    assert budget(None).more == (min(count, 1) if single else count)
    assert budget(7).more == (0 if single else count)
    assert budget(None, retired=True).more == budget(None, retired=True).available == 0
    assert budget(None).available == max(0, min(limits, default=0))
    assert Fraction(budget(None).available, amount) >= count


def test_nothing_can_be_charged_without_a_grant() -> None:
    caps = (Cap(1, "dataset", "x", 10, 0, None), Cap(1, "population", "x", 10, 0, None))
    budget = Budget(
        PEOPLE, 1, caps, Terms(ask_first=False, reserve=0), retired=False, approved=0, release=None, single=False
    )
    assert (budget.available, budget.more) == (0, 0)
