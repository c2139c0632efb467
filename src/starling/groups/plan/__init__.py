"""Public choices of a release of group sizes: the plan, and its budget over levels and sizes."""
