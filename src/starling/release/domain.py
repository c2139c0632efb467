"""The contract between the frame and a domain, in one file: what a domain gives, and what the frame makes of it.

The frame is `starling.release` and `starling.cli`: it publishes, verifies, opens and shows releases, and knows no domain. A domain is
registered in `starling.domains` under its name, with the place of its `Domain` and of its commands; nothing else has to be changed.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, TypeAlias, TypeVar

from starling.errors import Findings, ParameterError, number_of
from starling.pages.parts import Section
from starling.planfile.grammar import Table as Grammar
from starling.privacy.budget import Exact
from starling.release.checks import Checks
from starling.release.codec import Json
from starling.release.report.pages import Preview
from starling.release.session import Described, InSession

# A domain is named and its plan described without the libraries that read records and draw noise.
if TYPE_CHECKING:
    import pyarrow as pa

    from starling.privacy.guarantee import Guarantee
    from starling.privacy.neighbours import Relation
    from starling.privacy.trust import Confidential, Mechanism
    from starling.release.datapackage import Sheet
    from starling.release.described import Generated
    from starling.release.encrypted import Create
    from starling.release.pipeline import Published
    from starling.release.plots import Plots
    from starling.release.reading import Release
    from starling.release.registry import Product
    from starling.release.statement import Particulars
    from starling.release.table_files import Table
    from starling.release.work import Work

ExactT = TypeVar("ExactT")
ExactT_contra = TypeVar("ExactT_contra", contravariant=True)
DrawnT = TypeVar("DrawnT")

Publish: TypeAlias = "Callable[..., Published]"
"""A release, but for the folder that it is published as, and by name `payment`, who pays, and `listener`, who listens."""


class Publication(Protocol[ExactT_contra, DrawnT]):
    """All that is public about one release: what is charged, how noise is drawn, and what follows from what was drawn.

    It is made of the public choices before anything is charged, and again of a folder that is verified. `ExactT_contra` is what the
    mechanism takes, `DrawnT` the measurements: noisy values that everybody may see. What stands here is of a release that stands alone.

    Attributes:
        plan: The public choices; it has a guarantee and a title, or the publication says its own.
    """

    plan: Any
    checks: ClassVar[Checks | None] = None  # those of the domain, unless a publication has its own

    @property
    def domain(self) -> str:
        """The name of the domain."""

    @property
    def request(self) -> str:
        """What is asked, in canonical JSON: the same public choices give the same text, and nothing of the records is in it."""

    @property
    def formerly(self) -> "Sequence[Publication[ExactT_contra, DrawnT]]":
        """What the same plan file stated to earlier versions, of the same records: what was charged or registered so is carried out so."""
        return ()

    @property
    def guarantee(self) -> "Guarantee":
        """What is charged: the guarantee of the mechanism."""
        guarantee: Guarantee = self.plan.guarantee
        return guarantee

    @property
    def title(self) -> str:
        """The title of the release, for people."""
        return str(self.plan.title)

    @property
    def particulars(self) -> "Particulars":
        """What privacy.json says of the release besides its guarantee, and which earlier releases it adds to."""

    @property
    def product(self) -> "Product":
        """The release in the words of the registry of deployments."""

    @property
    def charged(self) -> Section:
        """How the cost comes about: a section of the report."""

    @property
    def tables(self) -> "Sequence[Table]":
        """The tables that are published, with their columns."""

    @property
    def sheets(self) -> "Sequence[Sheet]":
        """The files below `plan/` and the measurements that are tables too, for the data package; none unless it is said."""
        return ()

    @property
    def notes(self) -> Mapping[str, str]:
        """What each file below `plan/` and each of the measurements is, of those that are no tables."""

    @property
    def earlier(self) -> Mapping[str, str]:
        """SHA-256 of the measurements of the releases that this one adds to, by their path in its folder; none unless it is said."""
        return {}

    def prepare(self, folder: Path) -> None:  # noqa: ARG002 - of those that add to others
        """Put public files of earlier releases into the empty folder of the release, where it adds to any."""
        return

    def mechanism(self, folder: Path, create: "Create") -> "Mechanism[ExactT_contra, DrawnT]":
        """How noise is drawn; what is drawn is written into files that `create` makes, encrypted until the charge is committed to them.

        Args:
            folder: The folder of the release.
            create: Makes the file of the release that is named by its path there.
        """

    def read(self, folder: Path) -> DrawnT:
        """The measurements in the folder of a release.

        Raises:
            InvalidRelease: a file is not what the mechanism writes; of large measurements it is raised where they are iterated.
        """

    def check(self, drawn: DrawnT) -> None:  # noqa: ARG002 - of those that check more than `read`
        """Check measurements of others, before anything is made of them; nothing is checked that `read` has checked. Raises InvalidRelease
        where these cannot have been drawn for this release.
        """
        return

    def contents(self, folder: Path, drawn: DrawnT) -> "Contents":
        """What follows from the measurements.

        Args:
            folder: The folder of the release; measurements of earlier releases may be in it.
            drawn: The measurements.
        """

    def outcome(self, data: Path) -> list[tuple[str, str]]:  # noqa: ARG002 - of those that name their tables
        """What is in the folder `data` of the release and how much, as names and texts for people; nothing unless it is said."""
        return []

    def outcome_json(self, data: Path) -> dict[str, Json]:  # noqa: ARG002 - of those that say more
        """What a release ended in besides folder and charge, for programs; nothing unless it is said."""
        return {}

    def write_plan(self, folder: Path) -> None:
        """Write the public choices below `plan/`, so that `Domain.reopen` makes the same publication of them."""


class Contents(Protocol):
    """The tables of a release, made of its measurements piece by piece, and what its report says of them."""

    def pieces(self) -> "Iterator[Mapping[str, pa.Table]]":
        """Rows of the published tables by the tables' names, in order; iterated once.

        Raises:
            InvalidRelease: by the iteration, where measurements are not what the mechanism writes.
        """

    def sections(self) -> Sequence[Section]:
        """The domain's sections of the report, after all pieces were made."""


