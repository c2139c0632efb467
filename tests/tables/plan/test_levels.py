"""A level says what it is called, and which of its groups are bare totals."""

from dataclasses import replace

from tests.tables.plan.test_aggregates import GROUP, LEVEL


def test_names_and_bare_totals() -> None:
    level = replace(LEVEL, iterations=(GROUP, replace(GROUP, total_only=True)))
    assert level.name == "(all, 1)"
    assert level.total_only.tolist() == [False, True]
    assert "everybody" not in repr(level)
