"""The architecture's walls stand, and each is seen to catch a planted breach.

import-linter holds what imports can say (pyproject.toml); the rules below it hold what they cannot: names inside a module.
"""

import ast
import re
import shutil
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

import pytest
from importlinter.application.output import console
from importlinter.cli import lint_imports as lint

from tests.conftest import ROOT

SOURCE = ROOT / "src" / "starling"
CONTRACTS = {
    contract["id"]: contract["name"]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
}

BREACHES = {
    "layers": [
        ("privacy/budget.py", "import starling.tables.plan"),
        ("release/__init__.py", "from starling.tables import plan"),
        ("engine/__init__.py", "import starling.ledger.sqlite"),
        ("rogue.py", ""),
    ],
    "rooms": [
        ("tables/plan/model.py", "from starling.tables import source"),
        ("tables/source/__init__.py", "from starling.tables import counts"),
        ("tables/postprocess/estimates.py", "from starling.tables import preview"),
        ("tables/postprocess/estimates.py", "import starling.tables.artifact"),
        ("tables/rogue.py", ""),
    ],
    "no-opening": [
        ("tables/preview/page.py", "from starling.tables import source"),
        ("tables/plan/model.py", "from starling.privacy.trust import publish"),
    ],
    "no-secret-noise": [
        ("groups/preview/best_split.py", "from starling.privacy.sampling.noise import draw"),
        ("places/generate/worlds.py", "from starling.privacy.sampling.entropy import system"),
    ],
    "no-reading": [
        ("tables/mechanism/__init__.py", "import duckdb"),
        ("tables/postprocess/estimates.py", "from starling.tables import source"),
        ("tables/plan/detail.py", "import starling.engine.duck"),
    ],
    "no-drawing": [
        ("tables/postprocess/estimates.py", "from starling.privacy.sampling.noise import draw"),
        ("tables/postprocess/estimates.py", "import starling.ledger.sqlite"),
    ],
    "web-opens-nothing": [
        ("server/app.py", "from starling.tables import source"),
        ("server/access.py", "import duckdb"),
        ("ledger/account.py", "from starling.privacy.sampling.noise import draw"),
    ],
    "one-source-of-randomness": [
        ("tables/mechanism/__init__.py", "import random"),
        ("cli/__init__.py", "from uuid import uuid4"),
        ("ledger/rows.py", "import secrets"),
        ("privacy/sampling/noise.py", "from cryptography.hazmat.primitives.ciphers import Cipher"),
    ],
}
"""For each contract: files of the package, and a line that must not stand there."""


def lint_imports(tree: Path, monkeypatch: pytest.MonkeyPatch, *contract: str) -> str:
    """What import-linter says of the package in `tree`/src by the project's contracts; files that it met before are not parsed again."""
    with monkeypatch.context() as patch:
        # It looks for the package as an import does.
        patch.syspath_prepend(str(tree / "src"))
        patch.delitem(sys.modules, "starling", raising=False)
        patch.chdir(tree)
        with console.capture() as said:
            code = lint(limit_to_contracts=contract, cache_dir=str(tree / "cache"), no_logo=True)
    text = said.get()
    assert (code != 0) == (" BROKEN" in text), text
    return " ".join(text.split())


