"""The size of the house is counted as it says, and each of the longest functions has its reason."""

import doctest

from bench import house
from bench.pages.house import REASONS
from bench.record import load


def test_docstrings_do_what_they_show() -> None:
    assert doctest.testmod(house).failed == 0


def test_every_line_is_counted_once() -> None:
    text = (
        '"""Two\n\nlines."""\n\nfrom a import (\n    b,\n)\n\nC = 1\n"""Of a name."""\n\n\n'
        'def f() -> str:\n    # why\n    return """not\n    words"""\n'
    )
    counted = house.kinds(text)
    assert sum(counted.values()) == len(text.splitlines())
    assert dict(counted) == {"docstring": 4, "import": 3, "code": 4, "comment": 1, "blank": 4}


def test_each_of_the_longest_functions_has_its_reason() -> None:
    assert {each["place"] for each in load("house")["settings"]["longest"]} == REASONS.keys()
