"""What leaves leaves at the deadline or at one of its doublings, whatever it took."""

from hypothesis import given
from hypothesis import strategies as st

from starling.ledger.deadline import departure


@given(st.floats(0.001, 1e4), st.floats(0, 1e6))
def test_departure_is_the_first_doubling_that_was_not_missed(planned: float, took: float) -> None:
    leaves = departure(planned, took)
    doublings = [planned * 2.0**n for n in range(64)]
    assert leaves == next(each for each in doublings if each >= took)
