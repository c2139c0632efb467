"""Pictures in a session are shown with their captions, escaped, and written each as a file."""

from pathlib import Path

import pytest

from starling.errors import OutputError, ParameterError
from starling.pages.marks import Box, Sheet
from starling.pages.parts import Picture, Section
from starling.release.plots import Plots


def sheet() -> Sheet:
    """A picture of a letter."""
    drawn = Sheet(10, 0, 10)
    drawn.text(5, 5, "$x$")
    drawn.dots([(1, 1)], "o", "accent")
    drawn.lines([[(0, 0), (9, 9)]], "muted", dashed=True)
    drawn.bars([Box(0, 0, 2, 2)], "soft")
    return drawn


ONE = Section("One", pictures=(Picture(sheet, "a <\n  b", "one"),))
TWO = Section("Two", pictures=(Picture(sheet, "c", "two"),))
PLOTS = Plots("A & B", "pictures", {"one": ONE, "two": TWO}, (Section("Below", "words"),))


def test_a_notebook_shows_each_picture_with_its_caption() -> None:
    shown = PLOTS._repr_html_()
    assert shown.count("<figure") == 2
    assert "</svg></div>\n<figcaption>a &lt;\n  b</figcaption>" in shown
    assert repr(PLOTS) == "one: a < b\ntwo: c"


def test_each_picture_is_a_file_of_a_new_folder_and_in_its_page(tmp_path: Path) -> None:
    page, *files = PLOTS.save(tmp_path / "new")
    assert {each.name: each.read_text() for each in files} == {
        f"{name}.svg": sheet().svg(name, title) + "\n" for name, title in (("one", "a < b"), ("two", "c"))
    }
    assert page.name == "index.html"
    text = page.read_text()
    assert "A &amp; B" in text
    places = [
        text.index(each)
        for each in ("One</h2>", sheet().svg("one", "a < b"), "Two</h2>", sheet().svg("two", "c"), "Below</h2>")
    ]
    assert places == sorted(places)
    with pytest.raises(OutputError, match="exists"):
        PLOTS.save(str(tmp_path / "new"))


def test_one_figure_of_matplotlib_can_be_had_to_change_it() -> None:
    figure = Plots("A", "a picture", {"one": ONE}).figure
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.texts] == ["$x$"]
    assert len(axes.patches) == 3
    with pytest.raises(ParameterError, match="figure is none"):
        _ = PLOTS.figure
