"""The `optimize` command: arguments in, text and exit codes out. Nothing else prints or exits.

Commands live one to a file beside this one and are found by file name; a file is imported only when its command
runs or its help is asked for, so `optimize --help` stays fast.
"""

from optimizer.cli._main import main

__all__ = ["main"]
