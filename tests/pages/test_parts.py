"""The parts of a page as values."""

from starling.pages.parts import Section, Table


def test_paragraphs_are_cut_at_empty_lines() -> None:
    assert Section("t", "\n  One.\n\n  Two\n   lines.\n \n\n").paragraphs == ("One.", "Two lines.")
    assert Section("t").paragraphs == ()


def test_a_table_is_made_of_lines_that_name_their_columns() -> None:
    table = Table.of([{"a": "1", "b": "2"}, {"a": "3", "b": "4"}], "c", words=True)
    assert table == Table(("a", "b"), (("1", "2"), ("3", "4")), "c", words=True)
