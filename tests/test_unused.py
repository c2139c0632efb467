"""No function, class or constant of a module is left that nothing names."""

import ast
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow

NAME = re.compile(r"[A-Za-z_]\w*")
KINDS = {".py", ".html", ".js", ".md", ".toml", ".ipynb"}


def defined(text: str) -> Iterator[str]:
    """The names that a module gives to what it defines; what a decorator takes, it registers."""
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef) and not statement.decorator_list:
            yield statement.name
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = [statement.target] if isinstance(statement, ast.AnnAssign) else statement.targets
            yield from (each.id for each in targets if isinstance(each, ast.Name))


def texts(*folders: str) -> list[str]:
    files = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in KINDS)
    return [path.read_text("utf-8") for path in files]


def unused(modules: list[str], others: list[str]) -> list[str]:
    """Names that stand nowhere but where modules define them."""
    named = Counter(word for text in (*modules, *others) for word in NAME.findall(text))
    own = Counter(name for text in modules for name in defined(text))
    return sorted(name for name, many in own.items() if named[name] == many and not name.startswith("__"))


def test_every_name_of_the_source_is_used_by_it() -> None:
    modules = [path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")]
    pages = [text for text in texts("src", "docs") if text not in modules]
    assert not unused(modules, [*pages, *texts("bench", "deploy"), (ROOT / "pyproject.toml").read_text("utf-8")])


def test_every_name_of_a_benchmark_is_used() -> None:
    modules = [path.read_text("utf-8") for path in (ROOT / "bench").rglob("*.py")]
    assert not unused(modules, texts("src", "tests", "docs"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("SIGMAS = 1\nPOINTS = 2\nprint(POINTS)", ["SIGMAS"]),
        ("def real_scans():\n    return 1\ndef main():\n    return 2\nmain()", ["real_scans"]),
        ("@register\ndef kept():\n    return 1", []),
    ],
)
def test_a_name_that_nothing_uses_is_found(text: str, names: list[str]) -> None:
    assert unused([text], []) == names


def test_what_a_page_names_is_used() -> None:
    assert not unused(["ALARMS = 1"], ["{{ ALARMS }}"])
