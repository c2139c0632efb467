"""Whether the GWAS Catalog's validator accepts an export: `python -m bench.summary_statistics FILE.tsv`; the peer `gwas_ssf` has it."""

import argparse
import subprocess
import sys
from pathlib import Path

from bench.peers import DEFAULT, interpreter


def main() -> None:
    """Print what it says of the data and of the metadata beside them; ends with 1 where it refuses one."""
    parser = argparse.ArgumentParser(prog="python -m bench.summary_statistics", description=__doc__)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--least", type=int, default=100_000, help="Rows that it wants at least; 100,000 by default.")
    parser.add_argument("--peers", type=Path, default=DEFAULT)
    chosen = parser.parse_args()
    python = interpreter(chosen.peers, "gwas_ssf")
    command = python.with_name("gwas-ssf")
    data = subprocess.run([command, "validate", chosen.file, "--min-rows", str(chosen.least)], check=False)
    beside = chosen.file.with_name(f"{chosen.file.name}-meta.yaml")
    metadata = subprocess.run([python, "-c", _METADATA, beside], check=False)
    print(f"metadata: {'refused' if metadata.returncode else 'accepted'}")
    sys.exit(bool(data.returncode or metadata.returncode))


_METADATA = """
import sys, yaml
from gwas_sumstats_tools.schema.metadata import SumStatsMetadata
SumStatsMetadata(**yaml.safe_load(open(sys.argv[1])))
"""
"""What reads the metadata, in the peer's own environment; the command itself tells only what it could read."""


if __name__ == "__main__":
    main()
