"""The commands that a model may propose: the registry, and the families of commands. See README.md."""
