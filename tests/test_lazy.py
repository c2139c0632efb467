"""A lazy package gives the names it promises, the function where a module bears the same name, and no others."""

import sys
from importlib import import_module
from subprocess import run
from types import ModuleType

import pytest

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
def test_another_name_is_refused(package: str) -> None:
    with pytest.raises(AttributeError, match=f"{package} has no flock"):
        _ = import_module(package).flock


def test_naming_packages_imports_nothing_heavy() -> None:
    code = f"import sys, {', '.join(PACKAGES)}; assert not {{'numpy', 'numba', 'duckdb', 'pyarrow', 'cryptography'}} & set(sys.modules)"
    assert run([sys.executable, "-c", code], check=False).returncode == 0
