"""The page of a preview: every number of its pictures in words too, complete, and without script."""

from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import pytest

from starling.errors import OutputError
from starling.release.report.pages import PREVIEW
from starling.tables.plan import AccuracyTarget
from starling.tables.preview import preview
from starling.tables.preview.expected_detail import expect_detail
from tests.tables.plan.priced import promising_plan
from tests.tables.small import small_geography, small_plan
from tests.tables.test_mechanism_top_up import topping


def test_the_page_of_a_top_up_says_what_all_costs_together() -> None:
    plan = topping(small_plan("rho"))
    assert f"on top of an earlier release: {plan.joint_guarantee.cost} together" in preview(plan).page()
    assert "on top of" not in preview(small_plan("rho")).page()


class Reader(HTMLParser):
    """Collects the words of a page, its pictures and shaded cells, and what it asks for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.pictures: list[str] = []
        self.tags: set[str] = set()
        self.outside: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        values = dict(attrs)
        if tag == "svg" or (values.get("class") or "").startswith("heat-"):
            self.pictures.append(tag)
        self.outside += [link for name in ("src", "href") if (link := values.get(name)) and not link.startswith("#")]

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_page_says_in_words_what_its_pictures_show() -> None:
    plan = promising_plan("rho", [[AccuracyTarget("cell", 6)], []])
    plan = replace(plan, suppression=Fraction("0.9"))
    seen, result = preview(plan, small_geography(plan), sizes=(0, 7)), expect_detail(plan)
    read = Reader(seen.page())
    text = " ".join(" ".join(read.words).split())
    assert read.pictures.count("svg") == 1
    assert read.pictures.count("td") > 3, "shaded cells"
    assert "script" not in read.tags
    assert read.outside == []
    assert "cell within 6" in text
    assert "none: its budget is stated" in text
    assert "Promised margins" not in preview(promising_plan("rho", [[], []]), small_geography(plan)).page()
    for level in seen.levels:
        for branch in level.branches:
            assert f"{branch.total.standard_deviation:,.1f} / {branch.total.width:,}" in text
        for size in level.sizes:
            assert f"± {size.total.margin:,} {size.total.width:,} {100 * size.suppressed:.1f} %" in text
    for expected in result:
        assert f"{100 * expected.suppressed:.1f} %" in text
        assert f"{100 * expected.branches[3]:.1f} % assumed" in text
    assert "half of the groups of a level have at least m persons" in text


def test_the_assumption_is_not_told_where_all_sizes_were_given() -> None:
    plan = small_plan()
    text = preview(plan, group_sizes={"": ((3, 1.0),)}).page()
    assert "half of the groups" not in text
    assert "given" in text


def test_a_plan_of_bare_totals_has_a_page() -> None:
    plan = small_plan()
    level = plan.levels[0]
    bare = tuple(replace(iteration, total_only=True) for iteration in level.iterations)
    plan = replace(plan, levels=(replace(level, iterations=bare),))
    assert {*Reader(preview(plan).page()).pictures} == {"td"}


def test_a_page_is_written_once(tmp_path: Path) -> None:
    plan = small_plan()
    seen = preview(plan)
    path = seen.write(tmp_path / "out")
    assert path == tmp_path / "out" / PREVIEW
    assert path.read_text() == seen.page()
    with pytest.raises(OutputError, match="exists"):
        seen.write(tmp_path / "out")
    with pytest.raises(OutputError, match="cannot be written"):
        seen.write(tmp_path / "no" / "such")
