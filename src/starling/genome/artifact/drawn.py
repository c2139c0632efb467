"""The noisy answer of a release, as it was drawn: measurements/drawn.json, in one form. All that is told is a function of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from starling.genome.measurements import Block, Cells, Drawn, Explored, Number, SelectedSnps
from starling.genome.plan import Question, kind
from starling.release import public_json
from starling.release.encrypted import Create
from starling.release.public_json import refuse, text, whole
from starling.release.request import plain
from starling.release.statement import Json

DRAWN: Final = "measurements/drawn.json"
FORMAT: Final = "starling-genome-drawn/1"
_INT64: Final = 2**63


def write_drawn(create: Create, drawn: Drawn) -> None:
    """Write the file; `create` makes it."""
    with create(DRAWN) as file:
        file.write(public_json.form(drawn_json(drawn)).encode())


def read_drawn(folder: Path, question: Question) -> Drawn:
    """What `write_drawn` wrote for a question of this kind; whether the answer fits it, `inference.answer_validation` says.

    Raises:
        IntegrityError: it is no such file.
    """
    return public_json.read(folder, DRAWN, _READ[kind(question)], drawn_json)


def drawn_json(drawn: Drawn) -> dict[str, Json]:
    """A noisy answer."""
    return {"format": FORMAT, **plain(drawn)}


def _number(data: Any) -> Number:
    return Number(whole(data["low"]), whole(data["high"]))


def _places(data: Any) -> SelectedSnps:
    return SelectedSnps(tuple(map(text, data["snps"])))


def _block(data: Any) -> Block:
    first, last = (None if data[end] is None else text(data[end]) for end in ("first", "last"))
    return Block(first, last, whole(data["snps"]))


def _cells(data: Any) -> Cells:
    return Cells(tuple(map(_count, data["counts"])))


def _count(value: object) -> int:
    return value if type(value) is int and -_INT64 <= value < _INT64 else refuse()


def _explored(data: Any) -> Explored:
    return Explored(
        _number(data["number"]),
        whole(data["followed"]),
        _places(data["located"]),
        tuple(map(_block, data["blocks"])),
        tuple(map(_cells, data["tables"])),
    )


_READ: Final[dict[str, Callable[[Any], Drawn]]] = {
    "num_sig": _number,
    "loc_sig": _places,
    "loc_block": _block,
    "snp_pval": _cells,
    "snp_corr": _cells,
    "explore": _explored,
}
