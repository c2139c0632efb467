"""What a session shows: tables that hold what a file says as text, data frames, and how to get them."""

import sys
from html.parser import HTMLParser
from typing import Any

import pyarrow as pa
import pytest

from starling.errors import ParameterError
from starling.release.session import html, to_pandas, to_polars

TABLE = pa.table({"region": ["01", "02"], "count": [3, None]})


class Text(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags += [tag, *(name for name, _ in attrs if name != "style")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_everything_in_a_notebook_table_is_escaped() -> None:
    evil = "<script>alert(1)</script><img src=x onerror='x'>\" & more"
    page = Text(html(evil, [(evil, evil)], [((evil,), [(evil,)])]))
    assert set(page.tags) == {"div", "style", "strong", "table", "tr", "th", "td", "class"}
    assert page.text.count(evil) == 5


def test_a_wide_table_scrolls_within_itself() -> None:
    assert '<div class="wide"><table' in html("wide", [("a", "b" * 500)])


def test_tables_become_data_frames() -> None:
    pandas, polars = to_pandas(TABLE, {}), to_polars(TABLE, {})
    assert list(pandas["region"]) == ["01", "02"]
    assert polars["count"].to_list() == [3, None]


@pytest.mark.parametrize(("name", "made"), [("pandas", to_pandas), ("polars", to_polars)])
def test_a_missing_package_is_named_with_its_extra(name: str, made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ParameterError, match=rf"{name} is not installed; pip install 'starling-dp\[{name}\]'"):
        made(TABLE, {})
