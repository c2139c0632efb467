"""What lies elsewhere becomes part of the site: figures beside the results of benchmarks (bench/results), notebooks, schemas of plans.

mkdocs calls `on_files` and `on_page_markdown`. Links between the folders work in a checkout; here they are turned into links of the site.
"""

import json
import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

from starling.domains import DOMAINS, domain
from starling.planfile.grammar import plan_schema

ROOT = Path(__file__).parent.parent
BELOW = "results"
LINK = re.compile(r"(\]\()((?:\.\./)+[^)\s#]+|[\w./-]+\.ipynb)")


def on_files(files: Files, /, *, config: MkDocsConfig) -> Files:
    """The files of the site, with a page for each page of figures, which stands in no navigation, one for each notebook, and schemas."""
    for path in sorted((ROOT / "bench" / "results").glob("*.md")):
        text = path.read_text()
        files.append(File.generated(config, f"{BELOW}/{path.name}", content=text, inclusion=InclusionLevel.NOT_IN_NAV))
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=of_notebook(path)))
    for name in DOMAINS:
        value = domain(name)
        if value is not None and value.grammars:
            schema = json.dumps(plan_schema(name, *value.grammars.values()), indent=2)
            files.append(File.generated(config, f"reference/{name}.schema.json", content=schema))
    return files


def of_notebook(path: Path) -> str:
    """A notebook as a page: its texts, its code, and where its file is."""
    cells = json.loads(path.read_text())["cells"]
    texts = ("".join(cell["source"]) for cell in cells)
    shown = [
        text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```"
        for cell, text in zip(cells, texts, strict=True)
    ]
    return "\n\n".join([*shown, f"The notebook is `docs/notebooks/{path.name}` of the repository; a test runs it."])


def on_page_markdown(text: str, /, *, page: Page, **_: object) -> str:
    """The page with each link from one folder to another as it is in the site."""
    here = PurePosixPath(page.file.src_uri)
    source = PurePosixPath("bench/results") / here.name if here.parts[0] == BELOW else "docs" / here

    def in_site(match: re.Match[str]) -> str:
        target = normpath(str(source.parent / match[2]))
        if target.startswith("bench/results/"):
            target = f"docs/{BELOW}/{PurePosixPath(target).name}"
        target = re.sub(r"\.ipynb$", ".md", target)
        return (
            f"{match[1]}{relpath(target.removeprefix('docs/'), here.parent)}"
            if target.startswith("docs/")
            else match[0]
        )

    return LINK.sub(in_site, text)
