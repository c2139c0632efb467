"""Where the records of registered data lie: what the worker alone reads, and the web process never.

Registering is the custodian's, on the command line. It checks everything that is public and opens what will be released, without reading a
record, and then describes to the web process what a release is and costs (server/datasets.py).
"""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from starling.domains import DOMAINS, delivering_of
from starling.domains import domain as find
from starling.errors import IntegrityError, LedgerUnavailable, OutputError, ParameterError, PlanError, PolicyRefused
from starling.ledger.rules import Request
from starling.pages.parts import Section
from starling.planfile.foreign import content
from starling.privacy.accounting.detection import ALARMS, detection
from starling.privacy.guarantee import without_factors
from starling.release.codec import Json
from starling.release.domain import Asking, Delivery, Publication
from starling.release.report.plain import sections_json
from starling.release.zipped import zipped
from starling.server.datasets import MOST_BYTES, Dataset, Entry, Study
from starling.server.files import write, write_new
from starling.server.home import Home
from starling.server.purposes import UNSAID, Purpose

FORMAT: Final = "starling-source/1"


@dataclass(frozen=True, slots=True)
class Registered:
    """What a dataset is released from.

    Attributes:
        plan: Names the plan: an absolute path, or a plan that comes with Starling.
        files: Absolute paths of files or folders, by the names that the domain gives them.
    """

    domain: str
    plan: str
    files: Mapping[str, Path]

    def open(self) -> Delivery:
        """Check all that is public; raises PlanError, ParameterError or SourceError."""
        return delivering_of(self.domain).open(self.plan, self.files)


