"""The kinds of plans and releases of places, by what is released: the cells of a grid, areas, flows between areas, or trips between cells.
Each has rooms of its own.

A plan file says its kind by its tables, `[grid]`, `[areas]`, or `[flows]` beside one of them, and a release by the public files in its
folder. What a kind is made of is imported when one is there.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar

from starling.engine.spark import DUCKDB
from starling.lazy import resolve
from starling.planfile.toml import read_file

if TYPE_CHECKING:
    from starling.places.generate.standing_in import Invention
    from starling.release.domain import Delivery, Publication
    from starling.release.from_records import FromRecords
    from starling.release.of_plan import PlanPublication
    from starling.release.plan_file import PlanInFile
    from starling.release.reading import Release
    from starling.release.report.pages import Preview

AREAS_FILE: Final = "plan/areas.geojson"
"""The public file that a release of areas has, and one of flows between areas."""
T = TypeVar("T")
_PLAN: Final = "plan/plan.json"


class _Own(Generic[T]):
    """What a kind has of its own in one of its rooms, imported when it is asked for."""

    def __init__(self, place: str) -> None:
        self._place = place

    def __get__(self, kind: "Kind", _: object) -> T:
        value: T = resolve(f"{kind.package}.{self._place.format(kind)}")
        return value


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind: where its rooms are, and what they call what is its own.

    Attributes:
        package: Holds its rooms.
        named: What the names of its publication and of its opened release begin with.
        plan: Its plan, which knows what it costs, by its place in the package.
        records: How it is made of records, in the room `publish`.
    """

    package: str
    named: str
    plan: str
    records: str

    publication: ClassVar["_Own[type[PlanPublication[Any, Any]]]"] = _Own("publication:{0.named}Publication")
    """A release of a plan as the frame publishes it."""
    opened: ClassVar["_Own[Callable[[Release], Release]]"] = _Own("analysis:{0.named}Release")
    """What analysts need of a release."""
    from_records: ClassVar["_Own[FromRecords]"] = _Own("publish:{0.records}")
    """How it is made of records."""
    invention: ClassVar["_Own[Invention]"] = _Own("generate:INVENTION")
    """How its records are invented."""
    preview: ClassVar["_Own[Callable[..., Preview]]"] = _Own("preview:preview")
    """What a plan will give."""
    chosen: ClassVar["_Own[type[PlanInFile]]"] = _Own("{0.plan}")
    """Its plan."""


OF_GRID: Final = Kind("starling.places", "Places", "mechanism.table:MeasuredPlan", "POINTS")
OF_AREAS: Final = Kind("starling.places.areas", "Areas", "mechanism:PricedPlan", "AREAS")
OF_FLOWS: Final = Kind("starling.places.flows", "Flows", "plan:Plan", "FLOWS")
OF_TRIPS: Final = Kind("starling.places.trips", "Trips", "plan:Plan", "TRIPS")


def load(path: str | Path) -> tuple[Kind, Any]:
    """The kind and the plan of a file, which knows what it costs; raises PlanError with every problem found."""
    tables = read_file(Path(path).absolute()).values
    kind = _kind("flows" in tables, "areas" in tables, "grid" in tables)
    return kind, kind.chosen.load(path)


def kind_of(folder: Path) -> Kind:
    """The kind of a release; that of a grid where its files say none, which its reader then refuses."""
    by_area = (folder / AREAS_FILE).is_file()
    return _kind(_has_flows(folder), by_area, not by_area)


def _kind(flows: bool, areas: bool, grid: bool) -> Kind:
    if flows:
        return OF_TRIPS if grid and not areas else OF_FLOWS
    return OF_AREAS if areas else OF_GRID


def reopened(folder: Path) -> "Publication[Any, Any]":
    """The publication of a release, from the public choices in its folder; raises IntegrityError or PlanError where they are none."""
    return kind_of(folder).publication.reopened(folder)


def opened(release: "Release") -> "Release":
    """An opened release with what analysts need."""
    return kind_of(release.folder).opened(release)


def deliver(plan: str, files: Mapping[str, Path], engine: str = DUCKDB) -> "Delivery":
    """A plan file with its records, opened; raises PlanError, SourceError or ParameterError by public checks."""
    kind, chosen = load(plan)
    return kind.from_records.deliver(chosen, files["records"], engine)


def _has_flows(folder: Path) -> bool:
    """Whether the plan of a release is one of flows; not where there is none."""
    try:
        stated = json.loads((folder / _PLAN).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(stated, dict) and "flows" in stated
