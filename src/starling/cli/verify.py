"""`starling verify`: is this release what its publisher signed, and do its numbers and its privacy follow from what it states?"""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starling.cli import options
from starling.cli.auditing import pin
from starling.cli.commands import Result, command, error_body, problem_json
from starling.cli.progress import working
from starling.errors import IntegrityError
from starling.release.session import attributes

if TYPE_CHECKING:
    from starling.verification import Verification


@command("verify", example="starling verify starling-demo/tables/release")
@click.argument("bundle", type=options.PATH, metavar="RELEASE")
@click.option(
    "--ledger",
    metavar="URL",
    help="Look the charge up in it: FILE (a ledger, or one that was exported) or postgresql://...  [default: the one in RELEASE]",
)
@options.signer
def verify(bundle: Path, ledger: str | None, key: str | None) -> Result:
    """Verify a release, a folder or its zip: hashes, signature, cost, tables, and the charge. Needs neither the data nor a private key.

    Verified (exit code 0): everything holds, the key that was given signed it, and the ledger that was given holds its charge.
    Consistent (exit code 7): nothing in it contradicts itself, but something was not checked, which the first line names: whose key
    it is, the charge, what another version of Starling wrote. Failed (exit code 5): with every finding in one sentence.
    A ledger inside the release knows of no other release, so that it does not count as given.
    """
    from starling.verification import verify as check

    working("checking the release: files, signature, cost and numbers")
    verified = check(bundle, ledger=ledger, key=pin(key))
    # All findings, not the first ones alone: what was changed together is seen together.
    for finding in verified.findings:
        click.echo(f"starling: {finding}", err=True)
    return Result(
        lambda: f"{_head(bundle, verified)}\n\n{_states(verified)}",
        lambda: _failed(verified) if verified.findings else _json(bundle, verified),
        verified.outcome.exit_code,
    )


def _failed(verified: "Verification") -> dict[str, Any]:
    body = error_body(IntegrityError.exit_code, IntegrityError.__name__, verified.findings)
    return body | {"outcome": verified.outcome, "checks": _checks(verified)}


def _json(bundle: Path, verified: "Verification") -> dict[str, Any]:
    from starling.release.claims import claim

    return {
        "release": str(bundle),
        "outcome": verified.outcome,
        "not_checked": verified.left_open,
        "signer": None if verified.signer is None else attributes(verified.signer, "key=text", "fingerprint"),
        **({"cost": None} if verified.guarantee is None else claim(verified.guarantee).losses()),
        "proof": verified.proof or None,
        "request_id": verified.request_id,
        "ledger": None if verified.ledger is None else {"id": verified.ledger[0], "position": verified.ledger[1]},
        "charge_looked_up": verified.compared,
        "draws": None if verified.counts is None else asdict(verified.counts),
        "checks": _checks(verified),
    }


def _checks(verified: "Verification") -> list[dict[str, Any]]:
    return [
        {**attributes(check, "name", "state", "says"), "findings": list(map(problem_json, check.findings))}
        for check in verified.checks
    ]


def _states(verified: "Verification") -> str:
    from starling.release.text import facts

    return facts(
        [
            (check.name, f"{check.state}: {check.says}" if check.state == "holds" else check.state)
            for check in verified.checks
        ]
    )


def _head(bundle: Path, verified: "Verification") -> str:
    from starling.release.claims import claim
    from starling.release.statement import proof_in_words
    from starling.release.text import facts

    pairs = [(str(verified.outcome), f"{bundle}: {verified.headline}")]
    if verified.findings:
        return facts(pairs)
    if verified.signer is not None:
        states = {check.name: check.state for check in verified.checks}
        whose = "as given" if states["key"] == "holds" else "whose it is was not checked: give --key"
        pairs.append(("signed by", f"key {verified.signer.fingerprint}, {whose}"))
    if verified.guarantee is not None:
        pairs.append(("guarantee", f"{verified.guarantee.cost} for {verified.guarantee.relation}"))
        stated = claim(verified.guarantee)
        pairs.append(("epsilon", f"{stated.epsilon} at delta {stated.delta} ({stated.by})"))
        pairs.append(("proof", proof_in_words(verified.proof)))
    if verified.ledger is not None:
        name, position = verified.ledger
        how = _looked_up(verified)
        pairs.append(("charged as", f"event {position} of ledger {name}, {how}"))
    if verified.counts is not None:
        drawn = f"{verified.counts.draws}, paid again {verified.counts.redraws}, runs taken over {verified.counts.takeovers}"
        pairs.append(("draws", drawn))
    return facts(pairs)


def _looked_up(verified: "Verification") -> str:
    from starling.verification import OTHERS

    if OTHERS in verified.left_open:
        return "looked up there, inside the release"
    return "looked up there" if verified.compared else "not looked up: give --ledger"
