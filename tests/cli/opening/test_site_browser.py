"""The pages of a release in a browser: opened by the address, under the policy, for everybody, without scripts too."""

import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

import starling
from starling.cli.opening.serving import Serving
from starling.cli.opening.site import Site
from starling.planfile.values import exact_text
from starling.screens.release import Screens
from starling.screens.tables.accuracy import pages_of
from starling.tables.preview import preview
from starling.tables.preview.accuracy import Accuracy, at_cost, at_every_margin
from tests.browser import LOOKS, Tab, check_reading, hold, open_tab, set_look, show
from tests.four_domains import release, write
from tests.tables.preview.test_accuracy import CUSTOM

pytestmark = pytest.mark.slow

PAGES = {
    "tables": ("/", "/tables/t1", "/tables/none"),
    "places": ("/", "/tables/boxes", "/map"),
    "groups": ("/sizes?region=east&least=1",),
}
MOVE = """async (frames) => {
  const canvas = document.getElementById("map"), next = () => new Promise((done) => requestAnimationFrame(done));
  for (let k = 0; k < frames; k++) {
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key: ["ArrowLeft", "+", "ArrowUp", "-"][k % 4] }));
    await next();
  }
  return canvas.toDataURL();
}"""


@pytest.fixture(scope="module", params=PAGES)
def served(
    request: pytest.FixtureRequest, chromium: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Any, str]]:
    """The domain, a browser that opened the address of its release, and where its pages are."""
    folder = write(tmp_path_factory.mktemp("four"))
    release(folder, request.param)
    here = folder / request.param / "out"
    with starling.open_release(here) as opened:
        serving = Serving(Site(Screens(opened), "release").answer)
        thread = threading.Thread(target=serving.run, args=(600,))
        thread.start()
        context = chromium.new_context(bypass_csp=False)
        page = context.new_page()
        page.goto(serving.address)
        page.wait_for_url("http://127.0.0.1:*/")
        root = page.url.rstrip("/")
        page.close()
        yield request.param, context, root
        context.close()
        serving.stop()
        thread.join()


def tab_of(served: tuple[str, Any, str], path: str) -> Tab:
    return open_tab(served[1], served[2] + path, width=None, ready=path.startswith("/map"))


def test_everybody_can_read_every_page_and_nothing_leaves_the_machine(served: tuple[str, Any, str]) -> None:
    """Nor does the policy refuse anything."""
    domain, context, root = served
    tab = open_tab(context, "about:blank", width=None, ready=False)
    for path in PAGES[domain]:
        for look in LOOKS:
            show(tab, root + path, look, ready=path == "/map")
            check_reading(tab)
            assert [each for each in tab.complaints if "404" not in each] == []
            assert all(address.startswith((root, "data:", "blob:")) for address in tab.requests)
    tab.page.close()


only_places = pytest.mark.parametrize("served", ["places"], indirect=True)
"""Only they have a map."""


def ends_of(page: Any) -> list[str]:
    return [page.locator(f"#map-{name}").input_value() for name in ("west", "south", "east", "north")]


@only_places
def test_a_dragged_rectangle_has_the_numbers_of_its_address(served: tuple[str, Any, str]) -> None:
    tab = tab_of(served, "/map?slice=February")
    box = tab.page.locator("#map").bounding_box()
    for share, act in ((0.4, "down"), (0.6, "up")):
        tab.page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] * share, steps=4)
        getattr(tab.page.mouse, act)()
    tab.page.locator("#map-usually", has_text="typical error").wait_for()
    ends, shown = ends_of(tab.page), [tab.text(f"#map-{name}") for name in ("estimate", "between", "usually", "cut")]
    assert all(ends)
    assert tab.text(".headline .label") == "Points (pickup) in the rectangle, February"
    line = tab.page.locator("#map-lines code").first.inner_text()
    assert f"[[{', '.join(str(float(end)) for end in ends)}]]" in line
    address = tab.page.url
    before = tab.page.evaluate(MOVE, 8)
    assert before != tab.page.evaluate(MOVE, 3)
    tab.page.goto(f"{address}&typical=yes")
    tab.page.locator("html[data-ready=yes]").wait_for(state="attached")
    assert ends_of(tab.page) == ends
    assert [tab.text(f"#map-{name}") for name in ("estimate", "between", "usually", "cut")] == shown
    tab.page.locator("#map-west").fill("99")
    tab.page.locator("#map-problem", has_text="West must not lie east of East").wait_for()
    with tab.page.expect_navigation():
        tab.page.locator("#map-range").focus()
        tab.page.keyboard.press("ArrowLeft")
    assert "slice=January" in tab.page.url
    assert [each for each in tab.complaints if "422" not in each] == []
    tab.page.close()


