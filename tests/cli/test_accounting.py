"""The paper's figures by one command, and the accounting page held against it."""

import json

from starling.cli.accounting import figures
from tests.cli.conftest import Call
from tests.conftest import ROOT


def test_the_command_prints_what_it_gives_to_machines(call: Call) -> None:
    text = call("tables", "accounting").stdout
    machine = json.loads(call("tables", "accounting", "--json").stdout)
    assert machine == json.loads(json.dumps(figures()))
    for line in machine["table_1"]:
        for measure in ("epsilon", "rho"):
            for kind in ("printed", "rounded_as_printed", "by_formula", "exact"):
                assert " ".join(line[measure][kind]) in text
    for loss in machine["table_2"]:
        assert loss["computed"] in text
    for each in machine["wrong"]:
        assert each["printed"] in text
        assert each["holds"] in text
    assert "rho 19.776" in text


def test_the_accounting_page_has_every_figure() -> None:
    """The page's table of losses, and its lines on margins, are those of the command."""
    page = (ROOT / "docs" / "accounting.md").read_text()
    found = json.loads(json.dumps(figures()))
    rows = [line for line in page.splitlines() if line.startswith(("| geometric |", "| discrete Gaussian |"))]
    assert len(rows) == len(found["table_2"])
    for row, loss in zip(rows, found["table_2"], strict=True):
        noise, _, printed, computed, method = (cell.strip(" `") for cell in row.strip("|").split("|"))
        assert (noise, printed) == (loss["noise"], loss["printed"] or "")
        assert computed.split(",")[0] == loss["computed"]
        assert method == (loss["method"] or "not offered")
    for kept in found["coverage"]:
        line = f"{kept['margin']:2}: geometric {kept['geometric_percent']:.2f} %, Gaussian {kept['gaussian_percent']:.2f} %"
        assert line in page
        needs = f"{kept['margin']:2}: epsilon {kept['epsilon_needed_percent']:+.1f} %, rho {kept['rho_needed_percent']:+.1f} %"
        assert needs in page
    for line in found["table_1"]:
        assert " ".join(line["epsilon"]["exact"]) in page
        assert " ".join(line["rho"]["exact"]) in page
