"""What answers the prompt: a model behind an endpoint, the built-in planner, or a script. See README.md."""
