"""Plan files, whatever their domain: TOML that knows its lines, and near misses of its keys."""
