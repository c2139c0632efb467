"""What is public about registered data: what a release of it is, what that costs, and when its answer leaves.

The custodian's command line writes it, once, as one file for each dataset; the web process reads it. No path is in it, and nothing of
the records.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from starling.errors import IntegrityError, OutputError, ParameterError, StarlingError
from starling.ledger import rules
from starling.planfile.foreign import content
from starling.privacy.guarantee import Guarantee
from starling.release.arithmetic import guarantee_of
from starling.release.statement import composition, neighbours

FORMAT: Final = "starling-dataset/1"
MOST_BYTES: Final = 1 << 24
"""Bytes of the file of a dataset."""
MOST_SECONDS: Final = 86_400
"""The latest deadline."""


class NotThere(ParameterError):
    """What is asked for is not there, or not for whoever asks: both are said in the same words."""

    status: ClassVar[int] = 404


@dataclass(frozen=True, slots=True)
class Dataset:
    """Registered data, as everybody with a token may know them.

    Attributes:
        name: The name, which is that of the dataset in the ledger.
        domain: The kind of statistics.
        title: What a release is called.
        request: What a release of it asks, in canonical JSON.
        guarantee: What a release is charged.
        deadline: Seconds from the charge to the answer; an answer that misses it leaves when it has doubled, or doubled again.
    """

    name: str
    domain: str
    title: str
    request: str
    guarantee: Guarantee
    deadline: int

    def __post_init__(self) -> None:
        rules.name(self.name, field="name")
        if not 1 <= self.deadline <= MOST_SECONDS:
            fix = "give the seconds after which nearly every release will be done"
            raise ParameterError("deadline", f"is not from 1 to {MOST_SECONDS}", fix)


class Catalogue:
    """The datasets of a home.

    Args:
        folder: The folder that holds a file for each.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        """The names of all, ascending."""
        return sorted(path.stem for path in self._folder.glob("*.json"))

    def find(self, name: str) -> Dataset:
        """The dataset of this name.

        Raises:
            NotThere: there is none.
            IntegrityError: its file is not what `add` wrote.
        """
        if name not in self.names():
            raise NotThere("dataset", "is not there", "see which there are: GET /v1/datasets")
        try:
            return _parsed(json.loads(content(self._folder / f"{name}.json", MOST_BYTES)), name)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, StarlingError):
            raise IntegrityError("dataset", "is not described as Starling does", "register it anew") from None

    def add(self, dataset: Dataset) -> None:
        """Describe a dataset, for good.

        Raises:
            ParameterError: there is one of this name.
            OutputError: it cannot be written.
        """
        said = {
            "format": FORMAT,
            "name": dataset.name,
            "domain": dataset.domain,
            "title": dataset.title,
            "request": dataset.request,
            "deadline": dataset.deadline,
            **priced(dataset.guarantee),
        }
        write_new(self._folder / f"{dataset.name}.json", json.dumps(said, indent=1))


def priced(guarantee: Guarantee) -> dict[str, Any]:
    """A guarantee as it is kept in a home: what `arithmetic.guarantee_of` reads."""
    return {
        "neighbours": neighbours(guarantee.relation),
        "measure": {"name": guarantee.cost.measure},
        "composition": composition(guarantee),
    }


def write_new(path: Path, text: str) -> None:
    """Write a file that is there as a whole or not at all.

    Raises:
        ParameterError: it is there already.
        OutputError: it cannot be written.
    """
    partial = path.with_suffix(".partial")
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.link(partial, path)
    except FileExistsError:
        raise ParameterError("name", f"{path.stem} is taken", "a new delivery has a new name") from None
    except OSError:
        raise OutputError("home", "cannot be written", "make room in the folder of the server") from None
    finally:
        partial.unlink(missing_ok=True)


def _parsed(said: Any, name: str) -> Dataset:
    if (said["format"], said["name"]) != (FORMAT, name):
        raise ValueError
    texts = {key: said[key] for key in ("domain", "title", "request")}
    if not all(isinstance(each, str) for each in texts.values()) or type(said["deadline"]) is not int:
        raise TypeError
    return Dataset(name=name, guarantee=guarantee_of(said), deadline=said["deadline"], **texts)
