"""The page of a map in a browser: it answers as Starling does, runs under its own policy, and shows light and dark."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.places.answers.hotspots import Hotspots
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.answers.sure import Surety
from starling.places.measurements import MeasuredTree, Tree
from starling.places.pictures.experience import Experience
from starling.places.pictures.map_page import Map, page
from starling.places.typical.errors import TIMES
from starling.privacy.distributions.discrete import DiscreteLaplace

pytestmark = pytest.mark.slow

BOX = (-10.0, 100.0, 30.0, 116.0)
HIGH, WIDE = 32, 40
NOISES = tuple(DiscreteLaplace(Fraction(scale)) for scale in ("2", "15", "7.5"))
WRITTEN = re.compile(r"-?[\d,]+")


def measured() -> MeasuredTree:
    """A grid cut into blocks of 4 by 8 cells, and some of these into cells, with noisy counts of scales in turn."""
    random = np.random.default_rng(11)
    blocks = [(y, y + 4, x, x + 8) for y in range(0, HIGH, 4) for x in range(0, WIDE, 8)]
    cells = [(y, y + 1, x, x + 1) for y0, y1, x0, x1 in blocks[::3] for y in range(y0, y1) for x in range(x0, x1)]
    parents = [0] * len(blocks) + [1 + 3 * (number // 32) for number in range(len(cells))]
    tree = Tree(
        (HIGH, WIDE),
        np.array([(0, HIGH, 0, WIDE), *blocks, *cells], dtype=np.int32),
        np.array([-1, *parents], dtype=np.int64),
    )
    tree.check()
    node = np.flatnonzero(tree.leaves)
    noise = (np.arange(len(node)) % 3).astype(np.int16)
    values = random.poisson(20 * np.sqrt(tree.areas[node])) + random.integers(-9, 9, len(node))
    return MeasuredTree(tree, node, values.astype(np.int64), noise, NOISES, np.zeros(len(node), dtype=np.bool_))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("map") / "map.html"
    grid = np.random.default_rng(2).gamma(0.5, 100.0, (HIGH, WIDE))
    result = measured()
    shown = Map("A map", "Invented", "Points", grid, BOX, 1.0, result.tree.boxes[result.tree.leaves], result)
    path.write_text(page(shown), encoding="utf-8")
    return path


EXPERIENCE = Experience(
    fold=3,
    errors=np.random.default_rng(4).normal(0, 20, (10, 11, 14)),
    boxes=np.random.default_rng(5).uniform(1, 9, (11, 14)),
    side=8,
    hotspots=Hotspots(
        boxes=np.array([[8, 16, 0, 8], [24, 32, 32, 40]], dtype=np.int32),
        counts=np.array([1234.4, 56.0]),
        sure=np.array([True, False]),
        chance=np.array([0.97, np.nan]),
    ),
)
"""Squares of 3 cells, so that those in the north and the east are cut by the end of the grid."""


@pytest.fixture(scope="module")
def with_experience(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("map") / "map.html"
    result = measured()
    boxes = result.tree.boxes[result.tree.leaves]
    shown = Map("A map", "Invented", "Points", np.ones((HIGH, WIDE)), BOX, 1.0, boxes, result, experience=EXPERIENCE)
    path.write_text(page(shown), encoding="utf-8")
    return path


def opened(chromium: Any, file: Path, **options: Any) -> tuple[Any, list[str]]:
    """The page when it is ready, and what the browser complains of."""
    tab, complaints = chromium.new_page(viewport={"width": 1100, "height": 700}, **options), []
    tab.on("console", lambda message: complaints.append(message.text))
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.goto(file.as_uri())
    tab.locator("html[data-ready=yes]").wait_for(state="attached")
    return tab, complaints


def read(tab: Any, name: str) -> list[int]:
    return [int(each.replace(",", "")) for each in WRITTEN.findall(tab.locator(f"#{name}").inner_text())]


def test_typed_rectangles_are_answered_as_starling_answers_them(chromium: Any, file: Path) -> None:
    tab, complaints = opened(chromium, file)
    table = CumulativeGrid(np.random.default_rng(2).gamma(0.5, 100.0, (HIGH, WIDE)))
    surety = Surety([measured()])
    for x0, y0, x1, y1 in [
        (0, 0, 40, 32),
        (2, 3, 9, 30),
        (7.5, 4.25, 33, 20),
        (16, 8, 17, 9),
        (5, 5, 5.5, 5.25),
        (-9, -9, 20, 16),
    ]:
        for name, value in zip(("x0", "y0", "x1", "y1"), (x0 - 10, y0 / 2 + 100, x1 - 10, y1 / 2 + 100), strict=True):
            tab.locator(f"#{name}").fill(str(value))
        query = np.array([[x0, y0, x1, y1]], dtype=np.float64)
        sure = surety.of(query)
        assert read(tab, "between") == [sure.lower[0], sure.upper[0]]
        assert read(tab, "estimate") == [pytest.approx(table.count(query).counts[0], abs=0.51)]
        assert sum(read(tab, "cut")) == sure.cut[0]
    assert complaints == []
    tab.close()


def test_a_dragged_rectangle_is_counted_and_the_map_moves_and_grows(chromium: Any, file: Path) -> None:
    tab, complaints = opened(chromium, file)
    box = tab.locator("#map").bounding_box()
    place = [(box["x"] + box["width"] * part, box["y"] + box["height"] * part) for part in (0.4, 0.6)]

    def drag() -> list[float]:
        tab.mouse.move(*place[0])
        tab.mouse.down()
        tab.mouse.move(*place[1], steps=3)
        tab.mouse.up()
        return [float(tab.locator(f"#{name}").input_value()) for name in ("x0", "y0", "x1", "y1")]

    x0, y0, x1, y1 = drag()
    assert -10 < x0 < x1 < 30
    assert 100 < y0 < y1 < 116
    sure = Surety([measured()]).of(np.array([[x0 + 10, 2 * (y0 - 100), x1 + 10, 2 * (y1 - 100)]]))
    assert read(tab, "between") == [sure.lower[0], sure.upper[0]]
    tab.locator("#nearer").click()
    near = drag()
    assert (near[2] - near[0]) == pytest.approx((x1 - x0) / 1.6, rel=0.02)
    tab.locator("#whole").click()
    assert drag() == pytest.approx([x0, y0, x1, y1], abs=0.2)
    assert complaints == []
    tab.close()


def test_ends_in_the_wrong_order_are_said(chromium: Any, file: Path) -> None:
    tab, _ = opened(chromium, file)
    for name, value in {"x0": 5, "y0": 101, "x1": 4, "y1": 102}.items():
        tab.locator(f"#{name}").fill(str(value))
    assert "West must not lie east of East" in tab.locator("#problem").inner_text()
    assert tab.locator("#estimate").inner_text().strip() == ""
    tab.close()


@pytest.mark.parametrize(("scheme", "other"), [("light", "Dark"), ("dark", "Light")])
def test_light_and_dark(chromium: Any, file: Path, scheme: str, other: str) -> None:
    tab, complaints = opened(chromium, file, color_scheme=scheme)
    darkness = {}
    for _ in range(2):
        ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
        darkness[tab.locator("html").get_attribute("data-theme")] = sum(map(int, re.findall(r"\d+", ground)))
        tab.locator("#theme").click()
    assert darkness["dark"] < 150
    assert darkness["light"] > 700
    assert tab.locator("#theme").inner_text() == other
    assert complaints == []
    tab.close()


def ask(tab: Any, x0: float, y0: float, x1: float, y1: float) -> None:
    for name, value in zip(("x0", "y0", "x1", "y1"), (x0 - 10, y0 / 2 + 100, x1 - 10, y1 / 2 + 100), strict=True):
        tab.locator(f"#{name}").fill(str(value))


@pytest.mark.parametrize("squares", [(0, 0, 14, 11), (2, 1, 14, 11), (3, 4, 9, 8)])
def test_typical_errors_are_read_from_the_tables(
    chromium: Any, with_experience: Path, squares: tuple[int, int, int, int]
) -> None:
    tab, complaints = opened(chromium, with_experience)
    left, bottom, right, top = squares
    x0, y0, x1, y1 = 3 * left, 3 * bottom, min(3 * right, WIDE), min(3 * top, HIGH)
    ask(tab, x0, y0, x1, y1)
    off = EXPERIENCE.errors[:, bottom:top, left:right].sum(axis=(1, 2))
    cells = np.outer(np.minimum(3, HIGH - 3 * np.arange(11)), np.minimum(3, WIDE - 3 * np.arange(14)))
    box = (EXPERIENCE.boxes * cells)[bottom:top, left:right].sum() / ((x1 - x0) * (y1 - y0))
    expected = TIMES * np.sqrt((off**2).mean() + box**2)
    assert read(tab, "usually") == [pytest.approx(expected, abs=0.6)]
    assert complaints == []
    tab.close()


def test_a_small_rectangle_has_no_typical_error_on_the_page(chromium: Any, with_experience: Path) -> None:
    tab, _ = opened(chromium, with_experience)
    ask(tab, 3, 3, 8.5, 20)
    assert tab.locator("#usually").inner_text() == ""
    ask(tab, 3, 3, 9, 9)
    assert "typical error" in tab.locator("#usually").inner_text()
    tab.close()


def test_hotspots_are_listed_and_shown_when_asked(chromium: Any, with_experience: Path, file: Path) -> None:
    tab, complaints = opened(chromium, with_experience)
    rows = tab.locator("#hotspots tr")
    assert [" ".join(row.split()) for row in rows.all_inner_texts()] == ["1 1,234 0.97 surely", "2 56 below 0.6"]
    rows.nth(1).locator("button").click()
    assert [float(tab.locator(f"#{name}").input_value()) for name in ("x0", "y0", "x1", "y1")] == [22, 112, 30, 116]
    assert complaints == []
    tab.close()
    without, _ = opened(chromium, file)
    assert without.locator("#first").is_hidden()
    without.close()
