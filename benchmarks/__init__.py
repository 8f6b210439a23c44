"""Measurements side by side with peers on one machine: ``python -m benchmarks``; see README.md in this folder."""
