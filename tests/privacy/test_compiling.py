"""Whoever listens hears once that kernels begin to be compiled, and hears nothing where they were kept."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Never

import pytest

from starling.privacy import compiled, compiling

KERNELS = """
from starling.privacy.compiled import compiled
@compiled
def double(number):
    return 2 * number
@compiled
def triple(number):
    return double(number) + number
"""


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], ModuleType]]:
    """Import the same kernels once more, as the next process would; what is compiled is kept in a folder that was empty."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    path = tmp_path / "kernels_of_a_test.py"
    path.write_text(KERNELS)

    def load() -> ModuleType:
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        made = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = made
        spec.loader.exec_module(made)
        return made

    yield load
    sys.modules.pop(path.stem, None)


def test_the_first_kernel_of_an_empty_cache_is_told_once(fresh: Callable[[], ModuleType]) -> None:
    told: list[bool] = []
    with compiling.heard_by(told.append):
        kernels = fresh()
        assert told == []
        assert (kernels.triple(14), kernels.triple(0.5), kernels.double(1j)) == (42, 1.5, 2j)
    assert told == [True]
    with compiling.heard_by(told.append):
        assert fresh().triple(14) == 42
    assert told == [True], "what was kept is not compiled"


def test_it_is_told_before_anything_is_compiled(fresh: Callable[[], ModuleType]) -> None:
    kernels = fresh()

    def hear(kept: bool) -> None:
        assert kept
        assert not kernels.triple.signatures

    with compiling.heard_by(hear):
        assert kernels.triple(1) == 3


def test_where_nothing_is_kept_every_run_hears_it(
    fresh: Callable[[], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "is_private_dir", lambda _: False)
    told: list[bool] = []
    for _ in range(2):
        with compiling.heard_by(told.append):
            assert fresh().triple(14) == 42
    assert told == [False, False]


def test_a_listener_that_cannot_write_stops_no_run() -> None:
    def fail(_: bool) -> Never:
        raise OSError(28, "xyzzy")

    told: list[bool] = []
    with compiling.heard_by(told.append), compiling.heard_by(fail):
        compiling.begins(cached=True)
    assert told == [True]


def test_whoever_left_hears_nothing() -> None:
    told: list[bool] = []
    with compiling.heard_by(told.append):
        pass
    compiling.begins(cached=True)
    assert told == []
