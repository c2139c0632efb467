"""Opening what was written in the reader's browser."""

import os
import sys
import webbrowser
from pathlib import Path
from tempfile import mkdtemp

import click


def page_folder() -> Path:
    """A folder for a page that is opened and was given no other place; it stays, since the browser reads it later."""
    return Path(mkdtemp(prefix="starling-"))


def has_browser() -> bool:
    """Whether there is a browser with windows: on a machine that shows none, one that writes into the terminal would be started."""
    if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY", "BROWSER"} & os.environ.keys():
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def show(address: str) -> None:
    """Open an address in the browser; where there is none, say what to open."""
    if not webbrowser.open(address):
        click.echo(f"starling: no browser could be started; open {address}", err=True)
