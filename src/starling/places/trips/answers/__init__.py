"""What released trips answer, and the intervals that surely hold the truth."""
