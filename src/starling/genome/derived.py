"""What follows from released scans or effects alone, as one folder: tables, pictures, a page, and which releases it is of.

Nothing is read but releases, and nothing is charged. The same releases and choices give the same bytes, so that whoever has the releases
repeats the command and compares; nothing here is signed.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import pyarrow as pa

from starling.distribution import SOFTWARE
from starling.engine.new_folder import new_folder
from starling.genome.pictures.answers import Answers
from starling.genome.pictures.gallery import KINDS, section
from starling.genome.plan.choices import UNPROTECTED
from starling.pages.parts import Section, Table
from starling.release import public_json
from starling.release.cells import text_cell
from starling.release.codec import Json
from starling.release.plots import Plots
from starling.release.session import Described

if TYPE_CHECKING:
    from starling.genome.analysis import GenomeRelease

ORIGIN: Final = "origin.json"
"""The file that names releases and choices."""
PICTURES: Final = ("scan", "scan-qq", "effects")
MISSING: Final = "NA"
SIGNS: Final = "DIRECTION"
"""A column that holds signs alone, which no spreadsheet takes for more."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A release that something follows from.

    Attributes:
        name: Of its folder or zip.
        request_id: Of its charge.
        manifest_sha256: Of the list of all its files with their hashes, as its SIGNATURE states it.
        signer: Fingerprint of the key that signed.
    """

    name: str
    request_id: str
    manifest_sha256: str
    signer: str

    @classmethod
    def of(cls, release: "GenomeRelease") -> "Origin":
        """That of an opened release."""
        return cls(release.path.name, release.request_id, release.manifest_sha256, release.signer.fingerprint)


class Derived(Described):
    """What follows from releases: shown in a session, and written as a folder."""

    __slots__ = ()

    origins: tuple[Origin, ...]
    _subject: ClassVar[str] = "Numbers that follow from released scans"

    @property
    def _protection(self) -> dict[str, Json]:
        """What is not protected, or what is."""
        return {"unprotected": UNPROTECTED}

    @property
    @abstractmethod
    def tables(self) -> Mapping[str, pa.Table]:
        """By the name of the file, without .tsv."""

    @property
    @abstractmethod
    def pictured(self) -> Answers:
        """What pictures show."""

    @abstractmethod
    def _choices(self) -> dict[str, Json]:
        """What was chosen, exact."""

    @abstractmethod
    def _sentences(self) -> list[str]:
        """What it says; first, what is not protected."""

    def plot(self) -> Plots:
        """Its pictures: of scans Manhattan and QQ plots, of effects a forest plot."""
        shown = self.pictured
        pictures = {kind: section(kind, shown) for kind in PICTURES if KINDS[kind].shown(shown)}
        rows = tuple(tuple(asdict(each).values()) for each in self.origins)
        header = ("Release", "Request", "SHA-256 of its manifest", "Signed by the key")
        origin = Table(header, rows, f"Releases: {len(rows):,}", words=True)
        return Plots(
            shown.plan.title,
            self._subject,
            pictures,
            (Section("Where this is from", _CHECKED, tables=(origin,)),),
            (Section("What it says", "\n\n".join(self._sentences())),),
        )

    def write(self, out: str | Path) -> Path:
        """Write a folder: each table as NAME.tsv, pictures as SVG, index.html, and origin.json, which names releases and choices.

        Args:
            out: Folder to make; must not exist.

        Raises:
            OutputError: the folder exists or cannot be written.
        """
        out = Path(out).absolute()
        texts = {f"{name}.tsv": tab_separated(table) for name, table in self.tables.items()} | self.plot().texts()
        origin: dict[str, Json] = {
            "software": SOFTWARE,
            **self._protection,
            **self._choices(),
            "releases": [asdict(each) for each in self.origins],
            "files": {name: sha256(text.encode()).hexdigest() for name, text in texts.items()},
        }
        with new_folder(out) as folder:
            for name, text in {**texts, ORIGIN: public_json.form(origin)}.items():
                (folder / name).write_text(text, encoding="utf-8", newline="\n")
        return out


_CHECKED: Final = f"""
    Each release was compared with its signature before it was read. This folder is not signed: {ORIGIN} names the releases and the choices,
    by which the same command makes the same files again.
"""


def tab_separated(table: pa.Table) -> str:
    """A table as text with tabs; what is missing is NA."""
    columns = [
        column.to_pylist() if name == SIGNS else [_cell(value) for value in column.to_pylist()]
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    lines = ["\t".join(table.column_names), *map("\t".join, zip(*columns, strict=True))]
    return "\n".join([*lines, ""])


def _cell(value: Any) -> str:
    if value is None or value != value:  # noqa: PLR0124 - NaN alone differs from itself
        return MISSING
    return f"{value:z.6g}" if isinstance(value, float) else text_cell(str(value))