@only_places
def test_what_was_typed_before_the_script_ran_is_counted_and_a_lost_connection_ends(
    served: tuple[str, Any, str],
) -> None:
    page = tab_of(served, "/").page
    held = hold(page, "**/static/map_served.*")
    page.goto(f"{served[2]}/map", wait_until="commit")
    for name, end in zip(("west", "south", "east", "north"), ("-1", "0", "1", "2"), strict=True):
        page.locator(f"#map-{name}").fill(end)
    page.route("**/map/count?*", lambda route: route.abort(), times=1)
    held[0].continue_()
    page.wait_for_selector("#late:visible")
    page.locator("#map-where", has_text="rectangle").wait_for()
    assert page.is_hidden("#late")
    shown = page.inner_text("#map-estimate")
    page.reload()
    assert (ends_of(page), page.inner_text("#map-estimate")) == (["-1", "0", "1", "2"], shown)
    page.close()


@only_places
def test_a_map_counts_without_scripts(served: tuple[str, Any, str], chromium: Any) -> None:
    context = chromium.new_context(java_script_enabled=False, storage_state=served[1].storage_state())
    page = context.new_page()
    page.goto(f"{served[2]}/map")
    assert page.locator("noscript svg").is_visible()
    for name, end in (("west", "-1"), ("south", "0"), ("east", "1"), ("north", "2")):
        page.locator(f"#map-{name}").fill(end)
    page.locator("#map-slice").select_option("February")
    page.locator("noscript input[name=typical]").check()
    with page.expect_navigation():
        page.get_by_role("button", name="Count").click()
    assert "in the rectangle, February" in page.locator(".headline .label").inner_text()
    assert "typical error" in page.locator("#map-usually").inner_text()
    assert ends_of(page) == ["-1", "0", "1", "2"]
    with page.expect_navigation():
        page.get_by_label("Count square 1").click()
    assert all(ends_of(page))
    context.close()


def test_another_browser_is_let_in_nowhere(served: tuple[str, Any, str], chromium: Any) -> None:
    tab = open_tab(chromium, served[2] + "/", ready=False)
    assert "has not opened the address" in tab.text("body")
    tab.page.close()


def test_what_is_chosen_stands_in_the_address(served: tuple[str, Any, str]) -> None:
    table, column = {"tables": ("t1", "iteration_code"), "places": ("boxes", "slice"), "groups": ("regions", "level")}[
        served[0]
    ]
    tab = tab_of(served, f"/tables/{table}")
    value = tab.page.locator(f"select[name={column}] option").nth(1).get_attribute("value")
    tab.page.locator(f"select[name={column}]").select_option(value)
    with tab.page.expect_navigation():
        tab.page.get_by_role("button", name="Show").click()
    assert dict(parse_qsl(urlsplit(tab.page.url).query))[column] == value
    chosen = tab.page.locator(f"select[name={column}] option:checked").inner_text()
    assert chosen in tab.page.locator("caption").inner_text()
    assert tab.page.locator("tbody tr").all()
    tab.page.close()


def test_margins_and_budgets_of_a_plan_follow_each_other(chromium: Any) -> None:
    """And everybody can read it; what is saved is what is shown."""
    serving = Serving(Site(pages_of(preview(CUSTOM)), "plan.toml").answer)
    thread = threading.Thread(target=serving.run, args=(600,))
    thread.start()
    try:
        tab = open_tab(chromium, serving.address, width=None, ready=False)
        page = tab.page
        page.fill("#every", "25")
        page.wait_for_selector(f"#price .cost:has-text('{_cost(at_every_margin(CUSTOM, '25'))}')")
        assert (page.is_checked("#by-every"), page.input_value("#within-0")) == (True, "25")
        page.fill("#total", "1")
        chosen = at_cost(CUSTOM, "1")
        page.wait_for_selector(f"#price .cost:has-text('{_cost(chosen)}')")
        assert [page.input_value(f"#within-{at}") for at in range(3)] == [each.within for each in chosen.numbers[:3]]
        with page.expect_download() as download:
            page.click("text=Save as a plan file")
        assert download.value.path().read_text() == chosen.file()
        for look in LOOKS:
            set_look(page, *look)
            check_reading(tab)
        assert [each for each in tab.complaints if "404" not in each] == []
    finally:
        serving.stop()
        thread.join()


def _cost(chosen: Accuracy) -> str:
    return f"Costs epsilon {exact_text(chosen.plan.cost.amount)};"
