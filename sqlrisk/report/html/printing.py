"""A page as PDF: what WeasyPrint makes of its HTML and its style for print, tagged for readers of
screens (PDF/UA-1).

The PDF holds the page that it was printed from, so that a sign-off can be put into that page and
printed again.
"""

import html
import io
import logging
import re
from datetime import UTC, datetime

from sqlrisk.common.errors import InputError

try:
    import pypdf
    import weasyprint
except ModuleNotFoundError:
    raise InputError("A PDF needs WeasyPrint and pypdf: pip install 'sqlrisk[pdf]'.") from None
except OSError:  # the libraries of the system that WeasyPrint draws text with
    raise InputError(
        "A PDF needs Pango, a library of the system, beside WeasyPrint: on Debian and Ubuntu "
        "apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0; elsewhere see "
        "WeasyPrint's first steps."
    ) from None

PAGE = "page.html"  # the page, as the PDF holds it
# of a figure on each side, for a font wider than the one that was measured: WeasyPrint cuts what
# stands outside
ROOM = 24
# That font's letters are as wide as those measured; WeasyPrint gives a drawing no font of the
# page's style.
_FONT = (
    "Helvetica, Arial, sans-serif",
    "Helvetica, Arial, Liberation Sans, DejaVu Sans Condensed, sans-serif",
)
_FIGURE = re.compile(
    r'role="img" aria-label="([^"]*)"><svg([^>]*?) width="(\d+)" height="(\d+)" viewBox="0 0 \d+ '
    r'\d+">'
)


def print_page(page: str) -> bytes:
    """Return an HTML page as the bytes of a PDF."""
    # what it does not know of a style for screens is no matter
    logging.getLogger("weasyprint").setLevel(logging.CRITICAL)
    at = datetime.now(UTC)
    kept = weasyprint.Attachment(
        string=page,
        name=PAGE,
        description="The page that this was printed from",
        relationship="Source",
        created=at,
        modified=at,
    )
    document = weasyprint.HTML(
        string=_FIGURE.sub(_described, page).replace(*_FONT), url_fetcher=_nothing
    )
    data: bytes = document.write_pdf(pdf_variant="pdf/ua-1", attachments=[kept])
    return data


def printed_page(data: bytes, name: str) -> str:
    """Return the HTML page that the PDF ``name`` was printed from. Raises InputError where it holds
    none.
    """
    try:
        return pypdf.PdfReader(io.BytesIO(data)).attachments[PAGE][0].decode()
    except (pypdf.errors.PyPdfError, KeyError, ValueError):
        raise InputError(
            f"The file {name!r} is no PDF of sqlrisk: it does not hold the page that it was "
            "printed from."
        ) from None


def _described(found: re.Match[str]) -> str:
    """Say what a figure shows where WeasyPrint looks for it, in a title, and leave room
    around it.
    """
    words, more, width, height = found.groups()
    room = f"-{ROOM} 0 {int(width) + 2 * ROOM} {height}"
    return (
        f'><svg{more} width="{int(width) + 2 * ROOM}" height="{height}" '
        f'viewBox="{room}"><title>{html.escape(html.unescape(words))}</title>'
    )


def _nothing(address: str) -> dict[str, object]:
    """Refuse to read anything: a page needs no other file."""
    raise ValueError(address)
