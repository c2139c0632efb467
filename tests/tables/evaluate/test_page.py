"""The page of an evaluation is marked wherever a part of it may go, and is never written into a release."""

import re
import stat
from pathlib import Path

import pytest

from starling.errors import OutputError, PolicyRefused
from starling.tables.evaluate.errors import Class, Errors, Evaluation, Groups
from starling.tables.evaluate.page import FILE, as_page, check_place, write_page
from starling.tables.plan.sex_by_age import SEX_BY_AGE

RESULT = Evaluation(
    "Birds <of two> states",
    {"(STATE, 2)": "State, detailed", "(COUNTY, 2)": "County, detailed"},
    (
        Class("(STATE, 2)", 100, -1, "total", Errors(4, 2.0, 6.0, 10.0, 16.0, 3)),
        Class("(STATE, 2)", 1000, 1, "total", Errors(6, -2.0, 4.0, 14.0, 24.0, 6)),
        Class("(COUNTY, 2)", 0, 0, "total", Errors(10, 0.0, 10.0, 10.0, 10.0, 9)),
        Class("(COUNTY, 2)", 0, 1, "cell", Errors(80, 0.0, 10.0, 10.0, 10.0, 77)),
    ),
    (Groups("(STATE, 2)", 100, 10, 0, 0), Groups("(COUNTY, 2)", 0, 50, 40, 10)),
    SEX_BY_AGE.names,
)


def test_every_part_is_marked() -> None:
    text = as_page(RESULT)
    assert "<title>NOT PRIVATE: " in text
    assert text.index("NOT PRIVATE: exact errors") < text.index("<h2>")
    captions = re.findall(r"<(?:figcaption|caption)>(.*?)<", text)
    assert captions
    assert all(caption.startswith("NOT PRIVATE. ") for caption in captions)
    assert text.count("<table") == len(captions)
    assert len(re.findall(r'<td class="heat-', text)) > 4, "errors are shaded"
    assert FILE.startswith("NOT-PRIVATE")


def test_text_of_the_plan_is_no_markup_and_nothing_is_loaded() -> None:
    text = as_page(RESULT)
    assert "Birds &lt;of two&gt; states" in text
    assert not re.search(r"<script|src=|@import", text)
    assert not re.search(r'href="(?!#)', text)


def test_the_table_has_every_level_and_kind_of_number() -> None:
    table = as_page(RESULT).partition("Errors of all published numbers")[2].partition("</table>")[0]
    rows = re.findall(r"<tr><th scope=\"row\">(.*?)</th><td>(.*?)</td><td>(.*?)</td>", table)
    assert rows == [
        ("State, detailed", "total", "10"),
        ("County, detailed", "total", "10"),
        ("County, detailed", "sex by age", "80"),
    ]


def test_it_is_written_for_its_owner_alone_and_never_over_another(tmp_path: Path) -> None:
    written = write_page(RESULT, tmp_path / "out")
    assert written == tmp_path / "out" / FILE
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    with pytest.raises(OutputError, match="exists"):
        write_page(RESULT, tmp_path / "out")


@pytest.mark.parametrize("below", [".", "data", "data/deep", "link/release/data"])
def test_no_place_in_a_release_is_taken(tmp_path: Path, below: str) -> None:
    release = tmp_path / "release"
    (release / "data" / "deep").mkdir(parents=True)
    (release / "privacy.json").write_text("{}")
    (release / "link").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(PolicyRefused, match="is a release or lies in one"):
        check_place(release / below)
    with pytest.raises(PolicyRefused):
        write_page(RESULT, release / below)
    assert not list(tmp_path.rglob("NOT-PRIVATE*"))


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        write_page(RESULT, tmp_path / "none" / "deep")


def test_a_release_without_rows_has_a_page() -> None:
    assert "NOT PRIVATE" in as_page(Evaluation("empty", RESULT.levels, (), (), SEX_BY_AGE.names))
