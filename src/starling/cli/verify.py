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
    found = check(bundle, ledger=ledger, key=None if key is None else pin(key))
    # All findings, not the first ones alone: what was changed together is seen together.
    for finding in found.findings:
        click.echo(f"starling: {finding}", err=True)
    return Result(
        lambda: f"{_head(bundle, found)}\n\n{_states(found)}",
        lambda: _failed(found) if found.findings else _json(bundle, found),
        found.outcome.exit_code,
    )


def _failed(found: "Verification") -> dict[str, Any]:
    body = error_body(IntegrityError.exit_code, IntegrityError.__name__, found.findings)
    return body | {"outcome": found.outcome, "checks": _checks(found)}


def _json(bundle: Path, found: "Verification") -> dict[str, Any]:
    from starling.release.statement import claim

    return {
        "release": str(bundle),
        "outcome": found.outcome,
        "not_checked": found.left_open,
        "signer": None if found.signer is None else {"key": found.signer.text, "fingerprint": found.signer.fingerprint},
        "cost": None if found.guarantee is None else claim(found.guarantee).adjacencies(),
        "request_id": found.request_id,
        "ledger": None if found.ledger is None else {"id": found.ledger[0], "position": found.ledger[1]},
        "charge_looked_up": found.compared,
        "draws": None if found.counts is None else asdict(found.counts),
        "checks": _checks(found),
    }


def _checks(found: "Verification") -> list[dict[str, Any]]:
    return [
        {
            "name": check.name,
            "state": check.state,
            "says": check.says,
            "findings": [problem_json(finding) for finding in check.findings],
        }
        for check in found.checks
    ]


def _states(found: "Verification") -> str:
    from starling.release.text import facts

    return facts(
        [
            (check.name, f"{check.state}: {check.says}" if check.state == "holds" else check.state)
            for check in found.checks
        ]
    )


def _head(bundle: Path, found: "Verification") -> str:
    from starling.release.text import facts

    pairs = [(str(found.outcome), f"{bundle}: {found.headline}")]
    if found.findings:
        return facts(pairs)
    if found.signer is not None:
        states = {check.name: check.state for check in found.checks}
        whose = "as given" if states["key"] == "holds" else "whose it is was not checked: give --key"
        pairs.append(("signed by", f"key {found.signer.fingerprint}, {whose}"))
    if found.guarantee is not None:
        pairs.append(("guarantee", f"{found.guarantee.cost} for {found.guarantee.relation}"))
    if found.ledger is not None:
        name, position = found.ledger
        how = _looked_up(found)
        pairs.append(("charged as", f"event {position} of ledger {name}, {how}"))
    if found.counts is not None:
        drawn = f"{found.counts.draws}, paid again {found.counts.redraws}, runs taken over {found.counts.takeovers}"
        pairs.append(("draws", drawn))
    return facts(pairs)


def _looked_up(found: "Verification") -> str:
    from starling.verification import OTHERS

    if OTHERS in found.left_open:
        return "looked up there, inside the release"
    return "looked up there" if found.compared else "not looked up: give --ledger"
