"""What a plan will give, before anything is spent: errors, what groups will get, and a page of both. Public: it opens no records."""

from starling.tables.preview.errors import SIZES, BranchPreview, Error, LevelPreview, Preview, SizePreview, preview
from starling.tables.preview.expected_detail import Fate, Sizes, assumed, fates, read_sizes
from starling.tables.preview.page import TablesPage

__all__ = [
    "SIZES",
    "BranchPreview",
    "Error",
    "Fate",
    "LevelPreview",
    "Preview",
    "SizePreview",
    "Sizes",
    "TablesPage",
    "assumed",
    "fates",
    "preview",
    "read_sizes",
]
