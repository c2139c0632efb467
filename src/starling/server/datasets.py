"""What is public about registered data: what a release of it is, what that costs, and when its answer leaves; or what may be asked.

The custodian's command line writes it, once: a file for each dataset with its preview beside it, and for one that is asked questions a
folder with its public plan. The web process reads it. No path of records is in it, and nothing of what they hold.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

from starling.errors import IntegrityError, ParameterError, StarlingError
from starling.ledger import rules
from starling.planfile.foreign import content
from starling.privacy.budget import Epsilon
from starling.privacy.guarantee import Guarantee
from starling.privacy.neighbours import Relation
from starling.release.arithmetic import guarantee_of
from starling.release.codec import decode, encode
from starling.release.statement import neighbours, stated
from starling.server.files import write_new
from starling.server.purposes import UNSAID, Purpose

FORMAT: Final = "starling-dataset/1"
MOST_BYTES: Final = 1 << 24
"""Bytes of the file of a dataset."""
MOST_SECONDS: Final = 86_400
"""The latest deadline."""


class NotThere(ParameterError):
    """What is asked for is not there, or not for this user: both errors have the same words."""

    status: ClassVar[int] = 404


class AnotherKind(ParameterError):
    """A question is asked of a dataset whose plan says all, or none of one that is asked questions."""

    status: ClassVar[int] = 409


@dataclass(frozen=True, slots=True)
class Dataset:
    """What can be charged of registered data, as everybody with a token may know it: the release of their plan, or one question.

    Attributes:
        name: The name of the data, which is that of the dataset in the ledger.
        domain: The kind of statistics.
        title: What the release is called.
        request: What it asks, in canonical JSON.
        guarantee: What it is charged.
        deadline: Seconds from the charge to the answer; an answer that misses it leaves when it has doubled, or doubled again.
        purpose: What the data may be used for.
        detected: The chance that the best attacker who accepts 5 false alarms in 100 finds whoever is in the data
            (privacy/accounting/detection.py); None where it was not computed when they were registered.
    """

    name: str
    domain: str
    title: str
    request: str
    guarantee: Guarantee
    deadline: int
    purpose: Purpose = UNSAID
    detected: float | None = None

    def __post_init__(self) -> None:
        _check(self.name, self.deadline)

    @property
    def relation(self) -> Relation:
        """Whom it protects."""
        return self.guarantee.relation

    def check(self, population: rules.Population) -> None:
        """Raises PolicyRefused where it can't be charged to the population: another unit, neighbour relation or measure."""
        rules.charge_in(population, self.guarantee)

    @property
    def statement(self) -> dict[str, Any]:
        """What its file says beside what all say."""
        detected = {} if self.detected is None else {"detected": self.detected}
        return {"request": self.request, **detected, **stated(self.guarantee)}


@dataclass(frozen=True, slots=True)
class Study:
    """Registered data that are asked one question at a time, as everybody with a token may know them.

    Attributes:
        name: The name, which is that of the dataset in the ledger.
        domain: The kind of statistics.
        title: What the plan is called.
        digest: SHA-256 of the public choices that answers depend on.
        relation: Whom every answer protects.
        schema: The JSON Schema of a question.
        deadline: Seconds from the charge to the answer; an answer that misses it leaves when it has doubled, or doubled again.
        purpose: What the data may be used for.
        identities: What an answer that is kept is of, in words for another: a label that datasets of the same share.
    """

    name: str
    domain: str
    title: str
    digest: str
    relation: Relation
    schema: Mapping[str, Any]
    deadline: int
    purpose: Purpose = UNSAID
    identities: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check(self.name, self.deadline)

    def check(self, population: rules.Population) -> None:
        """Raises PolicyRefused where no answer can be charged to the population: another unit or neighbour relation."""
        rules.check_unit(population, self.relation)
        # A question costs an epsilon of its own.
        rules.amount_in(population, self.relation.change, Epsilon(Fraction(1)), None)

    @property
    def statement(self) -> dict[str, Any]:
        """What its file says beside what all say."""
        identities = {"identities": dict(self.identities)} if self.identities else {}
        return {"digest": self.digest, "neighbours": neighbours(self.relation), "schema": self.schema, **identities}

    def question(self, title: str, request: str, guarantee: Guarantee) -> Dataset:
        """One question to it."""
        return Dataset(self.name, self.domain, title, request, guarantee, self.deadline, self.purpose)


Entry: TypeAlias = Dataset | Study


def _check(name: str, deadline: int) -> None:
    """Raises ParameterError for what is no name, or no deadline."""
    rules.name(name, field="name")
    if not 1 <= deadline <= MOST_SECONDS:
        fix = "give the seconds after which nearly every release will be done"
        raise ParameterError("deadline", f"is not from 1 to {MOST_SECONDS}", fix)


