"""Numbers of the nodes of a hierarchy that are made to add up, and how far any sum of them errs."""
