"""What is stated of some tables at some levels counts where nothing is stated that names more."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from starling.tables.plan.cross_accuracy import CrossWeight, ranked

TABLES = ((), ("a",), ("a", "b"))
LEVELS = ("town", "ward")
STATED = st.builds(CrossWeight, st.just(Fraction(2)), st.sampled_from((None, *TABLES)), st.sampled_from(("", *LEVELS)))


@settings(max_examples=50, deadline=None)
@given(st.lists(STATED, unique=True), st.sampled_from(TABLES), st.sampled_from(LEVELS))
def test_a_named_table_counts_before_a_named_level(
    stated: list[CrossWeight], table: tuple[str, ...], level: str
) -> None:
    ways = [(table, level), (table, ""), (None, level), (None, "")]
    counting = [CrossWeight(Fraction(2), *way) for way in ways]
    assert ranked(stated, table, level) == [each for each in counting if each in stated]
