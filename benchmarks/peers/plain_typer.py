"""The peer of `autocraft --help`: the smallest possible typer program of one command."""

import typer

app = typer.Typer()


@app.command()
def greet(name: str, loudly: bool = False) -> None:
    """Print a greeting."""
    print(f"Hello {name.upper() if loudly else name}")


app()
