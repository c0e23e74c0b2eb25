"""The sign-off in an HTML page: who decided what, and on page one the last decision. Each stands
between two HTML comments and is rewritten with each signature.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sqlrisk.common.errors import InputError
from sqlrisk.report.html.rendering import part

_PLACE = re.compile(r"<!-- sign-off -->\n.*?<!-- /sign-off -->", re.DOTALL)
_DECIDED = re.compile(r"<!-- decided -->\n.*?<!-- /decided -->", re.DOTALL)
_HASH = re.compile(r'<meta name="sqlrisk-(results|verdicts)" content="([0-9a-f]{64})">')


def signed(page: str, signatures: Sequence[Mapping[str, Any]], name: str) -> str:
    """Return a page with its sign-off rewritten. ``signatures`` are as `signatures.in_words`
    returns them, and ``name`` names the page in the error.

    Raises InputError if the page does not have exactly one place for a sign-off. Pages of earlier
    versions have no place for the last decision.
    """
    found = _PLACE.findall(page)
    if len(found) != 1:
        raise InputError(
            f"The page {name!r} has no place for a sign-off: write it again by `sqlrisk score`."
        )
    decided = part("decided.html.j2", signatures=signatures)
    page = _DECIDED.sub(lambda _: decided, page)
    return page.replace(found[0], part("sign_off.html.j2", signatures=signatures))


def hashes_of(page: str) -> dict[str, str]:
    """Return the hashes that a page states, by their names in its manifest."""
    return {f"{name}_sha256": found for name, found in _HASH.findall(page)}
