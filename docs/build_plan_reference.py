"""Write docs/reference/plan-keys.md from the grammars of plan files. Run this file after a change of a key."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from starling.domains import DOMAINS, domain
from starling.places.areas.plan.areas_grammar import AREAS
from starling.planfile.formats import FORMAT
from starling.planfile.grammar import NEEDED, Key, Table, plan_schema

HEAD: Final = """# Plan keys

For everyone who writes a plan: every key, with the values that it takes. `python docs/build_plan_reference.py` writes this page
from the grammars that read and write plans.

Plans are TOML; a Census folder has `config.json`. Keys in bold are needed. Exact numbers are texts such as `"0.1"` or `"1/3"`, or
integers: as a float, 0.1 is not 1/10.

With the JSON Schema of `starling DOMAIN schema > plan.schema.json`, and `#:schema ./plan.schema.json` as the first line of a plan,
an editor completes keys and marks wrong ones. The site has them too, as `reference/DOMAIN.schema.json`.
Which keys go together, the command `plan` checks.
"""
COLUMNS: Final = ("key", "takes", "left out", "means")
RULE: Final = ("---",) * len(COLUMNS)


def rows(table: Table) -> Iterator[tuple[str, ...]]:
    """A row for each key of a table and of those inside it; keys that stand together and say the same share one."""
    for says, alike in groupby(_rows(table), key=lambda row: row[1:]):
        names = [row[0] for row in alike]
        yield (names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"), *says


def _rows(table: Table, above: str = "") -> Iterator[tuple[str, ...]]:
    for name, key in table.keys.items():
        inside = None if key.kind.inside in (AREAS, FORMAT) else key.kind.inside
        if key.kind.words and (inside is None or key.default is not NEEDED):
            mark = "**" if key.default is NEEDED else ""
            yield f"{mark}`{above}{name}`{mark}", key.kind.words, without(key), key.what
        if inside is not None:
            yield from _rows(inside, f"{above}{name}.")
    if table.free is not None:
        yield f"`{above}*`", table.free.kind.words, "", table.free.what


def without(key: Key) -> str:
    """What a plan has that leaves a key out."""
    unstated = key.kind.inside is not None or key.default in (NEEDED, None)
    written = None if unstated else key.kind.write(key.default)
    return "" if written in (None, "", (), [], {}) else f"`{json.dumps(written)}`"


def section(title: str, table: Table) -> str:
    """A part of the page."""
    return listed(title, rows(table))


def listed(title: str, lines: Iterable[tuple[str, ...]], note: str = "") -> str:
    """A table of keys under its title."""
    return f"## {title}\n\n{note}" + "\n".join(f"|{'|'.join(line)}|" for line in (COLUMNS, RULE, *lines))


def beside_places(title: str, table: Table, places: Table) -> str:
    """The keys of plans of areas, flows or trips that plans of a grid have not, or that say something else there."""
    known = set(rows(places))
    return listed(
        title,
        (row for row in rows(table) if row not in known),
        "Keys that are not here are those of places, where they apply.\n\n",
    )


def grammars() -> dict[str, Mapping[str, Table]]:
    """The grammars of each domain."""
    registered = ((name, domain(name)) for name in DOMAINS)
    return {name: value.grammars for name, value in registered if value is not None and value.grammars}


def page() -> str:
    """The whole page."""
    parts = [
        beside_places(title.capitalize(), each, named["places"])
        if title in ("places by area", "flows", "flows on a grid")
        else section(title[0].upper() + title[1:], each)
        for named in grammars().values()
        for title, each in named.items()
    ]
    shared = (section("`[areas]` { #areas }", AREAS), section("`[format]` { #format }", FORMAT))
    return "\n\n".join([HEAD.rstrip("\n"), *parts, *shared]) + "\n"


def schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of the plan files of each domain."""
    return {name: plan_schema(name, *each.values()) for name, each in grammars().items()}


if __name__ == "__main__":
    reference = Path(__file__).parent / "reference"
    (reference / "plan-keys.md").write_text(page())
