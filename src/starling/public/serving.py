"""A process that answers tasks about public plans: a line of JSON in, a line out, until its input ends with the server that started it."""

import json
import os
import sys
from typing import BinaryIO

from starling.public.answering import answer


def serve(tasks: BinaryIO, answers: BinaryIO) -> None:
    """Answer each line of `tasks` by one of `answers`."""
    for line in tasks:
        try:
            reply = answer(json.loads(line))
        except Exception:  # noqa: BLE001 - the next task is answered; no stack trace may leave, it would show what was asked
            fix = "tell the custodian when it happened"
            problem = {"field": "server", "problem": "stopped by a fault of Starling's own", "fix": fix}
            reply = {"error": "InternalError", "problems": [dict(problem)]}
        answers.write(json.dumps(reply).encode() + b"\n")
        answers.flush()


def main() -> None:
    """Serve standard input and output; whatever a library prints goes nowhere."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        serve(sys.stdin.buffer, answers)
