"""Print a page as PDF with WeasyPrint, tagged for screen readers (PDF/UA-1).

The HTML page is attached to the PDF. So a sign-off can be added to the attached page, which is then
printed again.
"""

import html
import io
import logging
import re
from datetime import UTC, datetime
from itertools import accumulate

from sqlrisk.common.errors import InputError
from sqlrisk.common.extras import install

try:
    import pypdf
    import weasyprint
except ModuleNotFoundError:
    raise InputError(f"A PDF needs WeasyPrint and pypdf: {install('pdf')}.") from None
except OSError:  # a system library that WeasyPrint draws text with is missing
    raise InputError(
        "A PDF needs Pango, a system library, in addition to WeasyPrint: on Debian and Ubuntu "
        "apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0; elsewhere see "
        "WeasyPrint's first steps."
    ) from None

PAGE = "page.html"  # name of the page attached to the PDF
# Fonts with letters as wide as those measured. WeasyPrint does not apply the page's style to
# drawings.
_FONT = (
    "Helvetica, Arial, sans-serif",
    "Helvetica, Arial, Liberation Sans, DejaVu Sans Condensed, sans-serif",
)
_FIGURE = re.compile(r'role="img" aria-label="([^"]*)"(><svg[^>]*>)')
# A text of several lines in a figure, and the start of its next line. WeasyPrint aligns the lines
# wrongly, so each becomes a text of its own.
_LINES = re.compile(r"<text([^>]*)><tspan>(.*?)</tspan></text>")
_NEXT = re.compile(r'</tspan><tspan x="0" dy="([\d.]+)">')


def print_page(page: str) -> bytes:
    """Return an HTML page as the bytes of a PDF. WeasyPrint's warnings are off from then on."""
    # its warnings about styles for screens do not matter here
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
        string=_LINES.sub(_apart, _FIGURE.sub(_described, page)).replace(*_FONT),
        # the page carries its logo; no other file is read
        url_fetcher=weasyprint.urls.URLFetcher(allowed_protocols={"data"}),
    )
    data: bytes = document.write_pdf(pdf_variant="pdf/ua-1", attachments=[kept])
    return data


def printed_page(data: bytes, name: str) -> str:
    """Return the HTML page attached to the PDF ``name``. Raises InputError if there is none."""
    try:
        return pypdf.PdfReader(io.BytesIO(data)).attachments[PAGE][0].decode()
    except (pypdf.errors.PyPdfError, KeyError, ValueError):
        raise InputError(
            f"The file {name!r} is no PDF of sqlrisk: it does not hold the page that it was "
            "printed from."
        ) from None


def _described(found: re.Match[str]) -> str:
    """Return a figure's opening tags for WeasyPrint: with a title that contains the description."""
    words, tags = found.groups()
    return f"{tags}<title>{html.escape(html.unescape(words))}</title>"


def _apart(found: re.Match[str]) -> str:
    """Return the lines of a text as separate texts, each at its old place."""
    look, lines = found.groups()
    first, *more = _NEXT.split(lines)
    downs = accumulate(map(float, more[::2]), initial=0.0)
    return "".join(
        f'<text{look} y="{down:g}">{line}</text>'
        for down, line in zip(downs, (first, *more[1::2]), strict=True)
    )
