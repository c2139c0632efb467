"""One English: names are nouns for things and verbs for functions, and messages say plainly what is the matter."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.conftest import ROOT

SOURCE: Final = ROOT / "src" / "starling"
PACKAGES: Final = sorted(
    path.name for path in SOURCE.iterdir() if path.suffix == ".py" or (path.is_dir() and path.name != "__pycache__")
)

PARTICIPLES: Final = frozenset({"asked", "found", "given", "kept", "made", "said", "told"})
"""Say of something what was done to it, not what it is: neither a name nor the first word of one."""
DIALECT: Final = frozenset(
    {
        *("again", "beside", "foresee", "foreseen", "foresees", "less", "mine", "ours", "ours_alone", "pen"),
        *("settlers", "stray", "stretches", "theirs", "thing", "things", "together", "twice", "who"),
    }
)
"""Names that a reader of the field has to decode."""
OF_PYTHON: Final = frozenset({"connection_made"})
"""Names that a protocol of Python demands."""
OF_RELEASES: Final = frozenset({"given_published", "together"})
"""Keys of plan.json and of questions to a release, and so of what was made and asked before."""
PHRASES: Final = (
    r"\bnobody (answers|can tell|has|hears|keeps|knows|looks|sees|waits)\b",
    r"\b(somebody|whoever)\b",
    r"\bwho (asks|analyses)\b",
    r"\bof (ours|hers|one's own)\b",
    r"\bwaits for (definitions|it)\b|\bthat waits for\b",
    r"\b(records|rows|they) are none\b",
    r"\bcannot have been accepted\b",
    r"\blikely be published by\b",
    r"\blooks at ['\"{]",
)
"""Of messages: riddles, and things that act like persons."""
PHRASE: Final = re.compile("|".join(PHRASES))


def names(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    """Every name that a module of these nodes binds, declares or uses, with its line."""
    for node in nodes:
        line = getattr(node, "lineno", 1)
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)) | ast.arg(arg=name):
                yield line, name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield line, name
            case ast.alias(name=name, asname=other):
                yield line, other or name.rpartition(".")[2]
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.ExceptHandler(name=str(name)):
                yield line, name


@cache
def is_foreign(name: str) -> bool:
    """Whether a name is none of plain English for what it names."""
    words = re.findall("[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])", name)
    return (
        name not in OF_PYTHON | OF_RELEASES
        and bool(words)
        and (words[0].lower() in PARTICIPLES or name.strip("_").lower() in DIALECT)
    )


def texts(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    """Every text of a module of these nodes that is no docstring, with its line."""
    defining = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    statements = [node for parent in nodes if isinstance(parent, defining) for node in parent.body]
    docstrings = {id(node.value) for node in statements if isinstance(node, ast.Expr)}
    pieces = {id(piece) for node in nodes if isinstance(node, ast.JoinedStr) for piece in node.values}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            yield (
                node.lineno,
                "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values),
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings | pieces:
            yield node.lineno, node.value


def slips(path: Path) -> list[str]:
    """Forbidden names and phrases of a module."""
    nodes, where = [*ast.walk(ast.parse(path.read_text()))], path.relative_to(ROOT)
    module = [f"{where}: the module's name"] if is_foreign(path.stem) else []
    named = {f"{where}:{line}: {name}" for line, name in names(nodes) if is_foreign(name)}
    phrases = [f"{where}:{line}: {text[:80]!r}" for line, text in texts(nodes) if PHRASE.search(text)]
    return [*module, *sorted(named), *phrases]


def modules(package: str) -> list[Path]:
    """The modules of a package, or the one module."""
    path = SOURCE / package
    return sorted(path.rglob("*.py")) if path.is_dir() else [path] if path.suffix == ".py" else []


@pytest.mark.parametrize("package", PACKAGES)
def test_names_and_messages_of_a_package_are_plain_english(package: str) -> None:
    listed = [slip for path in modules(package) for slip in slips(path)]
    assert not listed, "\n".join(listed)


@pytest.mark.parametrize(
    ("name", "foreign"),
    [
        *((name, True) for name in ("found", "_found", "GIVEN", "AskedPlan", "made_text", "Pen", "_Who", "ours_alone")),
        *((name, False) for name in ("result", "is_made", "NotFoundError", "foundation", "_", "request", "lossless")),
    ],
)
def test_a_name_is_judged_by_its_first_word(name: str, foreign: bool) -> None:
    assert is_foreign(name) is foreign


def test_a_slip_is_seen_wherever_a_name_or_a_text_can_stand(tmp_path: Path) -> None:
    code = '''"""Whoever reads this."""
from a import said
def told(asked, *, kept=1): "who asks"
async def f():
    try: made.given(found=f"for somebody {f}")
    except E as told: pass
    match f:
        case [*found]: "records are none"
class Pen: x = "nobody waits"
'''
    nodes = [*ast.walk(ast.parse(code))]
    lines = sorted(
        (line, name) for line, name in [*names(nodes), *texts(nodes)] if is_foreign(name) or PHRASE.search(name)
    )
    assert [name for _, name in lines] == [
        *("said", "asked", "kept", "told", "for somebody {}", "found", "given", "made", "told", "found"),
        *("records are none", "Pen", "nobody waits"),
    ]
