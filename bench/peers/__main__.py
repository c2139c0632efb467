"""Make one environment for each peer, with pinned packages: `python -m bench.peers [--folder DIR] [--python PROGRAM] [NAME ...]`."""

import argparse
import subprocess
import sys
from pathlib import Path

from bench.peers import DEFAULT, NAMES, interpreter, requirements


def main() -> None:
    """Make what is asked for; an environment that is there is brought to the pins."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *NAMES], metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--folder", type=Path, default=DEFAULT)
    parser.add_argument("--python", default=sys.executable, help="Python 3.11 or 3.12: tmlt.core runs on no later one")
    chosen = parser.parse_args()
    for name in chosen.names or NAMES:
        subprocess.run([chosen.python, "-m", "venv", chosen.folder / name], check=True)
        python = interpreter(chosen.folder, name)
        pip: list[str | Path] = ["-m", "pip", "install", "--quiet", "--requirement", requirements(name)]
        subprocess.run([python, *pip], check=True)
        print(f"{name}: ready")


if __name__ == "__main__":
    main()
