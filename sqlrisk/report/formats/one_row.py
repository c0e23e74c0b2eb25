"""One number of a result by its name and place: what is not said of it, where it goes without
saying, and near names.
"""

from collections.abc import Mapping, Sequence

from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.report.columns import Row
from sqlrisk.report.wording import distinct, number

PLACE = ("at", "target", "synthesis", "population", "people", "weighted")
# meant where nobody says otherwise
USUAL = {"population": "all", "people": "original", "weighted": False}
_KNOWN = 8  # values that a message lists


def one_row(name: str, rows: Sequence[Row], place: Mapping[str, object]) -> Row:
    """Return the row of measure ``name`` at a place: fields of ``PLACE`` with the values they have
    to have, None for any.

    Raises InputError where no row is there, and where several are: it says what to add.
    """
    for field, wanted in place.items():
        if wanted is None:
            continue
        found = [row for row in rows if _same(row[field], wanted)]
        if not found:
            known = [*map(_word, distinct(rows, field))]
            near = suggestion(_word(wanted), known) or f"; it has {_listed(known)}"
            raise InputError(f"{name} has no {field} {_word(wanted)!r}{near}.")
        rows = found
    for field, usual in USUAL.items():
        if place.get(field) is None:
            rows = [row for row in rows if row[field] == usual] or rows
    if len(rows) > 1:
        open_fields = [field for field in PLACE if len(distinct(rows, field)) > 1]
        said = " and ".join(
            f"{field}=... ({_listed([*map(_word, distinct(rows, field))])})"
            for field in open_fields
        )
        raise InputError(f"{name} has {len(rows)} numbers here; add {said}.")
    return rows[0]


def _same(value: object, wanted: object) -> bool:
    """Return whether a row has what was asked for; names may be given as numbers, as a pandas frame
    has them.
    """
    if isinstance(value, bool | float | int) and not isinstance(wanted, str):
        return value == wanted
    return value is not None and _word(value) == _word(wanted)


def _word(value: object) -> str:
    """Return a value of a place as a message and a user write it."""
    return number(value) if isinstance(value, float) else str(value)


def _listed(known: Sequence[str]) -> str:
    more = f" and {len(known) - _KNOWN} more" if len(known) > _KNOWN else ""
    return ", ".join(map(repr, known[:_KNOWN])) + more
