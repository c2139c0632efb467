"""Which markup a page and its pictures may hold: an allow-list of tags, attributes and values. What is not on it is no page of ours.

A report is opened in a browser by people who trust it, and its pictures are drawn by another library, so they are not compared with ours
byte by byte. So every tag is looked at, whatever version wrote the page: nothing runs, nothing is fetched, nothing but outlines is
drawn. Pages are written with every tag closed and every value in double quotes, which leaves a browser no choice of how to read them.
"""

import re
from collections.abc import Mapping
from typing import Final

_TOKEN: Final = re.compile(
    r"<(?P<end>/?)(?P<tag>[A-Za-z][A-Za-z0-9]*)(?P<attributes>(?:\s+[A-Za-z:-]+=\"[^\"<>]*\")*)\s*(?P<empty>/?)>(?P<text>[^<>]*)"
)
_ATTRIBUTE: Final = re.compile(r"\s+([A-Za-z:-]+)=\"([^\"<>]*)\"")
_BEGIN: Final = "<!doctype html>"

_ANY: Final = re.compile(r".*", re.DOTALL)
_NAME: Final = re.compile(r"[\w.-]+")
_NUMBERS: Final = re.compile(r"[-+.,\sA-Za-z0-9()]*")
_INSIDE: Final = re.compile(r"#[\w.-]+")
_CLIP: Final = re.compile(r"url\(#[\w.-]+\)")
_PAINT: Final = re.compile(r"(?:[a-z-]+: ?(?:#[0-9a-fA-F]{3,8}|[a-z]+|[-0-9., ]+);? ?)*")
_CSS: Final = re.compile(r"(?!.*(?:@import|url\s*\(|\\|expression|behavior)).*", re.DOTALL | re.IGNORECASE)
_DRAWN_CSS: Final = re.compile(r"\s*\*\{stroke-linejoin: round; stroke-linecap: butt\}\s*")

_CLASSES: Final = re.compile(r"[a-z0-9 -]+")
_MARK: Final = {
    "id": _NAME,
    "class": _CLASSES,
    **dict.fromkeys(("fill", "stroke"), re.compile(r"#[0-9a-f]{6}|none")),
    **dict.fromkeys(("stroke-width", "stroke-dasharray", "opacity"), _NUMBERS),
}
_DRAWN: Final[Mapping[str, re.Pattern[str]]] = {"id": _NAME, "style": _PAINT, "transform": _NUMBERS, "clip-path": _CLIP}
_SVG: Final[Mapping[str, Mapping[str, re.Pattern[str]]]] = {
    "svg": {
        "xmlns": re.compile("http://www.w3.org/2000/svg"),
        "xmlns:xlink": re.compile("http://www.w3.org/1999/xlink"),
        **dict.fromkeys(("width", "height", "viewBox", "version"), _NUMBERS),
        "role": re.compile("img"),
        "class": re.compile("fixed"),
        "font-family": re.compile("system-ui, DejaVu Sans, sans-serif"),
    },
    "title": {},
    "text": {
        **_MARK,
        **dict.fromkeys(("x", "y", "dy", "font-size", "transform"), _NUMBERS),
        "text-anchor": re.compile("start|middle|end"),
        "font-weight": re.compile("bold"),
    },
    "defs": {},
    "style": {"type": re.compile("text/css")},
    "clipPath": {"id": _NAME},
    "g": _DRAWN,
    "path": {**_DRAWN, **_MARK, "d": _NUMBERS},
    "rect": {**_DRAWN, **dict.fromkeys(("x", "y", "width", "height"), _NUMBERS)},
    "use": {**_DRAWN, **dict.fromkeys(("x", "y"), _NUMBERS), "xlink:href": _INSIDE},
}
"""A picture holds outlines, letters and where they stand: no links, no scripts, no events, nothing that is fetched or moves."""

_PLAIN: Final = (
    "head title body header main footer section h1 h2 p small code sub dl dt dd"
    " figure figcaption h3 ul li summary thead tbody tr td mrow mi mo mn mtext msub msup style details"
)
_HTML: Final[Mapping[str, Mapping[str, re.Pattern[str]]]] = {
    **{name: {} for name in _PLAIN.split()},
    "html": {"lang": _NAME},
    "meta": {
        "charset": re.compile("utf-8"),
        "name": re.compile("viewport|color-scheme"),
        "http-equiv": re.compile("Content-Security-Policy"),
        "content": re.compile(
            "width=device-width, initial-scale=1|light dark|default-src 'none'; style-src 'unsafe-inline'"
        ),
    },
    "div": {
        "class": _NAME,
        "role": re.compile("img|group|note"),
        "aria-label": _ANY,
        "tabindex": re.compile("0"),
    },
    "body": {"class": re.compile("starling")},
    "main": {"id": re.compile("main")},
    **{tag: {"class": _NAME} for tag in ("ul", "td", "p", "table")},
    "a": {"href": re.compile(r"data/[\w.-]+")},
    "abbr": {"class": re.compile("term"), "tabindex": re.compile("0"), "title": _ANY},
    "pre": {"tabindex": re.compile("0")},
    "th": {"scope": re.compile("col|row")},
    "math": {"display": re.compile("block")},
}


def find_disallowed_markup(text: str) -> str | None:
    """What a page or a picture holds that none of ours does, in a few words; None where there is nothing.

    >>> find_disallowed_markup('<p>1 &lt; 2</p>'), find_disallowed_markup('<svg xmlns="http://www.w3.org/2000/svg"><path d="M 0 0"/></svg>')
    (None, None)
    >>> find_disallowed_markup('<p onclick="x">1</p>'), find_disallowed_markup("<script>x</script>")
    ('an attribute onclick of p', 'a tag script')
    """
    at = len(_BEGIN) if text.startswith(_BEGIN) else 0
    at += len(text[at:]) - len(text[at:].lstrip())
    around: list[str] = []
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            return "markup that is not written as ours is"
        drawn = token["tag"] == "svg" or "svg" in around
        if (problem := _disallowed(token, _SVG if drawn else _HTML)) is not None:
            return problem
        if token["end"]:
            if not around or around.pop() != token["tag"]:
                return "tags that do not close in order"
        elif not token["empty"] and token["tag"] != "meta":
            around.append(token["tag"])
        if (problem := _stray_text(token["text"], around)) is not None:
            return problem
        at = token.end()
    return "tags that do not close in order" if around else None


def _disallowed(token: re.Match[str], allowed: Mapping[str, Mapping[str, re.Pattern[str]]]) -> str | None:
    """What a tag has that none of ours has."""
    tag = token["tag"]
    if tag not in allowed:
        return f"a tag {tag[:20]}"
    seen: set[str] = set()
    for name, value in _ATTRIBUTE.findall(token["attributes"]):
        if name not in allowed[tag] or name in seen:
            return f"an attribute {name[:20]} of {tag}"
        if not allowed[tag][name].fullmatch(value):
            return f"another value of the attribute {name} of {tag}"
        seen.add(name)
    return None


def _stray_text(text: str, around: list[str]) -> str | None:
    """What stands between tags and should not: style that fetches something, or letters in a picture outside of its texts."""
    if around and around[-1] == "style":
        allowed = _DRAWN_CSS if "svg" in around else _CSS
        return None if allowed.fullmatch(text) else "a style that Starling does not write"
    if "svg" in around and around[-1] not in ("text", "title") and text.strip():
        return "letters of a picture outside of its texts"
    return None
