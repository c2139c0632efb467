"""The report of a release: one page for a review board, readable in five minutes, from disk, with no network.

The page states the protected unit, the guarantee in words and in symbols, what was charged and where that is written, who signed,
what is exact, and how far the numbers are off; the domain adds its sections. It is made of released values and of the receipt alone.
"""

from collections.abc import Sequence

from starling.privacy.accounting.conversion import DELTA
from starling.privacy.budget import decimal_up
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Receipt
from starling.release.report.pages import Picture, Section, Table, filled, page
from starling.release.report.wording import plainly
from starling.release.statement import claim, limits, signer, validation

__all__ = ["Picture", "Section", "Table", "page", "render"]


def render(
    title: str, receipt: Receipt, charged: Section, sections: Sequence[Section], joint: Guarantee | None = None
) -> str:
    """The page, complete in one text.

    Args:
        title: The title of the release.
        receipt: The receipt of its charge.
        charged: How the cost comes about, by the domain's own parts.
        sections: What the domain adds: accuracy, files.
        joint: The guarantee of the release and of all that it adds to; without it, the release stands alone.
    """
    guarantee = receipt.guarantee
    whole = joint or guarantee
    return filled(
        "page.html",
        title=title,
        guarantee=guarantee,
        promise=Section("What is promised, in plain words", plainly(guarantee, joint)),
        cost=guarantee.cost,
        amount=decimal_up(guarantee.cost.amount),
        adds=joint is not None,
        whole=decimal_up(whole.cost.amount),
        replaced=decimal_up(claim(guarantee).replace_one.amount),
        whole_replaced=decimal_up(claim(whole).replace_one.amount),
        approximate=claim(guarantee),
        whole_approximate=claim(whole),
        delta=DELTA,
        receipt=receipt,
        limits=f"{limits(receipt)} {validation(receipt)}",
        charged=charged,
        checked=_checked(receipt),
        sections=sections,
    )


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
        ("Data", f"{entry.dataset}, about the people of {entry.population}"),
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
