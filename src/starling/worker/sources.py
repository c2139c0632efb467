"""Where the records of registered data lie: what the worker alone reads, and the web process never.

Registering is the custodian's, on the command line. It checks everything that is public and opens what will be released, without reading a
record, and then describes to the web process what a release is and costs (server/datasets.py).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from starling.domains import DOMAINS, domain
from starling.errors import IntegrityError, ParameterError, PolicyRefused
from starling.planfile.foreign import content
from starling.release.domain import Delivering, Delivery
from starling.release.report.pages import Section
from starling.server.datasets import MOST_BYTES, Catalogue, Dataset, write_new
from starling.server.home import Home

FORMAT: Final = "starling-source/1"


@dataclass(frozen=True, slots=True)
class Registered:
    """What a dataset is released from.

    Attributes:
        domain: The kind of statistics.
        plan: Names the plan: an absolute path, or a plan that comes with Starling.
        files: Absolute paths of files or folders, by the names that the domain gives them.
    """

    domain: str
    plan: str
    files: Mapping[str, Path]

    def open(self) -> Delivery:
        """Check all that is public; raises PlanError, ParameterError or SourceError."""
        return _delivering(self.domain).open(self.plan, self.files)


class Sources:
    """The sources of a home: one file for each dataset, in the worker's own folder.

    Args:
        home: The home.
    """

    def __init__(self, home: Home) -> None:
        self._folder = home.folder / "worker" / "sources"
        self._catalogue = Catalogue(home.folder / "datasets")

    def register(self, name: str, registered: Registered, *, deadline: int) -> Dataset:
        """Register data, and describe them to the web process.

        Args:
            name: The name of the dataset, as in the ledger.
            registered: What it is released from.
            deadline: Seconds from a charge to its answer.

        Raises:
            PlanError, ParameterError, SourceError: something public is wrong, or the name is taken.
            OutputError: the home cannot be written.
        """
        publication = registered.open().publication
        dataset = Dataset(
            name, registered.domain, publication.title, publication.request, publication.guarantee, deadline
        )
        if name in self._catalogue.names():
            raise ParameterError("name", f"{name} is taken", "a new delivery has a new name")
        self._folder.mkdir(mode=0o700, exist_ok=True)
        # Left by a registration that was cut off before anybody could see it.
        (self._folder / f"{name}.json").unlink(missing_ok=True)
        files = {each: str(path) for each, path in registered.files.items()}
        said = {"format": FORMAT, "domain": registered.domain, "plan": registered.plan, "files": files}
        write_new(self._folder / f"{name}.json", json.dumps(said, indent=1))
        self._catalogue.add(dataset)
        return dataset

    def names(self) -> list[str]:
        """The names of all that is registered, ascending."""
        return self._catalogue.names()

    def find(self, name: str) -> Registered:
        """The source of a dataset; raises ParameterError where there is none, IntegrityError where its file is not what was written."""
        if name not in self.names():
            raise ParameterError("name", "is not registered", "register it: starling server dataset")
        try:
            return _parsed(json.loads(content(self._folder / f"{name}.json", MOST_BYTES)))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise IntegrityError("source", "is not written as Starling does", "register it anew") from None

    def preview(self, name: str) -> Sequence[Section]:
        """The expected error of a release of a dataset, from its plan and public files alone; raises as `open`."""
        source = self.find(name)
        delivering = _delivering(source.domain)
        public = {each: path for each, path in source.files.items() if each in delivering.optional}
        return delivering.preview(source.plan, public).sections()

    def open(self, name: str) -> Delivery:
        """What a dataset is released from, opened, when it still is what was registered.

        Raises:
            PolicyRefused: plan or public files were changed since, so that a release would be another one.
            PlanError, ParameterError, SourceError: as `Registered.open`.
        """
        delivery, described = self.find(name).open(), self._catalogue.find(name)
        publication = delivery.publication
        if (publication.request, publication.guarantee) != (described.request, described.guarantee):
            fix = "restore them; what is another plan is another dataset"
            raise PolicyRefused("plan", "or public files were changed since they were registered", fix)
        return delivery


def source_of(name: str, plan: str, files: Mapping[str, Path]) -> Registered:
    """What a custodian names on the command line, with absolute paths.

    Args:
        name: The name of the domain.
        plan: A file or folder, or a plan that comes with Starling.
        files: The files by the domain's names for them.

    Raises:
        ParameterError: there is no such domain, it is not served so, or the files are others than it asks for.
    """
    delivering = _delivering(name)
    wanted, known = delivering.files, (*delivering.files, *delivering.optional)
    if not set(wanted) <= set(files) <= set(known):
        problem = f"does not name {' and '.join(wanted)}, or something else than {' and '.join(known)}"
        raise ParameterError("--file", problem, f"give --file {wanted[0]}=PATH")
    path = Path(plan)
    absolute = {each: files[each].absolute() for each in sorted(files)}
    return Registered(name, str(path.absolute()) if path.exists() else plan, absolute)


def _delivering(name: str) -> Delivering:
    found = domain(name)
    if found is None or found.delivering is None:
        served = [each for each in DOMAINS if (one := domain(each)) is not None and one.delivering is not None]
        raise ParameterError("domain", "is none that a server releases by a plan", f"choose one: {', '.join(served)}")
    return found.delivering


def _parsed(said: Any) -> Registered:
    if said["format"] != FORMAT:
        raise ValueError
    return Registered(said["domain"], said["plan"], {each: Path(path) for each, path in said["files"].items()})
