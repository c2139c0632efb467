"""A page or picture that runs, fetches or hides something is told apart from ours, whatever drew it."""

import pytest

from starling.pages.rendering import static_files
from starling.release.report.markup import find_disallowed_markup

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">{}</svg>'


@pytest.mark.parametrize(
    "inside",
    [
        "",
        '<title>A</title><text x="1" y="2" dy="0.35em" text-anchor="end" font-size="9" class="fill-ink" fill="#1b2733">1</text>',
        '<g id="a-1"><path d="M 0 0 \nL 1e-3 -2 \nz\n" style="fill: #ffffff; stroke: none"/></g>',
        '<defs><clipPath id="c"><rect x="0" y="0" width="1" height="1"/></clipPath></defs><g clip-path="url(#c)"/>',
        '<defs><style type="text/css">*{stroke-linejoin: round; stroke-linecap: butt}</style></defs>',
        '<use xlink:href="#a-1" x="1" y="2" style="fill: #1f5f99; stroke-width: 0.9; stroke-dasharray: 4, 2.5"/>',
    ],
)
def test_what_is_drawn_by_us_passes(inside: str) -> None:
    assert find_disallowed_markup(SVG.format(inside)) is None
    assert (
        find_disallowed_markup(f"<!doctype html>\n<html><body><p>1 &lt; 2</p>{SVG.format(inside)}</body></html>")
        is None
    )


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        "<foreignObject><p>exact</p></foreignObject>",
        '<text onclick="x">1</text>',
        '<path fill="url(https://example.org/x)" d="M 0 0"/>',
        "<image href='x'/>",
        '<image xlink:href="https://example.org/x.png"/>',
        '<use xlink:href="https://example.org/x.svg#a"/>',
        '<use href="#a"/>',
        '<a xlink:href="javascript:alert(1)"><path d="M 0 0"/></a>',
        '<path d="M 0 0" onclick="alert(1)"/>',
        '<path d="M 0 0" d="M 1 1"/>',
        '<path style="fill: url(https://example.org/x)"/>',
        '<path style="background: url(x)"/>',
        '<g clip-path="url(https://example.org/x#a)"/>',
        "<style>@import url(https://example.org/x.css);</style>",
        '<animate attributeName="x"/>',
        '<set attributeName="x"/>',
        "<!-- hidden -->",
        "<![CDATA[x]]>",
        "<?xml-stylesheet href='x'?>",
        "letters",
        "<path d=M/>",
        "<g>",
        "</g>",
        "<iframe></iframe>",
    ],
)
def test_whatever_else_is_in_a_picture_is_found(inside: str) -> None:
    assert find_disallowed_markup(SVG.format(inside)) is not None
    assert find_disallowed_markup(f"<body>{SVG.format(inside)}</body>") is not None


@pytest.mark.parametrize(
    "text",
    [
        "<script>x</script>",
        '<p onmouseover="x">a</p>',
        '<a href="https://example.org">a</a>',
        '<img src="x">',
        '<meta http-equiv="refresh" content="0;url=https://example.org">',
        '<link rel="stylesheet" href="x">',
        '<p style="display: none">a</p>',
        "<style>p { background: url(x) }</style>",
        "<style>@import 'x';</style>",
        "<!-- hidden -->",
        '<!DOCTYPE html [<!ENTITY a "b">]>',
        "<p>a",
        "a</p>",
        "<b><p></b></p>",
        "letters before any tag",
    ],
)
def test_whatever_else_is_in_a_page_is_found(text: str) -> None:
    assert find_disallowed_markup(text) is not None


def test_the_stylesheet_may_stand_in_a_report() -> None:
    """Every report carries it, and whoever paid for one that may not hold it is refused it."""
    (style,) = (content.decode() for name, content in static_files().items() if name.endswith(".css"))
    assert find_disallowed_markup(f"<style>{style}</style>") is None
