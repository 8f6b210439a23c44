"""`python -m autocraft`."""

from autocraft.cli import main

main()
