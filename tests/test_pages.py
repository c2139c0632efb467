"""The documentation is short, ordered by need, and says at its head for whom it is; generated pages are those of the code."""

import importlib.util
import re
from functools import cache
from pathlib import Path
from statistics import median
from types import ModuleType

import click
import pytest
import yaml

import starling
from starling import genome, groups, places, tables
from starling.cli import main
from tests.conftest import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "decisions" not in page.parts)
MOST_WORDS = 45_000
MOST_WORDS_OF_A_SENTENCE = 18
PARTS = ["Starling", "Tutorials", "How-to", "Reference", "Explanation", "Evidence", "Decisions"]
GENERATED = {"cli": "build_cli_reference", "python-api": "build_api_reference", "plan-keys": "build_plan_reference"}
NO_PROSE = re.compile(r"^```.*?^```$|<!--.*?-->|\$\$.*?\$\$|^(?:\||#|!\[)[^\n]*$", re.MULTILINE | re.DOTALL)
MARKS = re.compile(r"[`*_]|!?\[([^\]]*)\]\([^)]*\)|\{ *#[^}]*\}")


def sentences(text: str) -> list[str]:
    """The sentences of a page's prose: paragraphs and items of lists, without code, tables, headings and pictures.

    >>> sentences("# Title\\n\\nOne is `here`. Two are\\nthere, e.g. now.\\n\\n- An item\\n- Another: [with a link](a.md).\\n")
    ['One is here.', 'Two are there, e.g. now.', 'An item', 'Another: with a link.']
    """
    found = []
    for block in re.split(r"\n\s*\n|^ *(?:[-*]|\d+\.) |^:   ", NO_PROSE.sub("", text), flags=re.MULTILINE):
        plain = " ".join(MARKS.sub(r"\1", block).split())
        found += [each for each in re.split(r"(?<=[.!?])\s+(?=[A-Z\"(])", plain) if each]
    return found


def words_of_a_sentence(page: Path) -> float:
    """The median number of words of a page's sentences."""
    return median(len(each.split()) for each in sentences(page.read_text()))


@cache
def generator(name: str) -> ModuleType:
    """The program that writes a page."""
    spec = importlib.util.spec_from_file_location(GENERATED[name], DOCS / f"{GENERATED[name]}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_pages_together_are_short() -> None:
    assert sum(len(page.read_text().split()) for page in PAGES) <= MOST_WORDS


def test_sentences_are_short_on_every_page() -> None:
    medians = {page.relative_to(DOCS).as_posix(): words_of_a_sentence(page) for page in PAGES}
    assert {page: words for page, words in medians.items() if words > MOST_WORDS_OF_A_SENTENCE} == {}


def test_a_page_of_long_sentences_is_caught(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Page\n\nShort.\n\n" + f"Word {'word ' * 17}word. " * 3)
    assert words_of_a_sentence(page) == MOST_WORDS_OF_A_SENTENCE + 1


def test_every_page_begins_with_for_whom_it_is() -> None:
    firsts = {page.relative_to(DOCS).as_posix(): sentences(page.read_text())[0] for page in PAGES}
    assert [page for page, first in firsts.items() if not first.startswith("For ")] == []


def test_the_navigation_has_a_part_for_each_need() -> None:
    text = re.sub(r"!!python\S+", "", (ROOT / "mkdocs.yml").read_text())
    assert [next(iter(part)) for part in yaml.safe_load(text)["nav"]] == PARTS


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_page_is_that_of_the_code(name: str) -> None:
    page = DOCS / "reference" / f"{name}.md"
    assert page.read_text() == generator(name).page(), f"run: python docs/{GENERATED[name]}.py"


def test_every_option_of_every_command_is_explained() -> None:
    cli = generator("cli")
    text = cli.page()
    for command, context in cli.commands():
        name = context.command_path.removeprefix("starling ")
        if command is not main:
            is_listed = re.search(
                rf"^### {name.rpartition(' ')[0]}$[^#]*^Commands: .*`{command.name}`", text, re.MULTILINE
            )
            assert is_listed or re.search(rf"^#+ {name}(?: [^a-z\n].*)?$", text, re.MULTILINE), name
        for parameter in command.get_params(context):
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert any(name in text for name in parameter.opts), (context.command_path, parameter.name)


def test_every_public_name_is_on_the_page() -> None:
    text = generator("python-api").page()
    for module in (starling, tables, groups, places, genome):
        short = module.__name__.removeprefix("starling.")
        for name in module.__all__:
            heads = (f"### {short}.{name}\n", f"### starling.{name}\n", f"- `{short}.{name}(")
            assert any(head in text for head in heads), (short, name)


def test_every_help_starts_with_an_example() -> None:
    assert not [name for name, text in generator("cli").helps() if "Example" not in text.split("Options:")[0]]


def test_the_code_names_pages_that_there_are() -> None:
    files = [path for folder in ("src", "bench") for form in ("*.py", "*.toml") for path in (ROOT / folder).rglob(form)]
    named = {(path, page) for path in files for page in re.findall(r"docs/[\w/.-]+\.md", path.read_text())}
    assert len({page for _, page in named}) > 5
    assert [(str(path), page) for path, page in named if not (ROOT / page).is_file()] == []
