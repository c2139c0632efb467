"""Write docs/reference/python-api.md from signatures and docstrings of the public names. Run this file after a change of one."""

import inspect
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import starling
from starling import errors, genome, groups, places, tables
from starling.genome.analysis import GenomeRelease
from starling.groups.analysis import GroupsRelease
from starling.places.analysis import PlacesRelease
from starling.release.reading import DomainRelease
from starling.tables.analysis import TablesRelease

HEAD: Final = """# Python API

For everyone who works in Python: the public names, with their arguments. Anything else may change without notice.
`python docs/build_api_reference.py` writes this page; `help(NAME)` shows more: types, what is raised, examples.

A path may be text or `Path`. An exact amount is an `int`, a `Fraction`, or text such as `"0.5"`; a float is refused.
What is wrong with arguments, plans, files or outputs raises ahead of a charge, and so does a ledger that refuses it;
after a charge there is `RunFailed` alone ([errors](#starlingerrors)).
`records` are a file, a folder of Parquet parts, an Arrow table, a frame of pandas, polars or Spark, or a relation of DuckDB.
"""
PLANS: Final = """## Plans

A plan is made by `plan` of its domain, read by `load` of its class, or stated by the keys of a plan file in `of`.
`values` gives these back, `cost` is what a release costs, and `guarantee` what ledger, audit and report read.
All plans have these in common, with the arguments that fit; shown are those of tables.
`ledger`, `dataset`, `analyst`, `request_id` and `unvalidated` are those of [PaymentOptions](#starlingpaymentoptions).
"""
PACKAGES: Final = (starling, tables, groups, places, genome)
RELEASES: Final = (DomainRelease, TablesRelease, GroupsRelease, PlacesRelease, GenomeRelease)
FACE: Final = ("generate", "load", "of", "preview", "release", "save", "validate")
"""What a session does with a plan; its other attributes are what the plan file states."""
NOT_SHOWN: Final = (
    "answers", "first_squares", "keep_open", "parts", "pictured", "questions",
    "shaded", "size", "sizes", "slice_number", "stored", "tell",
)  # fmt: skip
"""Of an opened release, what the server and pages use."""
SECTION: Final = re.compile(r"^(Args|Attributes|Raises|Returns|Yields|Source|Shape):$", re.MULTILINE)
ENTRY: Final = re.compile(r"^    (\S[^\n]*(?:\n     +[^\n]*)*)", re.MULTILINE)
LONGEST: Final = 24
"""Letters of a default value that is shown."""
COMMON: Final = 3
FEW: Final = 5
"""In so many places an argument is explained once, at the head of the page."""


def argument(parameter: inspect.Parameter) -> str:
    """A parameter with its default, where that is short."""
    text = {parameter.VAR_KEYWORD: "**", parameter.VAR_POSITIONAL: "*"}.get(parameter.kind, "") + parameter.name
    if parameter.default is parameter.empty:
        return text
    default = str(parameter.default) if isinstance(parameter.default, Fraction) else repr(parameter.default)
    return f"{text}={default if len(default) <= LONGEST and ' at 0x' not in default else '...'}"


def signature(name: str, value: Any) -> str:
    """A call of a public name: its arguments with their defaults, and no types."""
    parts, is_named = [], False
    for parameter in inspect.signature(value).parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not is_named:
            parts.append("*")
            is_named = True
        parts.append(argument(parameter))
    return f"{name}({', '.join(parts)})"


def paragraphs(value: Any) -> list[str]:
    """The paragraphs of a docstring ahead of its first section or example."""
    text = inspect.getdoc(value) or ""
    text = text[
        : min(
            (match.start() for match in (SECTION.search(text), re.search(r"^>>>", text, re.MULTILINE)) if match),
            default=None,
        )
    ]
    return [" ".join(each.split()) for each in text.split("\n\n") if each.strip()]


def first_sentence(text: str) -> str:
    """The first sentence of a text; `help` shows the others."""
    return re.split(r"(?<=\w[.])\s(?=[A-Z])", text)[0]


def entries(value: Any, section: str) -> Iterator[str]:
    """The entries of a section of a docstring, one line each."""
    text = inspect.getdoc(value) or ""
    begin = re.search(rf"^{section}:\n", text, re.MULTILINE)
    if begin:
        rest = text[begin.end() :]
        end = re.search(r"^\S", rest, re.MULTILINE)
        for match in ENTRY.finditer(rest[: end.start() if end else None]):
            name, _, meaning = " ".join(match[1].split()).partition(": ")
            yield f"- `{name}`: {first_sentence(meaning)}" if meaning else f"- {name}"


def members(kind: type, *, without: type = object) -> Iterator[str]:
    """The public attributes and methods of a class, each with its first paragraph; those that `without` has are left out."""
    for name, value in inspect.getmembers(kind):
        if name.startswith("_") or name in NOT_SHOWN or hasattr(without, name) or not is_shown(kind, name):
            continue
        called = value.func if hasattr(value, "func") else value
        doc = first_sentence(" ".join(paragraphs(called)[:1]))
        if doc and "starling" in str(getattr(inspect.unwrap(getattr(called, "fget", called)), "__module__", "")):
            yield f"- `{signature(name, called) if callable(called) else name}`: {doc}"


