"""Pictures in a session are shown with their captions, escaped, and written each as a file."""

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from starling.errors import OutputError, ParameterError
from starling.pages.parts import Picture, Section
from starling.release.figures import section_of
from starling.release.plots import Plots

ONE = Section("One", pictures=(Picture(lambda: "<svg>1</svg>", "a <\n  b"),))
TWO = Section("Two", pictures=(Picture(lambda: "<svg>2</svg>", "c"),))
PLOTS = Plots("A & B", "pictures", {"one": ONE, "two": TWO}, (Section("Below", "words"),))


def test_a_notebook_shows_each_picture_with_its_caption() -> None:
    shown = PLOTS._repr_html_()
    assert shown.count("<figure") == 2
    assert "<svg>1</svg></div>\n<figcaption>a &lt;\n  b</figcaption>" in shown
    assert repr(PLOTS) == "one: a < b\ntwo: c"


def test_each_picture_is_a_file_of_a_new_folder_and_in_its_page(tmp_path: Path) -> None:
    page, *files = PLOTS.save(tmp_path / "new")
    assert {each.name: each.read_text() for each in files} == {"one.svg": "<svg>1</svg>\n", "two.svg": "<svg>2</svg>\n"}
    assert page.name == "index.html"
    text = page.read_text()
    assert "A &amp; B" in text
    places = [text.index(each) for each in ("One</h2>", "<svg>1</svg>", "Two</h2>", "<svg>2</svg>", "Below</h2>")]
    assert places == sorted(places)
    with pytest.raises(OutputError, match="exists"):
        PLOTS.save(str(tmp_path / "new"))


def test_one_figure_of_matplotlib_can_be_had_to_change_it() -> None:
    figure = Figure()
    section = section_of(figure, "one", "One", "what is seen")
    assert Plots("A", "a picture", {"one": section}).figure is figure
    for pictures in ({"one": ONE}, {"one": section, "two": section}):
        with pytest.raises(ParameterError, match="figure is none"):
            _ = Plots("A", "pictures", pictures).figure
