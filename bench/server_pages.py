"""How soon every page of a server is there, how soon a browser shows it, and how many bytes it is.

    python -m bench.server_pages

A server with a small dataset and a release of each domain, as tests of pages have it. Of the pages to which links lead an analyst, a
custodian or an auditor, the largest of each route are asked for again and again, over HTTP on this machine; then Chromium opens each with
an empty cache. Needs Playwright and Chromium.
"""

import os
import shutil
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import cycle
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx
from playwright.sync_api import sync_playwright

from bench.record import Limit, Recorder
from bench.server_load import served
from starling.server.guard import BELOW
from tests.server.pages.crawling import ANY_PAGE, FIRST_PAGE, KB, Crawl, Page, route_of
from tests.server.pages.everything import everything, signed_in

ROLES: Final = ("ada", "carl", "otto")
PAGES: Final = 4
"""Of each route, the largest."""
TIMES: Final = 15
"""How often a page is asked for."""
OPENED: Final = 2
"""How often the browser opens it."""
TOKENS: Final = 40
"""Each may ask so often a second, and no more."""
SIGNING_IN: Final = 5.0
"""Seconds that a visitor takes from the page of signing in to the next one, in which the server prepares pages."""
MS: Final = 50
USABLE_MS: Final = 500
USABLE: Final = "() => performance.getEntriesByType('navigation')[0].loadEventEnd"


def timed(client: httpx.Client, path: str, tokens: Iterator[str]) -> float:
    """Milliseconds until a page is there."""
    headers = {"Authorization": f"Bearer {next(tokens)}", "Accept": "text/html"}
    began = time.perf_counter()
    client.get(path, headers=headers).raise_for_status()
    return 1e3 * (time.perf_counter() - began)


@contextmanager
def browsing(url: str, cookies: dict[str, str]) -> Iterator[dict[str, Any]]:
    """A context of Chromium for each role, in which it is signed in."""
    with sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        contexts = {}
        for role, cookie in cookies.items():
            name, _, value = cookie.partition("=")
            contexts[role] = chromium.new_context()
            contexts[role].add_cookies([{"name": name, "value": value, "url": url}])
        yield contexts
        chromium.close()


def usable(context: Any, url: str) -> float:
    """Milliseconds until a browser that has nothing of it has loaded a page, its stylesheet and its scripts."""
    page = context.new_page()
    page.context.new_cdp_session(page).send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.goto(url)
    page.wait_for_function("performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
    ms: float = page.evaluate(USABLE)
    page.close()
    return ms


def processor_ms(process: int) -> float:
    """Milliseconds of processors that a process and what it started have used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    children = [
        int(each) for path in Path(f"/proc/{process}/task").glob("*/children") for each in path.read_text().split()
    ]
    own = sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
    return 1e3 * own + sum(map(processor_ms, children))


def pages_by_route(crawls: dict[str, Crawl], app: Any) -> dict[str, list[tuple[str, Page]]]:
    """By route, its pages and files, the largest first, each with a role to which links lead there."""
    routes: dict[str, dict[str, tuple[str, Page]]] = defaultdict(dict)
    for role, crawl in crawls.items():
        for page in crawl.pages.values():
            below = BELOW if page.path.startswith(f"{BELOW}/") else ""
            routes[f"{below}{route_of(app, page.path)}"].setdefault(page.path, (role, page))
    return {
        route: sorted(pages.values(), key=lambda each: -len(each[1].reply.content))
        for route, pages in sorted(routes.items())
    }


def is_shown(page: Page) -> bool:
    """Whether a browser shows it, and a script may look at it: no file, and no report."""
    return page.reply.headers["content-type"].startswith("text/html") and not page.path.endswith("/report")


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("server_pages", "How soon every page of a server is there, and how many bytes it is.")
    chosen = recorder.begin()
    times, opened, most = (2, 1, 1) if chosen.quick else (TIMES, OPENED, PAGES)
    rows: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder, ExitStack() as stack:
        site = stack.enter_context(everything(Path(folder)))
        app: Any = site.carrier._app._app  # type: ignore[attr-defined]  # noqa: SLF001
        browsers = {role: signed_in(site, role) for role in ROLES}
        crawls = {role: Crawl(browser, app).run("/") for role, browser in browsers.items()}
        tokens = {role: cycle([site.home.access.issue(role, days=1)[0] for _ in range(TOKENS)]) for role in ROLES}
        cookies = {role: browser._cookie for role, browser in browsers.items()}  # noqa: SLF001
        settings = site.home.folder / "server.toml"
        settings.write_text(settings.read_text().replace("port = 8470", "port = 0"))
        port, web = stack.enter_context(served(site.home))
        client = stack.enter_context(httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60))
        pages = pages_by_route(crawls, app)
        client.get("/sign-in", headers={"Accept": "text/html"}).raise_for_status()
        time.sleep(SIGNING_IN)
        for route, listed in ((route, each[:most]) for route, each in pages.items()):
            first = [timed(client, page.path, tokens[role]) for role, page in listed]
            before = processor_ms(web)
            ms = {page.path: [timed(client, page.path, tokens[role]) for _ in range(times)] for role, page in listed}
            used = (processor_ms(web) - before) / sum(map(len, ms.values()))
            together = sorted(each for part in ms.values() for each in part)
            sizes = [crawls[role].size(page) / KB for role, page in listed]
            rows.append(
                {
                    "route": route,
                    "pages": len(listed),
                    "processor_ms": round(used, 1),
                    "p50_ms": round(median(together), 1),
                    "p95_ms": round(together[int(0.95 * (len(together) - 1))], 1),
                    "slowest_page_ms": round(max(map(median, ms.values())), 1),
                    "first_ms": round(max(first), 1),
                    "kilobytes": round(max(sizes), 1),
                }
            )
        with browsing(f"http://127.0.0.1:{port}", cookies) as contexts:
            for row, listed in zip(rows, pages.values(), strict=True):
                shown = [
                    median(usable(contexts[role], f"http://127.0.0.1:{port}{page.path}") for _ in range(opened))
                    for role, page in [each for each in listed if is_shown(each[1])][:most]
                ]
                row["usable_ms"] = round(max(shown), 1) if shown else None
                print(row)
    (home,) = [row for row in rows if row["route"] == "/"]
    limits = [
        Limit("the slowest page of a server, half of the times", max(row["slowest_page_ms"] for row in rows), MS, "ms"),
        Limit("pages of a server, processor", max(row["processor_ms"] for row in rows), MS, "ms"),
        Limit(
            "the slowest page in Chromium, until it is loaded",
            max(row["usable_ms"] or 0 for row in rows),
            USABLE_MS,
            "ms",
        ),
        Limit("the first page, compressed", home["kilobytes"], FIRST_PAGE / KB, "kB"),
        Limit("the largest page, compressed", max(row["kilobytes"] for row in rows), ANY_PAGE / KB, "kB"),
    ]
    recorder.end(settings={"times": times, "opened": opened}, rows=[*rows], limits=[] if chosen.quick else limits)


if __name__ == "__main__":
    main()
