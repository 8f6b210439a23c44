"""The same as `plain_typer.py` with rich switched off, as autocraft does it."""

import typer

app = typer.Typer(rich_markup_mode=None)


@app.command()
def greet(name: str, loudly: bool = False) -> None:
    """Print a greeting."""
    print(f"Hello {name.upper() if loudly else name}")


app()
