"""`python -m optimizer` is the `optimize` command."""

from optimizer.cli import main

if __name__ == "__main__":
    main()
