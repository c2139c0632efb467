"""The pages of a release of groups: the sizes of each region as they were published, beside those of the regions around it."""

import io
import re
from html import unescape
from typing import Any
from urllib.parse import quote, urlencode

import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling import groups
from starling.groups.analysis import GroupsRelease
from starling.release.reading import Release
from starling.release.text import OUTSIDE, cell, outside_note, rounded
from starling.screens import groups as screen
from starling.screens.frame import Frame
from tests.groups.worlds import GROUPS
from tests.screens.conftest import Reader

HOSTILE = '"><script>alert(1)</script>'
LONG = "x" * 300


@pytest.fixture(scope="module")
def release(releases: dict[str, Release]) -> GroupsRelease:
    opened = releases["groups"]
    assert isinstance(opened, GroupsRelease)
    return opened


@pytest.fixture(scope="module")
def reader(releases: dict[str, Release]) -> Reader:
    return Reader(releases["groups"])


def cells(page: str) -> list[list[str]]:
    """The cells of each row of tables."""
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    return [[unescape(re.sub(r"<[^>]*>", "", each)) for each in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows]


def test_every_link_of_the_head_leads_to_a_page(reader: Reader) -> None:
    head = reader.read("/").decode().partition("</header>")[0]
    addresses = [each for each in re.findall(r'href="(/[^"]*)"', head) if not each.startswith("/static/")]
    assert {"/report", "/sizes"} <= set(addresses)
    assert [reader.get(each).status for each in addresses] == [200] * len(addresses)


def test_each_region_has_its_published_sizes_and_those_around_it(reader: Reader, release: GroupsRelease) -> None:
    regions = {row["region"]: row for row in release.table("regions").to_pylist()}
    for region, row in regions.items():
        page = reader.read("/sizes", urlencode({"region": region})).decode()
        rows = cells(page)
        for size in release.rows(row["level"], region=region).to_pylist():
            assert [cell(size[name]) for name in screen.COLUMNS] in rows
        mean = "none" if row["mean"] is None else rounded(row["mean"])
        assert f'<p class="number">{mean}</p>' in page
        assert f"95 % interval: {rounded(row['mean_lower'])} to {rounded(row['mean_upper'])}" in page
        kinds = {each[0]: each[1] for each in rows if each[1:2] and each[1] in ("Above", "This", "Beside", "Inside")}
        assert kinds == {
            name: kind
            for name, other in regions.items()
            for kind, lies in (
                ("Above", name == row["parent"]),
                ("This", name == region),
                ("Beside", name != region and row["parent"] is not None and other["parent"] == row["parent"]),
                ("Inside", other["parent"] == region),
            )
            if lies
        }
        known = release.rows(row["level"], region=region).to_pylist()
        ends = [(one["groups"], one["lower"], one["upper"]) for one in known]
        ends += [(one["at_least"], one["at_least_lower"], one["at_least_upper"]) for one in known]
        assert outside_note(ends) in page
        outside = row["mean"] is not None and not row["mean_lower"] <= row["mean"] <= row["mean_upper"]
        assert (OUTSIDE in page) == outside
        for name in kinds:
            other = regions[name]
            mean = cell(other["mean"], "points")
            assert any(each[0] == name and each[4] == mean for each in rows if len(each) == 8)
        assert f'href="/download/csv/{row["level"]}?region={quote(region)}"' in page


def test_what_is_downloaded_is_what_is_shown(reader: Reader, release: GroupsRelease) -> None:
    file = pacsv.read_csv(io.BytesIO(reader.read("/download/csv/county", "region=e1")))
    assert file["groups"].to_pylist() == release.rows("county", region="e1")["groups"].to_pylist()


def test_a_number_of_some_sizes_is_what_the_release_tells(reader: Reader, release: GroupsRelease) -> None:
    page = reader.read("/sizes", "region=e1&least=1&most=3").decode()
    value = release.number_of_sizes("e1", 1, 3)
    low, high = value.interval()
    assert f'<p class="number">{cell(value.estimate)}</p>' in page
    assert f"95 % interval: {rounded(low)} to {rounded(high)}" in page
    assert "release.number_of_sizes(&#39;e1&#39;, 1, 3)" in page
    limited = Reader(reader.release, Frame(path="release", most=0))
    assert limited.get("/sizes", "region=e1&least=1").status == 422
    assert limited.get("/sizes", "region=e1").status == 200


def test_a_long_list_of_regions_and_of_sizes_says_so(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "MOST_AROUND", 1)
    monkeypatch.setattr(screen, "MOST_SIZES", 2)
    monkeypatch.setattr(screen, "MOST_CHOICES", 2)
    page = reader.read("/sizes", "region=east").decode()
    assert "2 regions lie inside it" in page
    assert 'href="/tables/regions?parent=east"' in page
    assert '<input name="region" value="east">' in page
    assert reader.get("/tables/regions", "parent=east").status == 200
    sizes = []
    while page:
        sizes += [int(each[0]) for each in cells(page) if len(each) == 7 and each[0].isdecimal()]
        (*_, address) = [unescape(each) for each in re.findall(r'href="([^"]*)">Larger sizes', page)] or [""]
        page = reader.read("/sizes", address.removeprefix("?")).decode() if address else ""
    assert sizes == [0, 1, 2, 3, 4]


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(["region", "first", "least", "most", "<b>"]), st.text(max_size=9)))
def test_nonsense_in_the_address_is_a_page(reader: Reader, query: dict[str, str]) -> None:
    for values in (query, {"region": "e1"} | query, query | {"region": "e1"}):
        reply = reader.get("/sizes", urlencode(values))
        assert reply.status in (200, 422)
        assert reply.kind.startswith("text/html")


@pytest.mark.parametrize(
    "query", ["region=none", "region=e1&region=e2", "first=-1", "least=x", "least=3&most=2", "most=99"]
)
def test_what_is_not_there_is_refused(reader: Reader, query: str) -> None:
    assert reader.get("/sizes", query).status == 422


def test_hostile_names_of_regions_are_text(tmp_path: Any) -> None:
    tree = {f"land {HOSTILE}": [f"a {HOSTILE}", f"b &amp; {LONG}", "c=d&e"]}
    plan = groups.plan(
        tree, ["land", "part"], largest=4, groups=GROUPS, epsilon=1, group=f"g {HOSTILE}", member="m'", title=HOSTILE
    )
    with plan.release({"region": ["c=d&e"] * GROUPS, "size": [1] * GROUPS}, out=tmp_path / "out") as opened:
        reader = Reader(opened)
        for region in (f"land {HOSTILE}", *tree[f"land {HOSTILE}"]):
            reply = reader.get("/sizes", urlencode({"region": region}))
            page = reply.opened().read().decode()
            assert reply.status == 200
            assert "<script>" not in page
            assert pc.any(pc.equal(opened.table("regions")["region"], region)).as_py()
            for address in re.findall(r'href="(\?region=[^"]*)"', page):
                assert reader.get("/sizes", unescape(address)[1:]).status == 200
