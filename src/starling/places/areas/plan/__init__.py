"""Public choices of a release of areas: the polygons with their hierarchy, whose data are protected, and the budget by levels."""
