"""The ground rules of the house: small modules with names that say something, tests mirror the source, nothing half done."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.conftest import LONG, ROOT

SOURCE = ROOT / "src" / "starling"
TESTS = ROOT / "tests"
MODULES = sorted(path for folder in ("src", "tests", "bench", "docs", ".ci") for path in (ROOT / folder).rglob("*.py"))
TEST_FILES = sorted(TESTS.rglob("test_*.py"))
TEXTS = sorted(
    path
    for folder in ("src", "tests", "bench", "deploy", "docs", ".ci")
    for path in (ROOT / folder).rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
) + [
    ROOT / name
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "pyproject.toml", "mkdocs.yml")
]

LONGEST = 400
"""Lines of a module."""
LARGEST = 1 << 20
"""Bytes of a file."""
EMPTY_NAMES = {"utils", "util", "common", "misc", "helpers", "helper"}
# With brackets, so that this file does not hold what it looks for.
UNFINISHED = re.compile("T[O]DO|F[I]XME|X[X]X|raise NotImplemented[E]rror|pragma: no [c]over")
DITTO = re.compile(
    r"\b(Likewise|Ditto|[Ss]ee above|[Aa]s above)\b|(?:^|^ +[\w, ]+: )(The same\b(?! \w+ \w)|Of these\b|Of it\b)",
    re.MULTILINE,
)
"""What explains nothing where it stands."""
DITTOS = "[Ll]ikewise|Ditto|[Ss]ee above|[Aa]s above|The same|Of these|Of it"
"""What a file has somewhere that has a ditto."""
MACHINE = re.compile(r"(?<![\w.~}])/(work|home|root|Users)/|index[-_]url|://[\w.-]*(pypi|npmjs|debian)\.\w+")

WHOLE_HOUSE = {
    "test_benchmarks_page",
    "test_ci",
    "test_circles",
    "test_contracts",
    "test_contributing",
    "test_deployment",
    "test_docs",
    "test_english",
    "test_forking",
    "test_layout",
    "test_notebooks",
    "test_pages",
    "test_readme",
    "test_rendered",
    "test_rendered_releases",
    "test_safetab_figures",
    "test_surroundings",
    "test_tiers",
    "test_unused",
    "test_trace",
    "test_walk_through",
    "test_working_folder",
}
"""Tests of the house as a whole, not of one module; they stand directly in tests/."""
TESTED_ELSEWHERE = {
    "cli/serving_add.py": "test_serving_data.py adds data by one command, killed at each of its steps",
    "release/table_comparison.py": "test_table_files.py compares what it wrote, and what was changed",
    "genome/arrays.py": "names of types",
    "genome/domain.py": "test_domains.py finds it by its name",
    "groups/domain.py": "test_domains.py finds it by its name",
    "groups/measurements.py": "test_mechanism.py measures by it, with the noise of a release",
    "genome/measurements.py": "values; the mechanisms make them and post-processing reads them",
    "places/domain.py": "test_domains.py finds it by its name",
    "places/arrays.py": "names of types",
    "places/plan/points.py": "plan/test_model.py and areas/plan/test_model.py refuse by it",
    "places/plan/trips.py": "flows/plan/test_model.py and trips/plan/test_model.py refuse by it",
    "places/source/trips.py": "flows/test_source.py and trips/test_source.py open records by it",
    "places/source/reference.py": "test_source.py opens files that name their reference system",
    "places/areas/analysis.py": "test_publish.py asks what it releases",
    "places/areas/artifact/columns.py": "test_publish.py and test_preview.py read its table back",
    "pages/signs.py": "test_marks.py draws each of them",
    "places/areas/artifact/map_page.py": "flows/artifact/test_map_page_browser.py compares its numbers with those of a release",
    "places/flows/artifact/map_page.py": "test_map_page_browser.py compares its numbers with those of a release",
    "places/areas/artifact/pages.py": "test_publish.py verifies the report that it makes",
    "places/areas/artifact/public_plan.py": "test_publish.py reads what it wrote, and what was changed",
    "places/areas/counts.py": "test_publish.py counts by it",
    "places/areas/measurements.py": "test_mechanism.py enumerates what its noise costs",
    "places/areas/postprocess.py": "test_mechanism.py keeps its estimates to what was drawn",
    "places/areas/publication.py": "test_publish.py verifies and reopens it",
    "places/areas/session.py": "test_publish.py releases by it",
    "places/areas/plan/areas_grammar.py": "test_grammar.py refuses by each of its keys",
    "places/flows/answers/released.py": "test_analysis.py asks a release by it",
    "places/flows/artifact/columns.py": "test_analysis.py reads its table, and test_publication.py verifies it",
    "places/flows/artifact/pages.py": "test_publication.py verifies the pages of a release",
    "places/flows/artifact/public_plan.py": "test_publication.py reads what it wrote, and what was changed",
    "places/flows/generate.py": "cli/test_places_flows.py invents trips and releases them",
    "places/flows/measurements.py": "test_mechanism.py adds up by it",
    "places/flows/pictures.py": "test_analysis.py draws by it",
    "places/flows/plan/choices.py": "plan/test_model.py refuses what is outside them",
    "places/flows/plan/grammar.py": "test_grammar.py reads and writes each of its keys",
    "places/flows/plan/levels.py": "test_mechanism.py and test_postprocess.py take levels of every kind",
    "places/flows/preview.py": "test_session.py and cli/test_places_flows.py preview plans",
    "places/flows/publish.py": "conftest.py releases by it",
    "places/trips/measurements.py": "test_mechanism.py and test_postprocess.py go by it",
    "places/trips/answers/released.py": "test_analysis.py asks a release by it",
    "places/trips/artifact/columns.py": "test_analysis.py reads its tables, and test_publication.py verifies them",
    "places/trips/artifact/pages.py": "test_publication.py verifies the pages of a release",
    "places/trips/artifact/public_plan.py": "test_publication.py reads what it wrote, and what was changed",
    "places/trips/generate.py": "cli/test_places_flows_grid.py invents trips and releases them",
    "places/trips/plan/columns.py": "plan/test_model.py refuses what they cannot be",
    "places/trips/plan/grammar.py": "test_grammar.py reads and writes each of its keys",
    "places/trips/preview.py": "test_session.py previews a plan",
    "places/trips/publish.py": "conftest.py releases by it",
    "screens/places/kinds.py": "test_flows.py and test_pages.py show releases of each kind",
    "places/plan/choices.py": "names and bounds; test_model.py and test_readable.py refuse what is outside them",
    "engine/workbook_beginning.py": "test_workbooks.py opens workbooks by it alone",
    "places/mechanism/method.py": "what all methods inherit; every method's tests keep it",
    "ledger/account.py": "the promises charge through it, and test_charging_crashes.py kills it",
    "ledger/billing.py": "the promises charge by it, and test_terms.py by every term",
    "ledger/registered.py": "test_replay.py and test_terms.py forge each of its events",
    "ledger/reading.py": "test_replay.py verifies by it, and cli/test_auditing.py shows what it reads",
    "ledger/rows.py": "the SQL of the ledger: the promises on both stores",
    "ledger/store.py": "a protocol; both stores are tested against it",
    "release/contents.py": "tables/test_artifact.py and genome/test_artifact.py write releases",
    "release/domain.py": "protocols, which every domain keeps",
    "release/payment.py": "test_publish_resume.py of tables and genome kill a release at each of its steps",
    "release/pipeline.py": "every domain's publish walks it",
    "cli/options.py": "options of commands, whose tests give them",
    "cli/validating.py": "test_verbs.py validates in every way",
    "release/claims.py": "test_statement.py reads what a guarantee claims, and test_arithmetic.py its events",
    "release/described.py": "every domain's session describes its plan and invents records",
    "tables/preview/levels.py": "test_preview.py and test_described.py preview every kind of level",
    "cli/publishing.py": "test_tables.py and test_auditing_release.py release with every way to pay",
    "genome/plan/choices.py": "names and bounds; test_model.py and test_readable.py refuse what is outside them",
    "groups/plan/choices.py": "names and bounds; test_model.py and test_readable.py refuse what is outside them",
    "server/authentication.py": "test_app.py asks in every role, and without",
    "server/replies.py": "test_app.py and test_guard.py get every kind of error reply",
    "worker/attempting.py": "test_children.py and test_running.py make attempts that end in every way",
    "tables/domain.py": "test_domains.py finds it by its name",
}
"""Modules without a test file of their name, and why."""


def short(path: Path) -> str:
    """A path within the checkout."""
    return path.relative_to(ROOT).as_posix()


def test_modules_are_short() -> None:
    long = {short(path): n for path in MODULES if (n := len(path.read_text().splitlines())) > LONGEST}
    assert not long, f"modules beyond {LONGEST} lines: {long}"


def test_files_that_are_begun_first_are_there() -> None:
    assert all((TESTS / name).is_file() for name in LONG)


def test_no_module_is_named_after_nothing() -> None:
    named = [short(path) for path in MODULES if EMPTY_NAMES & {path.stem, *path.relative_to(ROOT).parts}]
    assert not named


def test_no_file_is_large() -> None:
    assert not [short(path) for path in TEXTS if path.stat().st_size > LARGEST]


def test_nothing_is_left_unfinished() -> None:
    found = [short(path) for path in MODULES if UNFINISHED.search(path.read_text())]
    assert not found


def test_no_file_names_a_machine() -> None:
    found = {
        short(path): match.group()
        for path in TEXTS
        if path.suffix not in {".png", ".parquet", ".svg", ".bin"} and (match := MACHINE.search(path.read_text()))
    }
    assert not found


def test_no_script_of_others_is_in_the_repository() -> None:
    own = SOURCE / "pages" / "static"
    scripts = {".js", ".css", ".woff", ".woff2", ".wasm", ".whl"}
    assert not [short(path) for path in TEXTS if path.suffix in scripts and path.parent != own]


def functions_of(path: Path) -> list[ast.FunctionDef]:
    """The test functions of a file."""
    top = ast.parse(path.read_text()).body
    nodes = [*top, *(node for scope in top if isinstance(scope, ast.ClassDef) for node in scope.body)]
    return [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]


def is_empty(statement: ast.stmt) -> bool:
    """Whether a statement of a test shows nothing: pass, a text, or an assertion of a constant."""
    if isinstance(statement, ast.Assert):
        return isinstance(statement.test, ast.Constant)
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def never_runs(test: ast.FunctionDef) -> bool:
    """Whether a decorator skips the test whatever the machine, or expects it to fail."""
    marks = (each.func if isinstance(each, ast.Call) else each for each in test.decorator_list)
    return any(ast.unparse(mark) in ("pytest.mark.skip", "pytest.mark.xfail") for mark in marks)


def empty_or_skipped(path: Path) -> list[str]:
    """The tests of a file that show nothing or never run."""
    return [
        f"{short(path)}::{test.name}"
        for test in functions_of(path)
        if never_runs(test) or all(is_empty(statement) for statement in test.body)
    ]


def test_no_test_is_empty_or_never_runs() -> None:
    assert not [each for path in TEST_FILES for each in empty_or_skipped(path)]


@pytest.mark.parametrize(
    "code",
    [
        "def test_x():\n    pass",
        "def test_x():\n    '''Says much.'''",
        "def test_x():\n    assert 2",
        "@pytest.mark.skip\ndef test_x():\n    f()",
        "@pytest.mark.xfail(reason='later')\ndef test_x():\n    f()",
    ],
)
def test_an_empty_test_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr("tests.test_layout.ROOT", tmp_path)
    planted = tmp_path / "test_planted.py"
    planted.write_text(code)
    assert empty_or_skipped(planted)


def skips_without_a_reason(path: Path) -> list[int]:
    """Lines of calls of pytest.skip, skipif or importorskip that do not say why."""
    text = path.read_text()
    return [
        node.lineno
        for node in (ast.walk(ast.parse(text)) if "skip" in text else ())
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in {"pytest.skip", "pytest.mark.skipif", "pytest.importorskip"}
        and not any(keyword.arg == "reason" for keyword in node.keywords)
        and not (ast.unparse(node.func) == "pytest.skip" and node.args)
    ]


def test_a_skip_says_why() -> None:
    assert not {short(path): lines for path in sorted(TESTS.rglob("*.py")) if (lines := skips_without_a_reason(path))}


STAYS = re.compile(r"""(?:click|locator)\(f?['"](?:#|summary)|no_wait_after=True""")
"""What moves or opens something on the page that is shown, or waits by itself later."""


def clicks_that_wait_for_nothing(code: str) -> list[int]:
    """Lines of clicks that may lead to another page, and of which the test waits for no end.

    A click returns before the next page is read, so that what is asked of the page next may be answered by half of it.
    """
    blocks = [
        block
        for node in ast.walk(ast.parse(code))
        for block in (getattr(node, "body", None), getattr(node, "orelse", None))
        if isinstance(block, list) and not (isinstance(node, ast.With) and ".expect_" in ast.unparse(node.items[0]))
    ]
    return [
        each.lineno
        for block in blocks
        for each, after in pairwise([*block, None])
        if isinstance(each, ast.Expr)
        and ".click(" in (said := ast.unparse(each))
        and STAYS.search(said) is None
        and not (after is not None and ".wait_for_" in ast.unparse(after) and "load_state" not in ast.unparse(after))
    ]


def test_a_test_waits_for_the_page_that_a_click_leads_to() -> None:
    found = {
        short(path): lines
        for path in sorted(TESTS.rglob("test_*_browser.py"))
        if (lines := clicks_that_wait_for_nothing(path.read_text()))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("page.click('.send')\nassert page.url", [1]),
        ("page.locator('b').click()\npage.wait_for_load_state()", [1]),
        ("for each in forms:\n    page.click('b')", [2]),
        ("page.click('.send')\npage.wait_for_url('x')", []),
        ("with page.expect_navigation():\n    page.click('b')\nread(page)", []),
        ("page.click('#nearer')\nread(page)", []),
    ],
)
def test_a_click_that_waits_for_nothing_is_caught(code: str, lines: list[int]) -> None:
    assert clicks_that_wait_for_nothing(code) == lines


def mirrored(test: Path) -> bool:
    """Whether tests/x/test_y.py has a src/starling/x/y.py or x/y/, or y begins with that name and says which part of it.

    tests/bench mirrors bench/ in the same way.
    """
    folder = test.parent.relative_to(TESTS)
    folder = ROOT / folder if folder.parts[:1] == ("bench",) else SOURCE / folder
    name = test.stem.removeprefix("test_")
    if test.parent == TESTS and test.stem in WHOLE_HOUSE:
        return True
    words = name.split("_")
    return any(
        (folder / f"{stem}.py").exists() or (folder / stem / "__init__.py").exists()
        for stem in ("_".join(words[:count]) for count in range(len(words), 0, -1))
    )


def test_tests_mirror_the_source() -> None:
    without = [short(path) for path in TEST_FILES if not mirrored(path)]
    assert not without, "no module of this name at this place: name the test after the module it tests"


def test_every_module_has_its_tests() -> None:
    modules = [path.relative_to(SOURCE) for path in sorted(SOURCE.rglob("*.py")) if path.stem != "__init__"]
    missing = [
        module.as_posix()
        for module in modules
        if module.as_posix() not in TESTED_ELSEWHERE
        and not list((TESTS / module.parent).glob(f"test_{module.stem}*.py"))
    ]
    assert not missing, "modules without a test file of their name"


def test_exceptions_are_still_needed() -> None:
    assert not [name for name in TESTED_ELSEWHERE if not (SOURCE / name).exists()]


def nodes(pattern: str) -> Iterator[tuple[Path, ast.AST]]:
    """What the source is made of, with its file, where its text has the pattern: to parse all of it takes a second."""
    for path in SOURCE.rglob("*.py"):
        if re.search(pattern, text := path.read_text()):
            yield from ((path, node) for node in ast.walk(ast.parse(text)))


def test_every_docstring_explains_by_itself() -> None:
    """No text refers to one that stands elsewhere by a mere "Likewise"."""
    found = [
        f"{short(path)}:{node.lineno}"
        for path, node in nodes(DITTOS)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        if DITTO.search(node.value.value)
    ]
    assert not found


@pytest.mark.parametrize(
    "text", ["Likewise.", "The same.", "The same, sorted.", "See above.", "A sum.\n\n    Args:\n        x: The same.\n"]
)
def test_a_ditto_is_found(text: str) -> None:
    assert DITTO.search(text)
    assert re.search(DITTOS, text)


def test_no_rounded_number_is_written_as_minus_zero() -> None:
    """A noisy -0.3 is "0" to a reader, and the same in report, session and page."""
    formats = [
        (path.relative_to(ROOT), spec)
        for path, node in nodes("[efg%]}")
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None
        if re.search(r"\.(\{\}|\d+)[efg%]$", spec := spec_of(node.format_spec))
    ]
    assert len(formats) > 50
    assert [(path, spec) for path, spec in formats if "z" not in spec] == []


def spec_of(node: ast.expr) -> str:
    """The format specification of a field of an f-string; a nested field is {}."""
    assert isinstance(node, ast.JoinedStr)
    return "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values)
