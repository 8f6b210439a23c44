"""The story of a session as a page, as Markdown, and in the trajectory format of Harbor."""
