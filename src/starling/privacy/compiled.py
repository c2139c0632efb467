"""Numba's compiler as Starling uses it: compiled on the first call, without the interpreter's lock, kept on disk if that is safe.

A kept kernel is machine code that the next process runs. Numba keeps it beside the source, or in the user's cache folder where
the source is read-only; where anybody else could write to that folder, nothing is kept and each process compiles anew (some
seconds, once). What an earlier version of Starling kept there is compiled anew.
"""

import fcntl
import gc
import os
import pickle
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar, cast

from numba import njit, types
from numba.core import config, event
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.compiler import Compiler, Flags
from numba.core.runtime.nrt import rtsys
from numba.core.sigutils import normalize_signature

from starling.errors import ParameterError
from starling.privacy import compiling

F = TypeVar("F", bound=Callable[..., object])


class _Flags(Flags):
    """Options of one compilation. Numba compares them thousands of times per kernel, and lists every option each time."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash(frozenset(self._values))

    def __eq__(self, other: object) -> bool:
        return self._values == other._values if isinstance(other, _Flags) else NotImplemented


class _Compiler(Compiler):
    """Numba's compiler with options that compare quickly: a tenth of the time of compiling went into that."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)  # type: ignore[no-untyped-call]
        self.state.flags = _Flags(self.state.flags)  # type: ignore[no-untyped-call]


_OPTIONS: Final[dict[str, Any]] = {"nogil": True, "no_cfunc_wrapper": True, "pipeline_class": _Compiler}
"""No other language calls a kernel: its wrapper for C would be compiled for nothing. Numba's types do not know the option."""


def compiled(function: F) -> F:
    """`function`, compiled by Numba for the types it is called with. Indices are not checked: a caller gives fitting arrays."""
    return _cached(function, _OPTIONS)


def compiled_in_any_order(function: F) -> F:
    """As `compiled`, for sums of floats that are exact: the processor may take them in any order, several at once."""
    return _cached(function, {**_OPTIONS, "fastmath": {"reassoc", "contract", "nsz"}})


def _cached(function: F, options: dict[str, Any]) -> F:
    kernel = _dispatcher(function, options, _Kernels)
    _compile_apart_for_kernels(kernel, lambda: _dispatcher(function, options | {"no_cpython_wrapper": True}, _Inner))
    # What Numba gives back is called like the function it was given.
    return cast(F, kernel)


def _dispatcher(function: Callable[..., object], options: dict[str, Any], files: type["_Kernels"]) -> Any:
    """Numba's for a function, with what it compiles kept on disk where that is safe.

    Raises:
        ParameterError: Numba is told to compile nothing: kernels count on integers of 64 bits, which Python's are not.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        raise ParameterError("NUMBA_DISABLE_JIT", "is set, and nothing would be compiled", "unset this variable")
    try:
        cached = njit(function, cache=True, **options)
        if is_private_dir(Path(cached.stats.cache_path)):
            cached._cache = files(function)  # noqa: SLF001 - there is no other place for it
            return cached
    except RuntimeError:  # Numba found no folder that it can write to.
        pass
    return njit(function, **options)


def _compile_apart_for_kernels(kernel: Any, without_wrapper: Callable[[], Any]) -> None:
    """Have other kernels call one that is compiled for them alone, for values of its types.

    Numba asks here which kernel another calls. Such a one needs no wrapper for Python: without these the demo compiles in a thirteenth
    less time. And Numba would compile one for each constant in a call: what a constant makes quicker is left to LLVM, which inlines.
    """
    inner = cache(without_wrapper)

    def template_of_values(arguments: Sequence[types.Type], named: Mapping[str, types.Type]) -> Any:
        values = dict(zip(named, map(types.unliteral, named.values()), strict=True))
        return inner().get_call_template(tuple(map(types.unliteral, arguments)), values)

    kernel.get_call_template = template_of_values
    kernel.get_overload = lambda signature: inner().get_overload(signature)


class _Kernels(FunctionCache):
    """The kernels of one function on disk.

    Numba locks nothing: two processes that compile one function for different types at once can give both kernels the same file, and the
    index then names the kernel of other types, which would be called with the wrong arguments. So saving takes a lock, and a kernel of
    other types is not taken.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for these types, or None; None too where it cannot be read, or is of a type that an earlier version had."""
        try:
            # Numba would first load whatever its compiler knows, half a second in each process; machine code needs its memory alone,
            # and the compiler loads the rest itself where it has something to compile.
            rtsys.initialize(target_context)
            result = self._load_overload(sig, target_context)  # type: ignore[no-untyped-call]
            types, _ = normalize_signature(sig)  # type: ignore[no-untyped-call]
            if result is None or tuple(result.signature.args) == types:
                return result
            self.flush()  # type: ignore[no-untyped-call]
        except (AttributeError, ImportError, EOFError, pickle.UnpicklingError):
            # Numba reads the types before it looks whether the source is the one that it compiled.
            with suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]
        except OSError:
            pass
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a kernel if the disk takes it: no run fails for what makes the next one quicker."""
        with suppress(OSError), Path(f"{self._cache_file._index_path}.lock").open("w") as lock:  # noqa: SLF001 - Numba names it nowhere else
            fcntl.flock(lock, fcntl.LOCK_EX)
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]


class _InnerNames(CompileResultCacheImpl):
    """Names of files of kernels that have no wrapper for Python: one that has one is never read from them, or the other way round."""

    def get_filename_base(self, fullname: Any, abiflags: Any) -> str:
        """The beginning of their names."""
        return f"inner-{super().get_filename_base(fullname, abiflags)}"  # type: ignore[no-untyped-call]


class _Inner(_Kernels):
    """The kernels of one function that other kernels call."""

    _impl_class = _InnerNames  # type: ignore[assignment]


class _Compiling(event.Listener):
    """Passes on that Numba compiles, and collects no garbage meanwhile: a seventh of the time of compiling went into looking for it.

    What Numba finds kept on disk it does not compile.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock, self._depth, self._collects = Lock(), 0, False

    def on_start(self, event: event.Event) -> None:
        """A kernel, or something that the one that is being compiled calls; several threads may compile."""
        with self._lock:
            if not self._depth:
                self._collects = gc.isenabled()
                gc.disable()
            self._depth += 1
        compiling.begins(cached=event.data["dispatcher"].stats.cache_path is not None)

    def on_end(self, event: event.Event) -> None:  # noqa: ARG002 - Numba names it
        """It is compiled, or cannot be."""
        with self._lock:
            self._depth -= 1
            if not self._depth and self._collects:
                gc.enable()


event.register("numba:compile", _Compiling())  # type: ignore[no-untyped-call]


def is_private_dir(folder: Path) -> bool:
    """Whether only this user and root can write to `folder`."""
    try:
        status = folder.stat()
    except OSError:
        return False
    return status.st_uid in {0, os.geteuid()} and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
