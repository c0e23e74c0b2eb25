"""Find one number of a result by its measure and place (target, synthesis, population and so on).
Fields that are not given have defaults.
"""

from collections.abc import Iterable, Mapping, Sequence

from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.report.columns import Row
from sqlrisk.report.wording import distinct, number, some

PLACE = ("at", "target", "synthesis", "population", "people", "weighted")
# values of fields that are not given
USUAL = {"population": "all", "people": "original", "weighted": False}
_KNOWN = 8  # maximum number of values that a message lists


def one_row(name: str, rows: Sequence[Row], place: Mapping[str, object]) -> Row:
    """Return the only row of the measure ``name`` at a ``place``, a dict of fields in ``PLACE`` to
    values. None stands for the value in ``USUAL`` if some row has it, otherwise for any value.

    Raises InputError if no row fits or several do. The message has similar or known values, or the
    fields to add.
    """
    for field, wanted in place.items():
        if wanted is None:
            continue
        found = [row for row in rows if _same(row[field], wanted)]
        if not found:
            known = [*map(_word, distinct(rows, field))]
            near = suggestion(_word(wanted), known) or f"; it has {_quoted(known)}"
            raise InputError(f"{name} has no {field} {_word(wanted)!r}{near}.")
        rows = found
    for field, usual in USUAL.items():
        if place.get(field) is None:
            rows = [row for row in rows if row[field] == usual] or rows
    if len(rows) > 1:
        open_fields = [field for field in PLACE if len(distinct(rows, field)) > 1]
        said = " and ".join(
            f"{field}=... ({_quoted(map(_word, distinct(rows, field)))})" for field in open_fields
        )
        raise InputError(f"{name} has {len(rows)} numbers here; add {said}.")
    return rows[0]


def _same(value: object, wanted: object) -> bool:
    """Return True if a row has the wanted value. A name may be a number, as in pandas."""
    if isinstance(value, bool | float | int) and not isinstance(wanted, str):
        return value == wanted
    return value is not None and _word(value) == _word(wanted)


def _word(value: object) -> str:
    """Return a value as users write it."""
    return number(value) if isinstance(value, float) else str(value)


def _quoted(known: Iterable[str]) -> str:
    return some([*map(repr, known)], _KNOWN, ", ")
