"""What the package index gets: its name, what it needs, and that whatever lacks its extra says which to install."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from starling import distribution
from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SOURCE = ROOT / "src" / "starling"
MODULES_OF = {"dp-accounting": "dp_accounting", "python-flint": "flint"}
"""Names of modules that differ from their distribution's."""
GUARDED = {
    "cli/server.py": "server",
    "server/oidc.py": "oidc",
    "client/transport.py": "client",
    "ledger/opening.py": "postgres",
    "engine/spark.py": "spark",
}
"""Modules behind which whole packages of an extra lie, imported at their top: these name the extra where they are entered."""


def base() -> set[str]:
    names = {Requirement(each).name for each in PROJECT["dependencies"]}
    return {MODULES_OF.get(name, name) for name in names}


def extras_named(path: Path) -> set[str]:
    return set(re.findall(r"""install\(["'](\w+)["']\)""", path.read_text()))


def imports_of_others(statements: Iterable[ast.stmt]) -> Iterator[str]:
    """The packages that these statements import, of others than Python and Starling."""
    for node in statements:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        for name in names:
            top = name.partition(".")[0]
            if top not in sys.stdlib_module_names and top not in {"starling", "__future__"}:
                yield top


def test_the_name_is_the_same_everywhere() -> None:
    assert PROJECT["name"] == distribution.NAME
    assert PROJECT["scripts"] == {"starling": "starling.cli:main"}
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").iterdir(), *SOURCE.rglob("*.py")]
    for page in pages:
        assert not re.search(r"install ['\"]?starling(\[|['\"]?$)", page.read_text(), re.MULTILINE), page.name


def test_every_advised_extra_exists() -> None:
    advised = {extra: path for path in SOURCE.rglob("*.py") for extra in extras_named(path)}
    assert len(advised) > 6
    assert advised.keys() <= PROJECT["optional-dependencies"].keys()


@pytest.mark.slow
def test_a_package_that_may_be_missing_is_asked_for_by_its_extra() -> None:
    """Every `except ImportError` of the source names an extra, and so does each module of `GUARDED`."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.ExceptHandler)
                and node.type is not None
                and ast.unparse(node.type) == "ImportError"
            ):
                assert "install(" in ast.unparse(node) or "_missing_packages()" in ast.unparse(node), path.name
    for name, extra in GUARDED.items():
        assert extra in extras_named(SOURCE / name)


def test_domains_and_the_core_need_no_extra_when_they_are_imported() -> None:
    """Outside the server and the client, what is imported at the top of a module is a dependency."""
    needed = {*base(), "mpl_toolkits"}
    found = set()
    for path in SOURCE.rglob("*.py"):
        inside = path.relative_to(SOURCE).parts[0]
        if inside in {"server", "client", "worker", "public"}:
            continue
        for top in imports_of_others(ast.parse(path.read_text()).body):
            if top not in needed:
                found.add((path.relative_to(SOURCE).as_posix(), top))
    behind_a_check = {
        ("ledger/postgres.py", "psycopg"),
        ("ledger/postgres.py", "psycopg_pool"),
        ("engine/workbook_beginning.py", "openpyxl"),
    }
    assert found <= behind_a_check, found
