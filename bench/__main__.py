"""All benchmarks one after the other, and the page made of them: `python -m bench`; arguments go to each of them."""

import subprocess
import sys

from bench.pages import NAMES, main
from bench.peers import ROOT

for name in NAMES:
    subprocess.run([sys.executable, "-m", f"bench.{name}", *sys.argv[1:]], cwd=ROOT, check=True)
main()
