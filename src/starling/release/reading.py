"""Reading a release: its tables as Arrow, and what it states. Files are compared with the signature before any is parsed."""

import weakref
from collections.abc import Collection, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from starling.errors import IntegrityError, ParameterError
from starling.ledger.keys import Pin, Public
from starling.planfile.spelling import shown
from starling.privacy.budget import Cost
from starling.privacy.guarantee import Guarantee
from starling.release import verify
from starling.release.manifest import AGAIN
from starling.release.session import InSession, to_pandas, to_polars
from starling.release.statement import FILE
from starling.release.zipped import opened

Wanted: TypeAlias = str | Collection[str]
"""One value of a column, or several."""

DATA = "data/"
SUFFIX = ".parquet"


class Release(InSession):
    """A release whose files are what its key signed. Whether its numbers follow from its measurements, `starling.verify` says.

    Attributes:
        statement: privacy.json, parsed.
        guarantee: What it promises, recomputed from its events.
        signer: Who signed; compare the fingerprint with the publisher's.
        request_id: The request id of its charge.
        names: The names of its tables, which `table` takes.
        hashes: SHA-256 of each of its files, by its path in the release.
    """

    def __init__(self, path: Path, key: Pin | None = None) -> None:
        self._opened = path
        self._stack = ExitStack()
        # A zip is unpacked for as long as this object lives.
        self._close = weakref.finalize(self, self._stack.close)
        self._folder = self._stack.enter_context(opened(path))
        checked = verify.check(self._folder)
        if findings := [*checked.findings, *verify.signed_by(checked, key)]:
            raise IntegrityError(problems=findings)
        if checked.stated is None or checked.guarantee is None or checked.signature is None:
            raise IntegrityError(FILE, "states nothing that can be read", AGAIN)
        self.statement: dict[str, Any] = dict(checked.stated)
        self.guarantee: Guarantee = checked.guarantee
        self.signer: Public = checked.signature.key
        self.request_id = str(self.statement["account"]["request_id"])
        self.hashes: Mapping[str, str] = checked.hashes
        self.names = tuple(
            name.removeprefix(DATA).removesuffix(SUFFIX)
            for name in checked.hashes
            if name.startswith(DATA) and name.endswith(SUFFIX)
        )

    @property
    def folder(self) -> Path:
        """Where its files lie; those of a zip for as long as this is open."""
        return self._folder

    @property
    def cost(self) -> Cost:
        """The cost of the whole release, under its own neighbour relation."""
        return self.guarantee.cost

    def table(self, name: str) -> pa.Table:
        """One of `names`, whole.

        Raises:
            ParameterError: there is no such table.
        """
        if name not in self.names:
            raise ParameterError("table", "is not in the release", f"take one of {', '.join(self.names)}")
        return pq.read_table(self._folder / f"{DATA}{name}{SUFFIX}")

    def rows(self, table: str, **wanted: Wanted) -> pa.Table:
        """Rows of one of `names` whose columns have the wanted values; without any, the whole table.

        Raises:
            ParameterError: there is no such table, or no such column of texts.
        """
        rows = self.table(table)
        labels = [field.name for field in rows.schema if pa.types.is_string(_values(field.type))]
        for column, values in wanted.items():
            if column not in labels:
                raise ParameterError(column, "is no column to choose by", f"take {', '.join(labels) or 'the table'}")
            chosen = pa.array([values] if isinstance(values, str) else sorted(values), pa.string())
            rows = rows.filter(pc.is_in(rows[column], value_set=chosen))
        return rows

    def to_pandas(self, table: str, **wanted: Wanted) -> Any:
        """`rows` as a pandas data frame.

        Raises:
            ParameterError: there is no such table or column, or pandas is not installed.
        """
        return to_pandas(self.rows(table, **wanted))

    def to_polars(self, table: str, **wanted: Wanted) -> Any:
        """`rows` as a polars data frame.

        Raises:
            ParameterError: there is no such table or column, or polars is not installed.
        """
        return to_polars(self.rows(table, **wanted))

    def _facts(self) -> list[tuple[str, str]]:
        """What a session shows, the title first."""
        account = self.statement["account"]
        rows = (
            f"{name} {pq.read_metadata(self._folder / f'{DATA}{name}{SUFFIX}').num_rows:,}"
            for name in self.names
            if "/" not in name
        )
        return [
            ("release", f"{self.statement['domain']}: {shown(self.guarantee.name)}"),
            ("signed by", self.signer.fingerprint),
            ("rows", ", ".join(rows)),
            ("cost", f"{self.cost} ({self.guarantee.relation})"),
            ("charged", f"{account['day']}, request {shown(self.request_id)}"),
            ("opened", str(self._opened)),
        ]

    def close(self) -> None:
        """Remove what was unpacked; tables that were read stay."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _values(kind: pa.DataType) -> pa.DataType:
    """The type of the values of a column, however they are stored."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


class DomainRelease(Release):
    """A release that its domain reads further; made of an opened one, which stays open for as long as this is referred to."""

    def __init__(self, release: Release) -> None:
        # Not opened again: its files were hashed, and a zip unpacked, once.
        self._release = release
        vars(self).update(vars(release))


def open_release(path: str | Path, *, key: str | Public | Pin | None = None) -> Release:
    """Open a release, given as a folder or as one zip.

    Args:
        path: The folder or the zip of the release.
        key: Who should have signed: the fingerprint that they publish, or their public key.

    Raises:
        IntegrityError: it is not what was signed, or not by that key; with everything that is wrong.
    """
    return Release(Path(path), None if key is None else Pin.parse(key))
