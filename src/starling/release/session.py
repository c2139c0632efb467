"""What a Python session shows of Starling's objects: their public names, a small table in a notebook, and data frames.

A notebook table is a fragment of a page (starling.pages) with its style inside, and everything in it is escaped: titles and names come
from files of others.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from starling.arguments import check_arguments
from starling.distribution import install
from starling.errors import ParameterError
from starling.pages.rendering import fragment
from starling.release.codec import OPTIONAL, Json
from starling.release.text import facts, table

if TYPE_CHECKING:
    import pyarrow as pa


Grid: TypeAlias = tuple[Sequence[str], Sequence[Sequence[str]]]
"""A small table: its header and its rows."""
Part: TypeAlias = Grid | str
"""What stands below the facts: a small table, or a paragraph."""

SHORT: Final = 500
"""Characters of a `repr`, at most."""
WIDE: Final = 96
"""Characters of a line of it, at most."""
_MORE: Final = "... print it to see all"


def public(value: object) -> list[str]:
    """The names that `dir` shows of an object: those that are meant for its users.

    >>> public(Fraction(1))[:2]
    ['as_integer_ratio', 'conjugate']
    """
    return sorted(name for name in object.__dir__(value) if not name.startswith("_"))


def shortened(text: str) -> str:
    r"""The first lines of a text, at most SHORT characters.

    >>> len(shortened("line\n" * 1000)) <= SHORT
    True
    """
    lines = [line if len(line) <= WIDE else f"{line[: WIDE - 3]}..." for line in text.splitlines()]
    if len(whole := "\n".join(lines)) <= SHORT:
        return whole
    chosen, _, _ = whole[: SHORT - len(_MORE) - 1].rpartition("\n")
    return f"{chosen}\n{_MORE}"


class InSession:
    """A value that describes itself in a session: `print` has all of it, `repr` the beginning, a notebook an HTML table.

    Public methods refuse arguments of another kind than they take (arguments.py). It has no metaclass: the attribute `register` of
    that of abstract classes would be taken for the default of a field of that name.
    """

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        check_arguments(cls)

    @abstractmethod
    def _facts(self) -> list[tuple[str, str]]:
        """Names and values; the first pair says what it is, and its title."""

    def _parts(self) -> Sequence[Part]:
        """Tables and paragraphs below the facts."""
        return ()

    def __str__(self) -> str:
        parts = (
            part if isinstance(part, str) else table(*part, left=_labels(part[1])) for part in self._parts() if part
        )
        return "\n\n".join([facts(self._facts()), *parts])

    def __repr__(self) -> str:
        return shortened(str(self))

    def _repr_html_(self) -> str:
        (kind, title), *rest = self._facts()
        return html(f"{kind.capitalize()}: {title}", rest, self._parts())

    def __dir__(self) -> list[str]:
        return public(self)


class Fields(InSession):
    """A dataclass that a notebook shows by its fields; a tuple of dataclasses is a table of its own."""

    __slots__ = ()

    def _facts(self) -> list[tuple[str, str]]:
        single = [(name, value) for name, value in self._named() if not _records(value)]
        return [("answer", type(self).__name__), *((name, as_shown(value)) for name, value in single)]

    def _parts(self) -> Sequence[Part]:
        parts: list[Part] = []
        for name, value in self._named():
            if _records(value):
                rows = [[as_shown(getattr(each, one.name)) for one in fields(each)] for each in value]
                parts += [name, ([one.name for one in fields(value[0])], rows)]
        return parts

    def _named(self) -> list[tuple[str, Any]]:
        """Fields and their values; as in JSON, without what is optional and as it is unless said otherwise."""
        value: Any = self
        named = [(each, getattr(value, each.name)) for each in fields(value)]
        return [(each.name, shown) for each, shown in named if each.metadata != OPTIONAL or shown != each.default]


def _records(value: object) -> bool:
    """Whether a value is a tuple of dataclasses."""
    return isinstance(value, tuple) and bool(value) and is_dataclass(value[0])


def as_shown(value: Any) -> str:
    """A value of a field in a few words: of a dataclass its own fields, of a number four digits."""
    if is_dataclass(value):
        return ", ".join(f"{each.name} {as_shown(getattr(value, each.name))}" for each in fields(value))
    if isinstance(value, tuple):
        return ", ".join(map(as_shown, value)) or "none"
    return f"{value:z.4g}" if isinstance(value, float) else "none" if value is None else str(value)


class Described(InSession):
    """A value that a command ends in too: it prints the text, or with --json the JSON, of the same facts."""

    __slots__ = ()

    @abstractmethod
    def as_json(self) -> Mapping[str, Json]:
        """What it says, for programs."""


def attributes(value: object, *names: str) -> dict[str, Any]:
    """Attributes of a value, as a JSON document says them.

    Args:
        value: Any value.
        names: The attributes, each also a key of the document; as "key=attribute" where that has another name, and "a.b" leads further.

    >>> attributes(range(1, 9, 2), "start", "end=stop")
    {'start': 1, 'end': 9}
    """
    pairs = [name.partition("=") for name in names]
    return {key: attrgetter(other or key)(value) for key, _, other in pairs}


def _labels(rows: Sequence[Sequence[str]]) -> int:
    """How many of the first columns hold words; one at least."""
    worded = [all(cell[:1].isalpha() for cell in column) for column in zip(*rows, strict=True)]
    return max(worded.index(False) if False in worded else len(worded), 1)


def plain(number: Fraction) -> int | float:
    """An exact number as a plain number of Python: an integer where it is whole, else the nearest float.

    >>> plain(Fraction(6, 2)), plain(Fraction(1, 2))
    (3, 0.5)
    """
    return int(number) if number.denominator == 1 else float(number)


def html(title: str, pairs: Iterable[tuple[str, str]], below: Sequence[Part] = ()) -> str:
    """A table for a notebook, everything in it escaped; a wide one scrolls within itself."""
    return fragment("fragment.html", title=title, facts=[*pairs], below=below, pictures=())


def to_pandas(table: "pa.Table", ordered: Mapping[str, Sequence[str]]) -> Any:
    """A table as a pandas data frame; raises ParameterError where pandas is not installed.

    Args:
        table: The table.
        ordered: The values in order of some columns of texts: whole numbers become numbers, other texts ordered categories.
    """
    pandas = _installed("pandas")
    frame = table.to_pandas()
    for name, values in _present(table, ordered):
        if _whole(values):
            frame[name] = frame[name].astype("Int64" if frame[name].hasnans else "int64")
        else:
            frame[name] = pandas.Categorical(frame[name], values, ordered=True)
    return frame


def to_polars(table: "pa.Table", ordered: Mapping[str, Sequence[str]]) -> Any:
    """A table as a polars data frame, as `to_pandas`; raises ParameterError where polars is not installed."""
    polars = _installed("polars")
    frame = polars.from_arrow(table)
    kinds = {name: polars.Int64 if _whole(each) else polars.Enum(each) for name, each in _present(table, ordered)}
    return frame.with_columns(polars.col(name).cast(kind) for name, kind in kinds.items())


def _present(table: "pa.Table", ordered: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Sequence[str]]]:
    """The columns of a table that hold nothing but these texts: one of another meaning may have the same name."""
    for name, values in ordered.items():
        text = name in table.column_names and "string" in str(table.schema.field(name).type)
        if text and {*table[name].unique().to_pylist()} <= {*values, None}:
            yield name, values


def _whole(texts: Sequence[str]) -> bool:
    """Whether all texts are whole numbers."""
    return all(each.removeprefix("-").isdecimal() for each in texts)


def _installed(name: str) -> Any:
    """The package of that name, which is one of the extras."""
    try:
        return import_module(name)
    except ImportError:
        raise ParameterError(name, "is not installed", install(name)) from None