class Catalogue:
    """The datasets of a home: a file for each in a folder, and what else is public about it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, tuple[tuple[int, int, int] | None, Entry]] = {}

    def names(self) -> list[str]:
        """The names of all, ascending."""
        return sorted(path.stem for path in self._folder.glob("*.json"))

    def find(self, name: str) -> Entry:
        """The dataset of this name.

        Raises:
            NotThere: there is none.
            IntegrityError: its file is not what `add` wrote.
        """
        known = self._known.get(name)
        if known is not None and known[0] == self._version(name):
            return known[1]
        if name not in self.names():
            raise NotThere("dataset", "is not there", "see which there are: GET /v1/datasets")
        try:
            version = self._version(name)
            entry = _parsed(json.loads(content(self._folder / f"{name}.json", MOST_BYTES)), name)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, StarlingError):
            raise IntegrityError("dataset", "is not described as Starling does", "register it anew") from None
        self._known[name] = version, entry
        return entry

    def _version(self, name: str) -> tuple[int, int, int] | None:
        """What is another once the file of a dataset was changed; None where there is none."""
        try:
            status = os.stat(f"{self._folder}/{name}.json")  # noqa: PTH116 (a path costs more than this)
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size

    def release(self, name: str) -> Dataset:
        """The dataset of this name, whose plan says all that is released; raises AnotherKind for one that is asked questions."""
        entry = self.find(name)
        if isinstance(entry, Study):
            raise AnotherKind("question", "is missing", "say what is asked: GET /v1/datasets/NAME has the schema")
        return entry

    def is_single(self, name: str) -> bool:
        """Whether the plan of the dataset of this name says all that is released; raises as `find`."""
        return isinstance(self.find(name), Dataset)

    def study(self, name: str) -> Study:
        """The dataset of this name, which is asked questions; raises AnotherKind for one whose plan says all."""
        entry = self.find(name)
        if isinstance(entry, Dataset):
            raise AnotherKind("question", "is not asked here: the plan says all", "ask for the release, without it")
        return entry

    def plan(self, name: str) -> Path:
        """The folder of the public plan of a dataset that is asked questions, or whose plan has a page."""
        return self._folder / f"{name}.plan"

    def has_plan_page(self, name: str) -> bool:
        """Whether the plan of a dataset says all, and has a page on which another may be chosen; one registered before has none."""
        return self.is_single(name) and self.plan(name).is_dir()

    def plan_zip(self, name: str) -> Path:
        """The public plan of such a dataset, as one zip."""
        return self._folder / f"{name}.plan.zip"

    def preview(self, name: str) -> list[dict[str, Any]]:
        """The expected error of the release of a dataset, as sections (release/report/plain.py); raises IntegrityError as `find`."""
        try:
            sections = json.loads(content(self._folder / f"{name}.preview", MOST_BYTES))
        except (OSError, ValueError, RecursionError):
            sections = None
        if not isinstance(sections, list):
            raise IntegrityError("dataset", "has no preview as Starling writes it", "register it anew")
        return sections

    def add(self, dataset: Entry, preview: Sequence[Mapping[str, Any]] = ()) -> None:
        """Describe a dataset, for good; the plan of one that is asked questions is in its folder already.

        `preview` is the expected error of the release.

        Raises:
            ParameterError: there is one of this name.
            OutputError: it cannot be written.
        """
        statement = {
            "format": FORMAT,
            "name": dataset.name,
            "domain": dataset.domain,
            "title": dataset.title,
            "deadline": dataset.deadline,
            "purpose": encode(Purpose, dataset.purpose),
            **dataset.statement,
        }
        if dataset.name not in self.names():
            # Left by a registration that was cut off.
            (self._folder / f"{dataset.name}.preview").unlink(missing_ok=True)
            write_new(self._folder / f"{dataset.name}.preview", json.dumps(list(preview)))
        write_new(self._folder / f"{dataset.name}.json", json.dumps(statement, indent=1))


def _parsed(statement: Any, name: str) -> Entry:
    if (statement["format"], statement["name"]) != (FORMAT, name):
        raise ValueError
    kind = "digest" if "digest" in statement else "request"
    texts = {key: statement[key] for key in ("domain", "title", kind)}
    if not all(isinstance(each, str) for each in texts.values()) or type(statement["deadline"]) is not int:
        raise TypeError
    purpose = decode(Purpose, statement["purpose"])
    if kind == "request":
        detected = statement.get("detected")
        if not (detected is None or (isinstance(detected, float) and 0 <= detected <= 1)):
            raise TypeError
        more = {"guarantee": guarantee_of(statement), "detected": detected, "purpose": purpose}
        return Dataset(name=name, deadline=statement["deadline"], **more, **texts)
    relation = Relation(statement["neighbours"]["change"], statement["neighbours"]["unit"])
    if statement["neighbours"] != neighbours(relation) or not isinstance(statement["schema"], dict):
        raise TypeError
    schema, deadline, identities = statement["schema"], statement["deadline"], statement.get("identities", {})
    if not all(isinstance(each, str) for pair in identities.items() for each in pair):
        raise TypeError
    more = {"schema": schema, "purpose": purpose, "identities": identities}
    return Study(name=name, relation=relation, deadline=deadline, **more, **texts)
