"""The maps of areas, of flows and of a box across the antimeridian in a browser: numbers by mouse, finger and keys, at every width."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starling
from starling.hierarchy.trees import Estimated
from starling.places.answers.released import ReleasedGrid
from starling.places.areas.analysis import AreasRelease
from starling.places.areas.artifact.map_page import views
from starling.places.areas.mechanism import PricedPlan
from starling.places.areas.publish import AREAS
from starling.places.flows.analysis import FlowsRelease
from starling.places.pictures.map_page import page
from starling.places.plan.grid import Grid
from starling.places.trips.analysis import TripsRelease
from starling.places.trips.publish import TRIPS
from starling.release.payment import PaymentOptions
from tests.browser import Tab, check_reading, open_tab
from tests.places.areas import worlds
from tests.places.areas.artifact.test_map_page import COUNTED, VALUED
from tests.places.pictures.worlds import ALONE, HIGH, WIDE, map_slice, measured
from tests.places.trips import worlds as trips

pytestmark = pytest.mark.slow

LOOKS = ((360, "light"), (1280, "dark"))
PLACES = {"x": [0.5] * 300 + [1.5] * 80 + [2.5] * 9, "y": [0.5] * 300 + [1.5] * 80 + [0.5] * 9}
MONTHS = {"bounds": ["2020-01-01", "2020-02-01", "2020-03-01"], "names": ["January", "February"]}
ACROSS = Grid((Fraction(170), Fraction(-50), Fraction(-170), Fraction(-34)), HIGH, WIDE, "degrees")
GROUND = ReleasedGrid(ACROSS, map_slice("", 0).grid, [(measured(0), 1)])
SAID = "#view-label, #view-number, #view-interval"


@pytest.fixture(scope="module")
def areas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Points of areas by month: all of the third place, and half of the others, in February."""
    folder = tmp_path_factory.mktemp("areas")
    worlds.plan(folder)
    values = worlds.values(input={"x": "x", "y": "y", "time": "when"}, slices=MONTHS)
    when = ["2020-01-05", "2020-02-05"] * 190 + ["2020-02-05"] * 9
    records = {**PLACES, "when": when}
    payment = PaymentOptions(unvalidated=True)
    AREAS.release(PricedPlan.of(values, folder=folder), records, folder / "out", payment=payment)
    return folder / "out"


