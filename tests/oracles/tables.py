"""The slow oracle of utility: count two lists of rows with a dictionary, one line for each measure.

The oracle shares no code and no SQL with sqlrisk. Numbers are Fractions, except logarithms and
roots. Records are compared pair by pair.
"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import product

Row = tuple[Hashable, ...]


def utility(original: Sequence[Row], synthetic: Sequence[Row]) -> dict[str, float | None]:
    """Return measure -> value for the table that counts these rows. None if a measure is undefined.
    Empty if one side has no rows.
    """
    d, s = Counter(original), Counter(synthetic)
    cells, people, records = {*d, *s}, len(original), len(synthetic)
    if not people or not records:
        return {}
    both = [cell for cell in cells if d[cell] and s[cell]]
    share = Fraction(records, people + records)
    score = {cell: Fraction(s[cell], d[cell] + s[cell]) for cell in cells}
    expected = {cell: Fraction(d[cell] * records, people) for cell in cells}
    apart = [abs(Fraction(s[cell], records) - Fraction(d[cell], people)) for cell in cells]
    squares = sum((d[cell] + s[cell]) * (score[cell] - share) ** 2 for cell in cells)
    vw = sum((s[cell] - expected[cell]) ** 2 / ((d[cell] + s[cell]) * share) for cell in cells)
    ft = 4 * math.fsum((math.sqrt(s[cell]) - math.sqrt(expected[cell])) ** 2 for cell in cells)
    p, q = (
        {cell: count[cell] / total for cell in cells}
        for count, total in ((d, people), (s, records))
    )
    mean = {cell: (p[cell] + q[cell]) / 2 for cell in cells}
    bits = math.fsum(
        one[cell] * math.log2(one[cell] / mean[cell]) / 2
        for one in (p, q)
        for cell in cells
        if one[cell]
    )
    held, told = sum(d[cell] for cell in both), sum(s[cell] for cell in both)
    g = 2 * math.fsum(s[cell] * math.log((s[cell] / told) / (d[cell] / held)) for cell in both)
    weighted = math.fsum(
        abs(s[cell] - expected[cell]) / math.sqrt((d[cell] + s[cell]) * share) for cell in cells
    )
    weighted /= math.sqrt(2 / math.pi)
    scores = [[score[row] for row in rows] for rows in (original, synthetic)]
    steps = [
        [Fraction(sum(one <= at for one in side), len(side)) for side in scores]
        for at in {*score.values()}
    ]
    right = sum(s[cell] if s[cell] * people > d[cell] * records else d[cell] for cell in cells)
    freedom = len(cells) - 1
    found: dict[str, Fraction | float | int | None] = {
        "cells": len(cells),
        "pMSE": squares / (people + records),
        "S_pMSE": vw / freedom if freedom else None,
        "VW": vw,
        "FT": ft,
        "S_FT": ft / freedom if freedom else None,
        "JSD": bits,
        "S_JSD": 8 * records * math.log(2) * bits / freedom if freedom else None,
        "G": g if both else None,
        "S_G": g / (len(both) - 1) if len(both) > 1 else None,
        "SPECKS": max(abs(one - other) for one, other in steps),
        "U": sum(
            Fraction((other > one) * 2 + (other == one), 2) for one, other in product(*scores)
        ),
        "PO50": 100 * Fraction(right, people + records) - 50,
        "MabsDD": sum(apart),
        "TVD": sum(apart) / 2,
        "ContingencySimilarity": 1 - sum(apart) / 2,
        "WMabsDD": weighted,
        "S_WMabsDD": weighted / freedom if freedom else None,
        "dBhatt": math.sqrt(
            math.fsum((math.sqrt(p[cell]) - math.sqrt(q[cell])) ** 2 for cell in cells) / 2
        ),
    }
    return {name: None if value is None else float(value) for name, value in found.items()}
