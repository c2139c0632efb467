"""What the groups of a plan will get, for sizes that somebody assumes, as a page with pictures. Public: it opens no records."""

from starling.tables.outlook.fates import Fate, fates
from starling.tables.outlook.page import write_page
from starling.tables.outlook.sizes import Sizes, assumed, read_sizes

__all__ = ["Fate", "Sizes", "assumed", "fates", "read_sizes", "write_page"]
