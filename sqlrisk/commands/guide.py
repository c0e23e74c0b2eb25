"""`sqlrisk guide`: the pages of the guide, in a terminal or for a browser."""

import rich_click as click
from click.shell_completion import CompletionItem

from sqlrisk import options, terminal


def topics(_context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Complete the name of a topic."""
    from sqlrisk.report.guide import pages

    return [CompletionItem(page.topic, help=page.title) for page in pages().values() if page.topic.startswith(start)]


@click.command()
@click.argument("topic", required=False, shell_complete=topics, panel=options.FILES, help="A page; without one, all are listed")
@options.once("--html", "FOLDER", options.OUTPUT, "Write all pages for a browser into a new folder", type=click.Path())
@options.trace
def guide(*, topic: str | None, html: str | None) -> None:
    """Show a page of the guide, list the pages, or write them for a browser.

    The guide comes with sqlrisk and needs no network.

    \b
    Examples:
      sqlrisk guide
      sqlrisk guide records
      sqlrisk guide --html guide
    """
    from sqlrisk.report import guide as written
    from sqlrisk.report.files import write_folder

    if topic is not None and html is not None:
        raise click.UsageError("--html writes all pages: leave out the topic.")
    if html is not None:
        site = written.browsed()
        write_folder(html, site)
        terminal.note(f"{len(site)} pages in {html}; begin with {written.FIRST}.html")
        return
    if topic is None:
        text = written.listed()
    elif terminal.colour():
        text = written.coloured(written.page(topic), terminal.width())
    else:
        text = written.plain(written.page(topic))
    terminal.put(terminal.encoded(text))
