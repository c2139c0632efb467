"""A browser without JavaScript: it keeps cookies, follows redirections, fills in forms, and says of a form which page it comes from."""

import re
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

import httpx
from starlette.types import ASGIApp

from tests.server.conftest import Asker

BASE = "http://localhost:8470"


@dataclass
class Form:
    """A form as it stands in a page."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)
    button: str = ""


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._in: str | None = None
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(values["action"], values.get("method", "get")))
        elif values.get("type") == "radio" and "checked" not in values:
            pass
        elif tag in ("input", "textarea") and self.forms:
            self.forms[-1].fields[values["name"]] = values.get("value", "")
        elif tag == "select":
            self._select = values["name"]
        elif tag == "datalist":
            self._select = ""
        elif tag == "option" and self._select and ("selected" in values or self._select not in self.forms[-1].fields):
            self.forms[-1].fields[self._select] = values.get("value", "")
        self._in = tag

    def handle_data(self, data: str) -> None:
        if self._in == "button":
            self.forms[-1].button += data
            self._in = None


class Browser:
    """A browser at an application.

    Attributes:
        page: The last reply.
        seen: The pages that were shown, in order.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._asker = Asker(app)
        self._cookie = ""
        self.path = "/"
        self.seen: list[httpx.Response] = []

    @property
    def page(self) -> httpx.Response:
        """The page that is shown."""
        return self.seen[-1]

    @property
    def text(self) -> str:
        """The words of the page."""
        return " ".join(unescape(re.sub(r"<[^<>]+>", " ", self.page.text.partition("<main")[2])).split())

    def open(self, path: str) -> httpx.Response:
        """Open a page, and follow where it leads."""
        return self._ask("GET", path, None)

    def sign_in(self, name: str, password: str) -> httpx.Response:
        """By the form of the page that is shown."""
        return self.send(self.form("Sign in"), name=name, password=password)

    def form(self, button: str) -> Form:
        """The one form of the page whose button begins so."""
        parser = _Forms()
        parser.feed(self.page.text)
        (form,) = [each for each in parser.forms if each.button.strip().startswith(button)]
        return form

    def send(self, form: Form, **values: str) -> httpx.Response:
        """Fill in a form and send it."""
        fields = urlencode(form.fields | values)
        if form.method == "get":
            return self._ask("GET", f"{form.action}?{fields}", None)
        return self._ask("POST", form.action, fields.encode())

    def asked(self, path: str) -> Any:
        """What the API replies to this browser, as JSON."""
        return self._asker.ask("GET", path, [("Cookie", self._cookie), ("Sec-Fetch-Site", "same-origin")]).json()

    def forget(self) -> None:
        """Lose the session."""
        self._cookie = ""

    def share(self) -> "Browser":
        """Another tab of this browser."""
        tab = Browser(self._asker._app)
        tab._cookie = self._cookie
        return tab

    def _ask(self, method: str, path: str, body: bytes | None) -> httpx.Response:
        for _ in range(5):
            headers = [("Accept", "text/html,application/xhtml+xml,*/*;q=0.8"), ("Sec-Fetch-Site", "same-origin")]
            headers += [("Cookie", self._cookie)] if self._cookie else []
            headers += (
                [("Content-Type", "application/x-www-form-urlencoded"), ("Origin", BASE)] if body is not None else []
            )
            reply = self._asker.ask(method, path, headers, body)
            for line in reply.headers.get_list("set-cookie"):
                self._cookie = "" if "Max-Age=0" in line else line.partition(";")[0]
            if reply.status_code != 303:
                self.path = path
                self.seen.append(reply)
                return reply
            target = urlsplit(urljoin(BASE, reply.headers["location"]))
            method, path, body = "GET", f"{target.path}{'?' if target.query else ''}{target.query}", None
        raise AssertionError("it is led in a circle")
