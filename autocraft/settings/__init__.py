"""Settings: their sources, how they are merged, and which files of a folder a person has confirmed."""
