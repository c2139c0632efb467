"""Released areas as pictures."""
