"""Text: well-formed characters, sanitised output, redacted secrets and the prompts."""