@pytest.fixture(scope="module")
def pages(areas: Path, sliced: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("maps")
    payment = PaymentOptions(unvalidated=True)
    TRIPS.release(trips.plan(folder), trips.MANY, folder / "out", payment=payment)
    for name, release in (("areas", areas), ("flows", sliced), ("trips", folder / "out")):
        with starling.open_release(release) as opened:
            assert isinstance(opened, AreasRelease | FlowsRelease | TripsRelease)
            (folder / f"{name}.html").write_text(opened.map().page(), encoding="utf-8")
        (folder / f"{name}-report.html").write_bytes((release / "report.html").read_bytes())
    (folder / "across.html").write_text(page(replace(ALONE, grid=ACROSS)), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("name", "look"),
    [
        *product(["areas", "flows", "trips", "across"], LOOKS),
        *((f"{name}-report", LOOKS[0]) for name in ("areas", "flows", "trips")),
    ],
)
def test_everybody_can_read_it(chromium: Any, pages: Path, name: str, look: tuple[int, str]) -> None:
    address = (pages / f"{name}.html").as_uri()
    ready = "report" not in name
    tab = open_tab(chromium, address, width=look[0], ready=ready, bypass_csp=True, color_scheme=look[1])
    check_reading(tab)
    assert tab.complaints == []
    assert [each for each in tab.requests if not each.startswith(("file:", "data:", "blob:"))] == []
    shown = tab.page.locator(".picture svg:visible, #map").first.bounding_box()
    assert shown["width"] > 0.6 * min(look[0], 380)
    if ready and name != "across":
        letters = tab.page.locator(".picture:visible svg text").first.bounding_box()
        assert letters["height"] > 7, "the legend can be read"
    tab.page.close()


@pytest.mark.parametrize("name", ["areas-report", "flows-report"])
def test_marks_of_a_report_say_their_numbers_without_a_script(chromium: Any, pages: Path, name: str) -> None:
    tab = open_tab(chromium, (pages / f"{name}.html").as_uri(), ready=False, java_script_enabled=False)
    said = tab.page.locator("svg path > title").all_text_contents()
    # Of flows a pair of noise may be drawn too: once in twenty releases one is.
    assert (
        len(said) == 5 if name == "areas-report" else "Area 1 to Area 2" in [each.partition("\n")[0] for each in said]
    )
    assert all("\n95 % interval: " in each for each in said)
    tab.page.close()


def said(tab: Tab) -> list[str]:
    return [each for each in tab.page.locator(SAID).all_inner_texts() if each]


def until(tab: Tab, label: str) -> None:
    """Choose by keys what is called so, from the largest on."""
    tab.page.locator("#view").press("Home")
    for _ in range(5):
        if said(tab)[0] == label:
            return
        tab.page.locator("#view").press("ArrowRight")


def whole_of_areas(opened: Any, minus: str | None) -> tuple[float, int, int]:
    if minus is None:
        row = opened.area_rows("January").to_pylist()[2]
        return row["points"], row["lower"], row["upper"]
    number = opened.number("c", slice="January", minus=minus)
    return number.points, number.lower, number.upper


def whole_of_flows(opened: Any, minus: str | None) -> tuple[float, int, int]:
    flow = (["1"], ["2"])
    number = opened.count(*flow, slice="January")
    if minus is not None:
        number = opened.difference(flow, slice="January", minus_slice=minus)
    return number.trips, number.lower, number.upper


@pytest.mark.parametrize(
    ("name", "label", "asked"), [("areas", "c", whole_of_areas), ("flows", "Area 1 to Area 2", whole_of_flows)]
)
def test_slices_and_their_differences_have_the_numbers_of_the_release(
    chromium: Any, pages: Path, areas: Path, sliced: Path, name: str, label: str, asked: Callable[..., Any]
) -> None:
    tab = open_tab(chromium, (pages / f"{name}.html").as_uri(), width=1280)
    with starling.open_release({"areas": areas, "flows": sliced}[name]) as opened:
        for minus in (None, "February"):
            if minus:
                tab.page.locator("#view-other").select_option(minus)
            until(tab, label)
            number, lower, upper = asked(opened, minus)
            shown, value, interval = said(tab)
            assert shown == label
            assert float(value.replace(",", "")) == pytest.approx(number, rel=0.01)
            assert interval == f"95 % interval: {lower:,} to {upper:,}"
        tab.page.locator("#view").press("Escape")
        assert "January less February" in said(tab)[0]
        tab.page.locator("#view-slice").press("ArrowRight")
        assert tab.text("#view-name") == "February"
        assert tab.page.locator("#view-other").input_value() == "", "it is not taken from itself"
        assert tab.page.locator("#view-slice").get_attribute("aria-valuetext") == "February"
        assert said(tab)[0].endswith("February")
    assert tab.complaints == []
    tab.page.close()


def test_a_reader_chooses_points_sums_or_means(chromium: Any, tmp_path: Path) -> None:
    plan = worlds.plan(tmp_path, **VALUED)
    estimated = [Estimated(COUNTED[:nodes], np.ones((nodes, 4))) for nodes in (1, 2, 5)]
    (tmp_path / "map.html").write_text(views(plan, estimated, [0, 1]).page(), encoding="utf-8")
    tab = open_tab(chromium, (tmp_path / "map.html").as_uri(), width=390, bypass_csp=True)
    check_reading(tab)
    for kind in ("sum of fare", "mean fare", "points (visit)"):
        tab.page.locator("#view-kind").select_option(kind)
        tab.page.locator("#view-other").select_option("pm")
        assert said(tab)[0].lower() == f"{kind} in all areas, am less pm"
    assert tab.complaints == []
    tab.page.close()


@pytest.mark.parametrize("name", ["areas", "flows"])
def test_a_finger_and_a_mouse_find_what_is_near_them(chromium: Any, pages: Path, name: str) -> None:
    context = chromium.new_context(viewport={"width": 360, "height": 800}, has_touch=True, is_mobile=True)
    tab = open_tab(context, (pages / f"{name}.html").as_uri(), width=None)
    whole = said(tab)
    mark = tab.page.locator("#view path:has(title)").last if name == "areas" else tab.page.locator("#flows-flows")
    at = "mark.getPointAtLength(mark.getTotalLength() / 2)"
    x, y = mark.evaluate(f"mark => {{ const p = {at}.matrixTransform(mark.getScreenCTM()); return [p.x, p.y]; }}")
    if name == "areas":
        box = mark.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.page.touchscreen.tap(x + 3, y + 3)
    assert said(tab) == mark.locator("title").text_content().split("\n")
    assert tab.page.locator("#view .chosen").count() == 1
    top = tab.page.locator("#view-said").bounding_box()["y"]
    assert 0 <= top < 800, "the number is on the screen"
    tab.page.locator("#view").press("Escape")
    assert said(tab) == whole
    tab.page.mouse.move(x + 2, y + 2)
    assert said(tab) != whole
    context.close()


@pytest.mark.parametrize("width", [360, 1280])
def test_a_box_across_the_antimeridian_counts_on_both_sides(chromium: Any, pages: Path, width: int) -> None:
    tab = open_tab(chromium, (pages / "across.html").as_uri(), width=width)
    ends = {"west": "175", "east": "-175", "south": "-46", "north": "-38"}
    for name, end in ends.items():
        tab.page.locator(f"#map-{name}").fill(end)
    (count,) = GROUND.count([[175, -46, -175, -38]], "box").counts

    def estimate() -> float:
        return float(tab.page.locator("#map-estimate").get_attribute("data-exact"))

    assert estimate() == pytest.approx(count)
    assert tab.text("#map-problem") == ""
    tab.page.locator("[data-box]").first.press("Enter")
    assert [tab.page.locator(f"#map-{name}").input_value() for name in ends] == ["170", "174", "-46", "-42"]
    tab.page.locator("[data-box]").nth(1).press("Enter")
    assert [tab.page.locator(f"#map-{name}").input_value() for name in ends] == ["-174", "-170", "-38", "-34"]
    tab.page.locator("#map-west").fill("-171")
    tab.page.locator("#map-east").fill("172")
    assert "West must not lie east" in tab.text("#map-problem")
    assert tab.complaints == []
    tab.page.close()
