"""What the script of a page draws are the released numbers, each at its place along the genome."""

import gzip
import json
import struct
from pathlib import Path

import numpy as np
import pytest

import starling
from starling.genome.analysis import GenomeRelease
from starling.genome.pictures import canvas
from starling.genome.pictures.canvas import encoded
from tests.genome.hostile import NAMES, write_hostile


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_hostile(tmp_path_factory.mktemp("hostile"))


def test_of_a_long_list_places_are_drawn_as_one(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    release = starling.open_release(folders["loc_block"])
    assert isinstance(release, GenomeRelease)
    whole = len(gzip.decompress(encoded(release.pictured)))
    monkeypatch.setattr(canvas, "MOST_LISTED", 3)
    content = gzip.decompress(encoded(release.pictured))
    (length,) = struct.unpack("<I", content[:4])
    assert json.loads(content[4 : 4 + length])["arrays"]["list"][2] <= 3 + 1
    assert len(content) < whole


def test_the_script_draws_the_released_numbers(folders: dict[str, Path]) -> None:
    for kind, folder in folders.items():
        release = starling.open_release(folder)
        assert isinstance(release, GenomeRelease)
        shown, content = release.pictured, gzip.decompress(encoded(release.pictured))
        (length,) = struct.unpack("<I", content[:4])
        facts = json.loads(content[4 : 4 + length])
        arrays = {
            name: np.frombuffer(content, f"<{code}", many, offset).tolist()
            for name, (code, offset, many) in facts["arrays"].items()
        }
        place = release.plan.snps.index
        order = sorted(shown.p_values, key=lambda each: place(each.snp))
        for name, end in (("value", "estimate"), ("low", "high"), ("high", "low")):
            assert arrays[name] == [-getattr(each.log10, end) for each in order]
        along = arrays["list"]
        assert (along, len(along)) == (sorted(along), len(NAMES))
        assert arrays["at"] == [along[place(each.snp)] for each in order]
        assert arrays["located"] == [along[place(snp)] for snp in shown.only_located]
        assert arrays["blocks"] == [along[place(snp)] for block in shown.blocks for snp in block]
        assert facts["names"] == [each.snp for each in order]
        assert facts["parts"] == [["1", 0, 4001, 1000], ["2", 4001 + 60, 2001, 6000]]
        assert (facts["top"] > 0) == (kind in ("explore", "snp_pval"))
