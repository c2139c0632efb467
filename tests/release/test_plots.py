"""Pictures in a session are shown with their captions, escaped, and written each as a file."""

from pathlib import Path

import pytest

from starling.errors import OutputError
from starling.release.plots import Plots
from starling.release.report.pages import Picture

PLOTS = Plots({"one": Picture(lambda: "<svg>1</svg>", "a <\n  b"), "two": Picture(lambda: "<svg>2</svg>", "c")})


def test_a_notebook_shows_each_picture_with_its_caption() -> None:
    shown = PLOTS._repr_html_()
    assert shown.count("<figure") == 2
    assert "<svg>1</svg><figcaption>a &lt;\n  b</figcaption>" in shown
    assert repr(PLOTS) == "one: a < b\ntwo: c"


def test_each_picture_is_a_file_of_a_new_folder(tmp_path: Path) -> None:
    files = PLOTS.save(tmp_path / "new")
    assert {each.name: each.read_text() for each in files} == {"one.svg": "<svg>1</svg>\n", "two.svg": "<svg>2</svg>\n"}
    with pytest.raises(OutputError, match="exists"):
        PLOTS.save(str(tmp_path / "new"))
