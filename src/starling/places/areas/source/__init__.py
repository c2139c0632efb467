"""In which area of which slice each record lies."""
