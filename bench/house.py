"""How large the house is, beside what it was: files, lines and tests of each package, words of the documentation, the longest functions.

Both are read from git, so that nothing depends on the working tree. A line is counted once: as blank, as a comment, as part of a docstring
(of a module, a class, a function or a name), as part of an import, or as code. A test is a function; parametrised cases are not counted
apart, for these are known only to who runs them.
"""

import ast
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from bench.measure import Json
from bench.peers import ROOT
from bench.record import Limit, Recorder

BEFORE: Final = "41fb868c"
"""The commit that was reviewed, before the house was made smaller."""
LONGEST: Final = 10
KINDS: Final = ("code", "docstring", "import", "comment", "blank")


class Function(NamedTuple):
    """A function of a module and how many lines it has, its docstring apart."""

    lines: int
    place: str


def kinds(text: str) -> Counter[str]:
    r"""How many lines of a module are of each of `KINDS`.

    >>> sorted(kinds('"Words."\n\nimport os  # why\n# note\nx = 1\n').items())
    [('blank', 1), ('code', 1), ('comment', 1), ('docstring', 1), ('import', 1)]
    """
    of_line: dict[int, str] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            kind = "import"
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            kind = "docstring"
        else:
            continue
        of_line.update(dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), kind))
    result = Counter[str]()
    for at, line in enumerate(text.splitlines(), start=1):
        bare = line.strip()
        result[of_line.get(at) or ("comment" if bare.startswith("#") else "code" if bare else "blank")] += 1
    return result


def functions(place: str, text: str) -> Iterator[Function]:
    r"""Every function of a module.

    >>> [*functions("a.py", 'def f() -> int:\n    "Words."\n    return 1\n')]
    [Function(lines=2, place='a.py: f')]
    """
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            words = (first.end_lineno or 0) - first.lineno + 1 if ast.get_docstring(node) is not None else 0
            yield Function((node.end_lineno or 0) - node.lineno + 1 - words, f"{place}: {node.name}")


def package(path: PurePosixPath) -> str | None:
    """To which package a module belongs, tests with what they test; None for what lies elsewhere.

    >>> [package(PurePosixPath(each)) for each in ("src/starling/places/kinds.py", "tests/places/test_kinds.py", "bench/noise.py")]
    ['places', 'places', 'bench']
    """
    match path.parts:
        case ("src", "starling", name, _, *_) | ("tests", name, _, *_):
            return name
        case ("src", "starling", _) | ("tests", _):
            return "starling"
        case ("bench", *_):
            return "bench"
        case _:
            return None


def texts(revision: str) -> Iterator[tuple[PurePosixPath, str]]:
    """Every module and every page of a commit."""
    names = _git("ls-tree", "-r", "--name-only", revision).decode().splitlines()
    for name in names:
        if name.endswith(".py") or (name.endswith(".md") and name.startswith("docs/")):
            yield PurePosixPath(name), _git("show", f"{revision}:{name}").decode()


def measured(revision: str) -> tuple[dict[str, Counter[str]], list[Function], int, int]:
    """Of a commit: numbers of each package, the longest functions of the package, words of its pages, lines of its longest module."""
    numbers: dict[str, Counter[str]] = {}
    found: list[Function] = []
    words = longest = 0
    for path, text in texts(revision):
        if path.suffix == ".md":
            # Records of decisions and generated figures are not among the pages that are bounded.
            words += 0 if "decisions" in path.parts else len(text.split())
            continue
        name = package(path)
        if name is None:
            continue
        of_package = numbers.setdefault(name, Counter())
        if path.parts[0] == "tests":
            of_package["test lines"] += len(text.splitlines())
            of_package["tests"] += sum(
                each.place.startswith("test_", each.place.index(": ") + 2) for each in functions("", text)
            )
            continue
        of_package["files"] += 1
        of_package.update(kinds(text))
        if path.parts[0] == "src":
            longest = max(longest, len(text.splitlines()))
            found += functions("/".join(path.parts[2:]), text)
    return numbers, sorted(found, reverse=True)[:LONGEST], words, longest


def _git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def main() -> None:
    """Count and write what was counted."""
    recorder = Recorder("house", __doc__ or "")
    quick = recorder.begin().quick
    after, longest, words, largest = measured("HEAD")
    before, _, earlier_words, _ = (after, longest, words, largest) if quick else measured(BEFORE)
    columns = ("files", *KINDS, "tests", "test lines")
    rows: list[Json] = [
        {
            "package": name,
            **{
                when: {key: counted.get(name, Counter())[key] for key in columns}
                for when, counted in (("before", before), ("after", after))
            },
        }
        for name in sorted(before | after)
    ]
    recorder.end(
        settings={
            "before": BEFORE,
            "words": {"before": earlier_words, "after": words},
            "longest": [{"lines": each.lines, "place": each.place} for each in longest],
        },
        rows=rows,
        limits=[
            Limit("words of the documentation", words, 45_000, "words"),
            Limit("the longest module", largest, 400, "lines"),
        ],
    )


if __name__ == "__main__":
    main()
