"""The run for clients of the Model Context Protocol. A client takes the place of the brain."""
