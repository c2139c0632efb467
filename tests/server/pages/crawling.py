"""Every page to which links and forms lead, so that a new one is tested as soon as it is led to; and what each page must keep."""

import gzip
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any, Final
from urllib.parse import parse_qsl, urldefrag, urlencode, urljoin, urlsplit

import httpx
from fastapi.routing import APIRoute
from starlette.routing import Mount

from starling.screens.domain_pages import OF_REPORT
from starling.server.guard import BELOW, HEADERS, PAGE_POLICY
from tests.server.pages.browsing import BASE, Browser

KB: Final = 1000
FIRST_PAGE: Final = 60 * KB
ANY_PAGE: Final = 150 * KB
"""Bytes of a page, its stylesheet and its scripts, compressed."""
VOID: Final = frozenset(("meta", "link", "input", "br", "hr", "img", "col", "wbr"))
NAMED: Final = ("th", "a", "button", "summary", "label", "caption", "figcaption", "h1", "h2", "h3", "dt", "title")
"""Elements without words have no name for those who hear a page."""
LINKS: Final = {"a": "href", "form": "action", "script": "src", "link": "href", "img": "src"}
LEADS_AWAY: Final = ("formaction", "poster", "data", "srcset", "background", "cite", "ping", "xlink:href")
FREE: Final = re.compile(r".*(/sign-in|/sign-out|/custody/requests/[0-9]+)")
"""Forms that charge nothing and change nothing else that a second one could do twice."""
ALIKE: Final = 2
"""Pages of one path that are opened of those whose addresses have the same fields; of files one is."""
SHARED: Final = re.compile(rf"({BELOW})?/releases/.+")
"""Paths of pages and files that are the same for every role, except for the frame around them."""
MOST: Final = 500
Key = tuple[str, frozenset[tuple[str, str]]]
"""A path, and the fields of an address; of a kind also the value, since another kind of question is another form."""


@dataclass
class Sent:
    """A form: where it leads, how, and the values that each field may have, the first as it stands."""

    action: str
    method: str
    fields: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Parsed(HTMLParser):
    """A page, read strictly.

    Attributes:
        problems: What it does not keep.
        links: The addresses of links, of their elements.
        forms: Its forms.
        text: All text, as people read it.
        kinds: Each element with its classes and its role, and the one around it.
    """

    problems: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    forms: list[Sent] = field(default_factory=list)
    text: str = ""
    kinds: set[tuple[str, ...]] = field(default_factory=set)
    _ids: Counter[str] = field(default_factory=Counter)
    _asked_ids: set[str] = field(default_factory=set)
    _labelled: set[str] = field(default_factory=set)
    _controls: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    _open: list[str] = field(default_factory=list)
    _tags: Counter[str] = field(default_factory=Counter)
    _select: str = ""
    _began: int = 0

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def read(self, text: str) -> "Parsed":
        """Read a whole page."""
        if not text.lower().startswith("<!doctype html>"):
            self.problems.append("does not begin with a doctype")
        self.feed(text)
        self.close()
        self.problems += [f"<{tag}> is not closed" for tag in self._open]
        self.problems += [f"the id {name} is there {count} times" for name, count in self._ids.items() if count > 1]
        self.problems += [f"the id {name} is not there" for name in self._asked_ids - set(self._ids)]
        self.problems += [
            f"<{tag}> is there {self._tags[tag]} times" for tag in ("h1", "main", "title") if self._tags[tag] != 1
        ]
        for tag, values in self._controls:
            if not ({"aria-label", "aria-labelledby"} & set(values) or values.get("id") in self._labelled):
                self.problems.append(f"<{tag} name={values.get('name')}> has no label")
        return self

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if len(values) < len(attrs):
            self.problems.append(f"<{tag}> has an attribute twice")
        self._began = len(self.text) if tag in NAMED else self._began
        if tag not in VOID:
            self._open.append(tag)
        self._tags[tag] += "svg" not in self._open or tag == "svg"
        self._read(tag, values)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if "svg" not in self._open:
            self.problems.append(f"<{tag}/> closes itself, outside a picture")
        self._read(tag, {name: value or "" for name, value in attrs})

    def handle_endtag(self, tag: str) -> None:
        if tag in NAMED and not self.text[self._began :].strip():
            self.problems.append(f"<{tag}> says nothing")
        if not self._open or self._open[-1] != tag:
            self.problems.append(f"</{tag}> closes {self._open[-1:]}")
        else:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        self.text += data

    def _read(self, tag: str, values: dict[str, str]) -> None:
        self._forbidden(tag, values)
        if "svg" not in self._open[:-1]:
            self.kinds.add((*self._open[-2:-1], tag, *(values.get(each, "") for each in ("class", "role", "type"))))
        self._ids.update([values["id"]] if "id" in values else [])
        for name in ("for", "aria-describedby", "aria-labelledby", "list", "aria-controls"):
            self._asked_ids |= set(values.get(name, "").split())
        self._labelled |= {values["for"]} if tag == "label" and "for" in values else set()
        if (link := values.get(LINKS.get(tag, ""))) is not None:
            self.links.append((tag, link))
        if tag == "form":
            self.forms.append(Sent(values.get("action", ""), values.get("method", "get").lower()))
        if tag in ("input", "select", "textarea") and values.get("type") != "hidden" and "label" not in self._open:
            self._controls.append((tag, values))
        if self.forms and "form" in self._open:
            self._field(tag, values)

    def _field(self, tag: str, values: dict[str, str]) -> None:
        fields, name = self.forms[-1].fields, values.get("name", "")
        if tag == "select":
            self._select = name
            fields[name] = []
        elif tag == "datalist":
            self._select = ""
        elif tag == "option" and self._select:
            value = values.get("value", "")
            fields[self._select].insert(0 if "selected" in values else len(fields[self._select]), value)
        elif tag in ("input", "textarea") and name:
            kept = values.get("type") not in ("checkbox", "radio") or "checked" in values
            fields.setdefault(name, []).extend([values.get("value", "")] if kept else [])

    def _forbidden(self, tag: str, values: dict[str, str]) -> None:
        """Neither styles nor scripts within the page, and nothing from elsewhere."""
        if tag == "style" or (tag == "script" and "src" not in values):
            self.problems.append(f"holds <{tag}>")
        for name, value in values.items():
            if name == "style" or name.startswith("on"):
                self.problems.append(f"<{tag}> has {name}={value[:40]}")
            if name in LEADS_AWAY or (name == LINKS.get(tag) and leads_away(value)):
                self.problems.append(f"<{tag} {name}={value[:60]}> leads elsewhere")


