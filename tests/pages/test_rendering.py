"""Pages stand alone or link what the server has; text never becomes markup; nothing wide is cut off; static files keep their names."""

import gzip
import hashlib
import html
import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Final

import jinja2
import pytest

from starling.pages.marks import Sheet
from starling.pages.parts import Line, Picture, Section, Table
from starling.pages.rendering import fragment, page, served, stand_alone, static_file, static_files, static_name

HOSTILE: Final = "<script>x</script>\"'&{{ 1 }}{% if %}"


def drawn() -> Sheet:
    """A picture of a hostile word."""
    sheet = Sheet(10, 0, 10)
    sheet.text(5, 5, HOSTILE)
    return sheet


FULL: Final = Section(
    HOSTILE,
    HOSTILE,
    (Picture(drawn, HOSTILE, "one"),),
    (Table((HOSTILE, HOSTILE), ((HOSTILE, HOSTILE),), HOSTILE),),
    lines=(Line(HOSTILE, HOSTILE),),
)


class Parsed(HTMLParser):
    """Tags and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


def test_a_page_that_stands_alone_needs_nothing_from_elsewhere() -> None:
    text = page("A <title>", "An evaluation", (Section("Errors", "One.\n\nTwo."),), warning="NOT PRIVATE")
    assert text.index("NOT PRIVATE") < text.index("<h2>Errors</h2>")
    assert "A &lt;title&gt;: An evaluation" in text
    assert "default-src 'none'" in text
    assert "<p>Two.</p>" in text
    assert not {"script", "link"} & {*Parsed(text).tags}
    assert not [name for name, _ in Parsed(text).attributes if name in ("href", "src", "style")]
    assert "url(" not in text
    assert 'class="warning"' not in page("Title", "A page", ())


@pytest.mark.parametrize("folded", [False, True])
def test_no_text_of_a_part_becomes_markup(folded: bool) -> None:
    section = Section(FULL.title, FULL.text, FULL.pictures, FULL.tables, folded, FULL.lines)
    text = page(HOSTILE, HOSTILE, (section,), warning=HOSTILE)
    assert "script" not in Parsed(text).tags
    assert HOSTILE not in text
    assert html.unescape(text).count(HOSTILE) >= 12
    assert drawn().svg("one", HOSTILE) in text


def test_a_served_page_carries_no_style_and_links_its_own_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def loader(package: str, _: str) -> jinja2.BaseLoader:
        if package == "tests.pages":
            text = '{% extends "base.html" %}{% block title %}{{ title }}{% endblock %}{% block head %}{{ root }}{% endblock %}'
            return jinja2.DictLoader({"own.html": text})
        return jinja2.FileSystemLoader(str(files(package) / "templates"))

    monkeypatch.setattr(jinja2, "PackageLoader", loader)
    text = served("own.html", "tests.pages", "/below", title=HOSTILE, invented=True)
    parsed = Parsed(text)
    assert not {"style", "script"} & {*parsed.tags}
    assert "style" not in dict(parsed.attributes)
    assert f'href="/below/static/{static_name("starling.css")}"' in text
    assert 'class="starling invented"' in text
    assert "describes nobody" in text


def test_a_blank_without_a_value_is_an_error() -> None:
    with pytest.raises(jinja2.UndefinedError):
        stand_alone("page.html", title="t")


def test_a_static_file_is_had_by_the_name_of_its_bytes_and_by_no_other() -> None:
    for name, content in static_files().items():
        hashed = static_name(name)
        assert hashlib.sha256(content).hexdigest()[:12] in hashed
        for each in (name, hashed):
            served_file = static_file(each)
            assert served_file is not None
            assert served_file[0] == content
    stem, kind = "starling", "css"
    for other in (f"{stem}.{'0' * 12}.{kind}", "../parts.py", "none.css", "__init__.py", ""):
        assert static_file(other) is None
    assert static_file(static_name("starling.css"))[1] == "text/css; charset=utf-8"  # type: ignore[index]


def test_static_files_and_templates_are_in_the_package() -> None:
    folder = Path(str(files("starling.pages")))
    assert {path.name for path in (folder / "static").iterdir()} == set(static_files())
    assert (folder / "templates" / "base.html").is_file()


def test_nothing_wide_is_cut_off_on_a_phone() -> None:
    """Tables, formulas and pictures scroll within themselves, by keyboard too; what explains them does not scroll away with them."""
    text = page("Title", "A page", (FULL,))
    assert 'name="viewport" content="width=device-width' in text
    assert re.search(r"\.wide, [^{]*\.picture, [^{]*pre \{[^}]*overflow-x: auto", text)
    wide = re.findall(r'<div class="(?:wide|picture)"[^>]*>', text)
    assert len(wide) == text.count("<table") + text.count("<svg")
    assert all('tabindex="0"' in each for each in wide)
    assert text.index("</figcaption>") > 0
    for name in ("release/report/templates/report.html", "pages/templates/parts.html"):
        template = (Path(str(files("starling"))) / name).read_text()
        formulas = "".join(re.findall(r'<div class="formula"[^>]*>.*?</div>', template, re.DOTALL))
        assert template.count("<math") == formulas.count("<math")
        assert template.count("<table") == len(re.findall(r'<div class="wide"[^>]*><table', template))


def test_a_fragment_carries_its_style_and_escapes_everything() -> None:
    parts = (HOSTILE, ((HOSTILE,), [(HOSTILE,)]))
    text = fragment(
        "fragment.html",
        title=HOSTILE,
        facts=[(HOSTILE, HOSTILE)],
        below=parts,
        pictures=(Picture(drawn, HOSTILE, "one"),),
    )
    parsed = Parsed(text)
    assert not {"script", "head", "body", "link"} & {*parsed.tags}
    assert "style" in parsed.tags
    assert html.unescape(text).count(HOSTILE) == 9


def test_the_style_changes_nothing_outside_of_its_pages() -> None:
    """A fragment stands among cells of a notebook: every rule is of what lies below the class `starling`."""
    style = re.sub(r"/\*.*?\*/", "", static_files()["starling.css"].decode(), flags=re.DOTALL)
    selectors = [
        one.strip() for rule in re.findall(r"([^{}]+)\{", style) for one in rule.split(",") if "@media" not in rule
    ]
    assert selectors
    assert not [one for one in selectors if not re.match(r"(?:body|div)?\.starling\b", one)]


def test_every_variable_of_the_style_is_defined() -> None:
    style = static_files()["starling.css"].decode()
    assert {*re.findall(r"var\((--[\w-]+)", style)} <= {*re.findall(r"(--[\w-]+):", style)}


def test_a_script_has_those_that_it_imports_in_it() -> None:
    text = static_files()["map.js"].decode()
    assert not re.search(r"^(import|export) ", text, re.MULTILINE)
    for name in ("Cover", "Frame", "Slices"):
        assert len(re.findall(rf"^class {name} ", text, re.MULTILINE)) == 1
    assert text.index("class Cover") < text.index("class Slices")


@pytest.mark.parametrize("name", [name for name in static_files() if name.endswith(".js")])
def test_no_name_of_a_script_stands_twice_in_its_file(name: str) -> None:
    names = re.findall(r"^(?:async )?(?:const|let|function|class) (\w+)", static_files()[name].decode(), re.MULTILINE)
    assert len(names) == len(set(names))


def test_scripts_are_small() -> None:
    parts = [
        path.read_bytes() for path in files("starling.pages").joinpath("static").iterdir() if path.name.endswith(".js")
    ]
    assert len(gzip.compress(b"".join(parts))) < 25_000
