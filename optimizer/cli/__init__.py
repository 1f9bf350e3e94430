"""The `optimize` command: arguments in, text and exit codes out. Nothing else prints or exits.

Commands live one to a file beside this one and are found by file name; a file is imported only when its command
runs or its help is asked for, so `optimize --help` stays fast.
"""

import sys


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit; Ctrl-C before there is one ends as it does later."""
    try:
        from optimizer.cli._main import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run(arguments)


__all__ = ["main"]
