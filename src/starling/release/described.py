"""Values that every domain shows alike, in a session and on the command line: a plan, and invented records."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starling.release.codec import Json
from starling.release.session import Described, InSession, Part

if TYPE_CHECKING:
    from starling.release.domain import Publication

ONE_OF: Final = {"people": "person", "leaves": "leaf", "counties": "county"}
"""One of a size whose name loses more than an s."""


@dataclass(frozen=True, slots=True, repr=False)
class DescribedPlan(Described):
    """A plan that says all that is published: for people as it describes itself, for programs as privacy.json has its choices.

    Attributes:
        plan: The plan.
        publication: What is published by it.
    """

    plan: InSession
    publication: "Callable[[], Publication[Any, Any]]"

    def _facts(self) -> list[tuple[str, str]]:
        return self.plan._facts()  # noqa: SLF001 - it is shown as it shows itself

    def _parts(self) -> Sequence[Part]:
        return self.plan._parts()  # noqa: SLF001

    def as_json(self) -> dict[str, Json]:
        """Whom it protects, what it costs, what bounds a unit, and its choices."""
        from starling.release.claims import claim

        publication = self.publication()
        guarantee, particulars = publication.guarantee, publication.particulars
        return {
            "title": publication.title,
            "neighbours": str(guarantee.relation),
            "cost": claim(guarantee).adjacencies(),
            "bounds": dict(particulars.bounds),
            **particulars.mechanism,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Generated(Described):
    """The files of invented records. They describe nobody.

    Attributes:
        files: The files by the names under which `release` takes them, the records first, and public files that go with them.
        note: GENERATED.json: that it is invented, the seed, and the sizes.
        sizes: How much of what was invented.
        plan: A plan for the records; None where they were invented for a plan that is there.
    """

    files: Mapping[str, Path]
    note: Path
    sizes: Mapping[str, int]
    plan: Path | None = None

    @property
    def records(self) -> Path:
        """What `release` takes as its records."""
        return next(iter(self.files.values()))

    def _names(self) -> dict[str, str]:
        plan = {} if self.plan is None else {"plan": str(self.plan)}
        return {**{name: str(path) for name, path in self.files.items()}, **plan, "note": str(self.note)}

    def _facts(self) -> list[tuple[str, str]]:
        named = (
            (ONE_OF.get(name, name.removesuffix("s")) if many == 1 else name, many) for name, many in self.sizes.items()
        )
        sizes = ", ".join(f"{many:,} {name.replace('_', ' ')}" for name, many in named)
        return [*self._names().items(), ("invented", sizes)]

    def as_json(self) -> dict[str, Json]:
        """The files, and how much."""
        return {**self._names(), "sizes": dict(self.sizes)}
