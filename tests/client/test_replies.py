"""What a server says has the form that it should have, or is refused as a whole."""

from typing import Any

import pytest

from starling.client.replies import Budget, Dataset, Preview, Progress, Request, read, read_all
from starling.errors import IntegrityError

PROGRESS: dict[str, Any] = {
    "id": 7,
    "dataset": "data",
    "request_id": "first",
    "state": "charged",
    "wait": 3,
    "invented": False,
}
DATASET: dict[str, Any] = {
    "name": "data",
    "domain": "groups",
    "title": "Households\x1b[2J",
    "population": "people",
    "purpose": "care\x1b[2J",
    "uses": [{"code": "DUO:0000042", "name": "general research use"}, {"code": "DUO:9999999", "name": None}],
    "neighbours": "add or remove",
    "cost": {},
    "deadline": 8,
    "questions": None,
    "invented": True,
}
BUDGET: dict[str, Any] = {
    "dataset": "data",
    "population": "people",
    "measure": "rho",
    "amount": "1",
    "caps": [{"scope": "analyst", "left": "2"}, {"scope": "dataset", "left": None}],
    "more": 2,
    "available": "2",
    "approved": "0",
    "release": None,
    "ask_first": False,
    "reserve": "0",
    "retired": False,
    "invented": False,
}
TABLE: dict[str, Any] = {"caption": "Each", "header": ["level", "error"], "rows": [["all", "1\x1b[2J"]]}
PREVIEW: dict[str, Any] = {
    "dataset": "data",
    "title": "Households",
    "neighbours": "add or remove",
    "cost": {},
    "measure": "rho",
    "amount": "1",
    "more": 2,
    "release": None,
    "ask_first": False,
    "question": {"kind": "num_sig", "epsilon": "1"},
    "margin": {"within": "1\x1b[2J", "unit": "patients"},
    "sections": [{"title": "Error", "text": ["Little."], "tables": [TABLE]}],
    "invented": False,
}
REQUEST: dict[str, Any] = {
    "number": 1,
    "dataset": "data",
    "request_id": "first",
    "title": "Households",
    "cost": "rho 1",
    "reason": "why",
    "state": "declined",
    "words": "no\x1b[2J",
    "approved_cost": None,
    "question": None,
}


def test_they_are_values() -> None:
    assert read(Progress, PROGRESS | {"leaves": "2026-01-01T00:00:00Z"}) == Progress(
        7, "data", "first", "charged", 3, invented=False
    )
    (dataset,) = read_all(Dataset, [DATASET])
    assert (dataset.title, dataset.purpose) == ("Households\\x1b[2J", "care\\x1b[2J")
    assert (dataset.population, dataset.uses["DUO:9999999"]) == ("people", "")
    assert read(Budget, BUDGET).left == {"analyst": "2", "dataset": None}
    assert read_all(Request, [REQUEST])[0].words == "no\\x1b[2J"


@pytest.mark.parametrize("key", PROGRESS)
@pytest.mark.parametrize("value", [None, b"", 1.5, [], {}])
def test_no_other_form_is_progress(key: str, value: object) -> None:
    for said in (PROGRESS | {key: value}, {name: each for name, each in PROGRESS.items() if name != key}):
        with pytest.raises(IntegrityError, match="another form"):
            read(Progress, said)


def test_a_preview_is_sections_of_text_and_even_tables() -> None:
    preview = read(Preview, PREVIEW)
    assert preview.margin == {"within": "1\\x1b[2J", "unit": "patients"}
    (section,) = preview.sections
    assert section["tables"][0]["rows"] == [["all", "1\\x1b[2J"]]
    for table in (TABLE | {"rows": [["all"]]}, TABLE | {"rows": ["all"]}, TABLE | {"header": [1, 2]}, {}, None):
        said = PREVIEW | {"sections": [{"title": "Error", "text": [], "tables": [table]}]}
        with pytest.raises(IntegrityError, match="another form"):
            read(Preview, said)


@pytest.mark.parametrize("key", PREVIEW)
@pytest.mark.parametrize("value", [None, 1.5, [1], ()])
def test_no_other_form_is_a_preview(key: str, value: object) -> None:
    optional = value is None and key in ("question", "margin", "more")
    if type(value) is not type(PREVIEW[key]) and not optional:
        with pytest.raises(IntegrityError, match="another form"):
            read(Preview, PREVIEW | {key: value})


@pytest.mark.parametrize("key", REQUEST)
@pytest.mark.parametrize("value", [(), True, 1.5, []])
def test_no_other_form_is_a_request(key: str, value: object) -> None:
    for said in (REQUEST | {key: value}, REQUEST | {"state": "charged"}):
        with pytest.raises(IntegrityError, match="another form"):
            read(Request, said)


@pytest.mark.parametrize("said", [None, [], "x", 1, {}, {"caps": 1}, PROGRESS | {"state": "done"}])
def test_nothing_else_is_anything(said: object) -> None:
    for kind in (Progress, Dataset, Budget, Request, Preview):
        with pytest.raises(IntegrityError, match="another form"):
            read(kind, said)
    if said != []:
        with pytest.raises(IntegrityError, match="another form"):
            read_all(Dataset, said)
        with pytest.raises(IntegrityError, match="another form"):
            read_all(Request, said)


@pytest.mark.parametrize("caps", [[None], [1], [{"scope": 1}], [{"scope": "analyst", "left": 2}]])
def test_caps_are_caps(caps: object) -> None:
    with pytest.raises(IntegrityError, match="another form"):
        read(Budget, BUDGET | {"caps": caps})
