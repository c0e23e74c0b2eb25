"""Column names for the views of a saved run and for compiled SQL, made from the user's own
names.
"""

from collections.abc import Iterable

from sqlrisk.plan.columns import Column

ROLES = {"k": "key", "t": "target"}
ENDS = ("from", "to", "closed")  # columns of a bin or band: [20,30) is 20, 30, 0


def column_names(
    columns: Iterable[Column], taken: Iterable[str], *, ends: bool = False
) -> dict[str, str]:
    """Return column id -> name in a view.

    A name in ``taken``, or of another column, gets the prefix ``key_`` or ``target_``. With
    ``ends``, a name also gets a prefix if its columns for bin ends would collide.
    """
    used = {name.casefold() for name in taken}
    names = {}
    for column in columns:
        name = column.name
        while not used.isdisjoint(own := _written(name, ends=ends and column.shares_codes)):
            name = f"{ROLES[column.role]}_{name}"
        used |= own
        names[column.id] = name
    return names


def of_ends(name: str) -> list[str]:
    """Return the names of three columns for a column's bins or bands: the lower end, the upper
    end, and whether the upper end is included.
    """
    return [f"{name}_{end}" for end in ENDS]


def _written(name: str, *, ends: bool) -> set[str]:
    return {each.casefold() for each in (name, *(of_ends(name) if ends else ()))}
