"""What people read of a release of each domain, whatever its names hold: no slip of English, no number of a machine, no live markup."""

import html
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from starling import open_release
from starling.errors import PlanError
from starling.planfile.toml import read_file
from starling.planfile.values import toml_of
from starling.public.showing import shown
from tests import four_domains
from tests.release.test_report import MOST_WORDS, words_before_folds
from tests.test_rendered import slips

DOMAINS: Final = tuple(four_domains.RELEASES)
MARKUP: Final = '<i onload="x">&amp;\'$\\alpha$ {0} %s'
"""Begins an element, ends an attribute, and is a formula, a field and a directive to what reads it as such."""
ODD: Final = st.text("aZ é&<>\"'`$%{}\\|*_#@^~()[]=;:/?!+-.0\u2028\u00a0\u4e2d\U0001f600", min_size=1, max_size=12)
HEADINGS: Final = frozenset({"title", "h1", "h2", "h3", "caption", "figcaption", "legend"})
CELLS: Final = frozenset({"td", "th"})
VOID: Final = frozenset({"meta", "br", "img", "link", "hr", "input", "path", "use"})


class Page(HTMLParser):
    """The texts, elements and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.headings: list[str] = []
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.texts += [value for name, value in attrs if name in ("alt", "title", "aria-label") and value]
        if tag not in VOID:
            self._open.append(tag)
        if tag in HEADINGS:
            self.headings.append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass
        if tag in CELLS:
            # A value and the one beside it are no words of one sentence.
            self.texts.append("\n")

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in ("style", "script", "code"):
            return
        self.texts.append(data)
        if HEADINGS & {*self._open}:
            self.headings[-1] += data


def named(domain: str, values: dict[str, Any], name: str) -> dict[str, Any]:
    """The keys of a plan whose title and other names of free text hold a name."""
    values["title"] = f"T {name}"
    if domain == "tables":
        values["groups"][0]["name"] = values["levels"][0]["groups"] = f"sex {name}"
    if domain == "places":
        values["slices"]["names"] = [f"January {name}", "February"]
    return values


def released(domain: str, folder: Path, name: str) -> Any:
    """A release of a domain whose plan bears a name; raises PlanError where the name is refused."""
    four_domains.write(folder)
    path = folder / domain / "plan.toml"
    path.write_text(toml_of(named(domain, dict(read_file(path).values), name)))
    return four_domains.release(folder, domain)


def strings(value: Any) -> Iterator[str]:
    """The texts within a value of JSON."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)
    elif isinstance(value, str):
        yield value


def texts_of(release: Any) -> dict[str, str]:
    """Everything that people read of a release, by where."""
    folder = Path(release.folder)
    texts = {"text": str(release), "repr": repr(release), "opened": str(open_release(folder))}
    for path in sorted(folder.rglob("*.json")):
        if path.name != "manifest.json" and "ledger" not in path.parts:
            texts[path.name] = "\n".join(strings(json.loads(path.read_text())))
    return texts


def pages_of(release: Any) -> dict[str, Page]:
    """The pages of a release and what a notebook shows of it."""
    notebook = open_release(Path(release.folder))._repr_html_()
    pages = {path.name: path.read_text() for path in Path(release.folder).rglob("*.html")}
    return {name: Page(text) for name, text in {**pages, "notebook": notebook}.items()}


@pytest.fixture(scope="module", params=DOMAINS)
def release(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return released(request.param, tmp_path_factory.mktemp(request.param) / "world", MARKUP)


def test_a_release_reads_as_english_and_not_as_a_machine(release: Any) -> None:
    texts = texts_of(release) | {name: " ".join(page.texts) for name, page in pages_of(release).items()}
    plain = {where: html.unescape(text).replace(MARKUP, "name") for where, text in texts.items()}
    assert not [slip for where, text in plain.items() for slip in slips(where, text)]


def test_a_report_has_its_answer_picture_and_error_before_the_folds(release: Any) -> None:
    text = (Path(release.folder) / "report.html").read_text()
    assert len(words_before_folds(text)) <= MOST_WORDS
    before = text[: text.index("<details>")]
    assert before.index('class="headline"') < before.index("may be off" if "may be off" in before else "are off")
    # The number of SNPs is a number that stands nowhere in the genome.
    assert "<svg" in before or Path(release.folder).parent.name == "genome", "a picture"
    assert re.search(r'href="data/[^"]+"', before), "downloads"
    for name in re.findall(r'href="([^"]+)"', text):
        assert (Path(release.folder) / name).is_file()
    assert "open_release" in before, "the lines that give the same"


def test_report_session_and_page_of_a_server_show_one_headline(release: Any) -> None:
    folder = Path(release.folder)
    opened = open_release(folder)
    headline = opened.headline()
    assert headline is not None
    assert shown(opened)["headline"] == asdict(headline)
    cells = [cell for table in shown(opened)["tables"] for row in table["rows"] for cell in row]  # type: ignore[call-overload,union-attr,index]
    assert not [cell for cell in cells if cell == "-0" or re.fullmatch(r"-?[\d.]+e-1\d", str(cell))]
    block = re.search(r'<div class="headline">(.*?)</div>', (folder / "report.html").read_text(), re.DOTALL)
    assert block is not None
    written = [text for text in map(str.strip, Page(block[1]).texts) if text]
    assert written == [text for text in (headline.label, headline.number, headline.interval, headline.note) if text]


def test_markup_in_names_is_text_on_every_page(release: Any) -> None:
    pages = pages_of(release)
    assert "report.html" in pages
    for name, page in pages.items():
        assert "i" not in page.tags, name
        assert "onload" not in page.attributes, name
    assert any(MARKUP in text for text in pages["report.html"].texts)


def test_no_heading_of_a_page_is_empty(release: Any) -> None:
    for name, page in pages_of(release).items():
        assert name == "notebook" or page.headings
        assert all(heading.strip() for heading in page.headings), (name, page.headings)


def check(domain: str) -> Callable[[str], None]:
    def shown(name: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            try:
                result = released(domain, Path(folder), name)
            except PlanError:
                assume(False)
            title = " ".join(f"T {name}".split())
            pages = pages_of(result)
            shown = " ".join(" ".join(pages["report.html"].texts).split())
            assert title in shown
            assert all(heading.strip() for page in pages.values() for heading in page.headings)
            assert re.sub(r"\s+", " ", html.unescape(str(result))).count("None") == 0

    return shown


@pytest.mark.series(1)
@pytest.mark.parametrize("domain", DOMAINS)
def test_any_name_is_shown_as_it_is(domain: str) -> None:
    settings(max_examples=5, deadline=None)(given(ODD)(check(domain)))()
