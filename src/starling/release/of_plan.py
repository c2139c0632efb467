"""A release of which its plan says everything: one draw of one mechanism, and what follows from both. A domain declares what is its own."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self

from starling.ledger.rules import canonical
from starling.pages.parts import Section
from starling.release.commitment import Written
from starling.release.domain import DrawnT, ExactT_contra, Publication

if TYPE_CHECKING:
    import pyarrow as pa

    from starling.privacy.guarantee import Guarantee
    from starling.privacy.trust import Mechanism
    from starling.release.datapackage import Sheet
    from starling.release.encrypted import Create
    from starling.release.registry import Product
    from starling.release.statement import Particulars
    from starling.release.table_files import Table


class Files(Protocol):
    """The module that reads and writes the public files of a release."""

    def write_plan(self, folder: Path, plan: Any, /) -> None:
        """Write the plan below a folder."""

    def read_plan(self, folder: Path, /) -> Any:
        """The plan that was written. Raises IntegrityError where no release has such files, PlanError where no plan can be so."""

    def write_measurements(self, create: "Create", plan: Any, drawn: Any, /) -> None:
        """Write what was drawn into files that `create` makes."""

    def read_measurements(self, folder: Path, plan: Any, /) -> Any:
        """What was drawn; raises InvalidRelease where it is not what is written for the plan."""


class Columns(Protocol):
    """The module that declares the tables of a release, and its measurements as tables."""

    def tables(self, plan: Any, /) -> "Sequence[Table]":
        """As `Publication.tables`."""

    def sheets(self, plan: Any, /) -> "Sequence[Sheet]":
        """As `Publication.sheets`."""


class Pages(Protocol):
    """The module with the words of a release."""

    def particulars(self, plan: Any, /) -> "Particulars":
        """As `Publication.particulars`."""

    def product(self, plan: Any, /) -> "Product":
        """As `Publication.product`."""

    def charged(self, plan: Any, /) -> Section:
        """As `Publication.charged`."""


class Kind(NamedTuple):
    """What tells a kind of release from others: its name in requests, the version of their meaning, and its modules.

    The version grows when the same plan would be answered by another distribution.
    """

    name: str
    version: int
    files: Files
    columns: Columns
    pages: Pages


@dataclass(frozen=True, slots=True)
class PlanPublication(Publication[ExactT_contra, DrawnT]):
    """A `release.domain.Publication` of a plan; a subclass says its `kind`, `domain` and `notes`, what measures, and the contents."""

    plan: Any
    kind: ClassVar[Kind]

    @classmethod
    def reopened(cls, folder: Path) -> Self:
        """That of a release, from the public choices in its folder; raises as `Files.read_plan` does."""
        return cls(cls.kind.files.read_plan(folder))

    @property
    @abstractmethod
    def measuring(self) -> "Mechanism[ExactT_contra, DrawnT]":
        """The mechanism of the plan."""

    @property
    def request(self) -> str:
        """A digest of every public choice."""
        return canonical({"release": self.kind.name, "version": self.kind.version, "plan": self.plan.digest})

    @property
    def guarantee(self) -> "Guarantee":
        """That of the plan's mechanism."""
        return self.measuring.guarantee

    @property
    def particulars(self) -> "Particulars":
        """The plan's choices and its budget."""
        return self.kind.pages.particulars(self.plan)

    @property
    def product(self) -> "Product":
        """The plan in words."""
        return self.kind.pages.product(self.plan)

    @property
    def charged(self) -> Section:
        """The budget by what is measured."""
        return self.kind.pages.charged(self.plan)

    @property
    def tables(self) -> "Sequence[Table]":
        """Those that the plan leads to."""
        return self.kind.columns.tables(self.plan)

    @property
    def sheets(self) -> "Sequence[Sheet]":
        """The measurements."""
        return self.kind.columns.sheets(self.plan)

    def mechanism(self, folder: Path, create: "Create") -> "Mechanism[ExactT_contra, DrawnT]":  # noqa: ARG002 - all is in the draw
        """What the plan measures; it is written as soon as it is drawn."""
        return Written(self.measuring, partial(self.kind.files.write_measurements, create, self.plan))

    def read(self, folder: Path) -> DrawnT:
        """What was drawn."""
        drawn: DrawnT = self.kind.files.read_measurements(folder, self.plan)
        return drawn

    def write_plan(self, folder: Path) -> None:
        """Write the plan, and the public files that it has."""
        self.kind.files.write_plan(folder, self.plan)


@dataclass(frozen=True, slots=True)
class PlanContents:
    """A `release.domain.Contents` of two functions."""

    pieces: "Callable[[], Iterator[Mapping[str, pa.Table]]]"
    sections: Callable[[], Sequence[Section]]
