"""What is public about registered data is written once, read as it was written, and refused where it is anything else."""

import json
from pathlib import Path

import pytest

from starling.errors import IntegrityError, ParameterError
from starling.privacy.guarantee import bounded_overlap, sequential
from starling.server.datasets import Catalogue, Dataset, NotThere
from starling.server.purposes import Purpose
from tests.ledger.worlds import costing

COST = sequential("all", [costing(1), bounded_overlap("levels", 2, [costing(2)])])
PURPOSE = Purpose("Planning of schools", ("DUO:0000042", "DUO:0000046"))
CENSUS = Dataset("census.2020", "tables", "A count", '{"count":"persons"}', COST, 60, PURPOSE)


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path)
    catalogue.add(CENSUS)
    assert catalogue.names() == ["census.2020"]
    assert catalogue.find("census.2020") == CENSUS
    assert sorted(path.name for path in tmp_path.iterdir()) == ["census.2020.json", "census.2020.preview"]


def test_a_name_is_taken_for_good(tmp_path: Path) -> None:
    Catalogue(tmp_path).add(CENSUS)
    with pytest.raises(ParameterError, match="is taken"):
        Catalogue(tmp_path).add(CENSUS)


@pytest.mark.parametrize("name", ["survey", "", "../census.2020", "census.2020.json", "/etc/passwd"])
def test_no_other_name_finds_a_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "below").mkdir()
    Catalogue(tmp_path).add(CENSUS)
    with pytest.raises(NotThere):
        Catalogue(tmp_path / "below").find(name)
    with pytest.raises(NotThere):
        Catalogue(tmp_path).find(name)


@pytest.mark.parametrize(
    "changed",
    [
        {"format": "other"},
        {"name": "survey"},
        {"deadline": True},
        {"deadline": 0},
        {"title": 1},
        {"composition": {}},
        {"measure": {"name": "epsilon"}},
        {"purpose": ""},
        {"purpose": {"text": "", "codes": ["DUO:1"]}},
    ],
)
def test_what_was_changed_is_refused(tmp_path: Path, changed: dict[str, object]) -> None:
    Catalogue(tmp_path).add(CENSUS)
    file = tmp_path / "census.2020.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changed))
    with pytest.raises(IntegrityError, match="not described as Starling does"):
        Catalogue(tmp_path).find("census.2020")


@pytest.mark.parametrize("deadline", [0, -1, 86_401])
def test_a_deadline_is_a_time(deadline: int) -> None:
    with pytest.raises(ParameterError, match="deadline is not from 1 to"):
        Dataset("census", "tables", "A count", "{}", COST, deadline)
