"""`optimize completion`: the shell's completion script (bash, zsh or fish)."""

import click
from click.shell_completion import get_completion_class

from optimizer.errors import InternalError

SHELLS = ("bash", "zsh", "fish")
EPILOG = """\b
Examples:
  eval "$(optimize completion bash)"
  optimize completion fish > ~/.config/fish/completions/optimize.fish
"""


@click.command(epilog=EPILOG)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell."""
    made = get_completion_class(shell)
    if made is None:
        raise InternalError(f"click knows no completion for {shell}")
    click.echo(made(context.find_root().command, {}, "optimize", "_OPTIMIZE_COMPLETE").source())
