"""What a preview says of sums and quantiles is what their noise is."""

import pytest

from starling.tables.plan import Plan
from starling.tables.preview.aggregates import preview_aggregates, title
from tests.tables.test_publish_aggregates import VALUES

PLAN = Plan.of(VALUES)


def test_margins_are_those_of_the_noise() -> None:
    selected, ages, counted, spent = preview_aggregates(PLAN)
    # Of numbers from -10 to 500 the noise of each sum has sigma 510 / sqrt(2), and the sum is 500/510 of one less 10/510 of the other.
    assert spent.margins["sum"] == pytest.approx(1.96 * (500**2 + 10**2) ** 0.5 / 2**0.5, rel=0.01)
    assert spent.margins["mean of 100"] == pytest.approx(spent.margins["mean of 1,000"] * 10)
    assert ages.margins["size"] == pytest.approx(1.96 * 2**0.5, rel=0.15)
    assert counted.margins.keys() == {"quantile 0.5", "quantile 0.9"}
    assert "ranks" in counted.margins_text
    assert selected.ways_text.startswith("by selection")
    assert ages.ways_text == ""


def test_titles_say_what_and_of_which_groups() -> None:
    assert title(PLAN, PLAN.aggregates[3]) == "sums of spent, ward by sex"
    assert title(PLAN, PLAN.aggregates[0]) == "quantiles of spent, town by sex"
