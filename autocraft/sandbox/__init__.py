"""Runs programs that a model wrote, in confined child processes. See README.md."""
