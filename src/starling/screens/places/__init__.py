"""What releases of places add: the map, the numbers of a rectangle on it, and files for other programs."""
