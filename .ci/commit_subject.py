"""Refuses a commit whose subject is longer than 72 characters or ends with a full stop."""

import sys
from pathlib import Path

LONGEST = 72


def problem(message: str) -> str | None:
    """What is wrong with the first line of a commit message; None where nothing is."""
    subject = message.partition("\n")[0]
    if not subject.strip():
        return "the subject is empty"
    if len(subject) > LONGEST:
        return f"the subject has {len(subject)} characters, at most {LONGEST}; put the reason into the body"
    if subject.endswith("."):
        return "the subject ends with a full stop"
    return None


if __name__ == "__main__":
    sys.exit(problem(Path(sys.argv[1]).read_text()))
