"""The pages of a site for a real browser, on a socket of this machine."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from tests.client.conftest import Site


@contextmanager
def serving(site: Site) -> Iterator[str]:
    """The URL of the site on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = uvicorn.Server(
            uvicorn.Config(site.carrier._app, lifespan="off", log_config=None, access_log=False, server_header=False)
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{taken.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
