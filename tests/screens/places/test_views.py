"""The pages of releases of areas and of flows have a map of each slice, and of what one has more than another, by a form."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from starling import places
from starling.places.flows.publish import FLOWS
from starling.release.payment import PaymentOptions
from starling.release.reading import Release
from starling.verification import open_release
from tests.pages.test_views import stated
from tests.places.areas import worlds as areas
from tests.places.flows import worlds as flows
from tests.screens.conftest import Reader

NAMES: dict[str, Any] = {"names": ["am", "pm"]}
VALUED: dict[str, Any] = {"value": {"lower": 0, "upper": 9}}


def of_areas(folder: Path, **changes: Any) -> Release:
    made = places.AreasPlan.of(areas.plan(folder, **changes).values(), folder=folder)
    records = {"zone": ["a"] * 9 + ["b"], "when": ["am"] * 4 + ["pm"] * 6, "fare": [1] * 10}
    return made.release(records, out=folder / "out")


@pytest.fixture(scope="module")
def sliced(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return of_areas(tmp_path_factory.mktemp("areas"), input={"area": "zone", "time": "when"}, slices=NAMES)


@pytest.fixture(scope="module")
def months(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Release]:
    folder = tmp_path_factory.mktemp("flows")
    plan, payment = flows.plan(folder, **flows.BY_MONTH), PaymentOptions(unvalidated=True)
    FLOWS.release(plan, flows.MONTHS, folder / "out", payment=payment)
    with open_release(folder / "out") as opened:
        yield opened


@pytest.mark.parametrize(
    ("world", "names"),
    [("sliced", ["am", "pm"]), pytest.param("months", ["January", "February"], marks=pytest.mark.slow)],
)
def test_a_form_chooses_the_map_of_a_slice_or_of_a_difference(
    world: str, names: list[str], request: pytest.FixtureRequest
) -> None:
    release: Any = request.getfixturevalue(world)
    reader, shown = Reader(release), release.map()
    assert '/map">Map</a>' in reader.read("/").decode()
    for query, one, other in (
        ("", 0, None),
        (f"slice={names[1]}", 1, None),
        (f"slice={names[1]}&less={names[0]}", 1, 0),
    ):
        page = reader.read("/map", query).decode()
        view = shown.make(one, other)
        assert re.findall(r"<option[^>]*selected>([^<]*)<", page) == [
            names[one],
            *([] if other is None else [names[other]]),
        ]
        told = stated(page)["views"]
        assert list(told) == ["0 0"]
        told = told["0 0"]
        assert (told["label"], told["interval"]) == (view.headline.label, view.headline.interval)
        assert told["svg"] == view.picture.draw()
        still = page.partition("<noscript>")[2].partition("</noscript>")[0]
        assert view.headline.interval in still
        assert "<svg" in still
        loaded = re.findall(r'(?:src|href)="([^"]*)"', page)
        assert [each for each in loaded if re.match(r"https?:|//", each)] == [], "nothing is loaded from elsewhere"


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("slice=none", "slice"),
        ("less=none", "less"),
        ("slice=am&less=am", "less"),
        ("less=am", "less"),
        ("slice=am&slice=pm", "slice"),
        ("show=none", "show"),
    ],
)
def test_what_there_is_not_is_a_typed_page(sliced: Release, query: str, field: str) -> None:
    reply = Reader(sliced).get("/map", query)
    assert 400 <= reply.status < 500
    assert field in Reader(sliced).read("/map", query).decode()


@pytest.mark.slow
def test_one_slice_has_no_form_and_a_value_has_a_map_of_means(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    page = Reader(of_areas(tmp_path / "one", input={"area": "zone"})).read("/map").decode()
    assert "<form" not in page
    assert "all slices" not in page
    named = {"area": "zone", "value": "fare"}
    reader = Reader(of_areas(tmp_path, input=named, **VALUED))
    page = reader.read("/map", "show=mean+fare").decode()
    assert "Mean fare in all areas" in stated(page)["views"]["0 0"]["label"]
    assert 'name="slice"' not in page
    assert reader.get("/map", "show=mean+fare&less=all").status >= 400, "there is no other slice"
    (tmp_path / "sliced").mkdir()
    made = of_areas(tmp_path / "sliced", input={**named, "time": "when"}, slices=NAMES, **VALUED)
    page = Reader(made).read("/map", "show=sum+of+fare&slice=am&less=pm").decode()
    assert stated(page)["views"]["0 0"]["label"] == "Sum of fare in all areas, am less pm"
    assert re.findall(r"<option[^>]*selected>([^<]*)<", page) == ["sum of fare", "am", "pm"]
