"""What answers of all kinds say alike."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.places.answers.forms import ArrayAnswers, checked_level, shown
from starling.places.arrays import Bool, Float64


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Heights(ArrayAnswers):
    """Answers of one column."""

    heights: Float64
    clipped: Bool

    def _columns(self, first: slice) -> dict[str, list[str]]:
        return {"height": shown(self.heights[first])}


def test_answers_are_rows_and_lists() -> None:
    answers = Heights(np.array([1.25, np.nan]), np.array([False, True]))
    assert answers.grid(1) == (["query", "height", ""], [("1", "1.2", "")])
    assert answers.as_json() == {"heights": [1.25, None], "clipped": [False, True]}
    assert "2 queries" in str(answers)
    assert Heights(np.empty(0), np.empty(0, dtype=np.bool_)).as_json() == {"heights": [], "clipped": []}


@pytest.mark.parametrize("level", [0, 1, "1.5", "-0.1"])
def test_a_level_lies_between_0_and_1(level: str) -> None:
    assert checked_level("0.95") == Fraction(19, 20)
    with pytest.raises(ParameterError, match=r"question\.level.*is not between 0 and 1"):
        checked_level(level, "question.level")
