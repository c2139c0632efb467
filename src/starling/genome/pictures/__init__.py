"""Pictures of released answers: Manhattan, quantiles, linkage. Public rows in, SVG out; nothing here draws noise or opens a file."""
