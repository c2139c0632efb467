"""The report of a release: one page for a review board, readable in five minutes, from disk, with no network.

The answer comes first, with its error, files and the lines that open it. Folded below, the page states the protected unit, the
guarantee in words and in symbols, what was charged and where that is written, who signed, and what is exact; the domain adds its
sections. It is made of released values and of the receipt alone.

The one number a review board can use is how well the best possible attacker does (privacy/accounting/detection.py): it stands in the
guarantee in words, for a reader who knows no formula.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from starling.ledger.charged_noise import proof_of
from starling.pages.parts import Line, Section, Table
from starling.pages.rendering import stand_alone
from starling.privacy.accounting.detection import ALARMS, detection
from starling.privacy.budget import decimal_up
from starling.privacy.guarantee import Guarantee
from starling.privacy.trust import Receipt
from starling.release.claims import claim
from starling.release.statement import limits, proof_in_words, signer, validation

UNITS = {
    "person": "one person: everything that the data say about them",
    "household": "one household with all its members",
    "group": "one group with all its members",
    "point": "one point",
    "trip": "one trip",
    "member": "one member of a group, with all that they add to its size; which groups there are is public",
    "phenotype": "one person's phenotype, and nothing else of that person: not genotypes, not covariates, not that the person takes part",
    "event": "one event of a group, and not all events of one person together; which groups there are is public",
}
"""Each protected unit, in words."""

REPEAT: Final = (
    ("Python", 'import starling\nrelease = starling.open_release("FOLDER")\nrelease.to_pandas()'),
    ("Shell", "starling verify FOLDER"),
    (
        "curl",
        'curl -H "Authorization: Bearer $STARLING_TOKEN" \\\n  $STARLING_SERVER/v1/releases/NUMBER/bundle --output FOLDER.zip',
    ),
)
"""Lines that open the release, check it, and fetch it from a server, and where they are typed; FOLDER is where it lies, NUMBER its number
there.
"""


def render(
    title: str,
    receipt: Receipt,
    charged: Section,
    sections: Sequence[Section],
    joint: Guarantee | None = None,
    invariants: Sequence[str] = (),
    downloads: Sequence[str] = (),
) -> str:
    """The page, complete in one text.

    Args:
        title: The title of the release.
        receipt: The receipt of its charge.
        charged: How the cost comes about, by the domain's own parts.
        sections: What the domain adds: accuracy, files.
        joint: The guarantee of the release and of all that it adds to; without it, the release stands alone.
        invariants: What is published exactly, in words.
        downloads: The files of the folder with published numbers.
    """
    guarantee = receipt.guarantee
    whole = joint or guarantee
    if guarantee.relation.change != "add-remove":
        invariants = (*invariants, f"how many {guarantee.relation.unit}s there are")
    return stand_alone(
        "report.html",
        "starling.release.report",
        title=title,
        guarantee=guarantee,
        promise=Section("What is promised, in plain words", plainly(guarantee, joint, invariants)),
        exact=invariants,
        cost=guarantee.cost,
        amount=decimal_up(guarantee.cost.amount),
        adds=joint is not None,
        whole=decimal_up(whole.cost.amount),
        replaced=decimal_up(claim(guarantee).replace_one.amount),
        whole_replaced=decimal_up(claim(whole).replace_one.amount),
        approximate=claim(guarantee),
        whole_approximate=claim(whole),
        receipt=receipt,
        limits=f"{limits(receipt)} {validation(receipt)}",
        charged=replace(charged, folded=True),
        checked=_checked(receipt),
        sections=sections,
        downloads=downloads,
        repeat=[Line(*each) for each in REPEAT],
    )


def _checked(receipt: Receipt) -> Section:
    """Where the charge is written, who answers for the release, and how to find out."""
    title, entry, key = "How to check this release", receipt.entry, signer(receipt)
    if entry is None or key is None:
        return Section(title, "No ledger recorded the charge, and nobody signed the release.", folded=True)
    rows = (
        ("Signed by the key", key.fingerprint),
        ("Ledger", receipt.account),
        ("Charged as event", f"{entry.position:,}"),
        ("Proof of the charge", proof_in_words(proof_of(receipt.guarantee))),
        ("Head of the ledger at that event", entry.head),
        ("Data", f"{entry.dataset}, of the population {entry.population}"),
        ("Charged on", receipt.day),
    )
    text = """
        The folder of this release is signed: no byte of it can change without the signature failing. The command "starling verify"
        checks every file, the signature, the arithmetic of the privacy loss, and that the published numbers follow from the noisy
        measurements in the folder. Compare the fingerprint of the key with the one that the publisher gives elsewhere.

        The ledger is a chain of events: the head below covers the charge and everything before it. A ledger that was rewritten, cut or
        restored from an old copy does not have it any more, and "starling verify" with that ledger says so.
    """
    return Section(
        title, text, tables=(Table(("What", "Value"), rows, "Signature and ledger", words=True),), folded=True
    )


def percent_up(probability: float) -> str:
    """A probability as a percentage with one decimal, rounded up; "nearly 100 %" from there.

    >>> percent_up(0.13512), percent_up(0.99999)
    ('13.6 %', 'nearly 100 %')
    """
    tenths = math.ceil(round(probability * 1000, 6))
    return "nearly 100 %" if tenths > 999 else f"{tenths / 10:g} %"


def dearest(guarantee: Guarantee) -> Guarantee:
    """The single measurement that costs most."""
    return max((dearest(part) for part in guarantee.parts), key=lambda leaf: leaf.cost.amount, default=guarantee)


def plainly(guarantee: Guarantee, joint: Guarantee | None = None, invariants: Sequence[str] = ()) -> str:
    """What the guarantee means for the protected unit: paragraphs with an empty line between them.

    Args:
        guarantee: The guarantee that was charged.
        joint: The guarantee of the release and of all that it adds to; without it, the release stands alone.
        invariants: What is published exactly, in words, as privacy.json says it.
    """
    unit, change = guarantee.relation.unit, guarantee.relation.change
    whether = (
        f"whether the data hold a given {unit} at all"
        if change == "add-remove"
        else "what a given person's phenotype is"
        if unit == "phenotype"
        else f"what a given {unit}'s data are"
    )
    everything, one = joint or guarantee, dearest(guarantee)
    earlier = "" if joint is None else ", the measurements of earlier releases in it included"
    finds, finds_one = detection(everything, ALARMS / 100), detection(one, ALARMS / 100)
    how = (
        "computed from the exact distributions of the noise"
        if finds.exact
        else "a bound by the privacy loss alone, since a budget may have been chosen after the earlier results"
        if everything.fully_adaptive
        else "a bound by the privacy loss alone: the exact distributions are not known, or too many"
    )
    exact = f", but for what is public and published exactly: {'; '.join(invariants)}" if invariants else ""
    return f"""
        Every published number was made noisy on purpose{exact}. The noise hides {UNITS[unit]}. Somebody who knows everything about
        everybody else, sees the whole release, and has any computer and any other data, still cannot tell with certainty
        {whether}.

        How far that goes is one number, the privacy loss. Take the best possible attacker, who accepts a false alarm in
        {ALARMS} of 100 cases: without any release he finds {ALARMS} % of those who are there. From one published measurement
        alone ({one.cost} at most) he finds at most {percent_up(finds_one.chance)}. From everything at once{earlier}
        ({everything.cost}) he finds at most {percent_up(finds.chance)}, {how}; it is a worst case, reached only if every number of the
        release tells against the same {"person" if unit == "phenotype" else unit}.

        The promise holds for everybody alike, for good, and against future data and methods. It does not say that nothing
        can be learned about a group: what is true of many people stays visible, which is the purpose of the release.
    """
