"""Write SAS transport files (version 5) with numbers of fewer than 8 bytes. No library in this
project can do that.
"""

import struct
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

_CARD, _NAME = 80, 140
_BIAS, _BITS = 64, 56  # the bias of the exponent, and the bits after the point
_WHEN = "01JAN20:00:00:00"


def write(path: str, columns: Mapping[str, tuple[int, Sequence[float]]]) -> str:
    """Write columns and return the path. ``columns`` maps a name to the bytes per number and the
    numbers.
    """
    names, place = [], 0
    for number, (name, (width, _)) in enumerate(columns.items(), start=1):
        head = struct.pack(
            ">hhhh8s40s8s", 1, 0, width, number, name.encode().ljust(8), b" " * 40, b" " * 8
        )
        names.append(head + struct.pack(">hhh2s8shhl52s", 0, 0, 0, b"", b" " * 8, 0, 0, place, b""))
        place += width
    widths = [width for width, _ in columns.values()]
    records = zip(*(numbers for _, numbers in columns.values()), strict=True)
    sections = [
        *(
            _header("LIBRARY"),
            f"{'SAS     SAS     SASLIB  6.06    bsd4.2':64}{_WHEN}".encode(),
            _WHEN.encode(),
        ),
        *(_header("MEMBER ", f"{0:017}1600000000{_NAME}"), _header("DSCRPTR")),
        *(f"{'SAS     DATA    SASDATA 6.06    bsd4.2':64}{_WHEN}".encode(), _WHEN.encode()),
        *(
            _header("NAMESTR", f"000000{len(columns):04}{0:020}"),
            b"".join(names),
            _header("OBS    "),
        ),
        b"".join(
            _cut(number, width)
            for record in records
            for number, width in zip(record, widths, strict=True)
        ),
    ]
    Path(path).write_bytes(
        b"".join(each.ljust(-(-len(each) // _CARD) * _CARD) for each in sections)
    )
    return path


def _header(name: str, numbers: str = "0" * 30) -> bytes:
    return f"HEADER RECORD*******{name} HEADER RECORD!!!!!!!{numbers}".encode()


def _cut(number: float, width: int) -> bytes:
    """Return a number in IBM's format, without its last bytes, as SAS stores it."""
    if number == 0:
        return bytes(width)
    value, exponent = Fraction(abs(number)), _BIAS
    while value >= 1:
        value, exponent = value / 16, exponent + 1
    while value < Fraction(1, 16):
        value, exponent = value * 16, exponent - 1
    return (
        bytes([exponent | (128 if number < 0 else 0)])
        + int(value * 2**_BITS).to_bytes(_BITS // 8, "big")
    )[:width]
