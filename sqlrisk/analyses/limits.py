"""The work limit (`--work-limit`): refuse work above it, with an estimate and an alternative."""

from sqlrisk.common.errors import InputError


def require(limit: int, takes: int, what: str, unit: str, way: str) -> None:
    """Raise InputError if the work ``takes`` more units than the limit.

    ``what`` names the work and ``unit`` what is counted. ``way`` says how to need less work.
    """
    if takes > limit:
        raise InputError(
            f"{what} takes about {takes:,} {unit}; the limit is {limit:,}: {way}, or raise "
            "--work-limit."
        )
