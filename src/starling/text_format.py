"""How text says its records, where it is not as usual: `[format]` of a plan, the same in every domain (planfile/formats.py has its keys).

It is public, and says how every record is read: nothing of it is guessed from records.
"""

import codecs
import re
from dataclasses import dataclass, fields
from typing import Final

from starling.errors import PlanError, Problem

NAMED: Final = {"tab": "\t", "space": " "}
"""Marks that are written by name."""
DECIMALS: Final = (".", ",")
THOUSANDS: Final = {"": "", ",": ",", ".": r"\.", "'": "(?:'|\u2019)", "space": "(?: |\u00a0|\u202f|\u2009)"}
"""The pattern of each mark between thousands: spaces that do not break and round apostrophes are as good as plain ones."""
DIRECTIVES: Final = frozenset("YymdbHIMSfp%")
"""Of dates and times, as `strftime` has them; %b is English."""
_SEPARATORS: Final = frozenset("!#$%&*,/:;<=>?@\\^_`{|}~\t ")
WIDE: Final = {"utf-16-le": "<u2", "utf-16-be": ">u2", "utf-16": ""}
"""Encodings of two bytes and more for each character, with the type of their units; of utf-16 the mark at the start of a file says it."""
_ASCII: Final = (rb"\x41\u0041", bytes(range(128)))


@dataclass(frozen=True, slots=True)
class TextFormat:
    """How text says records; raises PlanError with every problem.

    Attributes:
        separator: The mark between fields, or its name.
        decimal: The mark before decimals.
        thousands: The mark between thousands, or its name; "" for none.
        dates: The form of dates and times; "" for that of ISO 8601.
        encoding: The name of the encoding, as Python has it.
        sheet: The sheet of a workbook; "" for its only one.
    """

    separator: str = ","
    decimal: str = "."
    thousands: str = ""
    dates: str = ""
    encoding: str = "utf-8"
    sheet: str = ""

    def __post_init__(self) -> None:
        problems = []
        if self.mark not in _SEPARATORS:
            problems.append(Problem("separator", "is no mark that can separate fields", 'write one like ";" or "tab"'))
        if self.decimal not in DECIMALS:
            problems.append(Problem("decimal", "is neither a point nor a comma", 'write "." or ","'))
        if self.thousands not in THOUSANDS or self.thousands == self.decimal:
            fix = 'write a point, a comma, an apostrophe or "space", another one than the decimal mark'
            problems.append(Problem("thousands", "is no mark between thousands", fix))
        if self.dates and (problem := _problem_of_dates(self.dates)):
            problems.append(Problem("dates", problem, 'write them like "%d.%m.%Y" or "%m/%d/%Y %H:%M"'))
        if not self.encoding or self.encoding != encoding_of(self.encoding, self.mark):
            fix = 'write one like "cp1252" or "utf-16", or save the file as UTF-8'
            problems.append(Problem("encoding", "is no encoding that keeps letters and marks of ASCII", fix))
        PlanError.check(problems)

    @property
    def mark(self) -> str:
        """The character between fields."""
        return NAMED.get(self.separator, self.separator)

    @property
    def wide(self) -> bool:
        """Whether a character has two bytes at least."""
        return self.encoding in WIDE

    @property
    def beginning(self) -> bytes:
        """How a file begins that is written in this format: with its byte order, where the encoding leaves it open."""
        return codecs.BOM_UTF16_LE if self.encoding == "utf-16" else b""

    def encode(self, text: str) -> bytes:
        """A text in the encoding, without what a file begins with; a letter that it lacks becomes a question mark."""
        return text.encode("utf-16-le" if self.encoding == "utf-16" else self.encoding, "replace")

    @property
    def plain_numbers(self) -> bool:
        """Whether numbers are as programs write them."""
        return (self.decimal, self.thousands) == (".", "")


def encoding_of(name: str, mark: str) -> str:
    """The name that Python gives an encoding; "" where there is none, or one in which a byte of a mark may be part of a letter.

    >>> encoding_of("latin-1", ";"), encoding_of("utf-8-sig", ";"), encoding_of("UTF16", ";"), encoding_of("cp932", "|")
    ('iso8859-1', 'utf-8', 'utf-16', '')
    """
    if name == "utf-8":
        return name
    try:
        codec = codecs.lookup(name).name
        if codec in WIDE:
            return codec
        if any(each.decode(codec) != each.decode("ascii") for each in _ASCII):
            return ""
        marks = f'{mark}"\r\n'.encode("ascii")
        high = range(128, 256)
        alone = all(bytes((lead, byte)).decode(codec, "replace").endswith(chr(byte)) for lead in high for byte in marks)
        # An encoding that switches by escapes knows no byte above 127.
        alone = alone and any("\ufffd" not in bytes((lead, 0xA1)).decode(codec, "replace") for lead in high)
    except (LookupError, ValueError):
        return ""
    return ("utf-8" if codec == "utf-8-sig" else codec) if alone else ""


def _problem_of_dates(text: str) -> str:
    """What is wrong with a form of dates; "" where nothing is."""
    directives = re.findall("%(.?)", text)
    if not set(directives) <= DIRECTIVES or not text.isprintable():
        return f"has a directive other than {' '.join(f'%{each}' for each in 'YymdbHIMSfp')}"
    each_once = all(directives.count(each) <= 1 for each in set(directives) - {"%"})
    used = set(directives)
    whole = len(used & {"Y", "y"}) == 1 and len(used & {"m", "b"}) == 1 and "d" in used
    hours = len(used & {"H", "I"})
    clock = hours == bool(used & set("MSfp")) or (hours == 1 and not used & {"M", "S", "f", "p"})
    half = ("I" in used) == ("p" in used)
    later = ("M" in used or not used & {"S", "f"}) and ("S" in used or "f" not in used)
    return (
        "" if each_once and whole and clock and hours <= 1 and half and later else "does not say a day, or a time of it"
    )


PLAIN: Final = TextFormat()
"""The format of a plan that states none."""
KEYS: Final = tuple(field.name for field in fields(TextFormat))
