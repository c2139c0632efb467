"""The report of a release: one page for a review board, readable in five minutes, from disk, with no network.

The page states the protected unit, the guarantee in words and in symbols, what was charged and where that is written, who signed,
what is exact, and how far the numbers are off; the domain adds its sections. It is made of released values and of the receipt alone.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Final

from starling.privacy.budget import decimal_up
from starling.privacy.neighbours import as_replace_one
from starling.privacy.trust import Receipt
from starling.release.report.words import plainly
from starling.release.statement import DELTA, epsilon, limits, signer

_OURS: Final = r'<style type="text/css">[^<]*</style>'
_LETTERS: Final = r"</svg|<(?:text|foreign|script|div|style|title|desc|image)"
_DRAWN: Final = re.compile(
    rf'(<div class="picture"[^<>]*>)<svg\b(?:{_OURS}|(?!{_LETTERS}).)*</svg>\s*(</div>)', re.DOTALL | re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture with the words that say what it shows.

    Attributes:
        draw: Gives the SVG, by `pictures`; it stands in the page as it is.
        caption: What is seen, for those who see it and those who do not.
    """

    draw: Callable[[], str]
    caption: str


@dataclass(frozen=True, slots=True)
class Table:
    """A small table.

    Attributes:
        header: Names of the columns; the first is for labels.
        rows: Cells as text.
        caption: What it holds.
        words: Its cells are words, set to the left and broken into lines, not numbers.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str
    words: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page under its own title: text, then pictures, then tables.

    Attributes:
        title: Of the part.
        text: Paragraphs with an empty line between them; other white space does not matter.
        pictures: Each with its caption.
        tables: Likewise.
    """

    title: str
    text: str = ""
    pictures: tuple[Picture, ...] = ()
    tables: tuple[Table, ...] = ()

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The text, cut at empty lines, white space joined."""
        return tuple(" ".join(part.split()) for part in re.split(r"\n\s*\n", self.text) if part.strip())


def undrawn(section: Section) -> Section:
    """A section with its captions, and nothing where its pictures stand: for a comparison of words."""
    return replace(section, pictures=tuple(Picture(str, picture.caption) for picture in section.pictures))


def words(text: str) -> str:
    """A page without what is drawn in its pictures, as it is written with `undrawn` sections.

    What has letters of its own (text, foreign elements, scripts) is no picture of ours, and stays.
    """
    return _DRAWN.sub(r"\1\2", text)


def render(title: str, receipt: Receipt, charged: Section, sections: Sequence[Section]) -> str:
    """The page, complete in one text.

    Args:
        title: Of the release.
        receipt: Of its charge.
        charged: How the cost comes about, by the domain's own parts.
        sections: What the domain adds: accuracy, files.
    """
    guarantee = receipt.guarantee
    both = guarantee.relation.change == "add-remove"
    return _filled(
        "page.html",
        title=title,
        guarantee=guarantee,
        promise=Section("What is promised, in plain words", plainly(guarantee)),
        cost=guarantee.cost,
        amount=decimal_up(guarantee.cost.amount),
        replaced=decimal_up(as_replace_one(guarantee.cost).amount) if both else decimal_up(guarantee.cost.amount),
        epsilon=epsilon(guarantee),
        delta=DELTA,
        receipt=receipt,
        limits=limits(receipt),
        charged=charged,
        checked=_checked(receipt),
        sections=sections,
    )


def page(title: str, kind: str, sections: Sequence[Section], *, warning: str = "") -> str:
    """A page that is no report of a release, in the same dress, complete in one text.

    Args:
        title: Of the page.
        kind: What it is, in a few words.
        sections: Its content.
        warning: What stands above everything else, in a frame.
    """
    return _filled("plain.html", title=title, kind=kind, sections=sections, warning=warning)


def _filled(template: str, **values: object) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("starling.release.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    return environment.get_template(template).render(software=f"Starling {version('starling')}", **values)


def _checked(receipt: Receipt) -> Section:
    """Where the charge is written, who answers for the release, and how to find out."""
    title, entry, key = "How to check this release", receipt.entry, signer(receipt)
    if entry is None or key is None:
        return Section(title, "No ledger recorded the charge, and nobody signed the release.")
    rows = (
        ("Signed by the key", key.fingerprint),
        ("Ledger", receipt.account),
        ("Charged as event", f"{entry.position:,}"),
        ("Head of the ledger at that event", entry.head),
        ("Data", f"{entry.dataset}, about the people of {entry.lineage}"),
        ("Charged on", receipt.day),
    )
    text = """
        The folder of this release is signed: no byte of it can change without the signature failing. The command "starling verify"
        checks every file, the signature, the arithmetic of the privacy loss, and that the published numbers follow from the noisy
        measurements in the folder. Compare the fingerprint of the key with the one that the publisher gives elsewhere.

        The ledger is a chain of events: the head below covers the charge and everything before it. A ledger that was rewritten, cut or
        restored from an old copy does not have it any more, and "starling verify" with that ledger says so.
    """
    return Section(title, text, tables=(Table(("What", "Value"), rows, "Signature and ledger", words=True),))
