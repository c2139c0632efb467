"""Refusing an argument of another kind than a function takes, by a typed error that names it, before anything else is done.

A path where a plan is wanted, a list where a dict is, None as a value: Python itself would fail at some later line, with a message about
that line. Kinds are what the annotations say; what is within a value (a number out of range, say) is the function's own business. A float
where an exact number is wanted is left to `privacy.budget.exact`, which says more of it, and records to the source that opens them.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import wraps
from inspect import Parameter, Signature, signature
from itertools import islice
from numbers import Integral, Real
from types import FunctionType, NoneType, SimpleNamespace, UnionType
from typing import Any, Final, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from starling.errors import ParameterError

P = ParamSpec("P")
T = TypeVar("T")

MOST_LOOKED_AT: Final = 1000
"""Values of a list or a dict whose kinds are looked at."""
_MAPPINGS: Final = (Mapping, dict)
_LISTS: Final = (Sequence, Collection, Iterable, list, tuple, set, frozenset)
_NAMES: Final[dict[Any, str]] = {
    NoneType: "None",
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    list: "a list",
    tuple: "a tuple",
    dict: "a dict",
    Mapping: "a dict",
    Sequence: "a list",
    Collection: "a list",
    Iterable: "a list",
}


def checked(function: Callable[P, T]) -> Callable[P, T]:
    """The function, which raises ParameterError for an argument of another kind than its annotation says.

    >>> @checked
    ... def half(number: int) -> float:
    ...     return number / 2
    >>> half("4")
    Traceback (most recent call last):
    starling.errors.ParameterError: number is a text; give a whole number
    """
    known: list[tuple[Signature, dict[str, Any]]] = []

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        if not known:
            # Annotations are resolved by the first call: classes that they name may be defined later than the function.
            known.append((signature(function), kinds_of(function)))
        form, kinds = known[0]
        for name, value in form.bind(*args, **kwargs).arguments.items():
            if name in kinds:
                check_argument(name, value, kinds[name], form.parameters[name].kind)
        return function(*args, **kwargs)

    return call


def kinds_of(function: Callable[..., object]) -> dict[str, Any]:
    """The kinds of the parameters of a function, by their names; what it returns need not be imported for that."""
    stated = {name: kind for name, kind in function.__annotations__.items() if name != "return"}
    return get_type_hints(SimpleNamespace(__annotations__=stated), function.__globals__)


def check_arguments(cls: type) -> None:
    """Make the public methods that a class defines refuse arguments of another kind than they take."""
    for name, member in list(vars(cls).items()):
        bound = isinstance(member, classmethod | staticmethod)
        function = member.__func__ if bound else member
        if not name.startswith("_") and isinstance(function, FunctionType) and not hasattr(function, "__wrapped__"):
            setattr(cls, name, type(member)(checked(function)) if bound else checked(function))


def check_argument(name: str, value: object, kind: Any, how: Any = Parameter.POSITIONAL_OR_KEYWORD) -> None:
    """Raises ParameterError unless `value` is of the kind that an annotation says.

    Args:
        name: The name of the parameter.
        value: The argument; of `*args` and `**kwargs`, all of them.
        kind: The annotation.
        how: The kind of the parameter, of `inspect.Parameter`.
    """
    values: Collection[Any] = [value]
    if how is Parameter.VAR_POSITIONAL and isinstance(value, tuple):
        values = value
    if how is Parameter.VAR_KEYWORD and isinstance(value, Mapping):
        values = value.values()
    for each in values:
        if not fits(each, kind):
            place, wrong, wanted = _misfit(name, each, kind)
            inside = any(_fits_outside(wrong, choice) for choice in _choices(wanted))
            problem = f"is {_name(type(wrong))}{' of values of another kind' if inside else ''}"
            raise ParameterError(place, problem, f"give {' or '.join(_wanted(wanted))}")


def _misfit(name: str, value: object, kind: Any) -> tuple[str, object, Any]:
    """The innermost value that is of another kind than it should be: its place, itself, and that kind."""
    outside = [choice for choice in _choices(kind) if _fits_outside(value, choice)]
    if len(outside) == 1:
        return next(_misfit(*part) for part in _inside(name, value, outside[0]) if not fits(*part[1:]))
    return name, value, kind


def fits(value: object, kind: Any) -> bool:
    """Whether a value is of the kind that an annotation says; what cannot be told is taken for right.

    >>> fits({"sex": ["F"]}, Mapping[str, Sequence[str]]), fits(["F"], Mapping[str, str]), fits("F", Sequence[str])
    (True, False, False)
    """
    choices = _choices(kind)
    if isinstance(value, float) and {int, Fraction, str} <= set(choices):
        return True
    return any(
        _fits_outside(value, choice) and all(fits(*part[1:]) for part in _inside("", value, choice))
        for choice in choices
    )


def _choices(kind: Any) -> tuple[Any, ...]:
    """The kinds that an annotation offers."""
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _fits_outside(value: object, kind: Any) -> bool:
    """Whether a value is of a kind, whatever is in it."""
    wanted = get_origin(kind) or kind
    if wanted is Literal:
        return isinstance(value, tuple({type(each) for each in get_args(kind)}))
    if wanted in (None, NoneType):
        return value is None
    if wanted is Any or not isinstance(wanted, type) or getattr(wanted, "_is_protocol", False):
        return True
    if wanted in (int, float):
        return isinstance(value, Integral if wanted is int else Real) and not isinstance(value, bool)
    text = wanted in (Sequence, Collection, Iterable) and isinstance(value, str | bytes)
    short = _fixed(kind) and isinstance(value, tuple) and len(value) != len(get_args(kind))
    return isinstance(value, wanted) and not text and not short


def _inside(name: str, value: object, kind: Any) -> Iterator[tuple[str, object, Any]]:
    """The place, the value and the kind of each value in a collection of a kind."""
    parts, wanted = get_args(kind), get_origin(kind)
    if wanted in _MAPPINGS and isinstance(value, Mapping):
        for key, each in islice(value.items(), MOST_LOOKED_AT):
            yield f"a key of {name}", key, parts[0]
            yield f"{name}[{repr(key)[:40]}]", each, parts[1]
    elif wanted in _LISTS and isinstance(value, list | tuple | set | frozenset):
        for at, each in enumerate(islice(value, MOST_LOOKED_AT)):
            yield f"{name}[{at}]", each, parts[at] if _fixed(kind) else parts[0]


def _fixed(kind: Any) -> bool:
    """Whether a kind is a tuple of so many values."""
    return get_origin(kind) is tuple and Ellipsis not in get_args(kind)


def _wanted(kind: Any) -> Iterator[str]:
    """The kinds of an annotation in words, each once."""
    words = (
        word
        for each in _choices(kind)
        for word in (map(repr, get_args(each)) if get_origin(each) is Literal else (_name(each),))
    )
    yield from dict.fromkeys(words)


def _name(kind: Any) -> str:
    """A kind in words."""
    if _fixed(kind):
        return f"a tuple of {len(get_args(kind))}"
    kind = get_origin(kind) or kind
    if kind in _NAMES:
        return _NAMES[kind]
    name = getattr(kind, "__name__", str(kind))
    return f"{'an' if name[:1] in 'AEIOU' else 'a'} {name}"