def leads_away(link: str) -> bool:
    """Whether a link leads to another machine, or runs a script."""
    parts = urlsplit(link)
    return bool(parts.netloc or "\\" in link) or parts.scheme not in ("", "data") or "data:text" in link


@dataclass(frozen=True)
class Page:
    """A page as a role got it.

    Attributes:
        path: Its address.
        reply: The reply.
        parsed: What was read of it.
    """

    path: str
    reply: httpx.Response
    parsed: Parsed


def page_routes(app: Any) -> list[APIRoute]:
    """The routes of an application that answer with pages."""
    routes = [each for each in app.routes if isinstance(each, APIRoute) and not each.include_in_schema]
    return [each for each in routes if "GET" in (each.methods or ()) and not each.path.startswith("/static/")]


def forms_of(app: Any) -> list[APIRoute]:
    """The routes that take in forms."""
    routes = [each for each in app.routes if isinstance(each, APIRoute) and not each.include_in_schema]
    return [each for each in routes if "POST" in (each.methods or ())]


def route_of(app: Any, path: str) -> str | None:
    """The pattern of the page at this address, of the sandbox or of the server around it."""
    path = urlsplit(path).path
    for each in app.routes:
        if isinstance(each, Mount) and path.startswith(f"{BELOW}/"):
            return route_of(each.app, path.removeprefix(BELOW))
    return next((each.path for each in page_routes(app) if each.path_regex.match(path)), None)


