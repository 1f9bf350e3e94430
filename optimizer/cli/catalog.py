"""`optimize catalog`: What the catalog holds, how fresh it is, and whether it contradicts itself.

Every file `_catalog_<name>.py` beside this one adds the subcommand `<name>` through its `command`.
"""

import importlib
from pathlib import Path

import click

_DIRECTORY = Path(__file__).parent
_PREFIX = "_catalog_"


class CatalogGroup(click.Group):
    """A group whose subcommands are found by file name; a file is imported when its command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the subcommand files; underscores are dashes."""
        names = (path.stem.removeprefix(_PREFIX) for path in _DIRECTORY.glob(f"{_PREFIX}*.py"))
        return sorted(name.replace("_", "-") for name in names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one subcommand's file and return its `command`."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"optimizer.cli.{_PREFIX}{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command


@click.group(cls=CatalogGroup)
def command() -> None:
    """The life of the catalog.

    \b
    Examples:
      optimize catalog list
      optimize catalog check --json
    """
