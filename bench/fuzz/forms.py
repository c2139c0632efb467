"""How a file of inputs is written and counted, by the name of its form: `csv`, `csv-bytes`, `csv+semicolons`, `parquet+spark`."""

from dataclasses import dataclass
from typing import Final

from bench.fuzz.declared import FORMATS
from starling.text_format import PLAIN, TextFormat

_BYTES: Final = "-bytes"
PARTS: Final = "parts"
SPARK: Final = "spark"


@dataclass(frozen=True, slots=True)
class Form:
    """A form of inputs.

    Attributes:
        kind: How records are written (formats.py).
        whole: Whether the input is the file, of which some bytes are changed; else each record is one.
        format: How text says them, which the plan declares.
        parts: Whether text is counted in parts of a few records.
        spark: Whether Spark counts.
    """

    kind: str
    whole: bool = False
    format: TextFormat = PLAIN
    parts: bool = False
    spark: bool = False

    @classmethod
    def named(cls, name: str) -> "Form":
        """The form of a name: its kind, `-bytes` where the file is the input, and what else differs after a plus."""
        kind, *others = name.split("+")
        formats = [FORMATS[each] for each in others if each in FORMATS]
        assert len(others) == len(formats) + (PARTS in others) + (SPARK in others), name
        form = formats[0] if formats else PLAIN
        return cls(kind.removesuffix(_BYTES), kind.endswith(_BYTES), form, PARTS in others, SPARK in others)


def forms(*kinds: str, formats: bool = False, parts: bool = False, spark: bool = True) -> tuple[str, ...]:
    """The names of all forms of some kinds.

    Args:
        kinds: How records are written.
        formats: Whether plans declare a format for them.
        parts: Whether they are read in parts of bytes.
        spark: Whether Spark counts them too.
    """
    others = [*(f"+{name}" for name in FORMATS if formats), *([f"+{PARTS}"] if parts else [])]
    names = [f"{kind}{ending}{other}" for kind in kinds for ending in ("", _BYTES) for other in ("", *others)]
    return (*names, *(f"{kind}+{SPARK}" for kind in kinds if spark))
