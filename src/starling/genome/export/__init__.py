"""Released p-values in the formats of others, from what was released alone."""

from starling.genome.export.files import FORMATS, Format, export

__all__ = ["FORMATS", "Format", "export"]
