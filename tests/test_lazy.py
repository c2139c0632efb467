"""A lazy package gives the names it promises, the function where a module bears the same name, and no others."""

import inspect
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pydoc import plain, render_doc
from subprocess import run
from types import ModuleType

import pytest

from starling.genome.analysis import GenomeRelease
from starling.tables.analysis import TablesRelease

PACKAGES = ("starling", "starling.privacy", "starling.tables", "starling.genome")


@pytest.mark.parametrize("package", PACKAGES)
def test_each_promised_name_is_there_and_is_no_module(package: str) -> None:
    room = import_module(package)
    for name in room.__all__:
        assert name in dir(room)
        assert not isinstance(getattr(room, name), ModuleType)


def test_a_module_of_the_same_name_does_not_hide_the_function() -> None:
    import_module("starling.tables.evaluate")
    import_module("starling.genome.generate")
    assert callable(import_module("starling.tables").evaluate)
    assert callable(import_module("starling.genome").generate)


@pytest.mark.parametrize("package", PACKAGES)
def test_dir_shows_what_is_for_users(package: str) -> None:
    room = import_module(package)
    within = {"errors", "genome", "groups", "places", "tables"} if package == "starling" else set()
    assert set(dir(room)) == {*room.__all__, *within}


@pytest.mark.slow
def test_help_leads_to_the_domains() -> None:
    text = plain(render_doc(import_module("starling")))
    for name in (
        "starling.tables",
        "starling.genome",
        "starling.groups",
        "starling.places",
        "starling.Client",
        "starling.open_release",
        "starling.verify",
        "starling.open_ledger",
    ):
        assert name in text
    code = "import starling; print(starling.tables.Plan, starling.genome.Study, starling.errors.StarlingError)"
    assert run([sys.executable, "-c", code], check=False).returncode == 0, "named without a further import"


def callables(package: str) -> Iterator[tuple[str, object]]:
    """Public functions, classes and their public methods."""
    room = import_module(package)
    for name in room.__all__:
        found = getattr(room, name)
        yield f"{package}.{name}", found
        if inspect.isclass(found):
            yield from members(f"{package}.{name}", found)


def members(name: str, found: type) -> Iterator[tuple[str, object]]:
    """Public methods of a class."""
    for member in dir(found):
        if not member.startswith("_") and callable(getattr(found, member)):
            yield f"{name}.{member}", getattr(found, member)


def test_a_docstring_stands_alone() -> None:
    elsewhere = re.compile(
        r"\b(see|as of) `|^\s*\w+: (see|likewise|as for)\b|\bsee above\b|\blikewise\b", re.IGNORECASE | re.MULTILINE
    )
    opened = [
        *callables("starling.release.intervals"),
        *members("a release", TablesRelease),
        *members("an answer", GenomeRelease),
    ]
    everything = [each for package in PACKAGES for each in callables(package)] + opened
    found = {name: inspect.getdoc(each) or "" for name, each in everything}
    whole = {name: f"{text}\n{' '.join(text.split())}" for name, text in found.items()}  # however its lines are broken
    assert not [name for name, text in whole.items() if not text.strip() or elsewhere.search(text)]


def test_the_client_without_its_package_says_what_to_install() -> None:
    code = "import sys; sys.modules['httpx'] = None; import starling; starling.Client"
    found = run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (found.returncode, "pip install 'starling-dp[client]'" in found.stderr) == (1, True)


@pytest.mark.parametrize("package", PACKAGES)
def test_another_name_is_refused(package: str) -> None:
    with pytest.raises(AttributeError, match=f"{package} has no flock"):
        _ = import_module(package).flock


def test_naming_packages_imports_nothing_heavy() -> None:
    code = f"import sys, {', '.join(PACKAGES)}; assert not {{'numpy', 'numba', 'duckdb', 'pyarrow', 'cryptography'}} & set(sys.modules)"
    assert run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_ledger_or_a_server_is_asked_without_arrays() -> None:
    code = "import sys, starling.ledger.opening, starling.client; assert not {'numpy', 'pyarrow'} & set(sys.modules)"
    assert run([sys.executable, "-c", code], check=False).returncode == 0