@pytest.fixture(scope="module")
def copied_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package and its contracts in a scratch folder."""
    tree = tmp_path_factory.mktemp("tree")
    shutil.copytree(SOURCE, tree / "src" / "starling", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tree)
    return tree


def test_contracts_hold(copied_tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"{len(CONTRACTS)} kept, 0 broken" in lint_imports(copied_tree, monkeypatch)


def test_every_contract_has_a_planted_breach() -> None:
    assert BREACHES.keys() == CONTRACTS.keys()


@pytest.mark.series(3)
@pytest.mark.parametrize(
    ("contract", "file", "line"), [(name, *breach) for name, breaches in BREACHES.items() for breach in breaches]
)
def test_planted_breach_is_caught(
    copied_tree: Path, monkeypatch: pytest.MonkeyPatch, contract: str, file: str, line: str
) -> None:
    module = copied_tree / "src" / "starling" / file
    assert line == "" or module.exists(), "the breach is planted in a module that is there"
    plain = module.read_text() if module.exists() else None
    with module.open("a") as text:
        text.write(f"\n{line}\n")
    try:
        result = lint_imports(copied_tree, monkeypatch, contract)
    finally:
        if plain is None:
            module.unlink()
        else:
            module.write_text(plain)
    assert f"{CONTRACTS[contract]} BROKEN" in result


@dataclass(frozen=True)
class Rule:
    """Names that may be used in few modules.

    Attributes:
        names: Patterns of fully qualified names, or of private names and attributes.
        allowed: Patterns of modules, relative to the package, that may use them.
        breach: Modules and lines that must be caught.
    """

    names: tuple[str, ...]
    allowed: tuple[str, ...]
    breach: dict[str, str] = field(default_factory=dict)


RULES = {
    "randomness comes from privacy.sampling.entropy": Rule(
        ("os.urandom", "os.getrandom"),
        ("privacy/sampling/entropy.py",),
        {
            "tables/mechanism/__init__.py": "import os\nx = os.urandom(8)",
            "privacy/sampling/noise.py": "from os import getrandom as g",
            "ledger/rows.py": "import os as o\nf = o.urandom",
        },
    ),
    "NumPy's generators make invented data alone": Rule(
        ("numpy.random", "numpy.random.*"),
        ("*/generate.py", "*/generate/*.py"),
        {
            "tables/mechanism/__init__.py": "import numpy as np\nx = np.random.default_rng(1)",
            "privacy/sampling/noise.py": "from numpy.random import default_rng",
            "tables/counts.py": "from numpy import random",
        },
    ),
    "the boundary's private names stay in privacy.trust": Rule(
        (
            "*._BOUNDARY",
            "_BOUNDARY",
            "*._Boundary",
            "_Boundary",
            "starling.privacy.trust._run",
            "*_Confidential__computation",
        ),
        ("privacy/trust.py",),
        {
            "tables/publish.py": "from starling.privacy.trust import _BOUNDARY",
            "tables/counts.py": "from starling.privacy import trust\nx = trust._run(data)",
            "tables/evaluate.py": "x = data._Confidential__computation()",
            "cli/tables.py": "x = getattr(data, '_Confidential__computation')",
        },
    ),
    "only validate and evaluate inspect": Rule(
        ("starling.privacy.trust.inspect", "starling.privacy.trust.NotPrivate", "starling.privacy.trust.*NotPrivate"),
        (
            "*/evaluate.py",
            "*/evaluate/__init__.py",
            "*/source.py",
            "*/source/*.py",
            "*/validate.py",
            "privacy/trust.py",
        ),
        {
            "tables/publish.py": "from starling.privacy.trust import inspect",
            "cli/tables.py": "from starling.privacy import trust\nx = trust.inspect(data)",
            "release/bundle.py": "import starling.privacy.trust as t\nx = t.inspect",
        },
    ),
}


def used_names(tree: ast.AST) -> Iterator[str]:
    """Every name that a module uses, qualified through its imports; strings that could be passed to getattr as they are."""
    imported: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                imported[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
                yield alias.name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                imported[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                yield f"{node.module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            attributes: list[str] = []
            inner: ast.expr = node
            while isinstance(inner, ast.Attribute):
                attributes.insert(0, inner.attr)
                inner = inner.value
            start = imported.get(inner.id, inner.id) if isinstance(inner, ast.Name) else ""
            yield ".".join([start, *attributes])
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"\w+", node.value):
            yield node.value


def breaches(rule: Rule, module: str, names: Iterable[str]) -> list[str]:
    """Of the names that a module uses, those that `rule` does not let it use."""
    if any(fnmatch(module, pattern) for pattern in rule.allowed):
        return []
    return [name for name in names if any(fnmatch(name, pattern) for pattern in rule.names)]


@pytest.mark.slow
def test_source_keeps_the_rules() -> None:
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        module, names = path.relative_to(SOURCE).as_posix(), {*used_names(ast.parse(path.read_text()))}
        found += [
            f"{title}: {module}: {broken}" for title, rule in RULES.items() if (broken := breaches(rule, module, names))
        ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("title", "module", "code"), [(title, *breach) for title, rule in RULES.items() for breach in rule.breach.items()]
)
def test_planted_name_is_caught(title: str, module: str, code: str) -> None:
    assert breaches(RULES[title], module, used_names(ast.parse(code)))
