"""The plan of invented records: that of the records which they stand in for, but for a title that says what they are.

Reports, privacy.json, bundles and every answer of a server bear the title, so that none of them can be taken for a release of real records.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from starling.errors import OutputError
from starling.planfile.spelling import LONGEST_NAME
from starling.planfile.toml import read_file
from starling.planfile.values import toml_of, write_new

PREFIX: Final = "Invented: "
"""What the title of a plan of invented records begins with."""
SEED: Final = 1
"""The public seed that records are invented from."""
PLAN: Final = "plan.toml"
"""The name of the plan file beside them."""
NOTE: Final = "GENERATED.json"
"""The name of the file beside them that says what they are."""


def titled(title: str) -> str:
    """A title that says that the records are invented; no longer than a title may be.

    >>> titled("Pickups in New York")
    'Invented: Pickups in New York'
    """
    return f"{PREFIX}{title}"[:LONGEST_NAME]


def write_titled(
    plan: Path, folder: Path, change: Callable[[dict[str, Any]], Mapping[str, Any]] = lambda values: values
) -> Path:
    """Write the plan file PLAN of invented records into a folder.

    Args:
        plan: A plan file (TOML) that can be read.
        folder: The folder.
        change: Gives the values of the plan file, with their title, as they are to be written: other places of public files, say.

    Raises:
        PlanError: the plan file cannot be read.
        OutputError: PLAN is there, or cannot be written.
    """
    values = dict(read_file(plan).values)
    values["title"] = titled(str(values["title"]))
    path = folder / PLAN
    write_new(path, toml_of(change(values)))
    return path


def copied(path: Path, folder: Path, name: str) -> str:
    """The name under which a public file that a plan names was copied into a folder; raises OutputError where it cannot be."""
    try:
        return Path(shutil.copyfile(path, folder / f"{name}{path.suffix}")).name
    except OSError as error:
        raise OutputError(str(path), f"cannot be copied ({error.strerror})", "make room in the folder") from None


def write_note(folder: Path, notice: str, values: Mapping[str, Any]) -> None:
    """Write NOTE: a notice that everything in the folder is invented, the seed, and how much of it there is."""
    text = json.dumps({"notice": notice, **values}, indent=2, ensure_ascii=False)
    (folder / NOTE).write_text(text + "\n", encoding="utf-8")
