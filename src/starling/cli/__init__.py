"""The command line: parses, calls, prints. `starling --help` answers within 100 ms, so nothing heavy is imported up here."""

from starling.cli.commands import Root
from starling.domains import DOMAINS

EXIT_CODES = """\
0 ok, 2 usage, 3 budget refused, 4 policy refused, 5 integrity, 6 request id conflict, 7 a release is consistent and not verified,
65 bad input, 70 internal failure, 74 output unwritable or disk full, 75 run the same again, 130 interrupted."""

main = Root(
    "starling",
    example="starling demo",
    help="Publish statistics about people under differential privacy.\n\nPLAN is a folder or a file, or the name of a plan"
    " that comes with Starling, such as demo.",
    epilog=f"Exit codes: {EXIT_CODES}",
    lazy={
        "demo": "starling.cli.demo:demo",
        "warm": "starling.cli.warm:warm",
        **{name: registered.verbs for name, registered in DOMAINS.items()},
        "ledger": "starling.cli.ledger:ledger",
        "keys": "starling.cli.ledger:keys",
        "server": "starling.cli.server:server",
        "serve": "starling.cli.server:serve",
        "worker": "starling.cli.server:worker",
        "job": "starling.cli.server:job",
        "notify": "starling.cli.server:notify",
        "web": "starling.cli.server:web",
        "remote": "starling.cli.remote:remote",
        "open": "starling.cli.opening:open_",
        "answer": "starling.cli.answering:answer",
        "crate": "starling.cli.crate:crate",
        "verify": "starling.cli.verify:verify",
        "audit": "starling.cli.audit:audit",
    },
)

__all__ = ["main"]
