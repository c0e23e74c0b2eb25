"""Near names, for messages about a name that does not exist."""

from collections.abc import Iterable
from difflib import get_close_matches


def suggestion(name: str, known: Iterable[str]) -> str:
    """``" (did you mean 'x' or 'y'?)"`` for up to three near names, or an empty string."""
    names = list(known)
    folded: dict[str, list[str]] = {}
    for each in names:
        folded.setdefault(each.casefold(), []).append(each)
    near = [original for match in get_close_matches(name.casefold(), folded, n=3, cutoff=0.6) for original in folded[match]][:3]
    return f" (did you mean {' or '.join(repr(each) for each in near)}?)" if near else ""
