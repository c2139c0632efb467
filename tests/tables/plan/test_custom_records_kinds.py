"""Which kind of records a plan has, its readers and writers ask alone; everything else reads the one description of them."""

import ast
from pathlib import Path

import pytest

import starling
from starling.tables.plan.census_records import CensusRecords
from starling.tables.plan.custom_records import CustomRecords

SOURCE = Path(starling.__file__).parent
KINDS = {"CensusRecords", "CustomRecords", "Persons", "DeclaredRecords"}
"""Records as plans describe them, and as they are opened."""
READERS_AND_WRITERS = {
    "tables/plan/census_records.py": "the checked view of a plan as one of the Census",
    "tables/plan/custom_records.py": "the checked view of a plan as one of custom tables",
    "tables/plan/readable.py": "chooses the grammar of a plan file",
    "tables/artifact/public_plan.py": "writes plan.json",
    "tables/source/__init__.py": "reads records",
    "tables/counts/__init__.py": "counts records as each reader gives them",
    "tables/generate/__init__.py": "writes invented records",
    "tables/generate/standing_in.py": "writes invented records",
}


def asks_for_the_kind(node: ast.AST) -> bool:
    """`isinstance(x, CensusRecords)`, `case CensusRecords()`, or `plan.records is None`."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, kinds]):
            return bool({each.id for each in ast.walk(kinds) if isinstance(each, ast.Name)} & KINDS)
        case ast.MatchClass(cls=ast.Name(id=name)):
            return name in KINDS
        case ast.Compare(left=ast.Attribute(attr="records"), ops=[ast.Is() | ast.IsNot(), *_]):
            return True
    return False


@pytest.mark.slow
def test_only_readers_and_writers_ask_for_the_kind_of_records() -> None:
    asking = {
        path.relative_to(SOURCE).as_posix()
        for folder in ("tables", "cli", "server", "release", "audit")
        for path in (SOURCE / folder).rglob("*.py")
        if any(map(asks_for_the_kind, ast.walk(ast.parse(path.read_text()))))
    }
    assert asking == READERS_AND_WRITERS.keys()


def test_the_search_finds_each_form_of_the_question() -> None:
    forms = (
        "isinstance(plan.records, CensusRecords)",
        "isinstance(opened, (Persons, str))",
        "plan.records is None",
        "self.records is not None",
        "match x:\n    case CustomRecords():\n        pass",
    )
    for form in forms:
        assert any(map(asks_for_the_kind, ast.walk(ast.parse(form)))), form
    assert not any(map(asks_for_the_kind, ast.walk(ast.parse("plan.records.unit is None"))))


def test_both_kinds_describe_all_that_is_read() -> None:
    apart = {
        *READERS_AND_WRITERS,
        *(f"tables/plan/{name}.py" for name in ("census_grammar", "custom_grammar", "custom_levels")),
    }
    paths = [path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).as_posix() not in apart]
    texts = (text for path in paths if "plan.records" in (text := path.read_text()))
    read = {
        node.attr
        for text in texts
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "plan.records"
    }
    assert read >= {"by_name", "families", "chains", "states", "median", "stated_regions"}
    census, custom = ({*dir(kind), *kind.__dataclass_fields__} for kind in (CensusRecords, CustomRecords))
    assert read & (census ^ custom) == set()
