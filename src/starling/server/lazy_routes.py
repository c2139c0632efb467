"""Routes that FastAPI analyses when they are first asked for.

An application has some fifty routes. To analyse the types, dependencies and models of one takes a millisecond, and a process that is
started anew, or a test, asks for few of them.
"""

from collections.abc import Callable
from functools import partial
from threading import RLock
from typing import Any, Final

from fastapi.routing import APIRoute
from starlette.routing import compile_path

_ANALYSING: Final = RLock()
"""Held by the thread that analyses; any other that asks for the same route waits until it is done."""


class LazyRoute(APIRoute):
    """A route that knows its path alone until something else of it is asked for: a path that matches, or the OpenAPI."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        self._analyse = partial(super().__init__, path, endpoint, **options)
        self.path = path
        self.path_regex, self.path_format, self.param_convertors = compile_path(path)

    def __getattr__(self, name: str) -> Any:
        """Called for what the route does not have yet; raises AttributeError where it has none after the analysis."""
        with _ANALYSING:
            attributes = vars(self)
            if name not in attributes and (analyse := attributes.pop("_analyse", None)):
                analyse()
            if name not in attributes:
                raise AttributeError(f"{type(self).__name__} has no attribute {name!r}", name=name, obj=self)
            return attributes[name]
