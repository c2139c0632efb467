"""The pages of a release of places: each number on them is the library's, for slices, differences and other releases, whatever is typed."""

import json
import re
from fractions import Fraction
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import starling
from starling import places
from starling.places.analysis import PlacesRelease
from starling.places.answers.released import Answers
from starling.places.artifact.pages import headline
from starling.places.pictures.map_page import CHOSEN, square_table
from starling.release.reading import Release
from starling.release.text import OUTSIDE, rounded, whole
from starling.screens.frame import Frame
from starling.screens.places import choice
from tests.places.pictures.worlds import decoded
from tests.places.plans import SLICED, plan, values, write_world
from tests.screens.conftest import Reader

HOSTILE = '"><script>alert(1)</script>'
ENDS = ("west", "south", "east", "north")


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another release on the same grid, in the same slices."""
    folder = tmp_path_factory.mktemp("other")
    plan_of = places.Plan.of(values(SLICED))
    with plan_of.release(write_world(folder), out=folder / "out"):
        return folder / "out"


@pytest.fixture(scope="module")
def reader(releases: dict[str, Release], other: Path, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    coarse = tmp_path_factory.mktemp("coarse")
    finer = {"grid": {"rows": 4}}
    with places.Plan.of(values(finer)).release(write_world(coarse), out=coarse / "out"):
        paths = {"2": ["<b>two</b>", str(other)], "3": ["three", str(coarse / "out")], "4": ["four", ""]}
    return Reader(releases["places"], Frame(path="release", others=paths))


def shown(page: str, name: str) -> str:
    """The text of an element of the map."""
    (text,) = re.findall(rf'id="map-{name}"[^>]*>(.*?)</p>', page)
    return unescape(text)


RECTANGLES = [(), ("-1", "0", "3", "2"), ("-0.5", "0.25", "1.75", "2"), ("1/3", "0", "2", "7"), ("0", "1", "0", "1")]


@pytest.mark.parametrize("chosen", [{}, {"slice": "February"}, {"slice": "February", "minus": "January"}])
@pytest.mark.parametrize("ends", RECTANGLES)
def test_a_rectangle_has_the_numbers_of_the_library(
    reader: Reader, release: PlacesRelease, ends: tuple[str, ...], chosen: dict[str, str]
) -> None:
    query = urlencode({**dict(zip(ENDS, ends, strict=bool(ends))), **chosen, "typical": "yes"})
    page = reader.read("/map", query).decode()
    rectangle = [str(end) for end in release.plan.grid.box] if not ends else list(ends)
    question: Any = {"kind": "count", "rectangles": [rectangle], "units": "box", "typical": True, "slice": "January"}
    answers: Any = release.tell(question | chosen)
    (answer,) = answers
    assert shown(page, "estimate") == whole(answer["points"])
    assert f'data-exact="{answer["points"]}"' in page
    assert shown(page, "between") == f"95 % interval: {answer['lower']:,} to {answer['upper']:,}"
    assert shown(page, "usually") == f"typical error {rounded(answer['typical_error'])}"
    assert ("lies beyond the grid" in shown(page, "cut")) == answer["clipped"]
    reply = json.loads(reader.read("/map/count", query))
    outside = not answer["lower"] <= round(answer["points"]) <= answer["upper"]
    assert shown(page, "outside") == reply["outside"] == (OUTSIDE if outside else "")
    assert ('id="map-chosen" hidden' in page, shown(page, "chosen")) == (not ends, CHOSEN)
    assert (reply["counts"], reply["lower"], reply["upper"]) == (answer["points"], answer["lower"], answer["upper"])
    assert reply["typical_error"] == answer["typical_error"]
    assert reply["number"] == shown(page, "estimate")
    assert (reply["interval"], reply["cut"]) == (shown(page, "between"), shown(page, "cut"))
    assert [unescape(each) for each in re.findall(r"<code>(.*?)</code>", page, re.DOTALL)] == reply["lines"]


def test_a_number_outside_its_interval_is_said_wherever_it_stands(release: PlacesRelease) -> None:
    """Of the same answers, once with intervals around the numbers and once below them: page, table of squares, session and report."""
    for shift, note in ((0, ""), (-9, "3 of 3 numbers")):
        counts = np.array([7.4, 0.0, 120.6])
        ends = counts.round().astype(np.int64) + shift
        answers = Answers(counts, ends, ends, np.zeros(3, np.int64), np.zeros(3, np.bool_))
        squares = square_table(release.plan.grid, np.array([[0, 1, 0, 1]] * 3, np.int32), answers, "")
        for text in (answers.outside_note, squares.note, str(answers), answers._repr_html_()):
            assert (note in text) if note else ("trust the interval" not in text)
        assert (OUTSIDE in headline(release.plan, answers).note) == bool(note)


@pytest.mark.parametrize(
    ("ends", "wrong"),
    [
        (("2", "0", "1", "1"), "west"),
        (("0", "2", "1", "1"), "south"),
        (("5,9", "0", "1", "1"), "west"),
        (("0", "0", "<b>", "1"), "east"),
        (("0", "", "1", "1"), "south"),
    ],
)
def test_a_wrong_rectangle_leaves_form_and_map(reader: Reader, ends: tuple[str, ...], wrong: str) -> None:
    reply = reader.get("/map", urlencode(dict(zip(ENDS, ends, strict=True))))
    page = reply.opened().read().decode()
    assert reply.status == 422
    for name, end in zip(ENDS, ends, strict=True):
        (field,) = re.findall(rf'<input id="map-{name}"[^>]*>', page)
        assert f'value="{escape(end)}"' in field
        assert ("aria-invalid" in field) == (name == wrong)
    (problem,) = re.findall(r'<p class="problem"[^>]*>(\w+)', page)
    assert problem == wrong
    assert '<canvas id="map"' in page
    assert "whole box" in page
    assert '<p class="number" id="map-estimate" data-exact="' in page


def test_the_lines_of_a_page_give_its_number(reader: Reader, release: PlacesRelease, other: Path) -> None:
    for chosen in ({"slice": "February"}, {"slice": "February", "minus": "January"}, {"other": "2"}):
        query = urlencode({**dict(zip(ENDS, RECTANGLES[2], strict=True)), **chosen})
        reply = json.loads(reader.read("/map/count", query))
        line = reply["lines"][0].replace("'release'", repr(str(release.folder)))
        before, _, last = line.rpartition("\n")
        names: dict[str, Any] = {}
        exec(before, names)
        assert eval(last, names).counts.tolist() == [reply["counts"]]


def test_at_a_server_the_lines_put_the_question_to_it(release: PlacesRelease) -> None:
    served = Reader(release, Frame(base="http://x", number=7, release="/releases/7"))
    query = urlencode({**dict(zip(ENDS, RECTANGLES[2], strict=True)), "slice": "February", "minus": "January"})
    reply = json.loads(served.read("/map/count", query))
    python, shell, curl = reply["lines"]
    (text,) = re.findall(r"answer\(7, (\{.*\})\)", python)
    answers: Any = release.tell(eval(text))
    assert [each["points"] for each in answers] == [reply["counts"]]
    assert "starling remote answer 7" in shell
    assert "/v1/releases/7/answers" in curl


def test_two_releases_are_compared(reader: Reader, release: PlacesRelease, other: Path) -> None:
    ends = dict(zip(ENDS, RECTANGLES[2], strict=True))
    with starling.open_release(other) as opened:
        assert isinstance(opened, PlacesRelease)
        for slices in ({"slice": "January"}, {"slice": "January", "minus": "February"}):
            query = urlencode({**ends, **slices, "other": "2", "typical": "yes"})
            page, reply = reader.read("/map", query).decode(), json.loads(reader.read("/map/count", query))
            grid = release.released("January").minus(opened.released(slices.get("minus", "January")))
            answers = grid.count([[float(Fraction(end)) for end in RECTANGLES[2]]], "box")
            assert answers.lower is not None
            assert (reply["counts"], reply["lower"]) == (answers.counts[0], answers.lower[0])
            assert shown(page, "estimate") == whole(answers.counts[0])
            assert "of &lt;b&gt;two&lt;/b&gt;" in page
            facts, arrays = decoded(reader.read("/map/data", query))
            cells = (release.grid("January") - opened.grid(slices.get("minus", "January"))).reshape(-1)
            assert facts["signed"]
            assert (np.sign(arrays["shades"].astype(int) - 128) == np.sign(np.where(abs(cells) < 1e-3, 0, cells))).all()
    for name, problem in (("3", "same"), ("4", "no release to compare"), ("5", "no release to compare")):
        reply = json.loads(reader.read("/map/count", urlencode({"slice": "January", "other": name})))
        assert any(problem in each or "is not in the plan" in each for each in reply["problems"])
        assert reader.get("/map", urlencode({"slice": "January", "other": name})).status == 422


def test_each_hotspot_leads_to_its_own_count(reader: Reader, release: PlacesRelease) -> None:
    for query in ("slice=February", "slice=February&chance=yes"):
        page = reader.read("/map", query).decode()
        rows = re.findall(r'<a href="(\?[^"]*)" aria-label="Count square (\d+)".*?<td>(.*?)</td>', page)
        squares = release.first_squares("February")
        assert [points for _, _, points in rows] == list(map(whole, squares.counts))
        for (address, _, points), box in zip(rows, squares.boxes, strict=True):
            reply = json.loads(reader.read("/map/count", unescape(address)[1:]))
            south, north, west, east = box.tolist()
            answers = release.count([[west, south, east, north]], slice="February")
            assert answers.lower is not None
            assert (reply["number"], reply["lower"], reply["cut"]) == (points, answers.lower[0], "")
        assert ("Chance to be among them" in page) == ("chance" in query)


def test_it_stays_within_the_work_of_a_question(release: PlacesRelease) -> None:
    limited = Reader(release, Frame(path="release", most=0))
    assert limited.get("/map", "").status == 422
    assert "million steps" in json.loads(limited.read("/map/count"))["problems"][0]


def test_hostile_names_are_text_everywhere(tmp_path: Path) -> None:
    names = [f"a {HOSTILE}", "b&amp;=c'", "x" * 300]
    changes: dict[str, Any] = {
        "title": HOSTILE,
        "point": f"p {HOSTILE}",
        "input": {"time": "time"},
        "slices": {"bounds": ["2020-01-01", "2020-01-15", "2020-02-01", "2020-03-01"], "names": names},
    }
    with places.Plan.of(values(changes)).release(write_world(tmp_path), out=tmp_path / "out") as opened:
        assert isinstance(opened, PlacesRelease)
        reader = Reader(opened, Frame(path=HOSTILE, others={HOSTILE: [HOSTILE, str(tmp_path / "out")]}))
        for name in names:
            for more in ({}, {"minus": names[0]} if name != names[0] else {"minus": names[1]}):
                query = urlencode({"slice": name, **more})
                reply = reader.get("/map", query)
                page = reply.opened().read().decode()
                assert reply.status == 200
                assert "<script>" not in page
                assert not re.search(r"\bstyle=|\bon\w+=", page)
                points = opened.released(name).count([[0, 0, 4, 2]]).counts[0]
                if not more:
                    assert f'data-exact="{points}"' in page
                (data,) = re.findall(r'data-source="(/map/data[^"]*)"', page)
                assert reader.get("/map/data", unescape(data).partition("?")[2]).status == 200


TEXTS = st.one_of(
    st.text(max_size=12), st.sampled_from(["1e9999", "nan", "-inf", "1/0", "0x1", "9" * 400, "January", "2", "٣"])
)


@pytest.mark.slow
@given(
    pairs=st.lists(st.tuples(st.sampled_from([*choice.NAMES, "resolution", "<b>"]), TEXTS), max_size=6),
    four=st.booleans(),
)
def test_nonsense_in_the_address_is_a_typed_page(reader: Reader, pairs: list[tuple[str, str]], *, four: bool) -> None:
    whole_box = list(zip(ENDS, ("-1", "0", "3", "2"), strict=True)) if four else []
    query = urlencode([*(pair for pair in whole_box if pair[0] not in dict(pairs)), *pairs])
    for path in ("/map", "/map/count", "/map/data", "/map/download/boxes.parquet", "/map/download/none"):
        reply = reader.get(path, query)
        assert reply.status in (200, 422)
        reply.opened().close()


def test_a_method_without_boxes_says_that_nothing_is_sure(tmp_path: Path) -> None:
    chosen = places.Plan.of(values({"method": {"name": "privlet"}}))
    with chosen.release(write_world(tmp_path), out=tmp_path / "out") as opened:
        page = Reader(opened).read("/map").decode()
        assert shown(page, "between") == choice.UNBOXED
        assert decoded(Reader(opened).read("/map/data"))[0]["sure"] is False


def test_a_sparse_grid_is_counted_and_drawn(tmp_path: Path) -> None:
    fine: dict[str, Any] = {"grid": {"rows": 1 << 13, "columns": (1 << 13) + 2}, "method": {"name": "adaptive"}}
    with places.Plan.of(values(fine)).release(write_world(tmp_path), out=tmp_path / "out") as opened:
        assert isinstance(opened, PlacesRelease)
        reader = Reader(opened)
        page = reader.read("/map", "west=-1&south=0&east=1&north=2&typical=yes").decode()
        assert shown(page, "estimate") == whole(opened.count([[-1, 0, 1, 2]], "box").counts[0])
        assert shown(page, "usually") == choice.UNKNOWN
        assert "Squares with most points" not in page
        assert "NumPy" not in page
        facts, _ = decoded(reader.read("/map/data"))
        assert facts["fold"] > 1
    assert plan(fine).grid.sparse
