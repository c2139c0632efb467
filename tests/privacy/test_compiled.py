"""Compiled kernels are kept on disk only where nobody else could change them."""

import fcntl
import gc
import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core import config
from numba.core.caching import IndexDataCacheFile
from numba.core.compiler import Flags

from starling.errors import ParameterError
from starling.privacy import compiled as module
from starling.privacy.compiled import compiled, is_private_dir
from starling.privacy.sampling.search_kernels import search_fixed, search_guided


@pytest.mark.parametrize(
    ("mode", "ours"), [(0o700, True), (0o755, True), (0o775, False), (0o777, False), (0o1777, False)]
)
def test_a_folder_that_others_can_write_to_is_not_ours(tmp_path: Path, mode: int, ours: bool) -> None:
    tmp_path.chmod(mode)
    assert is_private_dir(tmp_path) == ours
    assert not is_private_dir(tmp_path / "missing")


def triple(number: int) -> int:
    return 3 * number


@pytest.mark.parametrize("mode", [0o755, 0o777])
def test_a_kernel_is_kept_in_our_folder_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int) -> None:
    tmp_path.chmod(mode)
    monkeypatch.setattr(module, "is_private_dir", lambda _: is_private_dir(tmp_path))
    kernel: Any = compiled(triple)
    assert kernel(14) == 42
    assert kernel.targetoptions["nogil"]
    assert kernel._compiler.pipeline_class is module._Compiler
    assert (type(kernel._cache).__name__ == "_Kernels") == (mode == 0o755)


KEPT = """
from starling.privacy.compiled import compiled
from typing import NamedTuple

class {name}(NamedTuple):
    number: int

@compiled
def double(pair: {name}) -> int:
    return 2 * pair.number

print(double({name}(21)), list(double.stats.cache_hits.values()))
"""


