"""The page of a map: what is in it, that nothing else can run, and that its text is the same again."""

import base64
import doctest
import gzip
import hashlib
import json
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from starling.places.mechanism.singular import of_cells
from starling.places.pictures import map_page
from starling.places.pictures.map_page import Map, page
from starling.privacy.distributions.discrete import DiscreteLaplace

CELLS = np.arange(12, dtype=np.int64).reshape(3, 4)
SHOWN = Map(
    title="Pickups <i>",
    about="Pickups of a week under differential privacy",
    points="Pickups",
    grid=CELLS.astype(np.float64),
    box=(-74.3, 40.5, -73.7, 41.0),
    aspect=0.75,
    boxes=np.array([[0, 3, 0, 2], [0, 3, 2, 4]], dtype=np.int32),
    measured=of_cells((3, 4), CELLS.reshape(-1), DiscreteLaplace(Fraction(4))),
    notes=("One sentence.",),
)


def block(text: str, name: str) -> str:
    result = re.search(rf'<script type="text/plain" id="{name}">(.*?)</script>', text, re.DOTALL)
    assert result is not None
    return result[1]


def numbers(text: str, name: str, kind: str) -> list[float]:
    return np.frombuffer(gzip.decompress(base64.b64decode(block(text, name))), dtype=kind).tolist()  # type: ignore[no-any-return]


def test_the_numbers_of_the_release_are_in_the_page() -> None:
    text = page(SHOWN)
    facts = json.loads(block(text, "facts"))
    assert (facts["rows"], facts["columns"], facts["fold"], facts["box"]) == (3, 4, 1, [-74.3, 40.5, -73.7, 41.0])
    assert (facts["sure"], facts["scales"], facts["alpha"]) == (True, [4.0], 0.05)
    assert numbers(text, "cells", "<f4") == list(range(12))
    assert numbers(text, "boxes", "<i4") == [0, 3, 0, 2, 0, 3, 2, 4]
    assert sorted(numbers(text, "values", "<f8")) == list(range(12))
    assert "One sentence." in text
    assert "Pickups &lt;i&gt;" in text


def test_only_the_pages_own_script_and_style_are_allowed() -> None:
    text = page(SHOWN)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    for kind in ("script", "style"):
        (part,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy[1]
    assert "unsafe" not in policy[1]
    assert not re.search(r"https?:|\bsrc=|\bon[a-z]+=|eval\(|new Function|style=", text)


def test_the_same_release_gives_the_same_page() -> None:
    assert page(SHOWN) == page(SHOWN)


@pytest.mark.parametrize("measured", [None, SHOWN.measured])
def test_a_page_without_intervals_says_so(measured: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_page, "MOST_BOXES", 5)
    text = page(replace(SHOWN, measured=measured))  # type: ignore[arg-type]
    assert json.loads(block(text, "facts"))["sure"] is False
    assert "has no sure intervals" in text
    assert 'id="fresh"' not in text


def test_cells_of_a_large_grid_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctest.testmod(map_page).failed == 0
    monkeypatch.setattr("starling.places.pictures.map_page.folded", lambda grid: (grid[:1, :2] * 0 + 7, 2))
    text = page(SHOWN)
    assert numbers(text, "cells", "<f4") == [7, 7]
    assert "A cell of the page is 2 by 2 cells of the released grid." in text
