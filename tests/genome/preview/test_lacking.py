"""The share of cases without a call that is told apart is the least that the answer's own test tells, and falls with the cost."""

from dataclasses import replace
from fractions import Fraction

import pytest

from starling.genome.plan import SnpPval
from starling.genome.preview.lacking import lacking_note, least_share
from starling.genome.preview.typical import Assumed
from tests.genome.preview.conftest import a_plan


@pytest.mark.parametrize("test", ["g", "score"])
def test_it_is_the_least_share_and_falls_with_the_cost(test: str) -> None:
    plan = replace(a_plan(2000, 8, tests=(test,), unit="phenotype" if test == "score" else "person"), missing="cell")
    assumed, costs = Assumed.of(plan), [Fraction(1, 4), Fraction(1), Fraction(4), Fraction(100)]
    queries = [SnpPval("s1", test, cost) for cost in costs]
    shares = [least_share(assumed, query) for query in queries]
    known = [share for share in shares if share is not None]
    assert known == sorted(known, reverse=True)
    assert known[-1] == 3  # Without noise: 30 of 1,000 cases against 10 controls has p = .003, 20 against 10 p = .1.
    text = lacking_note(assumed, queries)
    assert "1 % of the calls are missing" in text
    assert text.endswith(f"{known[-2]} % at epsilon 4, 3 % at epsilon 100.")


def test_noise_may_hide_every_share() -> None:
    plan = replace(a_plan(100, 8), missing="cell")
    assert least_share(Assumed.of(plan), SnpPval("s1", "g", Fraction(1, 100))) is None
    assert "is none at epsilon 0.01." in lacking_note(Assumed.of(plan), [SnpPval("s1", "g", Fraction(1, 100))])