@pytest.mark.slow
def test_what_an_earlier_version_kept_for_a_type_that_is_gone_is_compiled_anew(tmp_path: Path) -> None:
    module = tmp_path / "kernels.py"
    answers = []
    # Of other lengths: Python tells sources of one second apart by their sizes.
    for name in ("Old", "Old", "Newer", "Newer"):
        module.write_text(KEPT.format(name=name))
        ran = subprocess.run(
            [sys.executable, "-c", "import kernels"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        answers.append(ran.stdout)
    assert answers == ["42 []\n", "42 [1]\n"] * 2


TYPED = """
import sys
from starling.privacy.compiled import compiled

@compiled
def half(number: float) -> float:
    return number / 2

print([half(number) for number in map(eval, sys.argv[1:])])
"""


@pytest.mark.slow
def test_a_kernel_that_is_kept_for_other_types_is_not_called(tmp_path: Path) -> None:
    """As two processes leave them that gave kernels for two types one name."""
    (tmp_path / "typed.py").write_text(TYPED)

    def run(*numbers: str) -> str:
        command = [sys.executable, "-c", "import sys; sys.argv = ['', *sys.argv[1:]]; import typed", *numbers]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    assert run("7", "7.5") == "[3.5, 3.75]\n"
    first, second = sorted((tmp_path / "__pycache__").glob("typed.half*.nbc"))
    first_kernel, second_kernel = first.read_bytes(), second.read_bytes()
    first.write_bytes(second_kernel)
    second.write_bytes(first_kernel)
    for _ in range(2):
        assert run("7.5", "7") == "[3.75, 3.5]\n"


@pytest.mark.slow
def test_kernels_are_kept_one_after_the_other(tmp_path: Path) -> None:
    """Whoever saves a kernel waits for the lock: while another process holds it, nothing is written."""
    (tmp_path / "typed.py").write_text(TYPED)
    command = [sys.executable, "-c", "import sys; sys.argv = ['', *sys.argv[1:]]; import typed", "7"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    (lock,) = (tmp_path / "__pycache__").glob("*.lock")
    for path in (tmp_path / "__pycache__").glob("typed.half*.nb?"):
        path.unlink()
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(5)
            assert not [*(tmp_path / "__pycache__").glob("typed.half*.nbc")]
            fcntl.flock(held, fcntl.LOCK_UN)
            assert process.communicate()[0] == "[3.5]\n"
    assert [*(tmp_path / "__pycache__").glob("typed.half*.nbc")]


def test_a_kernel_that_others_call_with_constants_is_compiled_once_for_each_type(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "is_private_dir", lambda _: False)

    @compiled
    def power(base: int, exponent: int, up: bool) -> int:
        return base**exponent if up else -base

    @compiled
    def powers(base: int) -> tuple[int, ...]:
        return (
            power(base, 2, True),
            power(3, 3, up=False),
            power(*(base, base, base > 1)),
            power(exponent=0, up=True, base=base),
        )

    assert powers(2) == (4, -3, 4, 1) == powers.py_func(2)  # type: ignore[attr-defined]
    assert [str(types) for types in inner_of(power).signatures] == ["(int64, int64, bool)"]


@pytest.mark.parametrize("kept", [False, True])
def test_what_kernels_call_has_no_wrapper_for_python_and_python_calls_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    """In either order, and where a later process reads both from the disk."""
    (tmp_path / "called.py").write_text(CALLED)
    monkeypatch.setattr(module, "is_private_dir", lambda _: kept)
    for order in ("around(4), half(4)", "half(4), around(4)"):
        spec = importlib.util.spec_from_file_location("called", tmp_path / "called.py")
        assert spec is not None
        assert spec.loader is not None
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        assert eval(order, vars(loaded)) == ((3, 2) if order.startswith("around") else (2, 3))
        assert [*loaded.half.overloads] == [*loaded.around.overloads]
        assert inner_of(loaded.half).targetoptions["no_cpython_wrapper"]
        assert not loaded.half.targetoptions.get("no_cpython_wrapper")
    found = {path.name.partition("called")[0] for path in tmp_path.rglob("*half*.nbc")}
    assert found == ({"", "inner-"} if kept else set())


CALLED = """
from starling.privacy.compiled import compiled

@compiled
def half(number):
    return number // 2

@compiled
def around(number):
    return half(number) + 1
"""


LOADED = """
import sys
from math import sin
import numpy as np
from starling.privacy.compiled import compiled

@compiled
def rooted(numbers, least):
    result = np.empty(len(numbers) * 2)
    for place, number in enumerate(numbers):
        if number < least:
            raise ValueError("too small")
        result[place] = sin(number)
    return result[: len(numbers)].copy(), len(numbers)

@compiled
def doubled(number):
    return number * 2

print(rooted(np.array([0.0, 1.0]), 0)[0].sum() == np.sin(1.0), "numba.np.polynomial.polynomial_core" in sys.modules)
try:
    rooted(np.array([0.0, 1.0]), 1)
except ValueError as error:
    print(error, *(doubled(int(number)) for number in sys.argv[1:]))
"""


@pytest.mark.slow
def test_a_kernel_that_is_kept_runs_without_what_only_the_compiler_needs(tmp_path: Path) -> None:
    """With arrays that it makes, functions of mathematics and errors; and what is compiled after it works."""
    (tmp_path / "loaded.py").write_text(LOADED)

    def run(*numbers: str) -> str:
        command = [sys.executable, "-c", "import sys; sys.argv = ['', *sys.argv[1:]]; import loaded", *numbers]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    assert [run(), run(), run("4"), run("4")] == [
        "True True\ntoo small\n",
        "True False\ntoo small\n",
        "True False\ntoo small 8\n",
        "True False\ntoo small 8\n",
    ]


def inner_of(kernel: Any) -> Any:
    """What Numba compiles of a kernel for others that call it."""
    return kernel.get_call_template.__closure__[0].cell_contents()


def test_an_environment_in_which_nothing_is_compiled_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    with pytest.raises(ParameterError, match="NUMBA_DISABLE_JIT is set"):
        compiled(lambda: 1)


def test_a_kernel_works_where_none_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba raises RuntimeError where it finds no folder to write to."""

    def njit(function: Callable[[int], int], **options: bool) -> Any:
        if options.get("cache"):
            raise RuntimeError("no locator available")
        return numba.njit(function, nogil=True)

    monkeypatch.setattr(module, "njit", njit)
    assert compiled(triple)(2) == 6


@pytest.mark.examples(20)
@given(st.dictionaries(st.sampled_from(["release_gil", "debuginfo", "nrt", "no_compile"]), st.booleans()), st.data())
def test_options_of_a_kernel_are_equal_where_they_are_to_numba(options: dict[str, bool], data: st.DataObject) -> None:
    """Equal ones have one hash, and a copy, as Numba makes one of each kernel's options, compares as quickly."""
    other = options | data.draw(st.dictionaries(st.sampled_from([*options, "forceinline"]), st.booleans()))
    flags, others = Flags(), Flags()  # type: ignore[no-untyped-call]
    for values, each in ((options, flags), (other, others)):
        for name, value in values.items():
            setattr(each, name, value)
    first, second = module._Flags(flags), module._Flags(others).copy()  # type: ignore[no-untyped-call]
    assert (first == second) == (options == other)
    assert flags == others or first != second
    assert first != second or hash(first) == hash(second)
    assert type(second) is module._Flags


def test_kernels_run_without_the_lock_of_the_interpreter() -> None:
    kernels: list[Any] = [search_fixed, search_guided]
    assert all(kernel.targetoptions["nogil"] for kernel in kernels)


def test_a_kernel_that_cannot_be_kept_or_read_again_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "full.py"
    path.write_text("from starling.privacy.compiled import compiled\n\n@compiled\ndef double(x):\n    return 2 * x\n")

    def double() -> Any:
        spec = importlib.util.spec_from_file_location("full", path)
        assert spec is not None
        assert spec.loader is not None
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        return loaded.double

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("save", "load", "flush"):
        with monkeypatch.context() as patch:
            patch.setattr(IndexDataCacheFile, name, refuse)
            assert double()(21) == 42
    assert double()(21) == 42


@pytest.mark.parametrize("collects", [True, False])
def test_garbage_is_collected_after_compiling_as_before_it(monkeypatch: pytest.MonkeyPatch, collects: bool) -> None:
    """Also where a kernel cannot be compiled, and where one is compiled for another."""
    during: list[bool] = []
    monkeypatch.setattr("starling.privacy.compiling.begins", lambda **_: during.append(gc.isenabled()))
    within: Any = numba.njit(triple)
    kernels: list[Callable[[int], Any]] = [
        numba.njit(lambda number: within(number) + 1),
        numba.njit(lambda number: number.missing),
    ]
    before = gc.isenabled()
    try:
        (gc.enable if collects else gc.disable)()
        assert kernels[0](14) == 43
        with pytest.raises(numba.TypingError):
            kernels[1](14)
        assert gc.isenabled() is collects
    finally:
        (gc.enable if before else gc.disable)()
    assert len(during) == 3
    assert not any(during)


def total(numbers: list[float]) -> float:
    sums = 0.0
    for number in numbers:
        sums += number
    return sums


def test_exact_sums_may_be_taken_in_any_order() -> None:
    kernel: Any = module.compiled_in_any_order(total)
    assert kernel.targetoptions["fastmath"] == {"reassoc", "contract", "nsz"}
    assert kernel.targetoptions["nogil"]
    assert not compiled(total).targetoptions.get("fastmath")  # type: ignore[attr-defined]