class Source(Protocol[ExactT]):
    """The confidential files of one release."""

    def files(self) -> Iterable[Path]:
        """All files that are read; of a folder, all files below it. For an answer that a ledger keeps they may be gone."""

    def open(self) -> "Callable[[ExitStack], Confidential[ExactT]]":
        """Check the public shape of the files: headers, kinds, sizes that are public. Nothing is read yet.

        Returns:
            Gives the deferred computation of what the mechanism takes; the stack that it is given closes what the computation needs,
            such as a cluster, when the release is made.

        Raises:
            SourceError: a file is not of the right shape.
        """


LABELS: Final = "x-labels"
"""In the JSON Schema of a field of a question: the label of each code that it can have."""
MARGIN: Final = "x-margin"
"""In the JSON Schema of a question: the `unit` of a margin of its answer, its `meaning`, and the field that it stands `instead_of`;
missing where none is defined.
"""


@dataclass(frozen=True, slots=True)
class Margin:
    """How far an answer may be off, 95 times of 100.

    Attributes:
        within: A decimal, rounded up.
        unit: What it is in, such as patients.
    """

    within: str
    unit: str


class Asking(ABC):
    """A plan that is asked one question at a time, each answered by a release of its own; all of it is public."""

    __slots__ = ()

    @property
    @abstractmethod
    def title(self) -> str:
        """The title of the plan, for people."""

    @property
    @abstractmethod
    def relation(self) -> "Relation":
        """Whom every answer protects."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """SHA-256 of the public choices that answers depend on, hexadecimal."""

    @property
    @abstractmethod
    def schema(self) -> Mapping[str, Json]:
        """The JSON Schema of a question."""

    @abstractmethod
    def work(self, question: Json, *, preview: bool) -> "Work":
        """How much work it is to say what a question asks, and with `preview` what its answer will be worth, and what a margin costs."""

    @abstractmethod
    def ask(self, question: Json) -> Publication[Any, Any]:
        """The answer to a question, as it would be published; raises ParameterError where the plan has no such question."""

    @abstractmethod
    def preview(self, question: Json) -> Preview:
        """What the answer to a question will be worth; raises ParameterError where the plan has no such question."""

    def margin(self, question: Json) -> Margin | None:  # noqa: ARG002 - of those that have one
        """How far the answer to a question may be off at its cost; None where the domain defines no margin."""
        return None

    def at_margin(self, question: Json, margin: Exact) -> Json:  # noqa: ARG002 - of those that have one
        """A question without a cost at the least that keeps a margin, 95 times of 100; raises ParameterError where none does."""
        raise ParameterError("margin", "is not defined for these questions", "state what the answer may cost instead")

    def check_further(self, question: Json, earlier: "Asking", paid: Json) -> None:  # noqa: B027 - of those that keep something
        """Raises ParameterError where what was kept for another question, `paid` of an `earlier` plan, can't be read for this one."""

    @abstractmethod
    def write(self, folder: Path) -> None:
        """Write the public choices below an empty folder, for `Delivering.asking`."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """A plan with the confidential files that it is released from, opened.

    Attributes:
        publication: What is published, which is public; or a plan that is asked questions.
        source: The confidential files, not yet read.
        validate: Reads them for their custodian alone; given how many findings are listed.
        identities: What an answer that is kept is of, beside its plan: in words for another, a digest, which the web process is not told.
    """

    publication: Publication[Any, Any] | Asking
    source: Source[Any]
    validate: Callable[[int], "Validated"]
    identities: Callable[[], Mapping[str, str]] = dict


@dataclass(frozen=True, slots=True)
class Invented:
    """Invented records with a plan for them, as `Delivering.open` takes them."""

    plan: str
    files: Mapping[str, Path]


@dataclass(frozen=True, slots=True)
class Delivering:
    """How a server, which knows no domain, is given data of one.

    Attributes:
        files: The names of the files or folders that are given beside the plan.
        open: A delivery, from what names a plan, the paths by those names, and where a domain has several the `engine`. It raises
            PlanError, ParameterError or SourceError by public checks: nothing is read.
        asking: The plan that is asked questions, of a folder that `Asking.write` wrote; None where the plan says all that is published. It
            raises IntegrityError or PlanError where the folder is not as it was written.
        optional: Names of those that some plans alone need; and `public`, of those that are public.
        invent: Invented records of a plan's shape, by what names the plan, the public files and an empty folder for them: from public
            choices and a fixed public seed, some ten thousand at most, in seconds. The plan is written there too, with a title that says
            so (planfile/invented.py). It raises PlanError, ParameterError, OutputError or OSError. None where nothing can be invented.
    """

    files: tuple[str, ...]
    open: Callable[..., Delivery]
    asking: Callable[[Path], Asking] | None = None
    optional: tuple[str, ...] = ()
    public: tuple[str, ...] = ()
    invent: Callable[[str, Mapping[str, Path], Path], Invented] | None = None


@dataclass(frozen=True, slots=True)
class Verbs:
    """What the commands of a domain do, which cli/verbs.py declares once for all domains; `validate` takes what `Delivering` opens.

    Each is given what names a plan, and by their names the options that the domain's command has besides. None opens records.

    Attributes:
        plan: What the plan holds and costs; `preview`, its expected error, to which a server gives the public files.
        release: What is charged, in words, which is asked for where a person approves; and what publishes. None where plan, files and
            engine are all that `Delivering.open` takes, and where questions are asked.
        generate: Invents records into the new folder `out`, by the public `seed`.
        plot: The pictures of releases of the domain, which are opened one after the other; of the first, unless a domain draws several.
    """

    plan: Callable[..., Described]
    preview: Callable[..., Preview]
    release: Callable[..., tuple[Callable[[], str], Publish]] | None = None
    generate: "Callable[..., Generated] | None" = None
    plot: "Callable[..., Plots] | None" = None


@dataclass(frozen=True, slots=True)
class Domain:
    """One kind of statistics, from its plan to what analysts read.

    Attributes:
        name: The name under which the domain is registered; privacy.json of each of its releases bears it.
        checks: Gives the checks of a release beyond hashes, signature and arithmetic.
        reopen: The publication of a release, from the public choices in its folder. It raises IntegrityError where Starling writes no
            such file, PlanError or ParameterError where the files state choices that cannot be.
        opened: An opened release with what analysts need. It raises IntegrityError where Starling writes no such plan or measurements.
        delivering: How a server is given plan and files; None where none serves it. `grammars`: those of its plan files, by their names.
    """

    name: str
    checks: Callable[[], Checks]
    reopen: Callable[[Path], Publication[Any, Any]]
    opened: "Callable[[Release], Release]"
    verbs: Verbs
    delivering: Delivering | None = None
    grammars: Mapping[str, Grammar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, repr=False)
class Validated(InSession):
    """What `validate` found in confidential files. NOT PRIVATE: for their custodian alone.

    Attributes:
        problems: What breaks the rules; a file with problems is accepted only when its custodian says so.
        notes: What is allowed and probably not meant.
        read: What was read, as a phrase for people.
    """

    problems: Findings
    notes: Findings
    read: str
    values: dict[str, Json]

    def _facts(self) -> list[tuple[str, str]]:
        faults, notes = number_of(self.problems.total, "problem"), number_of(self.notes.total, "note")
        number = f"{faults} and {notes}; NOT PRIVATE, for the custodian alone"
        problems = [("problem", str(each)) for each in (*self.problems.decisive, *self.problems.listed)]
        return [
            ("validation", number),
            ("read", self.read),
            *problems,
            *(("note", str(each)) for each in self.notes.listed),
        ]
