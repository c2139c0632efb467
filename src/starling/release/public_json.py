"""Public JSON files of a release in their one form: what one value gives is one text, and a text that no value gives is refused."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from starling.errors import IntegrityError
from starling.release.codec import Json, refuse
from starling.release.datapackage import LARGEST
from starling.release.manifest import DOWNLOAD_AGAIN

T = TypeVar("T")


def write(folder: Path, name: str, value: Mapping[str, Json]) -> None:
    """Write one file below `folder`."""
    (folder / name).write_text(form(value), encoding="utf-8")


def read(folder: Path, name: str, make: Callable[[Any], T], back: Callable[[T], Mapping[str, Json]]) -> T:
    """What a file states: `make` gives the value of parsed JSON, `back` the JSON of a value.

    Raises:
        IntegrityError: it is not what `write` writes of any value.
        PlanError: by `make`.
    """
    try:
        if (folder / name).stat().st_size > LARGEST:
            refuse()
        text = (folder / name).read_bytes().decode("utf-8")
        value = make(json.loads(text))
        if form(back(value)) == text:
            return value
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError):
        pass
    raise IntegrityError(name, "is not as Starling writes it", DOWNLOAD_AGAIN)


def form(value: Mapping[str, Json]) -> str:
    """The one text of a file."""
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