def is_shown(kind: type, member: str) -> bool:
    """Whether a page shows a member of a class: of a plan, what its domain adds to the face of all."""
    return not kind.__name__.endswith("Plan") or (member in FACE and not is_common(member))


def is_common(member: str) -> bool:
    """Whether the plans of all domains have a member."""
    return all(hasattr(module.Plan, member) for module in PACKAGES[1:])


@cache
def common_arguments() -> tuple[str, ...]:
    """The arguments that at least three public names explain in the same words, where these are more than a few."""
    values = {id(value): value for module in PACKAGES for value in (getattr(module, name) for name in module.__all__)}
    counted = Counter(
        line for value in values.values() for section in ("Args", "Attributes") for line in entries(value, section)
    )
    return tuple(sorted(line for line, number in counted.items() if number >= COMMON and len(line.split()) > FEW))


def is_in_head(line: str) -> bool:
    """Whether the head of the page says the same of an argument."""
    return line.partition(": ")[2].rstrip(".").casefold() in HEAD.casefold()


def is_brief(name: str, value: Any) -> bool:
    """Whether a line says enough: a plan or a study has the same, or it is a question, whose fields the methods of `Study` explain."""
    package_name, _, called = name.partition(".")
    home = getattr(starling, package_name, starling)
    is_of_plans = called in FACE and hasattr(getattr(home, "Plan", None), called)
    is_elsewhere = is_of_plans or hasattr(getattr(home, "Study", None), called)
    return hasattr(value, "check") or (is_elsewhere and not inspect.isclass(value))


def described(name: str, value: Any) -> str:
    """The section about one public name, or its line."""
    if is_brief(name, value):
        return f"- `{signature(name, value)}`"
    has_arguments = "\nArgs:\n" in (inspect.getdoc(value) or "") or not inspect.isclass(value)
    is_plan = getattr(value, "__name__", "").endswith("Plan")
    call = f"`{signature(name, value)}`" if has_arguments else ""
    arguments = entries(value, "Args") if has_arguments or is_plan else entries(value, "Attributes")
    lists = ["\n".join(line for line in arguments if line not in common_arguments() and not is_in_head(line))]
    if inspect.isclass(value):
        lists.append("\n".join(members(value)))
    return "\n\n".join(block for block in [f"### {name}", call, *paragraphs(value)[:1], *lists] if block)


def is_said(module: ModuleType, value: Any) -> bool:
    """Whether `starling` itself has the same name."""
    return module is not starling and any(value is getattr(starling, name) for name in starling.__all__)


def package(module: ModuleType) -> str:
    """The section about a package."""
    short = module.__name__.removeprefix("starling.")
    values = {f"{short}.{name}": getattr(module, name) for name in module.__all__}
    names = {name: value for name, value in values.items() if not is_said(module, value)}
    lines = [described(name, value) for name, value in names.items() if is_brief(name, value)]
    sections = [described(name, value) for name, value in names.items() if not is_brief(name, value)]
    methods = "methods of a plan or of `Study`" if module is genome else "methods of a plan"
    alike = f"Explained as {methods}:"
    blocks = [
        f"## {module.__name__}",
        " ".join(paragraphs(module)[:1]),
        *([alike] if lines else []),
        "\n".join(lines),
        *sections,
    ]
    return "\n\n".join(block for block in blocks if block)


def releases() -> str:
    """The section about opened releases: what all have, and what those of a domain add."""
    blocks = ["## Opened releases", "`starling.open_release(PATH)` gives one of these, by the domain of the release."]
    for kind in RELEASES:
        blocks += [
            f"### {kind.__name__}",
            *paragraphs(kind)[:1],
            "\n".join(members(kind, without=object if kind is DomainRelease else DomainRelease)),
        ]
    return "\n\n".join(blocks)


def plans() -> str:
    """The section about plans: what those of all domains have."""
    listed = [line for line in members_of_plans() if line]
    return f"{PLANS}\n" + "\n".join(listed)


def members_of_plans() -> Iterator[str]:
    """The members that the plans of all domains have, in the words of tables."""
    for name in filter(is_common, FACE):
        value = getattr(tables.Plan, name)
        called = getattr(value, "func", value)
        shown = signature(name, called) if callable(called) else name
        yield f"- `{shown}`: {' '.join(paragraphs(called)[:1])}"


def failures() -> str:
    """The section about errors: which there are, with exit code and HTTP status."""
    kinds = [kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, errors.StarlingError)]
    rows = [
        f"| `{kind.__name__}` | {kind.exit_code} | {kind.status} | {' '.join(paragraphs(kind))} |" for kind in kinds
    ]
    return "\n".join(
        [
            "## starling.errors",
            "",
            "Every error is a `StarlingError`. Its `problems` name field, problem and fix; it never holds a confidential value.",
            "",
            "| error | exit code | HTTP status | means |",
            "| --- | --: | --: | --- |",
            *rows,
        ]
    )


def page() -> str:
    """The whole page."""
    common = "\n".join(["Arguments that mean the same everywhere:", "", *common_arguments()])
    parts = [HEAD.rstrip("\n"), common, package(starling), plans(), releases(), *map(package, PACKAGES[1:]), failures()]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    (Path(__file__).parent / "reference" / "python-api.md").write_text(page())
