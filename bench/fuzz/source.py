"""What a source of inputs is: a plan, and what its records say."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from bench.fuzz.forms import forms

TEXTS: Final = (*forms("csv", formats=True, parts=True), *forms("workbook", formats=True))
STORED: Final = forms("parquet")
GEO: Final = (*forms("geojson"), *forms("geojson-lines", parts=True))


@dataclass(frozen=True)
class Source:
    """A plan, and what its records say.

    Attributes:
        name: Names the source.
        domain: The domain of the plan.
        files: The plan and the public files beside it, by name.
        columns: Right values of each column of the records.
        forms: What the records are written as, and how they are counted (forms.py).
        records: The name under which the domain takes the records.
        public: Other files that the domain takes, by the name under which it does.
        plan: The name of the plan.
        separator: What stands between fields of text.
    """

    name: str
    domain: str
    files: Mapping[str, str]
    columns: Mapping[str, tuple[bytes, ...]]
    forms: tuple[str, ...]
    records: str = "records"
    public: Mapping[str, str] = field(default_factory=dict)
    plan: str = "plan.toml"
    separator: bytes = b","
