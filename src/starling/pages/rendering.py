"""Templates become pages: one environment, one stylesheet, three places.

A page that stands alone carries the stylesheet and needs no script. A served page links files below /static/, whose names change with
their bytes, so that a browser may keep them for good. A fragment stands in a page of somebody else, a notebook.
"""

import base64
import re
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Final
from unicodedata import category

from starling.distribution import SOFTWARE
from starling.errors import plain
from starling.pages.terms import TERMS

if TYPE_CHECKING:
    from jinja2 import Environment

    from starling.pages.parts import Section

PACKAGE: Final = "starling.pages"
_IMPORT: Final = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:const|function|class|async) )", re.MULTILINE)
_PART: Final = re.compile(r'<(script type="module"|style)>(.*?)</(?:script|style)>', re.DOTALL)
TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".bin": "application/octet-stream",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
"""The media type of each kind of static file."""


@cache
def static_files() -> Mapping[str, bytes]:
    """The static files by their names; a script has the scripts that it imports in it."""
    folder = files(PACKAGE) / "static"
    read = {each.name: each.read_bytes() for each in folder.iterdir() if f".{each.name.rpartition('.')[2]}" in TYPES}
    return {name: _joined(name, read).encode() if name.endswith(".js") else data for name, data in read.items()}


def _joined(name: str, read: Mapping[str, bytes]) -> str:
    """A module with each module of this folder that it imports before it, once: a page fetches one file, or carries it."""
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        text = read[name].decode()
        for other in _IMPORT.findall(text):
            if other not in parts:
                add(other)
        parts[name] = _EXPORT.sub("", _IMPORT.sub("", text))

    add(name)
    return "\n".join(parts.values())


@cache
def static_name(name: str) -> str:
    """The name under which a static file is served: with twelve digits of the SHA-256 of its bytes.

    >>> static_name("starling.css").count(".")
    2
    """
    stem, _, kind = name.rpartition(".")
    return f"{stem}.{sha256(static_files()[name]).hexdigest()[:12]}.{kind}"


def static_file(name: str) -> tuple[bytes, str] | None:
    """Bytes and media type of a static file by the name under which it is served, or by its own; None where there is none."""
    own = re.sub(r"\.[0-9a-f]{12}(\.\w+)$", r"\1", name)
    if own not in static_files() or name not in (own, static_name(own)):
        return None
    return static_files()[own], TYPES[f".{own.rpartition('.')[2]}"]


def visible(value: object) -> object:
    r"""A text as a page shows it: what no letter shows, and marks that turn the direction of letters, are written out.

    Markup stays as it is, and so do blanks and ends of lines.

    >>> visible("Do\xf1a\u202eana\x1b[2J\n") == "Do\xf1a\\u202eana\\x1b[2J\n", visible(7)
    (True, 7)
    """
    if not isinstance(value, str) or value.isprintable() or hasattr(value, "__html__"):
        return value
    return "".join(each if each == "\n" or category(each) == "Zs" else plain(each) for each in value)


def named_by_hashes(text: str) -> str:
    """A page that is one file, in whose policy 'SCRIPT' and 'STYLE' have become the hashes of its own script and style."""
    for kind, part in _PART.findall(text):
        digest = base64.b64encode(sha256(part.encode()).digest()).decode("ascii")
        text = text.replace(f"'{kind.split()[0].upper()}'", f"'sha256-{digest}'", 1)
    return text


@cache
def _environment(package: str, *, is_served: bool = False) -> "Environment":
    """Templates of a package, which may extend and import those of this one; the bytes of reports are signed, and stay as they are."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    loaders = [PackageLoader(each, "templates") for each in dict.fromkeys((package, PACKAGE))]
    environment = Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=visible if is_served else None,
    )
    environment.globals.update(software=SOFTWARE, terms=TERMS, stylesheet=_stylesheet())
    return environment


def _stylesheet() -> str:
    """The stylesheet, for a page that carries it: without comments and needless blanks."""
    text = re.sub(r"/\*.*?\*/", "", static_files()["starling.css"].decode(), flags=re.DOTALL)
    return re.sub(r"\s*\n\s*", "\n", text).strip()


def stand_alone(template: str, package: str = PACKAGE, **values: object) -> str:
    """A page that is one file.

    Args:
        template: Its name; it extends base.html.
        package: The package below whose folder `templates` it lies.
        values: Its blanks.
    """
    return _environment(package).get_template(template).render(place="alone", **values)


def served(template: str, package: str, root: str = "", **values: object) -> str:
    """A page of a server; arguments as of `stand_alone`.

    Args:
        template: Its name; it extends base.html.
        package: The package below whose folder `templates` it lies.
        root: The path below which the server's pages lie, without a slash at its end.
        values: Its blanks.
    """

    def static(name: str) -> str:
        return f"{root}/static/{static_name(name)}"

    environment = _environment(package, is_served=True)
    return environment.get_template(template).render(place="served", root=root, static=static, **values)


def fragment(template: str, package: str = PACKAGE, **values: object) -> str:
    """A part of a page of others, which carries its style; arguments as of `stand_alone`."""
    return _environment(package).get_template(template).render(place="fragment", **values)


def page(title: str, kind: str, sections: "Sequence[Section]", *, warning: str = "") -> str:
    """A page of sections that stands alone.

    Args:
        title: The title of the page.
        kind: What it is, in a few words.
        sections: Its content.
        warning: What stands above everything else, in a frame.
    """
    return stand_alone("page.html", title=title, kind=kind, sections=sections, warning=warning)
