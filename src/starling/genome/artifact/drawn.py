"""The noisy answer of a release, as it was drawn: measurements/drawn.json, in one form. All that is told is a function of it."""

from functools import partial
from pathlib import Path
from typing import Any, Final

from starling.genome.measurements import Block, Cells, Drawn, Explored, Number, SelectedSnps
from starling.genome.plan import Question, kind
from starling.release import public_json
from starling.release.codec import decode, encode
from starling.release.encrypted import Create

DRAWN: Final = "measurements/drawn.json"
_ANSWERS: Final[dict[str, Any]] = {
    "num_sig": Number,
    "loc_sig": SelectedSnps,
    "loc_block": Block,
    "snp_pval": Cells,
    "snp_corr": Cells,
    "explore": Explored,
}
"""What each kind of question is answered by."""


def write_drawn(create: Create, drawn: Drawn) -> None:
    """Write the file; `create` makes it."""
    with create(DRAWN) as file:
        file.write(public_json.form(encode(type(drawn), drawn)).encode())


def read_drawn(folder: Path, question: Question) -> Drawn:
    """What `write_drawn` wrote for a question of this kind; whether the answer fits it, `inference.answer_validation` says.

    Raises:
        IntegrityError: it is no such file.
    """
    answer = _ANSWERS[kind(question)]
    found: Drawn = public_json.read(folder, DRAWN, partial(decode, answer), partial(encode, answer))
    return found
