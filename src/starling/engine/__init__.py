"""Exact counting: one SQL text per count, answered by a locked-down engine and streamed as Arrow batches."""
