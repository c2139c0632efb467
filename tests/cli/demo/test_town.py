"""The town of the tour is plausible, the same at each run, and as large as its budget needs."""

from starling.cli.demo import town


def test_the_town_has_more_young_people_than_old_ones_and_a_budget_for_two_questions() -> None:
    rows = town.people()
    assert rows == town.people(), "without chance"
    for column, values in enumerate((town.SEXES, town.AGES, town.WORK, town.HOMES)):
        assert {row[column] for row in rows} == set(values)
    counts = [sum(row[1] == age for row in rows) for age in town.AGES]
    assert counts == sorted(counts, reverse=True)
    assert float(town.GRANTED) == 2 * float(town.EPSILON) < float(town.CAP)