class Sources:
    """The sources of a home: one file for each dataset, in the worker's own folder."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._folder = home.folder / "worker" / "sources"
        self._catalogue = home.catalogue
        self._questions = home.questions

    def register(
        self,
        name: str,
        registered: Registered,
        *,
        deadline: int,
        purpose: Purpose = UNSAID,
        preview: Sequence[Mapping[str, Json]] | None = None,
    ) -> Entry:
        """Register data under their name in the ledger, and describe them to the web process.

        `deadline` is in seconds from a charge to its answer; `preview` the expected error of the release, which is computed where it is
        None.

        Raises:
            PlanError, ParameterError, SourceError: something public is wrong, or the name is taken.
            PolicyRefused: the ledger has the dataset, of a population to which this cannot be charged.
            OutputError: the home cannot be written.
            IntegrityError: what was written of another dataset is damaged.
        """
        delivery = registered.open()
        publication = delivery.publication
        dataset = replace(_described(name, registered.domain, publication, deadline), purpose=purpose)
        with suppress(ParameterError, LedgerUnavailable):
            # Where the ledger does not have it yet, this is found when its files are accepted.
            self._check_population(dataset)
        if name in self._catalogue.names():
            raise ParameterError("name", f"{name} is taken", "a new delivery has a new name")
        if isinstance(dataset, Dataset):
            dataset = replace(dataset, detected=detection(dataset.guarantee, ALARMS / 100).chance)
        if preview is None:
            preview = _preview(registered)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        # Left by a registration that was cut off before anybody could see it.
        (self._folder / f"{name}.json").unlink(missing_ok=True)
        write_new(self._folder / f"{name}.json", _text(registered))
        if isinstance(dataset, Study) and (identities := delivery.identities()):
            dataset = replace(dataset, identities=self._labels(name, identities))
        if isinstance(publication, Asking):
            _write_plan(publication.write, self._catalogue.plan(name), self._catalogue.plan_zip(name))
        elif DOMAINS[registered.domain].plan_pages:
            _write_plan(publication.write_plan, self._catalogue.plan(name))
        self._catalogue.add(dataset, preview)
        return dataset

    def _labels(self, name: str, identities: Mapping[str, str]) -> dict[str, str]:
        """A label of each kind that a kept answer is of, the same where another dataset is of the same. Digests stay in this folder."""
        (self._folder / f"{name}.identities").unlink(missing_ok=True)
        known: dict[str, dict[str, str]] = {kind: {} for kind in identities}
        for path in self._folder.glob("*.identities"):
            try:
                for kind, (digest, label) in json.loads(content(path, MOST_BYTES)).items():
                    known.setdefault(kind, {})[digest] = label
            except (OSError, ValueError, TypeError, AttributeError, RecursionError):
                raise IntegrityError("source", f"{path.name} is not written as Starling does", "restore it") from None
        labels = {}
        for kind, digest in identities.items():
            new = name
            while new in known[kind].values():
                new += "+"
            labels[kind] = known[kind].get(digest, new)
        written = {kind: (digest, labels[kind]) for kind, digest in identities.items()}
        write_new(self._folder / f"{name}.identities", json.dumps(written))
        return labels

    def _check_population(self, dataset: Entry) -> None:
        with closing(self._home.read_ledger()) as ledger:
            population = ledger.reading.population_of(dataset.name)
            dataset.check(ledger.reading.account(population, latest=1).population)

    def check_population(self, name: str) -> None:
        """Raises PolicyRefused where a dataset cannot be charged to its population: another unit, neighbour relation or measure; raises
        ParameterError where the ledger does not have it.
        """
        self._check_population(self._catalogue.find(name))

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

    def move(self, name: str, registered: Registered) -> None:
        """Say where the same files lie now; raises OutputError where the home cannot be written."""
        write(self._folder / f"{name}.json", _text(registered))

    def requested(self, request: Request) -> Dataset:
        """What a request asks for and costs, made again of the registered plan and the question that was kept for it.

        Raises:
            NotThere: the dataset is not registered.
            IntegrityError: plan or question are not as they were written, or make another request.
        """
        entry = self._catalogue.find(request.dataset)
        if isinstance(entry, Study):
            publication = self._question(request)[1]
            return entry.question(publication.title, publication.request, publication.guarantee)
        if entry.request != request.body:
            raise _another()
        return entry

    def preview(self, request: Request) -> "list[dict[str, Any]]":
        """The expected error of what a request asks for; no record is read. Raises as `requested`."""
        if isinstance(self._catalogue.find(request.dataset), Dataset):
            return self._catalogue.preview(request.dataset)
        seen = self._asking(request.dataset).preview(self._question(request)[0])
        return [dict(each) for each in sections_json(seen.sections())]

    def lowered(self, request: Request, epsilon: str) -> Publication[Any, Any]:
        """The question of a request for another epsilon, the whole cost as people write it, kept to be asked; from the public plan alone.

        Raises:
            PolicyRefused: what is asked is no question: it costs what the plan says.
            ParameterError: the plan has no such question for that.
            IntegrityError: as `requested`.
        """
        if isinstance(self._catalogue.find(request.dataset), Dataset):
            fix = "decline it, or register a plan that costs less"
            raise PolicyRefused("--epsilon", "is not to choose: a release costs what its plan says", fix)
        question = {**self._question(request)[0], "epsilon": epsilon}
        publication = self._asking(request.dataset).ask(question)
        self._questions.keep(replace(request, body=publication.request), question)
        return publication

    def _asking(self, name: str) -> Asking:
        asking = delivering_of(self._catalogue.find(name).domain).asking
        assert asking is not None
        return asking(self._catalogue.plan(name))

    def _question(self, request: Request) -> tuple[Any, Publication[Any, Any]]:
        """The question of a request, and what it asks for. The web process keeps it, so that it is not believed before the hash agrees."""
        question = self._questions.find(request.hash)
        publication = self._asking(request.dataset).ask(question)
        if publication.request != request.body:
            raise _another()
        return question, publication

    def open(self, name: str, registered: Registered | None = None) -> Delivery:
        """What a dataset is released from, where it was registered or `registered` says, opened when it still is what was registered.

        Raises:
            PolicyRefused: plan or public files were changed since, so that a release would be another one.
            PlanError, ParameterError, SourceError: as `Registered.open`.
        """
        delivery, described = (registered or self.find(name)).open(), self._catalogue.find(name)
        publication = delivery.publication
        formerly = () if isinstance(publication, Asking) else publication.formerly
        for each in (publication, *formerly):
            if _public(_described(name, described.domain, each, described.deadline)) == _public(described):
                return replace(delivery, publication=each)
        fix = "restore them; what is another plan is another dataset"
        raise PolicyRefused("plan", "or public files were changed since they were registered", fix)


def _another() -> IntegrityError:
    return IntegrityError("request", "is for something else than it says", "decline it, and ask who changed the home")


def source_of(name: str, plan: str, files: Mapping[str, Path]) -> Registered:
    """What a custodian names on the command line, with absolute paths: a domain, a plan or one that comes with Starling, and its files.

    Raises:
        ParameterError: there is no such domain, it is not served so, or the files are others than it asks for.
    """
    delivering = delivering_of(name)
    wanted, known = delivering.files, (*delivering.files, *delivering.optional)
    if not set(wanted) <= set(files) <= set(known):
        problem = f"does not name {' and '.join(wanted)}, or something else than {' and '.join(known)}"
        raise ParameterError("--file", problem, f"give --file {wanted[0]}=PATH")
    path = Path(plan)
    absolute = {each: files[each].absolute() for each in sorted(files)}
    return Registered(name, str(path.absolute()) if path.exists() else plan, absolute)


def _text(registered: Registered) -> str:
    """What the file of a dataset's source says."""
    files = {each: str(path) for each, path in registered.files.items()}
    values = {"format": FORMAT, "domain": registered.domain, "plan": registered.plan, "files": files}
    return json.dumps(values, indent=1)


