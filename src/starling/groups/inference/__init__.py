"""What follows from noisy counts: consistent integers by one of several methods, and intervals that hold by the noise alone."""
