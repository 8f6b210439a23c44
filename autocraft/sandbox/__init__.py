"""Programs that the model wrote, run in a child process that can do no harm; see README.md."""
