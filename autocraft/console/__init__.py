"""The console: what a live run shows and reads, and how the person decides."""
