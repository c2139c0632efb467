"""The page of a map in a browser: it counts as Starling does, without a mouse too, under its own policy, for everybody."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starling.places.arrays import Float64
from starling.places.pictures.map_data import Map
from starling.places.pictures.map_page import page
from starling.places.plan.grid import Grid
from starling.places.typical.errors import TIMES
from tests.browser import LOOKS, Tab, check_reading, open_tab, show
from tests.places.pictures.worlds import ALONE, GRID, HIGH, NAMES, SHOWN, WIDE, experience, map_slice, released

pytestmark = pytest.mark.slow

ENDS = ("west", "south", "east", "north")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("map")
    pairs = [map_slice(name, number) for number, name in enumerate(("May, a", "May, b", "June, a", "June, b"))]
    two = replace(SHOWN, slices=pairs, lists=(("May", "June"), ("a", "b")))
    for name, shown in (("alone", ALONE), ("slices", SHOWN), ("folded", squared()), ("two", two)):
        (folder / f"{name}.html").write_text(page(shown), encoding="utf-8")
    return folder


def squared() -> Map:
    """With typical errors by squares of 3 cells, of which those in the north and the east are cut by the end of the grid."""
    return Map(ALONE.title, ALONE.about, ALONE.points, GRID, 1.0, [map_slice("", 0, fold=3)])


@pytest.fixture(scope="module")
def shared(chromium: Any) -> Any:
    """The one tab that most tests open their page in."""
    return open_tab(chromium, "about:blank", ready=False)


def of_file(tab: Tab, folder: Path, name: str) -> Tab:
    show(tab, (folder / f"{name}.html").as_uri())
    return tab


def fill(tab: Tab, ends: list[float]) -> None:
    for name, end in zip(ENDS, ends, strict=True):
        tab.page.locator(f"#map-{name}").fill(str(end))


def shown_ends(tab: Tab) -> list[float]:
    return [float(tab.page.locator(f"#map-{name}").input_value()) for name in ENDS]


def exact(tab: Tab, name: str) -> float | None:
    text = tab.page.locator(f"#map-{name}").get_attribute("data-exact")
    return float(text) if text else None


def rectangles(many: int) -> Float64:
    """Rectangles in degrees: any, very small ones, such as end between cells, and such as reach beyond the grid."""
    random = np.random.default_rng(7)
    x, y = (np.sort(random.uniform(low, high, (many, 2))) for low, high in ((-12, 31), (37, 55)))
    x[1::4, 1], y[1::4, 1] = x[1::4, 0] + 1.5, y[1::4, 0] + 0.75
    x[2::4], y[2::4] = np.round(x[2::4]), np.round(2 * y[2::4]) / 2
    return np.stack([x[:, 0], y[:, 0], x[:, 1], y[:, 1]], axis=1)


@pytest.mark.parametrize(("one", "other"), [(0, None), (2, None), (0, 1), (2, 0)])
def test_rectangles_are_counted_as_starling_counts_them(shared: Tab, folder: Path, one: int, other: int | None) -> None:
    tab = of_file(shared, folder, "slices")
    for _ in range(one):
        tab.page.locator("#map-slice").press("ArrowRight")
    tab.page.locator("#map-other").select_option(str(-1 if other is None else other))
    grid = released(one) if other is None else released(one).minus(released(other))
    queries = rectangles(30)
    answers = grid.count(queries, "box")
    assert answers.lower is not None
    assert answers.upper is not None
    assert answers.cut is not None
    numbers = zip(queries.tolist(), answers.counts, answers.lower, answers.upper, answers.cut, strict=True)
    for query, count, lower, upper, cut in numbers:
        fill(tab, query)
        assert exact(tab, "estimate") == pytest.approx(count, abs=1e-9)
        assert tab.text("#map-between") == f"95 % interval: {lower:,} to {upper:,}".replace("-", "\u2212")
        assert (f"boxes with {cut:,} measured points" in tab.text("#map-cut")) == (cut > 0)
        errors = [typical(each, query) for each in (one, other) if each is not None]
        # Sums of the page's tables are off by a 32nd of a point.
        assert exact(tab, "usually") == pytest.approx(sum(each**2 for each in errors) ** 0.5, abs=0.2)
    assert tab.complaints == []


def typical(number: int, query: list[float]) -> float:
    """The typical error of a rectangle in degrees, by the tables that the page has."""
    known = experience(number, 1)
    x0, x1 = (min(max(x + 10, 0), WIDE) for x in query[::2])
    y0, y1 = (min(max(2 * (y - 38), 0), HIGH) for y in query[1::2])
    across, along = (
        np.clip(np.minimum(end, np.arange(1, many + 1)) - np.maximum(begin, np.arange(many)), 0, 1)
        for begin, end, many in ((y0, y1, HIGH), (x0, x1, WIDE))
    )
    off = np.einsum("y,ryx,x->r", across, known.errors, along)
    box = across @ known.boxes @ along / max((x1 - x0) * (y1 - y0), 1e-300)
    return float(TIMES * np.sqrt((off**2).mean() + box**2))


@pytest.mark.parametrize("squares", [(0, 0, 14, 11), (2, 1, 14, 11), (3, 4, 9, 8)])
def test_typical_errors_are_read_from_squares(shared: Tab, folder: Path, squares: tuple[int, int, int, int]) -> None:
    tab = of_file(shared, folder, "folded")
    left, bottom, right, top = squares
    x0, y0, x1, y1 = 3 * left, 3 * bottom, min(3 * right, WIDE), min(3 * top, HIGH)
    fill(tab, [x0 - 10, y0 / 2 + 38, x1 - 10, y1 / 2 + 38])
    known = experience(0, 3)
    off = known.errors[:, bottom:top, left:right].sum(axis=(1, 2))
    cells = np.outer(np.minimum(3, HIGH - 3 * np.arange(11)), np.minimum(3, WIDE - 3 * np.arange(14)))
    box = (known.boxes * cells)[bottom:top, left:right].sum() / ((x1 - x0) * (y1 - y0))
    assert exact(tab, "usually") == pytest.approx(TIMES * np.sqrt((off**2).mean() + box**2), abs=0.2)
    fill(tab, [-7, 40, -1.5, 50])
    assert tab.text("#map-usually") == "", "narrower than two squares"


def drag(tab: Tab, first: tuple[float, float], last: tuple[float, float]) -> list[float]:
    """Drag over the canvas, between shares of its sides; the ends that are written then."""
    box = tab.page.locator("#map").bounding_box()
    for place, act in ((first, "down"), (last, "up")):
        tab.page.mouse.move(box["x"] + box["width"] * place[0], box["y"] + box["height"] * place[1], steps=4)
        getattr(tab.page.mouse, act)()
    return shown_ends(tab)


def test_a_dragged_rectangle_has_the_answer_of_the_ends_that_are_written(shared: Tab, folder: Path) -> None:
    tab = of_file(shared, folder, "alone")
    ends = drag(tab, (0.4, 0.4), (0.6, 0.6))
    assert -10 < ends[0] < ends[2] < 30
    assert 38 < ends[1] < ends[3] < 54
    (count,) = released(0).count([ends], "box").counts
    assert exact(tab, "estimate") == pytest.approx(count, abs=1e-9)
    tab.page.locator("#map-nearer").click()
    near = drag(tab, (0.4, 0.4), (0.6, 0.6))
    assert near[2] - near[0] == pytest.approx((ends[2] - ends[0]) / 1.6, rel=0.02)
    tab.page.locator("#map-whole").click()
    assert drag(tab, (0.4, 0.4), (0.6, 0.6)) == pytest.approx(ends, abs=0.2)
    tab.page.locator("#map-moves").check()
    drag(tab, (0.4, 0.4), (0.5, 0.4))
    tab.page.locator("[name=map-drag]").first.check()
    moved = drag(tab, (0.4, 0.4), (0.6, 0.6))
    assert moved[0] < ends[0]
    assert moved[1:4:2] == pytest.approx(ends[1:4:2], abs=0.2)
    assert tab.complaints == []


def test_the_map_needs_no_mouse(shared: Tab, folder: Path) -> None:
    tab = of_file(shared, folder, "slices")
    before = canvas(tab)
    tab.page.locator("#map").focus()
    for key in ("+", "ArrowLeft", "ArrowUp", "-", "ArrowRight", "ArrowDown"):
        tab.page.keyboard.press(key)
        after, before = before, canvas(tab)
        assert after != before, key
    tab.page.locator("[data-box]").first.press("Enter")
    assert shown_ends(tab) == [-10, 42, -2, 46]
    tab.page.locator("#map-slice").focus()
    tab.page.keyboard.press("ArrowRight")
    assert tab.text("#map-slice-name") == "June <i>"
    assert tab.page.locator("#map-slice").get_attribute("aria-valuetext") == "June <i>"
    assert tab.text(".headline .label") == "Points (pickup) in the rectangle, June <i>"
    assert tab.page.locator("section[data-slice='1']").is_visible()
    assert tab.page.locator("section[data-slice='0']").is_hidden()
    assert tab.complaints == []


def test_slices_by_two_columns_have_a_slider_and_a_list(shared: Tab, folder: Path) -> None:
    tab = of_file(shared, folder, "two")
    for month in range(2):
        for kind in range(2):
            tab.page.locator("#map-slice").fill(str(month))
            tab.page.locator("#map-category").select_option("ab"[kind])
            assert tab.text("#map-slice-name") == f"{('May', 'June')[month]}, {'ab'[kind]}"
            fill(tab, [-10, 38, 30, 54])
            assert exact(tab, "estimate") == pytest.approx(released(2 * month + kind).table.grid.sum())
    tab.page.locator("#map-other").select_option("0")
    (sure,) = [released(3).minus(released(0)).count([[-10, 38, 30, 54]], "box")]
    assert sure.lower is not None
    assert sure.upper is not None
    words = f"95 % interval: {sure.lower[0]:,} to {sure.upper[0]:,}"
    assert tab.text("#map-between") == words.replace("-", "\u2212")
    assert tab.complaints == []


def canvas(tab: Tab) -> str:
    """What is drawn."""
    tab.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return str(tab.page.evaluate("document.getElementById('map').toDataURL()"))


@pytest.mark.parametrize("choice", ["outlines", "coastline", "veil"])
def test_what_is_drawn_over_the_cells_can_be_left_out(shared: Tab, folder: Path, choice: str) -> None:
    tab = of_file(shared, folder, "alone")
    before = canvas(tab)
    tab.page.locator(f"#map-{choice}").click()
    assert canvas(tab) != before
    tab.page.locator(f"#map-{choice}").click()
    assert canvas(tab) == before


def test_axes_are_in_degrees_kilometres_or_cells(shared: Tab, folder: Path) -> None:
    tab = of_file(shared, folder, "alone")
    drawn = set()
    for kind in ("degrees", "kilometres", "cells"):
        tab.page.locator("#map-axes").select_option(kind)
        drawn.add(canvas(tab))
    assert len(drawn) == 3
    assert tab.text("#map-scale") == "500 km"


def test_ends_in_the_wrong_order_are_said(shared: Tab, folder: Path) -> None:
    tab = of_file(shared, folder, "alone")
    fill(tab, [5, 39, 4, 40])
    assert "West must not lie east of East" in tab.text("#map-problem")
    assert exact(tab, "estimate") is None


@pytest.mark.parametrize("name", ["alone", "slices"])
def test_everybody_can_read_it_on_every_screen(chromium: Any, folder: Path, name: str) -> None:
    tab = open_tab(chromium, "about:blank", ready=False, bypass_csp=True)
    for look in LOOKS:
        show(tab, (folder / f"{name}.html").as_uri(), look)
        check_reading(tab)
    tab.page.close()


@pytest.mark.parametrize("name", ["alone", "slices", "folded"])
def test_its_policy_refuses_nothing_of_it_and_nothing_is_fetched(shared: Tab, folder: Path, name: str) -> None:
    tab = of_file(shared, folder, name)
    drag(tab, (0.3, 0.3), (0.7, 0.7))
    assert tab.complaints == []
    assert [address for address in tab.requests if not address.startswith(("file:", "data:", "blob:"))] == []


def test_without_scripts_there_are_a_picture_and_tables(chromium: Any, folder: Path) -> None:
    tab = open_tab(chromium, (folder / "slices.html").as_uri(), ready=False, java_script_enabled=False)
    assert tab.page.locator("noscript svg").is_visible()
    assert tab.page.locator(".map-page").is_hidden()
    assert tab.page.locator("section[data-slice]").count() == len(NAMES)
    assert tab.page.locator("section[data-slice='2']").is_visible()
    assert tab.page.locator("[data-box]").first.is_hidden()
    tab.page.locator("summary").first.click()
    assert "Points of large squares, July" in tab.text("main")
    assert tab.complaints == []
    tab.page.close()


WORLD = Grid((Fraction(-180), Fraction(-90), Fraction(180), Fraction(90)), HIGH, WIDE, "degrees")
LABELS = """
globalThis.labels = [];
const write = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...place) { labels.push(text); return write.call(this, text, ...place); };
"""


@pytest.mark.parametrize("width", [360, 1440])
def test_a_map_of_the_world_has_its_own_shape_and_no_place_beyond_it(chromium: Any, tmp_path: Path, width: int) -> None:
    aspect = 2 * HIGH / WIDE
    (tmp_path / "world.html").write_text(page(replace(ALONE, grid=WORLD, aspect=aspect)), encoding="utf-8")
    context = chromium.new_context(viewport={"width": width, "height": 800}, has_touch=True)
    context.add_init_script(LABELS)
    tab = open_tab(context, (tmp_path / "world.html").as_uri(), width=None)
    box = tab.page.locator("#map").bounding_box()
    assert box["height"] - 38 == pytest.approx((box["width"] - 80) / 2, abs=24)
    for _ in range(4):
        tab.page.locator("#map-farther").click()
        tab.page.evaluate("() => new Promise(requestAnimationFrame)")
    degrees = [re.fullmatch(r"([\d.]+)°( [NSEW])?", each) for each in tab.page.evaluate("labels")]
    drawn = {(float(each[1]), each[2]) for each in degrees if each}
    assert len(drawn) > 3
    assert all(value <= (90 if side in (" N", " S") else 180) for value, side in drawn)
    context.close()


def test_a_swipe_scrolls_the_page_and_counts_nothing(chromium: Any, folder: Path) -> None:
    context = chromium.new_context(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    tab = open_tab(context, (folder / "alone.html").as_uri(), width=None)
    tab.page.locator("#map").scroll_into_view_if_needed()
    before = tab.page.evaluate("scrollY")
    box = tab.page.locator("#map").bounding_box()
    touch = context.new_cdp_session(tab.page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.7

    def swipe(across: int, along: int) -> None:
        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for step in range(1, 11):
            point = {"x": x + across * step / 10, "y": y + along * step / 10}
            touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        tab.page.wait_for_timeout(100)

    swipe(0, -120)
    assert tab.page.evaluate("scrollY") > before + 50
    assert exact(tab, "estimate") is None
    assert tab.page.locator("#map-chosen").is_hidden()
    tab.page.evaluate("scroll(0, 0)")
    tab.page.locator("#map").scroll_into_view_if_needed()
    box = tab.page.locator("#map").bounding_box()
    y = box["y"] + box["height"] * 0.4
    swipe(80, 20)
    assert exact(tab, "estimate") is not None
    assert "before the map was seen" in tab.text("#map-chosen")
    context.close()
