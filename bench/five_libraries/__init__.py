"""One job in five libraries: how many people of each sex and age group a file has, at epsilon 1, as a table in a file.

Each script is what its library's documentation recommends for public groups, and runs alone in the environment of its library.
"""

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
PEERS: Final = {
    "diffprivlib": ("diffprivlib", "diffprivlib"),
    "opendp": ("opendp_polars", "opendp"),
    "pipeline_dp": ("pipeline_dp", "pipeline-dp"),
    "tmlt": ("tmlt_analytics", "tmlt.analytics"),
}
"""Of each other library the peer whose environment its script runs in, and its name as a package."""
OURS: Final = "starling"


def script(library: str) -> Path:
    """The script of a library."""
    return FOLDER / f"visits_{library}.py"


def lines(library: str) -> int:
    """Its lines that are not blank."""
    return sum(bool(line.strip()) for line in script(library).read_text().splitlines())
