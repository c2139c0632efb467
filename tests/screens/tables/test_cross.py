"""Pages of cross tables, of names that try to be markup: texts in place of codes, and picked numbers as `Release.tell` has them."""

from collections.abc import Iterator
from html import unescape
from itertools import product

import pyarrow as pa
import pytest

from starling.tables import Plan
from tests.screens.conftest import Reader
from tests.screens.tables.conftest import WARDS

MARKUP = '"><script>'


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    values = {
        "title": MARKUP,
        "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "rho"},
        "records": {"of-a-person": 1},
        "columns": [
            {"name": "sex", "values": {"F": MARKUP, "M": "men"}},
            {"name": "old" + MARKUP, "values": ["<b>yes", "no"]},
        ],
        "regions": {
            "column": "ward",
            "levels": ["town", "ward"],
            "rows": [[ward, f"town {at % 2}"] for at, ward in enumerate(WARDS)],
        },
        "publication": {"negative-counts": True},
        "tables": {"columns": ["sex", "old" + MARKUP], "cross": 2, "budget": "4"},
    }
    rows = [
        {"sex": sex, "old" + MARKUP: old, "ward": ward} for sex, old, ward in product("FM", ("<b>yes", "no"), WARDS * 9)
    ]
    with Plan.of(values).release(pa.Table.from_pylist(rows)) as release:
        yield Reader(release)


def test_every_page_shows_texts_and_no_markup(reader: Reader) -> None:
    for path in ("/", *(f"/tables/{name}" for name in reader.release.names)):
        page = reader.read(path).decode()
        assert "<script>1" not in page
        assert MARKUP not in page
        assert "sex_label" not in page.split("What each column")[0]
    page = unescape(reader.read("/tables/sex", "region_type=ward").decode())
    assert MARKUP in page
    assert WARDS[0] in page


def test_picked_numbers_are_added_compared_and_divided(reader: Reader) -> None:
    picks = "pick=sex?region_type%3Dtown%26region_id%3Dtown+0%26sex%3DF&pick=everybody?region_type%3Dtown%26region_id%3Dtown+0"
    page = unescape(reader.read("/tables/sex", picks).decode())
    for words in (
        "Sum",
        "Difference: the first less",
        "Ratio: the first by",
        f"town 0, {MARKUP}",
        "counts these twice",
    ):
        assert words in page
    apart = picks.replace("town+0", "town+1", 1)
    assert "counts these twice" not in reader.read("/tables/sex", apart).decode()


@pytest.mark.parametrize(
    "pick", ["sex?region_type%3Dx%26region_id%3Dy%26sex%3Dz", "sex?region_type%3Dtown%26region_id%3Dy%26sex%3DF"]
)
def test_what_an_address_makes_up_is_told_to_be_nothing(reader: Reader, pick: str) -> None:
    reply = reader.get("/tables/sex", f"pick={pick}&pick=everybody?region_type%3Dtown%26region_id%3Dtown+0")
    assert reply.status == 200
    assert "have a term without a number in sex" in reader.read("/tables/sex", f"pick={pick}").decode()


def test_rows_of_nested_regions_have_people_in_common(reader: Reader) -> None:
    assert "A sum across them counts these" in reader.read("/tables/everybody").decode()
    assert "A sum across them counts these" not in reader.read("/tables/sex", "region_type=town").decode()
