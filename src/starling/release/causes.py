"""What values that break a rule have in common, for the custodian of the records alone: their true cause, and the most frequent of them.

NOT PRIVATE: values of records are repeated here. A release never does so.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from starling.engine.delimited import plain
from starling.engine.plain_text import times_of
from starling.engine.times import no_times
from starling.errors import Problem
from starling.text_format import TextFormat

Kind: TypeAlias = Literal["code", "number", "time", "text"]

FREQUENT: Final = 5
"""Values that are shown of one fault."""
MOST_DIFFERENT: Final = 10_000
"""Different values of one fault that are counted; of later ones none is."""
_LONGEST: Final = 40
_DATES: Final = (
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%Y%m%d",
    "%d%b%Y",
    "%d-%b-%Y",
)
_SHORT: Final = ("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%b-%y")
_CLOCKS: Final = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", ":%H:%M:%S")
FORMS: Final = tuple(f"{date}{clock}" for clock in _CLOCKS for date in (*_DATES, *_SHORT))
"""Forms of dates that spreadsheets and statistical programs write."""
_MARKS: Final = {",": ",", ".": ".", "'": "'", "\u2019": "'", **dict.fromkeys(" \u00a0\u202f\u2009", "space")}
_GROUPED: Final = re.compile(
    "[+-]?[0-9]{1,3}(?P<mark>[,.'\u2019 \u00a0\u202f\u2009])[0-9]{3}(?:(?P=mark)[0-9]{3})*(?:(?P<decimal>[.,])[0-9]+)?"
)
_COMMA: Final = re.compile("[+-]?[0-9]*,[0-9]+")


@dataclass(slots=True)
class Offending:
    """The values of one fault of one field."""

    kind: Kind
    codes: tuple[str, ...] = ()
    counts: Counter[bytes] = field(default_factory=Counter)

    def add(self, texts: pa.Array) -> None:
        """Count some values."""
        for each in pc.value_counts(texts.cast(pa.binary())).to_pylist():
            value = each["values"] or b""
            if value in self.counts or len(self.counts) < MOST_DIFFERENT:
                self.counts[value] += each["counts"]

    def explanation(self, name: str, problem: str, file: str) -> Problem:
        """The most frequent values, and the cause of most of them with what to do."""
        listed = ", ".join(f"{_quoted(value)} ({many:,})" for value, many in self.counts.most_common(FREQUENT))
        more = len(self.counts) - FREQUENT
        others = f" and {more:,} other values" if more > 0 else ""
        causes: Counter[tuple[str, str]] = Counter()
        for value, many in self.counts.items():
            causes[_cause(value, self)] += many
        (cause, fix), many = max(causes.items(), key=lambda each: each[1])
        if self.kind == "time" and not cause:
            cause, fix = _form(self.counts)
        why = f", which {cause}" if cause and 2 * many >= self.counts.total() else ""
        return Problem(
            name, f"{problem}: most often {listed}{others}{why}", fix if why else "compare them with the plan", file
        )


def texts_of(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """The values of a column of any type as bytes."""
    array = plain(column)
    text = pa.types.is_binary(array.type) or pa.types.is_large_binary(array.type)
    return (array if text or pa.types.is_null(array.type) else array.cast(pa.string(), safe=False)).cast(pa.binary())


def _quoted(value: bytes) -> str:
    text = value.decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")


def _cause(value: bytes, offending: Offending) -> tuple[str, str]:
    """Why a value is none of its kind, and what to do; empty where nothing is known."""
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return (
            "is not UTF-8",
            'save the file as UTF-8, or state encoding = "cp1252" or another below [format] of the plan',
        )
    text = text.strip(' \t"')
    if "\ufffd" in text:
        return (
            "lost letters when it was written, or is in another encoding",
            "write the file again, or state its encoding",
        )
    match offending.kind:
        case "code":
            return _cause_of_code(text, offending.codes)
        case "number":
            return _cause_of_number(text)
        case "time" if re.fullmatch(r"[2-6][0-9]{4}(\.[0-9]+)?", text):
            return (
                "looks like a spreadsheet's number of a day",
                "format the cells as dates, or write dates as 2020-01-31",
            )
        case _:
            return "", ""


def _cause_of_code(text: str, codes: Iterable[str]) -> tuple[str, str]:
    fix = "write it as the plan does, or add it to the plan"
    known = frozenset(codes)
    alike: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("is a code in another Unicode form", lambda each: unicodedata.normalize("NFC", each)),
        ("is a code with blanks that do not break, or that are not seen, or too many", _without_blanks),
        ("is a code in other case", lambda each: _without_blanks(each).casefold()),
        ("is a code with or without zeros before or after it", lambda each: re.sub(r"^0+(?=.)|\.0*$", "", each)),
    )
    for cause, form in alike:
        if form(text) in {form(each) for each in known}:
            return cause, fix
    try:
        if text.encode("cp1252").decode() in known:
            return "was UTF-8 and was read as another encoding", "write the file again from its source"
    except UnicodeError:
        pass
    return "", ""


def _without_blanks(text: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFKC", text) if not each.isspace() and each.isprintable())


def _cause_of_number(text: str) -> tuple[str, str]:
    grouped = _GROUPED.fullmatch(text)
    if grouped and grouped["mark"] != grouped["decimal"]:
        mark = _MARKS[grouped["mark"]]
        decimal = "," if mark == "." or grouped["decimal"] == "," else "."
        stated = f'thousands = "{mark}"' + (' and decimal = ","' if decimal == "," else "")
        return "has a mark between thousands", f"state {stated} below [format] of the plan"
    if _COMMA.fullmatch(text):
        return "has a comma before its decimals", 'state decimal = "," below [format] of the plan'
    if "\u2212" in text:
        return "has a minus that is no hyphen", "write a hyphen as the minus"
    if re.fullmatch(r"[+-]?[0-9]+\.[0-9]*[1-9][0-9]*", text):
        return "has decimals", "declare a column with decimals, or round it"
    if re.search("[0-9]", text) and re.search("[^0-9., eE+-]", text):
        return "has a unit, a currency or letters beside its digits", "write the number alone"
    return "", ""


def _form(counts: Counter[bytes]) -> tuple[str, str]:
    """What form all dates have, where one is known."""
    texts = pa.array([value for value, _ in counts.most_common(1000)], pa.binary())
    fits = [each for each in FORMS if not no_times(times_of(texts, TextFormat(dates=each))).any()]
    if not fits:
        return "", ""
    several = " or ".join(f'dates = "{each}"' for each in fits[:2])
    return "is a date in another form", f"state {several} below [format] of the plan"
