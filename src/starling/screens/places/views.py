"""The pages of a release that draws views of its slices: the map of a slice, or of what it has more than another, by a form."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, Final

from starling.errors import ParameterError
from starling.pages.views import View, Views, view_data
from starling.screens.domain_pages import DomainPages, ReleaseT
from starling.screens.frame import Frame
from starling.screens.replies import Query, Reply

MOST_DRAWN: Final = 8
"""Views that stay in memory."""


class ViewsPages(DomainPages[ReleaseT]):
    """The pages of a release that draws views."""

    links = (("Map", "/map"),)

    @cached_property
    def _views(self) -> Views:
        release: Any = self.release
        views: Views = release.map()
        return views

    @cached_property
    def _drawn(self) -> Any:
        # It ends with these pages.
        return lru_cache(MOST_DRAWN)(self._new)

    def _new(self, one: int, other: int | None, kind: str) -> tuple[View, str]:
        view = self._views.make(one, other, kind)
        return view, view_data([""], {"0 0": view})

    def reply(self, path: Sequence[str], query: Query, frame: Frame) -> Reply | None:
        """See `DomainPages`."""
        if list(path) != ["map"]:
            return None
        views = self._views
        slices, kinds = list(views.slices), list(views.kinds)
        one, other = _number(query, "slice", slices) or 0, _number(query, "less", slices)
        kind = kinds[_number(query, "show", kinds) or 0]
        if other is not None and (not views.comparable or other == one):
            fix = "choose another" if views.comparable else "leave it out"
            raise ParameterError("less", "cannot be taken away", fix)
        view, data = self._drawn(one, other, kind)
        subtracted = -1 if other is None else other
        return self.page(
            "views_served.html", frame, views=views, one=one, other=subtracted, kind=kind, view=view, data=data
        )


def _number(query: Query, field: str, names: Sequence[str]) -> int | None:
    """Which of some names an address has; None where it has none. Raises ParameterError where there is no such one."""
    name = query.one(field)
    if not name:
        return None
    if name not in names:
        raise ParameterError(field, "is none of the release", f"choose one of {', '.join(names[:3])}")
    return names.index(name)
