"""The document as Markdown; text from outside is plain text there."""

from optimizer.contract.document import Cell, Code, Document, Heading, Paragraph, Table
from optimizer.contract.safe import markdown, markdown_code


def render_markdown(document: Document) -> str:
    """GitHub-flavoured Markdown with tables."""
    blocks = [f"# {markdown(document.title)}"]
    for block in document.blocks:
        if isinstance(block, Heading):
            blocks.append(f"{'#' * block.level} {markdown(block.text)}")
        elif isinstance(block, Paragraph):
            blocks.append(markdown(block.text))
        else:
            blocks.append(_table(block))
    return "\n\n".join(blocks) + "\n"


def _table(table: Table) -> str:
    lines = [_row(table.head), "|" + " --- |" * len(table.head), *map(_row, table.rows)]
    return "\n".join(lines)


def _row(cells: tuple[Cell, ...]) -> str:
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _cell(cell: Cell) -> str:
    if isinstance(cell, Code):
        return f"{markdown(cell.lead)}{markdown_code(cell.text)}"
    return markdown(cell)
