"""What a release of group sizes holds in its folder, and what it says of itself."""
