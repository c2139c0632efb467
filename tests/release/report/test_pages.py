"""The parts of a report that state amounts are found wherever they stand; the files of a folder are folded."""

from starling.release.report.pages import amounts, files

STATED = (
    "<dl>\n<div><dt>a</dt><dd>1</dd></div>\n</dl>",
    "<section>\n<h2>The same in symbols</h2>\n<p>1</p>\n</section>",
)


def test_amounts_are_those_of_the_head_and_of_the_formula() -> None:
    other = '<dl class="facts"><div><dt>b</dt><dd>2</dd></div></dl>'
    assert amounts(f"<main>{other}<details>{STATED[0]}</details>{STATED[1]}</main>") == [*STATED]
    assert amounts(f"<header>{STATED[0]}</header><main>{STATED[1]}</main>") == [*STATED], (
        "as reports before 0.3.0 had them"
    )


def test_every_folder_names_the_files_that_every_release_has() -> None:
    section = files([("data/x", "all")])
    assert section.folded
    assert [row[0] for row in section.tables[0].rows] == ["data/x", "datapackage.json", "registry.yaml", "SIGNATURE"]
