"""What the documentation shows is run: Python snippets, commands, the command line reference; and every link leads somewhere."""

import doctest
import importlib
import re
import runpy
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

import starling
from starling.cli import main
from starling.cli.progress import MARK
from tests.conftest import ROOT

DOCS = ROOT / "docs"
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(DOCS.rglob("*.md")),
    *sorted((ROOT / "bench").rglob("*.md")),
    ROOT / "deploy" / "README.md",
]
LONG = ("docs/explanation/accounting.md", "docs/explanation/better-numbers.md")
"""Pages whose snippets take seconds."""
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([\w.-]+)"')
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
CHECK = doctest.OutputChecker()
SCREEN = {"NO_COLOR": "1", "COLUMNS": "100", "TERM": "dumb"}
"""Variables by which commands write as the pages show."""


def title(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Snippet:
    """A fenced block of a page: its language, its text, the line it begins at, and the file that its title names."""

    language: str
    text: str
    line: int
    file: str | None

    @property
    def runs(self) -> bool:
        """Python sessions run, and consoles that show starling commands."""
        return self.language == "pycon" or (self.language == "console" and self.text.startswith("$ starling"))


def snippets(text: str) -> Iterator[Snippet]:
    for match in FENCE.finditer(text):
        named = TITLE.search(match[2])
        yield Snippet(match[1], match[3], text.count("\n", 0, match.start()) + 1, named[1] if named else None)


def commands(console: str) -> Iterator[tuple[str, str]]:
    """Each command of a console with the output shown below it; a backslash at the end of a line continues the command."""
    joined = console.replace("\\\n", "")
    for part in re.split(r"^\$ ", joined, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def run_console(snippet: Snippet) -> list[str]:
    """Run the commands in the working folder; what went otherwise than shown. A command that shows no output must only succeed."""
    found = []
    for command, shown in commands(snippet.text):
        program, *arguments = shlex.split(command)
        if program != "starling":
            found.append(f"`{command}` stands among starling commands")
            continue
        # In this process: each of its own would load kernels, and half of what a page costs is that.
        result = CliRunner().invoke(main, arguments, prog_name="starling", env=SCREEN)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        if shown.strip():
            # As on a terminal: what went wrong is said there too.
            # Only what it was doing is left out of the pages.
            findings = [line for line in result.stderr.splitlines(keepends=True) if not line.startswith(MARK)]
            seen = result.stdout + ("".join(findings) if result.exit_code else "")
            if not CHECK.check_output(shown, seen, FLAGS):
                found.append(f"`{command}` printed\n{result.stdout}\nnot\n{shown}\n{result.stderr}")
        elif result.exit_code != 0:
            found.append(f"`{command}` ended with {result.exit_code}: {result.stderr}")
    return found


def run_python(snippet: Snippet, names: dict[str, object], name: str) -> list[str]:
    """Run one Python session, in the names that the page has so far; what went otherwise than shown."""
    test = doctest.DocTestParser().get_doctest(snippet.text, names, name, name, snippet.line)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    return said


def run_page(text: str, name: str, folder: Path) -> list[str]:
    """Run a page's snippets in its order, in one folder and one Python session; a block with a file's name as title is that file."""
    names: dict[str, object] = {}
    found = []
    for snippet in snippets(text):
        if snippet.file:
            (folder / snippet.file).write_text(snippet.text)
        if snippet.runs:
            found += run_console(snippet) if snippet.language == "console" else run_python(snippet, names, name)
    return found


def shown_pages() -> Iterator[Any]:
    """Pages that show something that runs; those that show commands, most of which release, or run long are in the slow tier."""
    for page in PAGES:
        languages = {each.language for each in snippets(page.read_text()) if each.runs}
        if languages:
            slow = "console" in languages or title(page) in LONG
            yield pytest.param(page, marks=[pytest.mark.slow] if slow else [], id=title(page))


@pytest.mark.parametrize("page", [*shown_pages()])
def test_page_does_what_it_shows(
    page: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A home of its own: two pages may make a key of one name.
    monkeypatch.setenv("STARLING_HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.chdir(tmp_path)
    found = run_page(page.read_text(), title(page), tmp_path)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "```pycon\n>>> 1 + 1\n3\n```",
        "```pycon\n>>> undefined\n```",
        "```console\n$ starling no-such-command\n```",
        "```console\n$ starling --version\nNightingale\n```",
        "```console\n$ starling --version\n$ rm -r folder\n```",
    ],
)
def test_a_wrong_page_is_caught(text: str, tmp_path: Path) -> None:
    assert run_page(text, "planted", tmp_path)


def test_a_page_keeps_its_names_and_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (
        "```pycon\n>>> a = 2\n```\n\ntext\n\n```pycon\n>>> a\n2\n```\n\n```console\n$ starling \\\n  --help\n...\n```"
    )
    assert run_page(page, "planted", tmp_path) == []


def test_a_titled_block_is_a_file_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = '```toml title="a.toml"\nb = 1\n```\n\n```pycon\n>>> open("a.toml").read()\n\'b = 1\\n\'\n```'
    assert run_page(page, "planted", tmp_path) == []


def showing_modules() -> list[str]:
    """Every module of the package in which a docstring shows something."""
    source = Path(starling.__file__).parent
    paths = [path.relative_to(source.parent) for path in source.rglob("*.py") if ">>> " in path.read_text()]
    return sorted(".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths)


@pytest.mark.slow
def test_docstrings_do_what_they_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every module; a report names it and its line."""
    reports: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for name in showing_modules():
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        for test in doctest.DocTestFinder().find(importlib.import_module(name)):
            # Few docstrings show something, and each run costs a millisecond.
            if test.examples:
                runner.run(test, out=reports.append)
    assert runner.tries
    assert not reports, "".join(reports)


def test_a_displayed_formula_scrolls_within_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    converter = ModuleType("latex2mathml.converter")
    converter.convert = lambda text, display: f"<math {display}>{text}</math>"  # type: ignore[attr-defined] # the docs' extra
    monkeypatch.setitem(sys.modules, "latex2mathml", ModuleType("latex2mathml"))
    monkeypatch.setitem(sys.modules, "latex2mathml.converter", converter)
    page = runpy.run_path(str(ROOT / "docs" / "formulas.py"))["on_page_content"]
    shown = page('<div class="arithmatex">\\[a &lt; b\\]</div><span class="arithmatex">\\(c\\)</span>')
    assert re.fullmatch(
        r'<div class="formula" style="overflow-x: auto[^"]*"><math block>a < b</math></div><math inline>c</math>', shown
    )


def slug(heading: str) -> str:
    """The anchor that mkdocs gives a heading."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain)).strip("-")


def anchors(page: Path) -> set[str]:
    """All anchors of a page: its headings, and ids written by hand as { #id }."""
    text = FENCE.sub("", page.read_text())
    headings = re.findall(r"^#+ +(.*)$", text, re.MULTILINE)
    return {slug(heading) for heading in headings} | set(re.findall(r"\{ *#([\w-]+) *\}", text))


def in_site(target: Path) -> bool:
    """Whether a file is part of the site: what lies in docs, and the pages of figures. mkdocs refuses other links, strictly."""
    return target.is_relative_to(DOCS) or (target.parent == ROOT / "bench" / "results" and target.suffix == ".md")


def dead_links(page: Path) -> list[str]:
    """Links of a page that lead to no file or no heading of the checkout, and those of the site that leave the site.

    Links to the web are not followed.
    """
    found = []
    for match in LINK.finditer(FENCE.sub("", page.read_text())):
        link = match[1] or match[2]
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        dead = not target.exists() or (anchor and anchor not in anchors(target))
        if dead or (page.is_relative_to(DOCS) and not in_site(target)):
            found.append(link)
    return found


def test_links_lead_somewhere() -> None:
    assert not {title(page): dead for page in PAGES if (dead := dead_links(page))}


def test_a_dead_link_is_caught(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A Heading\n[here](#a-heading) [gone](#another) [no file](nothing.md) ![picture](none.png)")
    assert dead_links(page) == ["#another", "nothing.md", "none.png"]


def test_a_link_that_leaves_the_site_is_caught(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(globals(), "DOCS", tmp_path / "docs")
    (tmp_path / "docs").mkdir()
    (tmp_path / "script.py").touch()
    page = tmp_path / "docs" / "page.md"
    page.write_text("[script](../script.py) [itself](page.md)")
    assert dead_links(page) == ["../script.py"]


def test_every_page_is_in_the_navigation() -> None:
    listed = (ROOT / "mkdocs.yml").read_text()
    assert not [name for page in DOCS.rglob("*.md") if (name := page.relative_to(DOCS).as_posix()) not in listed]
