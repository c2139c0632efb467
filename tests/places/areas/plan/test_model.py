"""A plan of areas divides its budget exactly, and refuses what could not be carried out."""

from fractions import Fraction
from pathlib import Path

import pytest

from starling.errors import PlanError
from tests.places.areas.worlds import plan


def test_levels_get_their_shares_exactly(tmp_path: Path) -> None:
    chosen = plan(tmp_path, privacy={"unit": "point", "epsilon": "1", "shares": ["1", "1/3", "2"]})
    assert chosen.amounts == (Fraction(3, 10), Fraction(1, 10), Fraction(6, 10))
    assert sum(chosen.amounts) == 1


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
def test_a_budget_whose_noise_could_leave_64_bits_is_refused_with_the_least(tmp_path: Path, measure: str) -> None:
    with pytest.raises(PlanError, match="spend at least") as refused:
        plan(tmp_path, privacy={"unit": "point", measure: "0.000000001"})
    least = refused.value.problems[0].fix.removeprefix("spend at least ")
    assert plan(tmp_path, privacy={"unit": "point", measure: least}).amount < Fraction(1, 10**6)


def test_what_changes_an_answer_changes_the_digest_and_words_do_not(tmp_path: Path) -> None:
    chosen = plan(tmp_path)
    assert plan(tmp_path, title="Other", expected=3).digest == chosen.digest
    assert plan(tmp_path, input={"area": "zone"}).digest != chosen.digest
    assert plan(tmp_path, areas={"file": "areas.geojson", "id": "id"}).digest != chosen.digest
