"""One address for waiting and the answer, whose numbers are those of the release; and the list, which is that of the API."""

import re
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import starling
from starling.errors import ParameterError
from starling.genome.analysis import GenomeRelease
from starling.genome.plan import NumSig
from starling.genome.plan.choices import WHOLE_PERSON
from starling.groups.analysis import GroupsRelease
from starling.ledger.rules import Request
from starling.server.pages import answers
from starling.worker.sources import source_of
from tests.client.conftest import DEADLINE, Site, served_source
from tests.genome.worlds import a_trait_plan, write_traits
from tests.ledger.worlds import costing
from tests.server.pages.conftest import browser_of

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


def test_the_answer_stands_where_one_waited_for_it_and_its_numbers_are_the_releases(
    site: Site, tmp_path: object
) -> None:
    browser = browser_of(site)
    with site.client() as client:
        number = client.charge("data").id
        browser.open(f"/questions/{number}")
        wait = re.search(r'data-countdown="(\d+)"', browser.page.text)
        assert wait is not None
        assert int(wait[1]) == client.progress(number).wait
        assert "missed its deadline" not in browser.text
        client.wait(client.progress(number))
        browser.open(f"/questions/{number}")
        release = starling.open_release(client.fetch(number, f"{tmp_path}/r.zip"))
        assert isinstance(release, GroupsRelease)
        headline = release.headline()
        assert f"{headline.label} {headline.number} {headline.interval}" in browser.text
        rows = client.answer(number, {"kind": "rows", "table": "regions", "most": 3})["rows"]
        for row in rows:
            assert " ".join(row[:2]) in browser.text
    assert "<svg" in browser.page.text


def test_a_late_one_says_what_a_late_one_means(site: Site) -> None:
    browser = browser_of(site)
    with site.client() as client:
        number = client.charge("data").id
    site._passed += 20 * DEADLINE
    browser.open(f"/questions/{number}")
    assert "It missed its deadline" in browser.text
    assert f"the number {number}" in browser.text


def test_the_list_is_that_of_the_api(study_site: Site) -> None:
    browser = browser_of(study_site)
    assert "Nothing was released yet" in (browser.open("/answers"), browser.text)[1]
    with study_site.client() as client:
        for k in (1, 2, 3):
            client.charge("data", question={"kind": "num_sig", "k": k, "epsilon": "0.25"})
        browser.open("/answers")
        numbers = [int(each) for each in re.findall(r'<th scope="row"><a href="/questions/(\d+)"', browser.page.text)]
        listed = list(client.releases())
        assert numbers == [each.id for each in listed]
        asked = str(NumSig.__doc__).partition("\n")[0]
        for each in listed:
            assert f"{each.id} {each.dataset} {asked} {each.at[:10]}" in browser.text
            assert each.cost in browser.text
        browser.open(re.findall(r'href="(/datasets/data/ask[^"]+)"', browser.page.text)[0].replace("&amp;", "&"))
        assert f"open release {numbers[0]}" in browser.text


def test_nobody_sees_the_answers_of_others(site: Site) -> None:
    with site.client() as client:
        number = client.charge("data").id
    site.home.access.add_user("eve", "analyst")
    eve = browser_of(site, "eve")
    assert eve.open(f"/questions/{number}").status_code == 404
    assert "Nothing was released yet" in (eve.open("/answers"), eve.text)[1]
    site.home.access.add_user("otto", "auditor")
    otto = browser_of(site, "otto")
    assert otto.open(f"/questions/{number}").status_code == 200
    assert "data, ada" in (otto.open("/answers"), otto.text)[1]


def test_a_list_ends_where_there_is_no_more_and_says_nothing_else(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "MOST", 1)
    browser = browser_of(site)
    with site.client() as client:
        number = client.charge("data").id
    browser.open("/answers")
    assert "Older ones" not in browser.text
    browser.open(f"/answers?before={number}")
    assert "Nothing was released yet" not in browser.text
    assert "There are no older ones" in browser.text


def test_every_request_is_on_one_page_of_the_list(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "MOST", 2)
    for number in range(1, 6):
        request = Request("ada", f"request-{number}", "data", str(number))
        site.home.requests.ask(request, f"title {number}", costing(1), "why")
    browser = browser_of(site)
    pages, path = [], "/answers"
    while path:
        pages.append(re.findall(r'id="request-(\d+)"', browser.open(path).text))
        path = next(iter(re.findall(r'href="([^"#]*)[^"]*">Older requests', browser.page.text)), "")
    assert pages == [["5", "4"], ["3", "2"], ["1"]]
    browser.open("/answers?requests_before=1")
    assert "There are no older requests" in browser.text


def test_rows_of_wide_tables_stack_on_a_narrow_screen_each_cell_with_its_column() -> None:
    folder, stacked = files("starling.server") / "templates", 0
    for template in folder.iterdir():
        for table in re.findall(r"<table.*?</table>", template.read_text(encoding="utf-8"), re.DOTALL):
            columns = re.findall(r'<th scope="col">([^<]*)</th>', table)
            if len(columns) < 5:
                continue
            stacked += 1
            assert table.startswith('<table class="words stacks">'), template.name
            assert re.findall(r"<td([^>]*)>", table) == [f' data-name="{name}"' for name in columns[1:]], template.name
    assert stacked >= 5


def test_a_table_of_words_stays_one() -> None:
    table = {"caption": "c", "header": ["a", "b"], "rows": [["1", "2"]]}
    shown: dict[str, Any] = {"headline": None, "facts": [], "pictures": [], "links": []}
    for words in (True, False):
        assert answers._parts({**shown, "tables": [{**table, "words": words}]})["tables"][0].words is words


@pytest.mark.slow
def test_slopes_of_whole_persons_are_asked_paid_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page has the numbers of the release, and the sentence that says whom it protects; no other question is offered."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "keys"))
    a_trait_plan().save(tmp_path / "plan.toml")
    files = {"genotypes": write_traits(tmp_path), "phenotype": tmp_path / "trait.txt"}
    sites = contextmanager(served_source)(tmp_path, source_of("genome", str(tmp_path / "plan.toml"), files))
    question = {"kind": "snp_effects", "snps": ["rs2", "rs7"], "epsilon": "2"}
    with sites as site, site.client() as client:
        (dataset,) = client.datasets()
        assert dataset.questions is not None
        assert [each["title"] for each in dataset.questions["oneOf"]] == ["snp_effects"]
        with pytest.raises(ParameterError, match="has no proof where all of a person is protected"):
            client.charge("data", question={"kind": "num_sig", "epsilon": "1"})
        assert (client.preview("data", question).amount, site.charges()) == ("2", 0)
        number = client.charge("data", question=question).id
        client.wait(client.progress(number))
        assert client.budget("data").available == "1"
        release = starling.open_release(client.fetch(number, tmp_path / "release.zip"))
        assert isinstance(release, GenomeRelease)
        assert not release.verify().findings
        browser = browser_of(site)
        browser.open(f"/questions/{number}")
        assert WHOLE_PERSON in browser.text
        for snp, slope in release.to_pandas("effects")[["SNP", "SLOPE"]].itertuples(index=False):
            assert f"{snp}: the phenotype grows by about {slope:.3g}" in browser.text
        browser.open("/datasets/data/ask?kind=snp_effects")
        assert "prevalence" not in browser.text
