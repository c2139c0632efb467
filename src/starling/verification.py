"""Verifying and opening a release, whatever its domain: the public contract's `starling.verify` and `starling.open_release`.

A release names its domain, and the domain's part of the verification is looked up in the registry, so that `release` knows no domain.

Whoever can sign can make a folder in which everything fits. So there are three outcomes: a release is `verified` where besides the
signature is by the key that the reader gave and the charge stands in a ledger that the reader gave, `consistent` where nothing speaks
against it but something was left open, which is named, and `failed` otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from starling.domains import domain as find
from starling.errors import IntegrityError, Problem
from starling.ledger.auditing import check as check_ledger
from starling.ledger.auditing import events, replay_events
from starling.ledger.chain import Counts
from starling.ledger.keys import Pin, Public
from starling.privacy.guarantee import Guarantee
from starling.release import ledger_check, reading
from starling.release import verify as release_verify
from starling.release.checks import Check
from starling.release.manifest import DOWNLOAD_AGAIN, OWN_LEDGER
from starling.release.reading import Release
from starling.release.recompute import check as check_domain
from starling.release.session import InSession
from starling.release.statement import FILE, AddsTo
from starling.release.verify import Checked
from starling.release.zipped import opened

BUNDLE: Final = "the files are those that were signed; data package and arithmetic of the cost are right"
DOMAIN: Final = "its numbers can be repeated from its measurements"
EARLIER: Final = "the ledger holds the charges of the releases that it adds to, with these as their answers: "
CHARGE: Final = "the ledger holds the charge, with this release as its answer"
OWN_CHARGE: Final = "the ledger inside the release holds its charge, with this release as its answer; of other releases it knows nothing"
KEY: Final = "the key that was given signed it"

NO_KEY: Final = "whose key signed it"
NO_LEDGER: Final = "the charge"
OTHERS: Final = "whether there are other releases from the same data, as the ledger inside knows this one alone"
EARLIER_OPEN: Final = "the charges of the releases that it adds to"


class Outcome(StrEnum):
    """What a verification ends with."""

    VERIFIED = "verified"
    CONSISTENT = "consistent"
    FAILED = "failed"

    @property
    def exit_code(self) -> int:
        """The exit code of the command line; 7 belongs to no error."""
        return {Outcome.VERIFIED: 0, Outcome.CONSISTENT: 7, Outcome.FAILED: IntegrityError.exit_code}[self]


@dataclass(frozen=True, slots=True, repr=False)
class Verification(InSession):
    """What was found.

    Attributes:
        checks: Each by its name: of any release, then of its domain.
        signer: Whose signature it bears; compare the fingerprint with the publisher's.
        guarantee: What it promises, as recomputed.
        proof: The name of the proof that its charge rests on (release/statement.py); empty for one of before proofs had names.
        request_id: The id under which the release was charged.
        ledger: Id of the ledger that it says it was charged to, and the event; None where it names none.
        compared: Whether the charge was looked up in a ledger, be it the one inside the release.
        counts: How often the ledger says that it was drawn for; None where it was not looked up.
    """

    checks: tuple[Check, ...]
    signer: Public | None = None
    guarantee: Guarantee | None = None
    proof: str = ""
    request_id: str = ""
    ledger: tuple[str, int] | None = None
    compared: bool = False
    counts: Counts | None = None

    @property
    def findings(self) -> tuple[Problem, ...]:
        """Everything that is wrong, a sentence each; none for a release that is as it should be."""
        return tuple(finding for check in self.checks for finding in check.findings)

    @property
    def left_open(self) -> tuple[str, ...]:
        """What nobody checked, a phrase each; none for a release that is `verified`."""
        return tuple(
            check.left_open or check.name for check in self.checks if check.left_open or check.state == "not checked"
        )

    @property
    def outcome(self) -> Outcome:
        """`verified`, `consistent` where something was left open, or `failed` where anything is wrong."""
        if self.findings:
            return Outcome.FAILED
        return Outcome.CONSISTENT if self.left_open else Outcome.VERIFIED

    @property
    def headline(self) -> str:
        """What the outcome rests on, or what it lacks, in one sentence without its stop."""
        if self.outcome is Outcome.VERIFIED:
            return "signed by the key and charged in the ledger that were given; every number and the cost follow"
        if self.outcome is Outcome.CONSISTENT:
            return f"nothing in it contradicts itself; not checked: {', '.join(self.left_open)}"
        return f"{len(self.findings):,} finding{'s' if len(self.findings) > 1 else ''}"

    def _facts(self) -> list[tuple[str, str]]:
        return [
            ("outcome", f"{self.outcome.value}: {self.headline}"),
            ("signed by", "nobody" if self.signer is None else self.signer.fingerprint),
            *((check.name, f"{check.state}{_summary(check)}") for check in self.checks),
        ]

    def refuse(self) -> None:
        """Raises IntegrityError with every finding, if there is any; what was left open (`left_open`) is no finding."""
        IntegrityError.check(self.findings)


def _summary(check: Check) -> str:
    """What stands behind the state of a check: its findings, or what holds; of one that was not made, nothing."""
    listed = "; ".join(map(str, check.findings))
    return f": {listed or check.says}" if check.state != "not checked" else ""


def open_release(path: str | Path, *, key: str | Public | Pin | None = None) -> Release:
    """Open a release, given as a folder or as one zip: its tables as Arrow, and what its domain offers to who analyses them.

    A release of tables is a `starling.tables.analysis.TablesRelease`, an answer to a question a `starling.genome.analysis.GenomeRelease`.

    Args:
        path: The path of the release.
        key: Who should have signed: the fingerprint that they publish, or their public key.

    Raises:
        IntegrityError: it is not what was signed, or not by that key; with everything that is wrong.
    """
    release = reading.open_release(path, key=key)
    domain = find(release.statement["domain"])
    return release if domain is None else domain.opened(release)


def verify(path: str | Path, *, ledger: str | None = None, key: str | Public | Pin | None = None) -> Verification:
    """Verify a release, given as a folder or as one zip. It needs neither the data nor a private key.

    Every hash, the signature, the data package, the arithmetic of the stated cost, that the events follow from the public plan, that
    post-processing repeated from the shipped measurements gives the published numbers; given a key, that it signed; given a ledger,
    the charge. Without key or ledger the outcome is `consistent` at best.

    Args:
        path: The path of the release; it may come from anybody.
        ledger: The file of a ledger or of an exported one, or a URL (`sqlite:///FILE`, `postgresql://...`). A release that brings its
            own is compared with that one without being told; that one says nothing of other releases.
        key: Who should have signed: the fingerprint that they publish, or their public key.

    Raises:
        ParameterError: the key is none, or the release or the ledger is not there.
        LedgerUnavailable: the ledger cannot be reached.
    """
    expected = None if key is None else Pin.parse(key)
    try:
        with opened(Path(path).absolute()) as folder:
            return _verify(folder, ledger, expected)
    except IntegrityError as error:
        return Verification((Check("bundle", BUNDLE, error.problems),))


def _verify(folder: Path, ledger: str | None, key: Pin | None) -> Verification:
    checked = release_verify.check(folder)
    checks = [Check("bundle", BUNDLE, tuple(checked.findings)), _key(checked, key)]
    if checked.stated is not None:
        checks += _domain(folder, checked.stated, checked.hashes)
    charged = release_verify.charged(checked)
    place = ledger
    if place is None and OWN_LEDGER in checked.hashes:
        place = f"sqlite:///{folder / OWN_LEDGER}"
    looked = None if place is None or checked.stated is None else _in_ledger(charged, place)
    checks.append(_charge(charged, looked, own=ledger is None))
    if earlier := release_verify.adds_to(checked):
        checks.append(_earlier(charged, earlier, place))
    return Verification(
        tuple(checks),
        signer=checked.signature.key if checked.signature else None,
        guarantee=checked.guarantee,
        proof=(checked.stated or {}).get("proof", {}).get("name", "") if not checked.findings else "",
        request_id=charged.request_id if charged else "",
        ledger=(charged.ledger, charged.position) if charged else None,
        compared=place is not None and charged is not None,
        counts=None if looked is None else looked.counts,
    )


def _key(checked: Checked, key: Pin | None) -> Check:
    """Whether the key that was given is the one that signed."""
    findings = tuple(release_verify.signed_by(checked, key))
    return Check("key", KEY, findings, key is not None and checked.signature is not None, "" if key else NO_KEY)


def _charge(charged: ledger_check.Charged | None, looked: ledger_check.Looked | None, *, own: bool) -> Check:
    """Whether a ledger holds the charge.

    Args:
        charged: What the release says of it.
        looked: What the ledger says of it; None where there is none, or what the release states could not be read.
        own: Nobody gave a ledger, so that the one in the release was looked at.
    """
    inside = charged is not None and charged.inside
    if looked is None:
        missing = Problem(
            OWN_LEDGER, "is missing: the ledger inside the release that it was charged to", DOWNLOAD_AGAIN
        )
        return Check("charge", CHARGE, (missing,) if inside else (), False, NO_LEDGER)
    findings = tuple(looked.findings)
    return Check("charge", OWN_CHARGE, findings, True, OTHERS) if own or inside else Check("charge", CHARGE, findings)


def _domain(folder: Path, stated: Mapping[str, Any], hashes: Mapping[str, str]) -> tuple[Check, ...]:
    domain = find(str(stated.get("domain")))
    if domain is None:
        problem = "is none that this version of Starling can verify"
        return (Check("domain", DOMAIN, (Problem("domain", problem, "use the version that wrote it", FILE),)),)
    return check_domain(domain, folder, stated, hashes)


def _earlier(charged: ledger_check.Charged | None, earlier: tuple[AddsTo, ...], place: str | None) -> Check:
    """Whether the ledger that paid for a release paid for those that it adds to; another ledger's charges are not known here."""
    says = EARLIER + ", ".join(f"request {each.request_id} of {each.cost}" for each in earlier)
    known = tuple(each for each in earlier if charged is not None and each.ledger == charged.ledger)
    if place is None or charged is None or not known:
        return Check("earlier charges", says, (), False, EARLIER_OPEN)
    try:
        findings = ledger_check.check_earlier(charged, known, events(place))
    except IntegrityError as error:
        findings = list(error.problems)
    whole = len(known) == len(earlier)
    return Check("earlier charges", says, tuple(findings), whole, "" if whole else EARLIER_OPEN)


def _in_ledger(charged: ledger_check.Charged | None, place: str) -> ledger_check.Looked:
    if charged is None:
        return ledger_check.Looked([Problem("account", "names no place in a ledger", DOWNLOAD_AGAIN, FILE)], Counts())
    try:
        looked = ledger_check.check(charged, events(place))
        if not looked.findings:
            # Caps and custodians' signatures, of the whole ledger; one that lies in a release is only what its events say.
            replay_events(events(place)) if charged.inside else check_ledger(place)
    except IntegrityError as error:
        return ledger_check.Looked([ledger_check.of_ledger(problem) for problem in error.problems], Counts())
    else:
        return looked


__all__ = ["Check", "Checked", "Outcome", "Verification", "open_release", "verify"]
