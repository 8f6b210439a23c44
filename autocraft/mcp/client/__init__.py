"""The tools of other MCP servers, as commands of a run."""
