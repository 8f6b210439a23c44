"""The protocol's own test tool, and what it needs."""
