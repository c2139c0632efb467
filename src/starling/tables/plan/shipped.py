"""The plans that come with Starling, and which plan a name or path means."""

import difflib
import tomllib
from dataclasses import replace
from pathlib import Path

from starling.errors import PlanError
from starling.planfile.toml import read_file
from starling.tables.plan.census import CONFIG, read_census
from starling.tables.plan.choices import Choices
from starling.tables.plan.readable import read_section, read_toml


def shipped() -> dict[str, Path]:
    """The plans that come with Starling and are whole, by name."""
    return {name: path for name, path in _presets().items() if not _waits(path)}


def waiting() -> tuple[str, ...]:
    """The names of the plans that come with Starling and wait for definition files: NAME:FOLDER names such a plan with their folder."""
    return tuple(name for name, path in _presets().items() if _waits(path))


def _presets() -> dict[str, Path]:
    folder = Path(__file__).parent.parent / "presets"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def _waits(path: Path) -> bool:
    return "definitions" in tomllib.loads(path.read_text("utf-8"))


def read(name: str | Path) -> tuple[Choices, str]:
    """What the plan of that name or at that path states, and the name of its file.

    Args:
        name: A Census configuration folder, a plan file in TOML, or, as a text, the name of a plan that comes with Starling, such as
            "demo"; NAME:FOLDER for one that waits for a folder of Census definition files.

    Raises:
        PlanError: with every problem found.
    """
    named, late = ({}, ()) if isinstance(name, Path) else (shipped(), waiting())
    first, colon, folder = str(name).partition(":")
    if first in late and not Path(name).exists():
        if not folder:
            fix = f"write {first}:FOLDER, the folder of the four Census definition files"
            raise PlanError(field="plan", problem=f"{first} waits for definitions", fix=fix)
        return _of_definitions(first, Path(folder)), f"{first}.toml"
    path = named.get(str(name), Path(name))
    if not path.exists():
        near = difflib.get_close_matches(first, [*named, *late], n=1)
        near = [f"{near[0]}{colon}{folder}" if near[0] in late and folder else near[0]] if near else []
        fix = f"did you mean {near[0]}?" if near else f"give a folder, a .toml file, or one of {', '.join(shipped())}"
        raise PlanError(field="plan", problem=f"{str(name)!r} is not there", fix=fix)
    if path.is_dir():
        return read_census(path), CONFIG
    if path.suffix == ".toml":
        return read_toml(path), path.name
    fix = "give a Census configuration folder (with config.json) or a .toml file"
    raise PlanError(field="plan", problem=f"{path.name!r} is neither a folder nor a TOML file", fix=fix)


def _of_definitions(name: str, definitions: Path) -> Choices:
    """What the plan of that name states for a folder of Census definition files."""
    if not definitions.is_dir():
        fix = "give the folder of the four Census definition files"
        raise PlanError(field="definitions", problem="is not a folder", fix=fix)
    path = _presets()[name]
    top = read_file(path)
    return read_section(replace(top, values={**top.values, "definitions": str(definitions.resolve())}), path.parent)
