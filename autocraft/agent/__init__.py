"""One agent: its loop of turns, the gate that decides, the executor, and the state folded from the journal."""
