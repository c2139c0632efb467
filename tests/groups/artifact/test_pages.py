"""What a release says of itself: its noise, its bounds, what is public, in the words of the plan."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.groups.artifact.pages import charged, parameters, particulars, product, sections
from starling.groups.inference.methods import fit
from starling.groups.mechanism import NoisyCounts
from starling.groups.plan import ADDS_UP, METHODS
from starling.groups.postprocess import conditions
from tests.groups.worlds import CELLS, world


def test_parameters_state_the_noise_of_each_level(tmp_path: Path) -> None:
    stated: Any = parameters(world(tmp_path, more='method = "h"\nsplit = ["1/4", "1/4", "1/2"]'))
    assert [level["bands"][0]["budget"] for level in stated["levels"]] == [
        {"epsilon": "1/4"}, {"epsilon": "1/4"}, {"epsilon": "1/2"},
    ]  # fmt: skip


def test_what_is_exact_is_said(tmp_path: Path) -> None:
    plan = world(tmp_path)
    assert particulars(plan).invariants[0] == "the number of all groups"
    assert "Which groups exist and where each lies is public" in product(plan).bounds


@pytest.mark.parametrize("method", METHODS)
def test_no_words_of_a_method_say_more_than_its_numbers_keep(tmp_path: Path, method: str) -> None:
    plan = world(tmp_path, more=f'method = "{method}"')
    drawn = NoisyCounts(plan).draw(np.array(CELLS))
    words = " ".join(text for section in sections(plan, drawn, fit(plan, drawn)) for text in section.paragraphs)
    adds = plan.method in ADDS_UP
    assert ("whose numbers add up" in product(plan).intended_use, "so that they add up" in words) == (adds, adds)
    assert not adds or conditions(plan, fit(plan, drawn).levels).consistency == 0


def test_the_report_states_error_conditions_and_rules(tmp_path: Path) -> None:
    plan = world(tmp_path, more='method = "h"')
    drawn = NoisyCounts(plan).draw(np.array(CELLS))
    answer, error, created, public, files = sections(plan, drawn, fit(plan, drawn))
    assert answer.headline is not None
    assert "95 % interval" in answer.headline.interval
    assert answer.pictures[0].draw().startswith("<svg")
    assert len(error.tables[0].rows) == 3
    assert ("Proved to be the optimum", "yes, by an independent check") in created.tables[0].rows
    assert ("Cells that are not the sum over the regions inside", "0") in created.tables[0].rows
    assert len(answer.tables[0].rows) == 5
    assert "9 in all" in public.text
    assert ("data/county.parquet", "numbers of groups by county and size") in files.tables[0].rows
    assert charged(plan).tables[0].header[2] == "ε"
