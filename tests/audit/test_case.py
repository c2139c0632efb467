"""A case draws from its mechanism on both neighbours, with fresh randomness unless a source is given."""

from starling.audit.core_cases import MECHANISMS
from tests.privacy.sources import Seeded


def test_fresh_randomness_is_what_an_audit_draws_from() -> None:
    left, right = MECHANISMS[0].samplers()
    assert (left(50) != left(50)).any()
    assert left(50).shape == right(50).shape


def test_a_source_decides_what_is_drawn() -> None:
    one, other = (MECHANISMS[0].samplers(Seeded(3))[0](50) for _ in range(2))
    assert (one == other).all()


def test_the_goal_is_the_measure_of_the_claim() -> None:
    assert {case.goal for case in MECHANISMS} == {"epsilon", "rho"}