@dataclass
class Crawl:
    """All pages to which links and forms lead a browser.

    Attributes:
        browser: The browser.
        app: The application.
        pages: Every page, by its address.
        dead: Links that lead to nothing.
        files: What else is led to, by its address: media type and compressed bytes.
        earlier: What other roles opened. Of what is shared, addresses with the same fields are opened as if they had none.
        alike: How many addresses there are of each path with the same fields.
    """

    browser: Browser
    app: Any
    pages: dict[str, Page] = field(default_factory=dict)
    dead: list[str] = field(default_factory=list)
    files: dict[str, tuple[str, int]] = field(default_factory=dict)
    earlier: AbstractSet[Key] = frozenset()
    alike: Counter[Key] = field(default_factory=Counter)
    _file_paths: set[str] = field(default_factory=set)

    def run(self, *starts: str) -> "Crawl":
        """Follow whatever leads anywhere: what a page leads to before what stands beside it, as a server keeps few releases open."""
        wanted = [(start, "") for start in reversed(starts)]
        while wanted:
            path, where = wanted.pop()
            if not self._is_new(path):
                continue
            reply = self.browser.open(path)
            if reply.status_code != 200:
                self.dead.append(f"{where} leads to {path}: {reply.status_code}")
            kind = reply.headers["content-type"]
            if not kind.startswith("text/html") or path.startswith("/v1/"):
                self.files[path] = kind, len(gzip.compress(reply.content))
                self._file_paths.add(urlsplit(path).path)
                continue
            page = Page(path, reply, Parsed().read(reply.text))
            self.pages[path] = page
            assert len(self.pages) < MOST, "links lead to ever more pages"
            wanted += [(each, path) for each in self._led_to(page)]
        return self

    def _is_new(self, path: str) -> bool:
        parts = urlsplit(path)
        fields = parse_qsl(parts.query)
        kinds = frozenset(each for each in fields if each[0] == "kind")
        key: Key = parts.path, kinds | {(name, "") for name, _ in fields if name != "kind"}
        if key in self.earlier and SHARED.fullmatch(parts.path):
            key = parts.path, kinds
        self.alike[key] += 1
        most = 1 if parts.path in self._file_paths else ALIKE
        return self.alike[key] <= most and path not in self.pages and path not in self.files

    def _led_to(self, page: Page) -> Iterator[str]:
        for tag, link in page.parsed.links:
            if tag != "form" and not link.startswith(("#", "data:")) and not leads_away(link):
                yield self._local(page, link)
        for form in page.parsed.forms:
            if form.method == "get":
                for fields in varied(form.fields):
                    yield self._local(page, f"{form.action}?{urlencode(fields)}")

    def _local(self, page: Page, link: str) -> str:
        parts = urlsplit(urldefrag(urljoin(f"{BASE}{page.path}", link)).url)
        return f"{parts.path}{'?' if parts.query else ''}{parts.query}"

    def is_open(self, path: str) -> bool:
        """Whether this page was opened, and led nowhere else."""
        return path in self.pages and self.pages[path].reply.url.path == path

    def size(self, page: Page) -> int:
        """Compressed bytes of a page, its stylesheet and its scripts."""
        loaded = {self._local(page, link) for tag, link in page.parsed.links if tag in ("link", "script")}
        return len(gzip.compress(page.reply.content)) + sum(
            self.files[each][1] for each in loaded if each in self.files
        )


def crawl_each(browsers: dict[str, Browser], app: Any, *starts: str) -> dict[str, Crawl]:
    """What each role is led to. Tables of releases are the same for every role: which rows are chosen of them is varied for the first."""
    earlier: set[Key] = set()
    crawls = {}
    for role, browser in browsers.items():
        crawls[role] = Crawl(browser, app, earlier=frozenset(earlier)).run(*starts)
        earlier |= crawls[role].alike.keys()
    return crawls


def varied(fields: dict[str, list[str]]) -> Iterator[dict[str, str]]:
    """A form as it stands, and with each other value of each field once."""
    stands = {name: values[0] for name, values in fields.items() if values}
    yield stands
    for name, values in fields.items():
        for value in values[1:]:
            yield stands | {name: value}


def broken(page: Page) -> Iterator[str]:
    """What a page does not keep."""
    is_report = page.path.endswith("/report")
    yield from (each for each in page.parsed.problems if not (is_report and each == "holds <style>"))
    headers = page.reply.headers
    own = {"Content-Security-Policy": OF_REPORT if is_report else PAGE_POLICY, "Referrer-Policy": "same-origin"}
    for name, value in (HEADERS | own).items():
        if headers.get(name) != value:
            yield f"sends {name}: {headers.get(name)}"
    for sent, raw in headers.raw:
        if not raw.isascii() or not raw.decode().isprintable():
            yield f"sends {sent!r} in other letters than HTTP takes"
    if headers["content-type"] != "text/html; charset=utf-8":
        yield f"is {headers['content-type']}"
    for form in page.parsed.forms:
        if form.method == "post" and not FREE.fullmatch(form.action) and "request_id" not in form.fields:
            yield f"has a form for {form.action} without a request id"
    if "&lt;script" in page.parsed.text or re.search(r"&amp;(amp;)+(amp|lt|#)", page.parsed.text):
        yield "escapes twice"


def all_of(crawls: Iterable[Crawl]) -> Iterator[Page]:
    """The pages of all of them."""
    for crawl in crawls:
        yield from crawl.pages.values()
