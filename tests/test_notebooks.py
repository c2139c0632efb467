"""Real notebooks, each in a kernel of its own: a release of every domain, with ipywidgets and without, and the notebooks of the docs."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests import four_domains
from tests.conftest import ROOT

pytestmark = pytest.mark.slow

WITHOUT_WIDGETS = "import sys; sys.modules['ipywidgets'] = None"
"""What imports them then is told that they are not installed."""
FIRST = "from pathlib import Path\nimport starling\nfrom tests import four_domains"
WIDGETS = "import importlib; importlib.import_module('ipywidgets').__name__"
RELEASE = "released = four_domains.release(Path('world'), {!r}); released"
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
VERIFY = "starling.verify(released.folder).findings"


@pytest.mark.parametrize("widgets", [False, True], ids=["without ipywidgets", "with ipywidgets"])
def test_a_notebook_releases_in_every_domain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, widgets: bool) -> None:
    four_domains.write(tmp_path / "world")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    texts = [WIDGETS if widgets else WITHOUT_WIDGETS, FIRST]
    for domain in four_domains.RELEASES:
        texts += [RELEASE.format(domain), VERIFY]
    cells = [nbformat.v4.new_code_cell(text) for text in texts]  # type: ignore[no-untyped-call]
    notebook = nbformat.v4.new_notebook(cells=cells)  # type: ignore[no-untyped-call]
    client = NotebookClient(
        notebook, timeout=1200, startup_timeout=600, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    shown = [[output.data for output in cell.outputs if output.output_type == "execute_result"] for cell in cells]
    assert len(shown[0]) == widgets
    for release, findings in zip(shown[2::2], shown[3::2], strict=True):
        assert release, "a release shows itself"
        assert [each["text/plain"] for each in findings] == ["()"]
    four_domains.check(tmp_path / "world")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_a_notebook_of_the_docs_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(notebook)
    NotebookClient(
        notebook, timeout=1200, startup_timeout=600, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.outputs]
    assert len(shown) > 5


def test_notebooks_of_the_docs_are_kept_without_outputs() -> None:
    assert len(NOTEBOOKS) == 2
    for path in NOTEBOOKS:
        notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        for cell in notebook.cells:
            assert not cell.get("outputs")
            assert cell.get("execution_count") is None