def _described(name: str, domain: str, publication: Publication[Any, Any] | Asking, deadline: int) -> Entry:
    """What the web process is told."""
    if isinstance(publication, Asking):
        schema = publication.schema
        return Study(name, domain, publication.title, publication.digest, publication.relation, schema, deadline)
    return Dataset(name, domain, publication.title, publication.request, publication.guarantee, deadline)


def _public(entry: Entry) -> tuple[object, object]:
    """On what releases depend: with other choices they are other releases."""
    # Entries of before replacement factors were declared have none: they are charged by more, and are the same releases.
    return (
        (entry.request, without_factors(entry.guarantee))
        if isinstance(entry, Dataset)
        else (entry.digest, entry.relation)
    )


def _preview(registered: Registered) -> list[dict[str, Json]]:
    """The expected error of the release, from plan and public files; nothing where questions are asked, which have their own."""
    delivering, domain = delivering_of(registered.domain), find(registered.domain)
    if delivering.asking is not None or domain is None:
        return []
    public = {each: path for each, path in registered.files.items() if each in delivering.public}
    try:
        return sections_json(domain.verbs.preview(registered.plan, **public).sections())
    except (PlanError, ParameterError) as error:
        # Some plans say less than a preview needs to know, and are released all the same.
        return sections_json([Section("Expected error", f"It cannot be told beforehand: {error}.")])


def _write_plan(write_into: Callable[[Path], None], folder: Path, bundle: Path | None = None) -> None:
    """Write a public plan as a folder, and as a zip where one is named; raises OutputError where it cannot be written."""
    try:
        # Left by a registration that was cut off.
        shutil.rmtree(folder, ignore_errors=True)
        if bundle is not None:
            bundle.unlink(missing_ok=True)
        # An account of the web process reads it by its group, as the descriptions (accounts.py).
        folder.mkdir(mode=0o750)
        write_into(folder)
        if bundle is not None:
            zipped(folder, bundle)
    except OSError:
        raise OutputError("home", "cannot be written", "make room in the folder of the server") from None


def _parsed(values: Any) -> Registered:
    if values["format"] != FORMAT:
        raise ValueError
    return Registered(values["domain"], values["plan"], {each: Path(path) for each, path in values["files"].items()})
