"""What a release holds, as files."""
