"""Statistics about people under differential privacy: the shape of the flock, never the bird."""
