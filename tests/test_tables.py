"""The public names of starling.tables are its functions, whatever was imported before."""

import importlib
from types import FunctionType

import pytest

import starling.tables


@pytest.mark.parametrize("name", ["evaluate", "generate", "preview", "release", "validate", "read_geography"])
def test_public_name_is_a_function(name: str) -> None:
    for room in ("evaluate", "generate", "preview", "publish", "source", "plan"):
        importlib.import_module(f"starling.tables.{room}")
    assert isinstance(getattr(starling.tables, name), FunctionType)


def test_rooms_are_still_found_by_import() -> None:
    assert importlib.import_module("starling.tables.preview").__name__ == "starling.tables.preview"


def test_an_unknown_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = importlib.import_module("starling.tables").no_such_name
