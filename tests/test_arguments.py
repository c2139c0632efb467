"""Arguments of another kind than a public function takes: each is refused by name, whatever the function."""

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import FunctionType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np
import pytest

from starling.arguments import checked, fits, kinds_of
from starling.domains import DOMAINS
from starling.errors import ParameterError
from starling.release.session import InSession
from tests.test_lazy import PACKAGES

WRONG: tuple[Any, ...] = (
    None,
    object(),
    [object()],
    {1: object()},
    2.5,
    True,
    "text",
    b"bytes",
    Path("path"),
    (1, 2, 3),
)
"""One of each kind that somebody might pass in place of another."""


def public_functions() -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """Every public function and method that a session calls, by its name, with what stands for `self`."""
    packages = {*PACKAGES, *(f"starling.{name}" for name in DOMAINS)}
    classes: dict[str, type] = {}
    for package in sorted(packages):
        room = import_module(package)
        for name in room.__all__:
            value = getattr(room, name)
            if isinstance(value, FunctionType):
                yield f"{package}.{name}", value, ()
    for name in DOMAINS:
        import_module(f"starling.{name}.session")
        import_module(f"starling.{name}.analysis")
    import_module("starling.client")
    import_module("starling.budget_session")
    pending: list[type] = [InSession]
    while pending:
        kind = pending.pop()
        pending += kind.__subclasses__()
        if kind.__module__.startswith("starling."):
            classes[f"{kind.__module__}.{kind.__qualname__}"] = kind
    for name, kind in classes.items():
        for method, member in vars(kind).items():
            function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            if isinstance(function, FunctionType) and not method.startswith("_"):
                bound = () if isinstance(member, staticmethod) else (kind,)
                yield f"{name}.{method}", function, bound


FUNCTIONS = {name: (function, bound) for name, function, bound in public_functions()}


def fitting(kind: Any) -> Any:
    """A value of a kind."""
    choice = get_args(kind)[0] if get_origin(kind) in (Union, UnionType) else kind
    origin = get_origin(choice) or choice
    known: dict[Any, Any] = {
        Mapping: {},
        dict: {},
        Path: Path(),
        str: "",
        int: 0,
        float: 0.0,
        bool: False,
        Callable: len,
        np.ndarray: np.empty(0),
    }
    known |= dict.fromkeys((Sequence, Collection, Iterable, list, tuple), ())
    if origin is Literal or (origin is tuple and Ellipsis not in get_args(choice)):
        return get_args(choice)[0] if origin is Literal else tuple(map(fitting, get_args(choice)))
    if origin in known:
        return known[origin]
    try:
        return object.__new__(origin)
    except TypeError:  # abstract, or a class of an extension: functions that need one are left out
        return None


def wrong_calls() -> Iterator[tuple[str, Any, tuple[Any, ...], dict[str, Any], str]]:
    """Each public function, with an argument of another kind than one of its parameters takes and with fitting ones before it."""
    for name, (function, bound) in FUNCTIONS.items():
        hints = kinds_of(inspect.unwrap(function))
        parameters = [
            each
            for at, each in enumerate(inspect.signature(function).parameters.values())
            if at >= len(bound) and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        ]
        for parameter in parameters:
            kind = hints.get(parameter.name, Any)
            for wrong in WRONG:
                if not fits(wrong, kind):
                    others = {
                        each.name: fitting(hints.get(each.name, Any)) for each in parameters if each is not parameter
                    }
                    unfit = [each for each in others if not fits(others[each], hints.get(each, Any))]
                    required = {each.name for each in parameters if each.default is each.empty}
                    if not required & set(unfit):
                        given = {each: value for each, value in others.items() if each in required}
                        yield name, function, bound, {**given, parameter.name: wrong}, parameter.name


def test_annotations_of_public_functions_can_be_resolved_and_are_checked() -> None:
    for name, (function, _) in FUNCTIONS.items():
        assert hasattr(function, "__wrapped__"), f"{name} takes whatever it is given"
        assert set(inspect.signature(function).parameters) >= set(kinds_of(inspect.unwrap(function))), name


def test_a_wrong_kind_of_argument_is_refused_by_its_name() -> None:
    seen: dict[str, int] = {}
    for name, function, bound, arguments, at_fault in wrong_calls():
        positional = [
            arguments.pop(each.name) for each in _positional_only(function, len(bound)) if each.name in arguments
        ]
        with pytest.raises(ParameterError, match=re.escape(at_fault)) as refused:
            function(*bound, *positional, **arguments)
        assert refused.value.problems[0].fix.startswith("give ")
        seen[name] = seen.get(name, 0) + 1
    assert len(seen) > 100
    assert sum(seen.values()) > 1000


def _positional_only(function: Any, first: int) -> list[inspect.Parameter]:
    parameters = list(inspect.signature(function).parameters.values())[first:]
    return [each for each in parameters if each.kind is each.POSITIONAL_ONLY]


@pytest.mark.parametrize(
    ("value", "kind", "right"),
    [
        (1, int, True),
        (True, int, False),
        (1, float, True),
        ("1", float, False),
        (["a"], Sequence[str], True),
        ("a", Sequence[str], False),
        (["a", 1], Sequence[str], False),
        ({"a": [1]}, Mapping[str, Sequence[int]], True),
        ({"a": ["1"]}, Mapping[str, Sequence[int]], False),
        ((1, 2), tuple[int, int], True),
        ((1, 2, 3), tuple[int, int], False),
        ((1, 2, 3), tuple[int, ...], True),
        (None, int | None, True),
        (2.5, int | str, False),
        ("c", Literal["a", "b"], True),
        (object(), Any, True),
    ],
)
def test_a_kind_is_told_by_its_annotation(value: Any, kind: Any, right: bool) -> None:
    assert fits(value, kind) is right


def test_a_wrong_value_inside_is_named_by_its_place() -> None:
    @checked
    def count(domains: Mapping[str, Sequence[str]]) -> int:
        return len(domains)

    assert count({"sex": ["F", "M"]}) == 1
    with pytest.raises(ParameterError, match=re.escape("domains['sex'][1] is a whole number; give a text")):
        count({"sex": ["F", 1]})  # type: ignore[list-item]
