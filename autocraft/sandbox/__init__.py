"""Runs programs that the model wrote, in child processes that can do no harm. See README.md."""
