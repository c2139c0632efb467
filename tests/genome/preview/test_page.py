"""The page of a preview: every question with its tables and pictures, and no file written over."""

from fractions import Fraction
from pathlib import Path

import pytest

from starling.errors import OutputError
from starling.genome.plan import Explore, LocSig, Question, SnpCorr, SnpPval
from starling.genome.preview import foresee, grids, write_page
from starling.genome.preview.page import FILE, as_page
from starling.genome.preview.typical import Assumed

ONE = Fraction(1)
QUESTIONS: dict[str, Question] = {
    "loc-sig": LocSig("g", 2, ONE),
    "snp-pval": SnpPval("s1", "g", ONE),
    "snp-corr": SnpCorr("s1", "s2", "r2", ONE),
    "explore": Explore("g", "r2", Fraction(1, 5), ONE),
}


def test_all_that_was_foreseen_is_on_it(assumed: Assumed) -> None:
    found = foresee(assumed, QUESTIONS, (ONE, Fraction(2)), followed=2)
    text = as_page(found)
    assert text == as_page(found)
    for name, seen in found.seen.items():
        assert f"{name}: " in text
        for grid in grids(seen):
            assert grid.title.replace("'", "&#39;") in text
    # Patients of both selections, odds ratios of one, and intervals of both kinds of table.
    assert text.count("<svg") == 5
    assert "1,000 of the people are cases" in " ".join(text.split())


def test_it_is_never_written_over(assumed: Assumed, tmp_path: Path) -> None:
    found = foresee(assumed, {"loc-sig": QUESTIONS["loc-sig"]}, (ONE,))
    assert write_page(found, tmp_path / "new") == tmp_path / "new" / FILE
    with pytest.raises(OutputError, match="exists"):
        write_page(found, tmp_path / "new")
