"""The run for clients of the Model Context Protocol. The client takes the place of the brain; see README.md."""
