"""Text: whole characters, what may be shown, what is secret, and the prompts."""
