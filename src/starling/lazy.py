"""Packages that give a public name when it is asked for, so that naming a package imports nothing heavy.

A public function refuses arguments of another kind than it takes (arguments.py); within Starling it is imported from its module, as it is.
"""

import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

from starling.arguments import checked

_checked = cache(checked)


class _Lazy(ModuleType):
    """A package and where its public names live.

    Some functions share their name with the module they live in. Importing that module would bind its name here over the
    function; that one binding is left out.
    """

    _homes: Mapping[str, str]
    _packages: Collection[str]

    def __getattr__(self, name: str) -> Any:
        if name in self._packages:
            return import_module(f"{self.__name__}.{name}")
        if name not in self._homes:
            raise AttributeError(f"{self.__name__} has no {name}")
        value = getattr(import_module(f"{self.__name__}.{self._homes[name]}"), name)
        return _checked(value) if isinstance(value, FunctionType) and not hasattr(value, "__wrapped__") else value

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in self._homes and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> Iterable[str]:
        # What is for users; `vars` still has the rest.
        return [*self._homes, *self._packages]


def lazy(package: str, homes: Mapping[str, str], packages: Collection[str] = ()) -> None:
    """Make a package give public names on demand; called once, by the package as it is imported.

    Args:
        package: The `__name__` of the package.
        homes: Gives for each module of the package the public names that it defines, apart by spaces, such as {"session": "Plan plan"}.
        packages: Packages within it that are for users, such as the domains.
    """
    room = sys.modules[package]
    room.__class__ = _Lazy
    room.__dict__.update(
        _homes={name: home for home, names in homes.items() for name in names.split()}, _packages=packages
    )


def resolve(place: str) -> Any:
    """What stands at a place, "package.module:name"."""
    module, name = place.split(":")
    return getattr(import_module(module), name)


def later(place: str) -> Callable[..., Any]:
    """What stands at a place, "package.module:name", imported when it is called; what is not callable is given as it is."""

    def called(*args: Any, **named: Any) -> Any:
        value = resolve(place)
        return value(*args, **named) if callable(value) else value

    return called
