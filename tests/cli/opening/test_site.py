"""A release on this machine: static files by the names of their bytes, everything else as its pages."""

from types import SimpleNamespace
from typing import Any

import pytest

from starling.cli.opening.site import Site
from starling.pages.rendering import static_files, static_name
from starling.screens.replies import Reply


@pytest.fixture
def answering() -> Site:
    pages: Any = SimpleNamespace(reply=lambda path, query, frame: Reply(f"{path} {query} {frame.path}".encode()))
    return Site(pages, "r.zip")


def test_a_static_file_is_sent_for_good(answering: Site) -> None:
    reply = answering.answer(f"/static/{static_name('starling.css')}", "")
    assert reply.body == static_files()["starling.css"]
    assert "immutable" in reply.headers["Cache-Control"]


@pytest.mark.parametrize("path", ["/", "/static/none.css", "/static/../site.py", "/tables/t1"])
def test_all_else_is_asked_of_the_pages_of_the_release(answering: Site, path: str) -> None:
    assert answering.answer(path, "a=b").body == f"{path} a=b r.zip".encode()


def test_others_are_named_by_their_numbers() -> None:
    pages: Any = SimpleNamespace(reply=lambda *values: Reply(repr(values[-1].others).encode()))
    assert Site(pages, "r.zip", ["a", "b"]).answer("/", "").body == b"{'1': ('a', 'a'), '2': ('b', 'b')}"
