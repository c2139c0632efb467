"""How many frames a second the Manhattan plot of 100,000 SNPs draws in Chromium while it is moved and zoomed.

    python -m bench.manhattan_frames

Invented p-values, each with its interval, of all SNPs of a list on 22 chromosomes are shown in a window of 1,200 x 900; each of 120 frames
moves or zooms the plot and waits until it is drawn. The page is that of a small release, whose numbers are replaced. At least 30 frames a
second are asked for: fewer end it with an error. Needs Playwright and Chromium.
"""

import shutil
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import starling
from bench.map_frames import FRAMES, MEASURE
from starling import genome
from starling.cli.opening.serving import Serving
from starling.cli.opening.site import Site
from starling.genome.inference.intervals import Interval
from starling.genome.pictures.answers import Answers
from starling.genome.pictures.canvas import encoded
from starling.genome.plan import Plan, SnpPval
from starling.genome.plan.snps import snps_of
from starling.genome.postprocess.p_values import Effect, PValue
from starling.privacy.budget import exact
from starling.release.payment import PaymentOptions
from starling.screens.release import Screens
from starling.screens.replies import Reply

SNPS, CHROMOSOMES, LIMIT = 100_000, 22, 30


def invented() -> Answers:
    """P-values of a study in which three SNPs have to do with the disease."""
    random = np.random.default_rng(1)
    each = SNPS // CHROMOSOMES + 1
    rows = [(f"s{at}", str(at // each + 1), 25_000 * (at % each + 1), "A", "C") for at in range(SNPS)]
    plan = Plan("Invented", 2000, snps_of(rows), "dominant", ("g",))
    values = np.log10(random.random(SNPS))
    values[[10_000, 50_000, 90_000]] = -12
    errors = random.gamma(2, 0.2, SNPS)
    one = Effect(Interval(1, 1, 1), Interval(0, 0, 0), Interval(0, 0, 0))
    p_values = tuple(
        PValue(row[0], "g", (1, 1, 1, 1), Interval(value, value - error, value + error), one)
        for row, value, error in zip(rows, values, errors, strict=True)
    )
    return Answers(plan, p_values)


def small_release(folder: Path) -> Path:
    """A release of one p-value."""
    files = genome.generate(people=60, snps=12, seed=1, out=folder / "study")
    assert files.plan is not None
    plan, question = Plan.load(files.plan), SnpPval("s1", "g", exact("1", field="epsilon"))
    genome.release(plan, question, files.records, folder / "out", payment=PaymentOptions(unvalidated=True))
    return folder / "out"


def main() -> None:
    """Measure, and print the frames a second."""
    from playwright.sync_api import sync_playwright

    data = encoded(invented())
    with TemporaryDirectory() as folder, starling.open_release(small_release(Path(folder))) as release:
        site = Site(Screens(release), "release")

        def answer(path: str, query: str) -> Reply:
            return Reply(data, "application/octet-stream") if path == "/genome/data" else site.answer(path, query)

        serving = Serving(answer)
        thread = threading.Thread(target=serving.run, args=(60,), daemon=True)
        thread.start()
        with sync_playwright() as running:
            browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            tab = browser.new_page(viewport={"width": 1200, "height": 900})
            tab.goto(serving.address)
            tab.wait_for_url("http://127.0.0.1:*/")
            tab.goto(f"{tab.url}genome")
            tab.locator("html[data-ready=yes]").wait_for(state="attached")
            frames = tab.evaluate(MEASURE, FRAMES)
            if len(sys.argv) > 1:
                tab.screenshot(path=sys.argv[1])
            browser.close()
        serving.stop()
        thread.join()
    print(f"{frames:.0f} frames a second, of at least {LIMIT}; the file has {len(data):,} bytes")
    sys.exit(frames < LIMIT)


if __name__ == "__main__":
    main()
