"""Prints a constraint for each requirement of the package and of some extras: the lowest version that is declared.

Usage: python lowest.py PYPROJECT EXTRA,...
"""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

REQUIREMENT = re.compile(r"([\w-]+)(?:\[\w+\])?>=([\w.]+)(?:,<[\w.]+)?")


def constraints(project: dict[str, Any], extras: list[str]) -> list[str]:
    """`name==version` for each requirement; ValueError for one that declares no lowest version.

    >>> constraints({"dependencies": ["a>=1.2"], "optional-dependencies": {"x": ["b[c]>=2,<3"], "y": ["d>=4"]}}, ["x"])
    ['a==1.2', 'b==2']
    """
    declared = [project["dependencies"], *(project["optional-dependencies"][extra] for extra in extras)]
    lowest = set()
    for requirement in (each for part in declared for each in part):
        match = REQUIREMENT.fullmatch(requirement)
        if match is None:
            raise ValueError(requirement)
        lowest.add(f"{match[1]}=={match[2]}")
    return sorted(lowest)


if __name__ == "__main__":
    pyproject = tomllib.loads(Path(sys.argv[1]).read_text())
    print("\n".join(constraints(pyproject["project"], sys.argv[2].split(","))))
