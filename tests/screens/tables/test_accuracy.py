"""The page of a plan shows what the library gives, keeps what was typed, and saves what it shows; nothing in it runs or reads records."""

import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from starling.pages.rendering import visible
from starling.planfile.values import exact_text
from starling.screens.frame import Frame
from starling.screens.tables.accuracy import AccuracyPages, pages_of
from starling.tables.plan import Plan
from starling.tables.preview import preview
from starling.tables.preview.accuracy import accuracy, at_cost, at_every_margin, at_margins, margin_text
from tests.tables.plan.stated_cross import WHOLE
from tests.tables.preview.test_accuracy import CUSTOM, DEMO, VALUES

NAMES = ('"><script>alert(1)</script>', "{{7*7}}", "'onfocus='alert(1)", "x" * 300)
FRAME = Frame(path="demo")


def page_of(pages: AccuracyPages, **values: str) -> tuple[int, str]:
    reply = pages.reply("/", urlencode({name.replace("_", "-"): value for name, value in values.items()}), FRAME)
    with reply.opened() as body:
        return reply.status, body.read().decode()


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^<>]+>", " ", page)).split())


@pytest.mark.slow
def test_every_number_on_the_page_is_that_of_the_library() -> None:
    for plan in (DEMO, CUSTOM, Plan.of(WHOLE)):
        pages = AccuracyPages(plan)
        for values, value in (
            ({}, accuracy(plan)),
            ({"by": "total", "total": "0.5"}, at_cost(plan, "0.5")),
            ({"by": "every", "every": "25"}, at_every_margin(plan, "25")),
            ({"by": "margins", "within_0": "33"}, at_margins(plan, {0: "33"})),
        ):
            status, page = page_of(pages, **values)
            text = words(page)
            assert status == 200
            assert f"Costs {plan.cost.measure} {exact_text(value.plan.cost.amount)} ; as it stands" in text
            for number in value.numbers if plan.cross is None else ():
                row = f"{number.level} {number.name} {margin_text(number)} {exact_text(number.budget)}"
                assert " ".join(row.split()) in text
            assert all(" ".join(row) in text for row in (value.table[1] if plan.cross else ()))
            for at, number in enumerate(value.numbers):
                name, shown = ("budget", exact_text(number.budget)) if number.reason else ("within", number.within)
                assert f'name="{name}-{at}" value="{shown}"' in page


def test_the_file_is_the_plan_that_the_page_shows(tmp_path: Path) -> None:
    pages = AccuracyPages(CUSTOM)
    query = {"by": "margins", "within-0": "33", "within-2": "1000.50", "budget-3": "0.25"}
    reply = pages.reply("/plan.toml", urlencode(query), FRAME)
    assert reply.headers["Content-Disposition"] == 'attachment; filename="accuracy.toml"'
    with reply.opened() as body:
        (tmp_path / "accuracy.toml").write_bytes(body.read())
    saved = Plan.load(tmp_path / "accuracy.toml")
    assert saved == at_margins(CUSTOM, {0: "33", 2: "1000.50"}, {3: "0.25"}).plan
    assert f"Costs epsilon {exact_text(saved.cost.amount)} ;" in words(page_of(pages, **query)[1])
    refused = pages.reply("/plan.toml", "by=margins&within-0=x", FRAME)
    assert (refused.status, "Content-Disposition" in refused.headers) == (422, False)


@pytest.mark.parametrize("text", ["x", "-1", "1e3", '"><script>alert(1)</script>', "\u202e5", "9" * 90])
def test_nonsense_is_said_and_stands_there_to_be_mended(text: str) -> None:
    pages = AccuracyPages(CUSTOM)
    for by, name in (("margins", "within-0"), ("margins", "budget-3"), ("every", "every"), ("total", "total")):
        status, page = page_of(pages, by=by, **{name: text})
        assert (status, 'role="alert"' in page, "Save as a plan file" in page) == (422, True, False)
        assert str(visible(text)) in unescape(page)
        beside = page.partition(f'id="help-{name}"')[2].partition("</div>")[0]
        assert 'role="alert"' in beside, "said beside the field"
        assert "<script>alert" not in page


def test_foul_addresses_are_refused() -> None:
    pages = AccuracyPages(CUSTOM)
    for query in ("by=total&by=every", "within-0=%ff&by=margins", "a=1&" * 3000, "by=margins&within-0=1&within-0=2"):
        assert pages.reply("/", query, FRAME).status == 422
    assert page_of(pages, by="nothing", within_0="1")[0] == 200
    assert pages.reply("/elsewhere", "", FRAME).status == 404
    assert pages.reply("/preview", "", FRAME).status == 404


@pytest.mark.parametrize("name", NAMES)
def test_names_of_a_plan_are_text(name: str) -> None:
    groups = [{"name": name, "columns": []}, VALUES["groups"][1]]
    values: dict[str, Any] = {**VALUES, "title": name, "groups": groups}
    values["levels"] = [{"groups": name, "budget": "0.5"}, VALUES["levels"][1]]
    status, page = page_of(AccuracyPages(Plan.of(values)))
    assert (status, name in unescape(page), "<script>alert" in page) == (200, True, False)


def test_the_page_of_the_expected_error_stands_beside_it() -> None:
    pages = pages_of(preview(CUSTOM))
    with pages.reply("/preview", "", FRAME).opened() as body:
        assert body.read().decode() == preview(CUSTOM).page()
    assert ">Expected error</a>" in page_of(pages)[1]
