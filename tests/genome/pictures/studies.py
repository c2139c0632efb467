"""Small studies for pictures, and what an SVG shows, read back from its elements."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from math import log10
from typing import Final

import numpy as np

from starling.genome.inference.intervals import Interval
from starling.genome.pictures.answers import Answers
from starling.genome.plan import Plan, Snps
from starling.genome.postprocess.estimates import Correlated
from starling.genome.postprocess.p_values import Effect, PValue
from starling.pages.marks import Sheet
from starling.release.report.markup import find_disallowed_markup

SVG: Final = "{http://www.w3.org/2000/svg}"
Point = tuple[float, float]
EFFECT: Final = Effect(*(Interval(0.5, 0.25, 0.75),) * 3)
HOSTILE: Final = (
    "<b>bold</b>",
    '"/><script>alert(1)</script>',
    "]]></svg>",
    "--><!--",
    "&amp;&lt;",
    "$\\frac{1}{0}$",
    "\u202egnp\u0000\x1b[0m",
    "名前" * 40,
    "x" * 5000,
    "url(#p)",
    'id="x"',
)


def snps(places: Sequence[tuple[str, int]], ids: Sequence[str] = ()) -> Snps:
    """A list in the order given, which is that of the genome."""
    count = len(places)
    names = tuple(ids) or tuple(f"rs{number}" for number in range(1, count + 1))
    positions = np.array([position for _, position in places], dtype=np.int64)
    return Snps(names, tuple(name for name, _ in places), positions, ("A",) * count, ("C",) * count)


def plan(listed: Snps, people: int = 1000, tests: tuple[str, ...] = ("g", "chi2")) -> Plan:
    """Any plan for a list."""
    return Plan("A study", people, listed, "dominant", tests)


def three_chromosomes() -> Plan:
    """Thirty SNPs a million base pairs apart, ten a chromosome: rs1 to rs30."""
    return plan(snps([(name, 1_000_000 * place) for name in ("1", "2", "X") for place in range(1, 11)]))


def p_value(snp: str, size: float, below: float = 1.0, above: float = 1.0) -> PValue:
    """10^-size, and so many powers of ten that the interval reaches to smaller and to larger ones."""
    return PValue(snp, "g", (1, 2, 3, 4), Interval(-size, -size - below, min(0.0, -size + above)), EFFECT)


def correlated(first: str, second: str, measure: str, value: float, low: float, high: float) -> Correlated:
    """Two SNPs."""
    return Correlated(first, second, measure, (1, 2, 3, 4), Interval(value, low, high))


def some() -> Answers:
    """Something of everything."""
    return Answers(
        three_chromosomes(),
        (p_value("rs3", 6.5, 2, 5), p_value("rs14", 0.5), p_value("rs15", 0.25), p_value("rs25", 5.0, 0.5, 0.5)),
        ("rs3", "rs28"),
        (("rs2", "rs4"), ("rs28", "rs28")),
        (correlated("rs2", "rs3", "r2", 0.83, 0.7, 0.9), correlated("rs4", "rs2", "r2", 0.0, 0.0, 0.1)),
    )


def svg_of(sheet: Sheet) -> str:
    """The picture as a page would have it."""
    return sheet.svg("picture", "A picture")


def groups(svg: str, mark: str) -> list[ET.Element]:
    """The elements whose name is `mark`, after what sets the picture's names apart."""
    name = re.compile(rf"[a-z]+-(?:{mark})(?:\.\d+)?")
    return [each for each in ET.fromstring(svg).iter() if name.fullmatch(each.get("id", ""))]


def dots(svg: str, mark: str) -> list[Point]:
    """Where signs stand, x to the right and y down: the places around which circles are drawn, and the middles of corners."""
    found = []
    for each in groups(svg, mark):
        for part in each.get("d", "").split("M")[1:]:
            corners = list(_corners(part.partition("m")[0]))
            found.append((sum(x for x, _ in corners) / len(corners), sum(y for _, y in corners) / len(corners)))
    return found


def lines(svg: str, mark: str) -> list[list[Point]]:
    """Corners of lines and shapes."""
    return [list(_corners(part)) for each in groups(svg, mark) for part in each.get("d", "").split("M")[1:]]


def _corners(text: str) -> Iterator[Point]:
    for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", text):
        yield float(x), float(y)


def is_sound(svg: str) -> None:
    """It stands in a page by itself, whatever the names of SNPs are: no script, nothing from outside, no name twice."""
    tree = ET.fromstring(svg)
    assert {element.tag.removeprefix(SVG) for element in tree.iter()} == {"svg", "title", "path", "text"}
    assert not re.search(r"<script|<!--|<b>| on\w+=|href|url\((?!#p\))|style=", svg)
    assert find_disallowed_markup(svg) is None
    assert svg.count("</svg>") == 1
    known = re.findall(r'\bid="([^"]*)', svg)
    assert len(known) == len(set(known)), "no name is there twice"


class Scale:
    """Turns places of a Manhattan plot back into places of the genome and p-values, by its own axis and threshold."""

    def __init__(self, svg: str, answers: Answers, panel: str = "all") -> None:
        ((left, right),) = lines(svg, f"{panel}-one")
        ((limit, _),) = lines(svg, f"{panel}-threshold")
        self._left, self._width, self._floor = left[0], right[0] - left[0], left[1]
        self._ten = (self._floor - limit[1]) / -log10(float(answers.threshold))

    def __call__(self, point: Point) -> Point:
        """Part of the width from the left, and -log10 p."""
        return (point[0] - self._left) / self._width, (self._floor - point[1]) / self._ten
