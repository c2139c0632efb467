"""Formulas become MathML while the pages are built: browsers draw it themselves, with no script and no network.

mkdocs calls `on_page_content`. The Markdown extension arithmatex has marked the formulas by then, inline as
<span class="arithmatex">, displayed as <div class="arithmatex">. A displayed formula that is wider than the screen scrolls within itself.
"""

import html
import re

from latex2mathml.converter import convert

SCROLLING = '<div class="formula" style="overflow-x: auto; overflow-y: hidden">{}</div>'
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def to_mathml(match: re.Match[str]) -> str:
    """One marked formula as a MathML element."""
    text = html.unescape(match[3]).strip()
    return convert(text, display="inline") if match[2] == "(" else SCROLLING.format(convert(text, display="block"))


def on_page_content(content: str, /, **_: object) -> str:
    """The page with every formula converted; raises ValueError where one was left."""
    converted = FORMULA.sub(to_mathml, content)
    if "arithmatex" in converted:
        raise ValueError("a formula was not converted")
    return converted
