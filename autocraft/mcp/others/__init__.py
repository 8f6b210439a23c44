"""The tools of servers of others, as commands of a run."""
