"""The pages beside the results of benchmarks (bench/results) become pages of the site, below `results/`.

mkdocs calls `on_files` and `on_page_markdown`. Links between both folders work in a checkout; here they are turned into links of the site.
"""

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
BELOW = "results"
LINK = re.compile(r"(\]\()((?:\.\./)+[^)\s#]+)")


def on_files(files: Files, /, *, config: MkDocsConfig) -> Files:
    """The files of the site with those pages, which stand in no navigation: pages of docs/ lead to them."""
    for path in sorted((ROOT / "bench" / "results").glob("*.md")):
        file = File.generated(
            config, f"{BELOW}/{path.name}", content=path.read_text(), inclusion=InclusionLevel.NOT_IN_NAV
        )
        files.append(file)
    return files


def on_page_markdown(text: str, /, *, page: Page, **_: object) -> str:
    """The page with each link from one folder to the other as it is in the site."""
    here = PurePosixPath(page.file.src_uri)
    source = PurePosixPath("bench/results") / here.name if here.parts[0] == BELOW else "docs" / here

    def in_site(match: re.Match[str]) -> str:
        target = normpath(str(source.parent / match[2]))
        if target.startswith("bench/results/"):
            target = f"docs/{BELOW}/{PurePosixPath(target).name}"
        return (
            f"{match[1]}{relpath(target.removeprefix('docs/'), here.parent)}"
            if target.startswith("docs/")
            else match[0]
        )

    return LINK.sub(in_site, text)
