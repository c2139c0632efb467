"""Whether a public validator accepts the crate of a release: `python -m bench.crate CRATE`; the peer `ro_crate` has it."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from bench.peers import DEFAULT, ROOT, interpreter


def main() -> None:
    """Print what it says of each profile; ends with 1 where it refuses one."""
    parser = argparse.ArgumentParser(prog="python -m bench.crate", description=__doc__)
    parser.add_argument("crate", type=Path, metavar="CRATE")
    parser.add_argument("--profiles", default="ro-crate-1.2", help="Names of profiles with commas between them.")
    parser.add_argument("--further", default="", metavar="DIR", help="A folder of further profiles, as of Five Safes.")
    parser.add_argument("--contexts", default="", metavar="DIR", help="Of contexts (1.2.jsonld), for no network.")
    parser.add_argument("--peers", type=Path, default=DEFAULT)
    chosen = parser.parse_args()
    script: list[str | Path] = [interpreter(chosen.peers, "ro_crate"), "-m", "bench.peers.ro_crate_validation"]
    folders = [str(Path(each).resolve()) if each else "" for each in (chosen.contexts, chosen.further)]
    answered = subprocess.run(
        [*script, chosen.crate.resolve(), chosen.profiles, *folders],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    results = [json.loads(line) for line in answered.stdout.splitlines() if line.startswith("{")]
    for each in results:
        verdict = "refused" if each["issues"] else "accepted"
        print(f"{each['profile']}: {verdict}; {each['entities']} entities read, {each['cpu_seconds']} CPU seconds")
        print(*(f"  {issue}\n" for issue in each["issues"]), sep="", end="")
    sys.exit(any(each["issues"] for each in results))


if __name__ == "__main__":
    main()
