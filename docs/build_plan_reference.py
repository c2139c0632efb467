"""Write docs/reference/plan-keys.md from the grammars of plan files. Run this file after a change of a key."""

import json
from collections.abc import Container, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from starling.domains import DOMAINS, domain
from starling.places.areas.plan.areas_grammar import AREAS
from starling.planfile.formats import FORMAT
from starling.planfile.grammar import NEEDED, Key, Table, plan_schema

HEAD: Final = """# Plan keys

For everyone who writes a plan: every key, with the values that it takes. `python docs/build_plan_reference.py` writes this page.

Plans are TOML; a Census folder has `config.json`. Keys in bold are needed. Exact numbers are texts such as `"0.1"` or `"1/3"`, or
integers: as a float, 0.1 is not 1/10.

With `starling DOMAIN schema > plan.schema.json`, and `#:schema ./plan.schema.json` as the first line of a plan,
an editor completes keys and marks wrong ones. Which keys go together, the command `plan` checks.
"""
Row = tuple[str, ...]
"""Name, values, what it is without, and meaning of a key."""
COLUMNS: Final = ("key", "takes", "left out", "means")
RULE: Final = ("---",) * len(COLUMNS)


def rows(table: Table, known: Container[Row] = ()) -> Iterator[Row]:
    """A row for each key of a table and of those inside it, but for known ones; keys that say the same share one.

    These stand together, or have one name in several tables.
    """
    shared: dict[Row, list[str]] = {}
    for says, alike in groupby((row for row in _rows(table) if row not in known), key=lambda row: row[1:]):
        names = [row[0] for row in alike]
        name = names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"
        shared.setdefault((name.strip("*`").rpartition(".")[2], *says), []).append(name)
    for (_, *says), names in shared.items():
        yield ", ".join(names), *says


def _rows(table: Table, above: str = "") -> Iterator[Row]:
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


def section(title: str, table: Table, others: Mapping[str, Table]) -> str:
    """A part of the page: the keys of a table under its title, by name alone where others have them in the same words."""
    blocks, known = [f"## {title}"], set[Row]()
    for other, keys in others.items():
        alike = [row for row in _rows(keys) if row in set(_rows(table)) - known]
        if alike:
            blocks.append(f"As of {other}: {', '.join(row[0] for row in alike)}.")
        known |= set(alike)
    lines = rows(table, known)
    return "\n\n".join([*blocks, "\n".join(f"|{'|'.join(line)}|" for line in (COLUMNS, RULE, *lines))])


def grammars() -> dict[str, Mapping[str, Table]]:
    """The grammars of each domain."""
    registered = ((name, domain(name)) for name in DOMAINS)
    return {name: value.grammars for name, value in registered if value is not None and value.grammars}


def page() -> str:
    """The whole page."""
    parts = [
        section(title[0].upper() + title[1:], table, dict([*named.items()][:place]))
        for named in grammars().values()
        for place, (title, table) in enumerate(named.items())
    ]
    shared = (section("`[areas]` { #areas }", AREAS, {}), section("`[format]` { #format }", FORMAT, {}))
    return "\n\n".join([HEAD.rstrip("\n"), *parts, *shared]) + "\n"


def schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of the plan files of each domain."""
    return {name: plan_schema(name, *each.values()) for name, each in grammars().items()}


if __name__ == "__main__":
    reference = Path(__file__).parent / "reference"
    (reference / "plan-keys.md").write_text(page())
