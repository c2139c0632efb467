"""Options that more than one command has, each declared once. Each is a decorator of the command."""

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeAlias

import click

Decorator: TypeAlias = Callable[[Any], Any]

PATH: Final = click.Path(path_type=Path)

PIN: Final = "the fingerprint that they publish, the public key, or the name of a key that is here"
"""What an option takes that says who should have signed."""


def path(*names: str, **settings: Any) -> Decorator:
    """An option that takes a file or folder."""
    return click.option(*names, type=PATH, **settings)


def flag(*names: str, **settings: Any) -> Decorator:
    """An option that takes nothing."""
    return click.option(*names, is_flag=True, **settings)


def with_default(*names: str, **settings: Any) -> Decorator:
    """An option whose default the help shows."""
    return click.option(*names, show_default=True, **settings)


def number(*names: str, **settings: Any) -> Decorator:
    """An option that takes a whole number N, with its default where it has one."""
    return with_default(*names, type=int, metavar="N", **settings)


def as_one(name: str, kind: Any, *options: Decorator) -> Decorator:
    """A decorator that gives several options to a command as one value.

    Args:
        name: The argument of the command that takes the value.
        kind: The dataclass of the value; its fields are the names of the options.
        options: The decorators of the options, in the order of the help.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        @wraps(function)
        def collected(**values: Any) -> Any:
            value = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
            return function(**values, **{name: value})

        return with_options(collected, *options)

    return decorate


def with_options(function: Any, *options: Decorator) -> Any:
    """A function with these options, which the help lists in this order."""
    for option in reversed(options):
        function = option(function)
    return function


def _open_home(_: click.Context, __: click.Parameter, folder: Path) -> Any:
    from starling.server.home import open_home

    return open_home(folder)


home = click.argument("home", type=PATH, callback=_open_home)
"""HOME, the folder of a server, opened."""

numbered = click.argument("number", type=click.IntRange(1, 2**62))
"""NUMBER, of a release or of a request for approval."""

plan = click.argument("plan")
"""PLAN, a folder, a file, or the name of a plan that comes with Starling."""

plan_file = click.argument("plan", type=PATH)
"""PLAN, a plan file."""

plan_file_if_any = click.argument("plan", type=PATH, required=False)
"""PLAN, of a command that has something else in its place."""

persons = path(
    "--persons",
    required=True,
    metavar="FILE",
    help="Records, confidential: of the Census pipe-delimited text or Parquet, of custom tables CSV or Parquet.",
)
"""--persons, which opens records."""

_GEOGRAPHY: Final = "Blocks with their places and areas (GRF-C), public."

geography = path("--geography", metavar="FILE", help=f"{_GEOGRAPHY} Of plans of the Census alone.")
"""--geography of a command that reads records."""

geography_if_known = path("--geography", metavar="FILE", help=f"{_GEOGRAPHY} With it, groups are counted.")
"""--geography of a command that needs a plan alone."""

top_up = path(
    "--top-up",
    metavar="RELEASE",
    help="An earlier release of this plan but for budgets: re-measure its groups and combine both. Levels left out of PLAN stay as"
    " they are.",
)
"""--top-up, an earlier release."""

compared = path("--release", required=True, metavar="DIR", help="The release to compare.")
"""--release, which is compared with the truth."""

engine = with_default(
    "--engine",
    default="duckdb",
    metavar="NAME",
    help="Counts: duckdb, spark://local (needs the extra spark), or spark://HOST:PORT, a cluster's master.",
)
"""--engine, which counts."""

page = path("--out", metavar="DIR", help="Write a page with pictures too: preview.html there.")
"""--out of a preview."""

open_page = flag("--open", "opens", help="Open it in the browser.")
"""--open of a command that writes a page."""

new_folder = path("--out", required=True, metavar="DIR", help="Folder to make.")
"""--out of a command that makes a folder."""

seed = number("--seed", default=1, help="Public: the same gives the same bytes.")
"""--seed of invented data."""

signer = click.option("--key", metavar="KEY", help=f"Who should have signed: {PIN}.")
"""--key, who should have signed a release."""
