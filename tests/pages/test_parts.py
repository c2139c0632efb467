"""The parts of a page as values."""

from starling.pages.parts import Headline, Section, Table, Tile


def test_paragraphs_are_cut_at_empty_lines() -> None:
    assert Section("t", "\n  One.\n\n  Two\n   lines.\n \n\n").paragraphs == ("One.", "Two lines.")
    assert Section("t").paragraphs == ()


def test_a_table_is_made_of_lines_that_name_their_columns() -> None:
    table = Table.of([{"a": "1", "b": "2"}, {"a": "3", "b": "4"}], "c", words=True)
    assert table == Table(("a", "b"), (("1", "2"), ("3", "4")), "c", words=True)


def test_a_table_of_tiles_is_shaded_where_it_has_any() -> None:
    table = Table.of_tiles(("level", "a", "b"), ["x"], [[Tile("± 3", 1.0), None]], "c")
    assert table.rows == (("x", "± 3", ""),)
    assert table.shades == (("heat-9", ""),)


def test_a_notebook_shows_a_headline() -> None:
    text = Headline("People", "-1", "95 % interval: -5 to 3", "<b>")._repr_html_()
    assert all(each in text for each in ("People", ">-1<", "-5 to 3", "&lt;b&gt;", 'class="headline"'))
