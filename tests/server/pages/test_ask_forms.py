"""Every question has a form that begins filled in and refuses nonsense beside its field, and lines that do what its button does."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Site
from tests.server.pages.conftest import browser_of
from tests.server.pages.pasting import follow, lines_of

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


def forms_of(site: Site) -> list[dict[str, Any]]:
    """The schemas of the questions of a site's one dataset."""
    with site.client() as client:
        (dataset,) = client.datasets()
    assert dataset.questions is not None
    return list(dataset.questions["oneOf"])


def beside(page: str, name: str) -> str:
    """What a page says beside a field of the form of a question."""
    part = re.search(rf'<div id="help-{name}" data-live>(.*?)</div>', page, re.DOTALL)
    assert part is not None, name
    return part[1]


def test_every_question_has_a_form_that_is_filled_in_and_says_its_price(study_site: Site) -> None:
    browser = browser_of(study_site)
    browser.open("/datasets/data/ask")
    links = [unescape(each) for each in re.findall(r'href="(/datasets/data/ask\?kind=[^"]+)"', browser.page.text)]
    assert len(links) == len(forms_of(study_site))
    for link, each in zip(links, forms_of(study_site), strict=True):
        assert browser.open(link).status_code == 200, (each["title"], browser.text)
        assert "Costs epsilon 1 of your 3 ; leaves 2" in browser.text
        form = browser.form("Show the price")
        assert form.fields.keys() == {*each["properties"], "by", "margin"}, each["title"]
        for name in form.fields.keys() - {"kind", "by"}:
            (label,) = re.findall(rf'<label for="field-{name}">([^<]+)', browser.page.text)
            assert label.strip() != name, "a name of a program is no label"
            assert len(re.sub("<[^>]*>", "", beside(browser.page.text, name)).split()) > 2, f"{name} has no definition"
        browser.send(form, epsilon="0.5")
        assert "Costs epsilon 0.5" in browser.text, browser.text
    assert study_site.charges() == 0


def test_a_list_and_ranges_are_written_as_people_write_them(study_site: Site) -> None:
    browser = browser_of(study_site)
    for text in ("s1..s2, s4..s5", '[["s1", "s2"], ["s4", "s5"]]'):
        browser.open("/datasets/data/ask?kind=loc_sig")
        browser.send(browser.form("Show the price"), excluding=text)
        question = json.loads(browser.form("Spend").fields["question"])
        assert (browser.page.status_code, question["excluding"]) == (200, [["s1", "s2"], ["s4", "s5"]])


NONSENSE = {
    "epsilon": ("0", "-1", "nan", "1e", "much", "1/0", "0.00001"),
    "k": ("-1", "99", "x", "1.5", "true"),
    "most": ("0", "9999", "x"),
    "longest": ("0", "-3", "x"),
    "regions": ("nowhere", '["x"]', "[1]"),
    "excluding": ("s1", "s1..s2..s3", "s1..nowhere", "[[1]]"),
    "snps": ("nowhere", "s1, nowhere", "{}"),
    "snp": ("nowhere", "\u202e"),
    "first": ("nowhere",),
    "second": ("nowhere", "s1"),
    "delta_c": ("0", "1", "2", "x"),
    "correlation": ("r3",),
    "noise": ("none",),
    "selection": ("none",),
    "independent": ("maybe", "7"),
    "test": ("none",),
    "margin": ("-1", "nan", "1e3", "x"),
}
"""What no field of a name takes; an epsilon that is too small only where counts are noisy."""


@pytest.mark.slow
def test_nonsense_is_refused_beside_its_field(study_site: Site) -> None:
    """In every field of every question."""
    browser = browser_of(study_site)
    for each in forms_of(study_site):
        browser.open(f"/datasets/data/ask?kind={each['title']}")
        form = browser.form("Show the price")
        for name in form.fields.keys() - {"kind", "by"}:
            texts = [*NONSENSE[name], *([""] if name in each["required"] else [])]
            for text in texts:
                if text == "0.00001" and "noise" not in form.fields:
                    continue
                by = "margin" if name == "margin" else "cost"
                browser.send(form, **({"by": by, "margin": ""} | {name: text}))
                case = (each["title"], name, text, browser.text)
                assert browser.page.status_code == 422, case
                assert 'class="problem" role="alert"' in beside(browser.page.text, name), case
                others = form.fields.keys() - {"kind", "by", name}
                assert not any("problem" in beside(browser.page.text, other) for other in others), case
                assert "Spend" not in browser.text, case
    assert study_site.charges() == 0


@pytest.mark.series(2)
@pytest.mark.parametrize("kind", ["num_sig", "loc_sig", "loc_block", "snp_pval", "snp_corr", "explore"])
def test_the_lines_of_a_question_do_what_the_button_does(
    study_site: Site, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In every order: they and the button are one request, paid once."""
    assert kind in {each["title"] for each in forms_of(study_site)}
    browser = browser_of(study_site)
    browser.open(f"/datasets/data/ask?kind={kind}")
    button = browser.form("Spend")
    asked = json.loads(button.fields["question"])
    numbers = [follow(line, study_site, tmp_path, monkeypatch) for line in lines_of(browser)]
    numbers.append(int(browser.send(button).request.url.path.rpartition("/")[2]))
    assert (len(numbers), len(set(numbers)), study_site.charges()) == (4, 1, 1)
    browser.open(f"/questions/{numbers[0]}")
    assert f"The question as JSON: {json.dumps(asked)}" in browser.text
    before = browser.text.partition("The question as JSON")[0]
    (form,) = (each for each in forms_of(study_site) if each["title"] == kind)
    assert f"Asked {form['description']}" in before
    for name, value in asked.items():
        if name != "kind" and value not in ([], None, False):
            label = form["properties"][name].get("x-labels", {}).get(value) if isinstance(value, str) else None
            shown = ", ".join(value) if isinstance(value, list) else f"{label} ({value})" if label else str(value)
            assert f"{form['properties'][name].get('title', name)} {shown}" in before, name
    assert [follow(line, study_site, tmp_path, monkeypatch) for line in lines_of(browser)] == numbers[:3]


@pytest.mark.slow
def test_the_lines_of_a_plan_that_says_all_do_what_the_button_does(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = browser_of(site)
    browser.open("/datasets/data/ask")
    button = browser.form("Spend")
    numbers = {follow(line, site, tmp_path, monkeypatch) for line in lines_of(browser)}
    assert numbers == {int(browser.send(button).request.url.path.rpartition("/")[2])}
    assert site.charges() == 1
