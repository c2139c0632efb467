"""What experience says of a released grid, where nothing can be proved: how far answers are off, and how likely squares are the first.

All of it comes from one thing: the released grid is taken for the truth, measured again by the same boxes with invented noise, and
estimated again (`reruns`). Only released values are read, so that it is post-processing and costs nothing.
"""

from starling.places.typical.errors import typical_answers, typical_errors
from starling.places.typical.ranking import likely_hotspots

__all__ = ["likely_hotspots", "typical_answers", "typical_errors"]
