"""A session on disk: its folder and lock, the journal and its events, snapshots, atomic files."""
