"""What the chapters of the demo share: their form, public data that come with a package, and where to look."""

from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

from starling.cli.commands import Result
from starling.distribution import install
from starling.errors import ParameterError

Chapter: TypeAlias = tuple[Result, tuple[str, ...]]
"""What a chapter shows, and commands that go on from there."""


def packaged(package: str, file: str, what: str) -> Path:
    """A file of public data in a package, which is found without importing it: that would read all of its tables.

    Raises:
        ParameterError: `what` it holds is missing, since the package is not installed.
    """
    spec = find_spec(package)
    for folder in [] if spec is None else spec.submodule_search_locations or ():
        if (path := Path(folder) / file).is_file():
            return path
    raise ParameterError("demo", f"needs the {what} of {package}, which are not there", install("demo"))


def written(out: Path) -> str:
    """Where the report and the tables of a release are that a chapter wrote into a folder."""
    from starling.release.text import facts

    return facts([("report", str(out / "report.html")), ("tables", str(out / "data"))])
