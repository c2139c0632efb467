"""Our own plan files, in TOML: which grammar reads and writes them, and where those lie that come with Starling."""

import difflib
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from starling.errors import PlanError
from starling.planfile.telling import check_domain
from starling.planfile.toml import Section, read_file
from starling.tables.plan.census import CONFIG, read_census
from starling.tables.plan.census_grammar import census_values, read_census_plan
from starling.tables.plan.choices import Choices
from starling.tables.plan.custom_grammar import CUSTOM, read_custom
from starling.tables.plan.custom_records import CustomRecords


def read_section(top: Section, folder: Path) -> Choices:
    """The plan of a parsed file: of custom records where it declares columns or regions; `folder` is where the files are that it names.

    Raises:
        PlanError: with every problem of the file and of the files that it names.
    """
    check_domain(top, "tables")
    return (read_custom if top.values.keys() & {"columns", "regions"} else read_census_plan)(top, folder)


def values_of(plan: Choices, definitions: str | None) -> dict[str, Any]:
    """The values that say a plan, as `Plan.values` gives them."""
    if plan.variants.top_up is not None:
        raise PlanError("top-up", "is of a release, which no plan file says", "say the earlier plan")
    return CUSTOM.values(plan) if isinstance(plan.records, CustomRecords) else census_values(plan, definitions)


def shipped() -> dict[str, Path]:
    """The plans that come with Starling and are whole, by name."""
    return {name: path for name, path in _presets().items() if not _waits(path)}


def waiting() -> tuple[str, ...]:
    """The names of the plans that come with Starling and wait for definition files: NAME:FOLDER names such a plan with their folder."""
    return tuple(name for name, path in _presets().items() if _waits(path))


def _presets() -> dict[str, Path]:
    return {path.stem: path for path in sorted((Path(__file__).parent.parent / "presets").glob("*.toml"))}


@cache
def _waits(path: Path) -> bool:
    return "definitions" in tomllib.loads(path.read_text("utf-8"))


def read(name: str | Path) -> tuple[Choices, str]:
    """What the plan of that name or at that path states, and the name of its file; name and errors as those of `located`."""
    path, definitions = located(name)
    if path.is_dir():
        return read_census(path), CONFIG
    top = read_file(path)
    if definitions is not None:
        top = replace(top, values={**top.values, "definitions": str(definitions.resolve())})
    return read_section(top, path.parent), path.name


def located(name: str | Path) -> tuple[Path, Path | None]:
    """Where the plan of that name or at that path is, and the folder of its definitions where the name says one.

    Args:
        name: A Census configuration folder, a plan file in TOML, or, as a text, the name of a plan that comes with Starling, such as
            "demo"; NAME:FOLDER for one that waits for a folder of Census definition files.

    Raises:
        PlanError: there is none.
    """
    named, late = ({}, ()) if isinstance(name, Path) else (shipped(), waiting())
    first, colon, folder = str(name).partition(":")
    if first in late and not Path(name).exists():
        if not folder:
            fix = f"write {first}:FOLDER, the folder of the four Census definition files"
            raise PlanError("plan", f"{first} needs definition files", fix)
        if not Path(folder).is_dir():
            raise PlanError("definitions", "is not a folder", "give the folder of the four Census definition files")
        return _presets()[first], Path(folder)
    path = named.get(str(name), Path(name))
    if not path.exists():
        near = difflib.get_close_matches(first, [*named, *late], n=1)
        near = [f"{near[0]}{colon}{folder}" if near[0] in late and folder else near[0]] if near else []
        fix = f"did you mean {near[0]}?" if near else f"give a folder, a .toml file, or one of {', '.join(shipped())}"
        raise PlanError("plan", f"{str(name)!r} is not there", fix)
    fix = f"give a Census configuration folder (with {CONFIG}) or a .toml file"
    if path.is_dir() and not (path / CONFIG).exists():
        raise PlanError("plan", f"{path.name!r} is a folder without {CONFIG}", fix)
    if path.is_dir() or path.suffix == ".toml":
        return path, None
    raise PlanError("plan", f"{path.name!r} is neither a folder nor a TOML file", fix)
