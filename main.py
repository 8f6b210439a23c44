"""`python main.py` is the same as `autocraft`."""

from autocraft.cli import main

if __name__ == "__main__":
    main()
