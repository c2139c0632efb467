"""No module imports itself by way of others, late imports included: each can be read, tested and moved with what lies below it."""

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "src" / "starling"


def module_of(path: Path, package: Path) -> str:
    """The dotted name of a file of a package."""
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Every statement below a node that runs, late or at once; what only a type checker reads does not run."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield child
            yield from statements(child)


def imports(package: Path) -> dict[str, set[str]]:
    """The modules of a package that each of its modules imports."""
    files = {module_of(path, package): path for path in package.rglob("*.py")}
    found: dict[str, set[str]] = {}
    for name, path in files.items():
        targets: set[str] = set()
        for node in statements(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                # `from package import module` imports the module; `from module import name` the module that has the name.
                whole = (f"{node.module}.{alias.name}" for alias in node.names)
                targets.update(target if target in files else node.module for target in whole)
            elif isinstance(node, ast.Import):
                targets.update(alias.name for alias in node.names)
        found[name] = {target for target in targets if target in files and target != name}
    return found


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """A circle of modules; nothing where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert not circle(imports(PACKAGE))


@pytest.mark.parametrize(
    "second",
    ["from package.first import f", "import package.first", "def late():\n    from package import first"],
)
def test_a_circle_is_found(tmp_path: Path, second: str) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "first.py").write_text("from package.second import g")
    (package / "second.py").write_text(second)
    assert set(circle(imports(package))) == {"package.first", "package.second"}


def test_what_only_a_type_checker_reads_is_no_circle(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "first.py").write_text("from package.second import g")
    (package / "second.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from package.first import f\n"
    )
    assert not circle(imports(package))
