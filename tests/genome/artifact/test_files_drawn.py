"""A noisy answer is written in one form, and read back as it was."""

from pathlib import Path
from typing import Any

import pytest

from starling.errors import IntegrityError
from starling.genome.artifact.files import DRAWN, read_drawn, write_drawn
from starling.genome.measurements import Block, Cells, Explored, Number, SelectedSnps
from tests.genome.worlds import QUESTIONS
from tests.release.plain import plain

CELLS = Cells((-3, 2**63 - 1, -(2**63), 0))
ANSWERS: dict[str, Any] = {
    "num_sig": Number(2, 3),
    "loc_sig": SelectedSnps(("rs1", "rs|2")),
    "loc_block": Block("rs1", "rs3", 3),
    "snp_pval": CELLS,
    "snp_corr": CELLS,
    "explore": Explored(Number(1, 1), 1, SelectedSnps(("rs1",)), (Block(None, None, 0),), (CELLS,)),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    question, drawn = QUESTIONS[name], ANSWERS[name]
    assert question.kind == name
    write_drawn(plain(tmp_path), drawn)
    assert read_drawn(tmp_path, question) == drawn


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_of_another_kind_is_refused(tmp_path: Path, name: str) -> None:
    write_drawn(plain(tmp_path), ANSWERS[name])
    for other, question in QUESTIONS.items():
        if type(ANSWERS[other]) is not type(ANSWERS[name]):
            with pytest.raises(IntegrityError, match="is not as Starling writes it"):
                read_drawn(tmp_path, question)


@pytest.mark.parametrize("count", ["1.0", "true", "9223372036854775808", '"1"', "null"])
def test_what_is_no_count_is_refused(tmp_path: Path, count: str) -> None:
    write_drawn(plain(tmp_path), Cells((1, 2, 3, 4)))
    path = tmp_path / DRAWN
    path.write_text(path.read_text().replace("  4\n", f"  {count}\n"))
    with pytest.raises(IntegrityError):
        read_drawn(tmp_path, QUESTIONS["snp_pval"])
