"""The stages and measures of utility asked of tables of a few rows; the measures beside the slow
oracle, which counts rows.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import inf
from types import SimpleNamespace
from typing import Any

import tables
from by_hand import PARTS, ByHand, values

from sqlrisk.catalogue.utility import utility_measures

# cells that have so many records of the original and so many synthetic ones
Counts = Sequence[tuple[int, int, int]]
# Cells that one file lacks, scores that tie, cells told to be original by a tie; tables of one
# cell, and of none in common.
COUNTED: dict[tuple[int, int], Counts] = {
    (1, 1): [(2, 3, 1), (1, 1, 4), (1, 0, 2), (1, 2, 0), (1, 2, 2), (3, 1, 1)],
    (2, 1): [(1, 5, 3), (2, 2, 6), (1, 4, 1)],
    (2, 2): [(1, 2, 4), (1, 4, 8), (2, 3, 0)],
    (3, 1): [(1, 4, 6)],
    (4, 1): [(2, 0, 3), (1, 5, 0)],
    (7, 1): [(1, 1, 0), (1, 0, 1)],
}
COLUMNS = (
    "table_number, synthesis, n_cells, n_orig, n_syn, people, synthetic, share_all, share_orig, "
    "share_syn, expected, score, orig_below, orig_upto, syn_upto"
)


def rows_of(counts: Counts) -> tuple[list[tables.Row], list[tables.Row]]:
    """The records of both files, a row for each."""
    original: list[tables.Row] = []
    synthetic: list[tables.Row] = []
    for number, (cells, d, s) in enumerate(counts):
        for cell in range(cells):
            original += [(number, cell)] * d
            synthetic += [(number, cell)] * s
    return original, synthetic


def scored(counts: Counts) -> list[tuple[float, ...]]:
    """What is known of each of the counts, in the order of the columns."""
    people, synthetic = sum(n * d for n, d, _ in counts), sum(n * s for n, _, s in counts)
    scores = [Fraction(s, d + s) for _, d, s in counts]
    found: list[tuple[float, ...]] = []
    for (n, d, s), score in zip(counts, scores, strict=True):
        upto = [
            (n_other * d_other, n_other * s_other)
            for (n_other, d_other, s_other), other in zip(counts, scores, strict=True)
            if other <= score
        ]
        below = sum(
            n_other * d_other
            for (n_other, d_other, _), other in zip(counts, scores, strict=True)
            if other < score
        )
        shares = (
            synthetic / (people + synthetic),
            d / people,
            s / synthetic,
            d * synthetic / people,
            float(score),
        )
        found.append(
            (
                n,
                d,
                s,
                people,
                synthetic,
                *shares,
                below,
                sum(one for one, _ in upto),
                sum(other for _, other in upto),
            )
        )
    return found


SCORED = [(*place, *row) for place, counts in COUNTED.items() for row in scored(counts)]


def _measure(name: str) -> ByHand:
    known = {place: tables.utility(*rows_of(counts)) for place, counts in COUNTED.items()}
    expected = [
        (*place, found[name])
        for place, found in known.items()
        # Where no cell has records of both files G has no row, as there is nothing to count.
        if not (name in ("G", "S_G") and found["G"] is None)
    ]
    made = values(
        COLUMNS, *(", ".join(f"CAST({each!r} AS {_type(each)})" for each in row) for row in SCORED)
    )
    return ByHand(
        f"utility/{name.lower()}.sql", {"scored": made}, ({"scored_counts": "scored"}, expected)
    )


def _type(value: Any) -> str:
    return "DOUBLE" if isinstance(value, float) else "BIGINT"


FILES = [SimpleNamespace(number=number, count=f"n_syn_{number}") for number in (1, 2)]
CLASSES = values(
    "class_key, class_key_2, n_orig, n_syn_1, n_syn_2",
    "1, 1, 2, 3, 0; 1, 2, 2, 3, 1; 2, 1, 0, 1, 0; 0, 1, 5, 5, 5; 2, 0, 1, 0, 2",
)
NUMBERS: list[Any] = [
    SimpleNamespace(
        number=number, id=f"k{number}", special=special, value_in=lambda _, name=f"k{number}": name
    )
    for number, special in ((1, ()), (2, ("-8",)), (3, ()))
]
BOTH = (*combinations(NUMBERS, 2), (NUMBERS[2], NUMBERS[0]))
# (2, 5), (4, 9), (6, 7) are the records with the first two numbers: 2, 4, 6 against 5, 9, 7. The
# third has one number alone. Infinite values are left out.
INFINITE = "CAST('Infinity' AS DOUBLE)"
RECORDS = values(
    "k1, k2, k3",
    f"2, 5, 7; 4, 9, 7; 6, 7, NULL; 9, -8, 7; NULL, 3, 7; 8, NULL, NULL; {INFINITE}, NULL, 7",
)
# The centres are 5, 4 and 0: of a special value, of synthetic records, of infinity and of no record
# is no mean.
OF_NUMBERS = {
    "one": values(
        "value, n_orig, n_syn_1",
        f"2, 3, 0; 14, 1, 5; NULL, 9, 1; 100, 0, 1; {INFINITE}, 0, 0",
    ),
    "two": values("value, n_orig, n_syn_1", "-8, 7, 1; 4, 2, 2"),
    "three": values("value, n_orig, n_syn_1", "3, 0, 1; 5, 0, 3"),
}
LEVELS = {"k1": "one", "k2": "two", "k3": "three"}
SUMS = ", ".join(
    f"{name}_{pair}"
    for pair in ("1_2", "1_3", "2_3", "3_1")
    for name in ("n", "x", "y", "xx", "yy", "xy", "vary")
)
FOUND = values(
    "measure, table_number, synthesis, value",
    *(
        (
            "'m', 1, 1, 2.0; 'm', 1, 2, 6.0; 'm', 2, 1, 5.0; 'm', 2, 2, 1.0; 'm', 3, 1, 11.0; "
            "'m', 3, 2, NULL"
        ),
        "'n', 1, 1, 7.0",
    ),
)
BY_HAND: Sequence[ByHand] = (
    *(_measure(each.name) for each in utility_measures()),
    ByHand(
        "stages/utility/table_counts.sql",
        {"classes": CLASSES},
        (
            {"table_number": 7, "syntheses": FILES, "classes": "classes", "left_out": []},
            [
                *((7, 1, 2, 3, 2), (7, 1, 0, 1, 1), (7, 1, 5, 5, 1), (7, 1, 1, 0, 1)),
                *((7, 2, 2, 0, 1), (7, 2, 2, 1, 1), (7, 2, 5, 5, 1), (7, 2, 1, 2, 1)),
            ],
        ),
        (
            {"table_number": 8, "syntheses": FILES[:1], "classes": "classes", "left_out": PARTS},
            [(8, 1, 2, 3, 2), (8, 1, 0, 1, 1)],
        ),
        columns="table_number, synthesis, n_orig, n_syn, n_cells",
    ),
    ByHand(
        "stages/utility/scored_counts.sql",
        {
            "counts": values(
                "table_number, synthesis, n_orig, n_syn, n_cells",
                # in two passes; a table without people, and one without synthetic records
                *(
                    f"{table}, {synthesis}, {d}, {s}, {part}"
                    for (table, synthesis), counts in COUNTED.items()
                    for n, d, s in counts
                    for part in ([1, n - 1] if n > 1 else [1])
                ),
                "5, 1, 0, 3, 2",
                "6, 1, 3, 0, 2",
            )
        },
        ({"table_counts": "counts"}, SCORED),
        columns=COLUMNS,
    ),
    ByHand(
        "stages/utility/utility_results.sql",
        {
            "first": values("table_number, synthesis, value", "1, 2, 0.5"),
            "second": values("table_number, synthesis, value", "3, 4, 7.5"),
        },
        (
            {
                "measures": [
                    SimpleNamespace(name=name, query=f"SELECT * FROM {table}")
                    for name, table in (("it's", "first"), ("n", "second"))
                ]
            },
            [("it's", 1, 2, 0.5), ("n", 3, 4, 7.5)],
        ),
    ),
    ByHand(
        "stages/utility/utility_means.sql",
        {"found": FOUND},
        (
            {"number": 9, "syntheses": FILES, "utility_results": "found"},
            [("m", 1, 9, 4.0), ("m", 2, 9, 3.0), ("m", 3, 9, 11.0), ("n", 1, 9, 7.0)],
        ),
        (
            {"number": 9, "syntheses": FILES[1:], "utility_results": "found"},
            [("m", 1, 9, 6.0), ("m", 2, 9, 1.0), ("m", 3, 9, None)],
        ),
    ),
    ByHand(
        "tables/utility_summary.sql",
        {"found": FOUND, "sizes": values("number, ways", "1, 1; 2, 1; 3, 2")},
        (
            {"utility_results": "found", "utility_tables": "sizes"},
            [
                ("m", 1, 1, 3.5, 2.0, 5.0),
                ("m", 1, 2, 11.0, 11.0, 11.0),
                ("m", 2, 1, 3.5, 1.0, 6.0),
                ("m", 2, 2, None, None, None),
                ("n", 1, 1, 7.0, 7.0, 7.0),
            ],
        ),
    ),
    ByHand(
        "tables/utility_by_column.sql",
        {
            "found": FOUND,
            "sides": values(
                "number, ways, column_number", "1, 1, 1; 2, 1, 2; 3, 2, 1; 3, 2, 2; 2, 1, 1"
            ),
        },
        (
            {"utility_results": "found", "utility_columns": "sides"},
            [
                *(
                    ("m", 1, 1, 1, 3.5),
                    ("m", 1, 1, 2, 5.0),
                    ("m", 1, 2, 1, 11.0),
                    ("m", 1, 2, 2, 11.0),
                ),
                *(
                    ("m", 2, 1, 1, 3.5),
                    ("m", 2, 1, 2, 1.0),
                    ("m", 2, 2, 1, None),
                    ("m", 2, 2, 2, None),
                    ("n", 1, 1, 1, 7.0),
                ),
            ],
        ),
    ),
    ByHand(
        "stages/utility/number_sums.sql",
        {"records": RECORDS, **OF_NUMBERS},
        (
            {
                "columns": NUMBERS,
                "pairs": BOTH,
                "file": SimpleNamespace(relation="records"),
                "levels": LEVELS,
            },
            [
                # -3, -1, 1 and 1, 5, 3; -3, -1, 4 and 7; 1, 5, -1 and 7
                (
                    *(3, -3.0, 9.0, 11.0, 35.0, -5.0, 1, 3, 0.0, 21.0, 26.0, 147.0, 0.0, 0),
                    *(3, 5.0, 21.0, 27.0, 147.0, 35.0, 0, 3, 21.0, 0.0, 147.0, 26.0, 0.0, 0),
                ),
            ],
        ),
        columns=SUMS,
    ),
    ByHand(
        "tables/correlations.sql",
        {
            "sums": values(
                SUMS,
                "3, -3.0, 9.0, 11.0, 35.0, -5.0, 1, 3, 0.0, 21.0, 26.0, 150.0, 0.0, 0, "
                "2, 2.0, 2.0, 2.0, 4.0, 3.0, 1, 2, 1.0, 1.0, 0.75, 0.75, 0.6, 1",
            ),
            "others": values(SUMS, ", ".join(["2, 2.0, 2.0, 4.0, 2.0, 3.0, 1"] * 4)),
        },
        (
            {"pairs": BOTH, "number_sums": "sums"},
            # (3 * -5 + 27) / sqrt(24 * 24): 2, 4, 6 against 5, 9, 7; then none, of one number alone
            # or no variance; 0.2 / 0.5
            [(1, 2, 3, 0.5), (1, 3, 3, None), (2, 3, 2, None), (3, 1, 2, 0.4)],
        ),
        (
            {"pairs": BOTH, "number_sums": "others"},
            [(1, 2, 2, None), (1, 3, 2, None), (2, 3, 2, None), (3, 1, 2, None)],
        ),
    ),
    ByHand(
        "tables/quantiles.sql",
        OF_NUMBERS
        | {
            "one": values(
                "value, n_orig, n_syn_1",
                "2, 3, 0; 14, 1, 5; NULL, 9, 1; 100, 0, 1; 7, 0, 2; -30, 1, 0; 3, 0, 1",
            ),
            "many": values("value, n_orig, n_syn_1", "1, 100, 100; 2, 101, 100"),
            "more": values("value, n_orig, n_syn_1", "1, 100, 100; 2, 98, 201"),
            "ends": values("value, n_orig, n_syn_1", f"1, 2, 0; {INFINITE}, 1, 2"),
            "open": values(
                "value, n_orig, n_syn_1", f"-{INFINITE}, 1, 1; 1, 1, 0; {INFINITE}, 0, 1"
            ),
        },
        (
            {
                "columns": NUMBERS,
                "files": [
                    SimpleNamespace(number=0, count="n_orig"),
                    SimpleNamespace(number=1, count="n_syn_1"),
                ],
                "levels": LEVELS,
                "percents": (0, 10, 50, 75, 100),
            },
            [
                # -30, 2, 2, 2, 14; 3, 7, 7, 14, 14, 14, 14, 14, 100; 4 alone, without the special
                # value; 3, 5, 5, 5
                *(
                    (1, 0, 0, -30.0),
                    (1, 0, 10, -17.2),
                    (1, 0, 50, 2.0),
                    (1, 0, 75, 2.0),
                    (1, 0, 100, 14.0),
                ),
                *(
                    (1, 1, 0, 3.0),
                    (1, 1, 10, 6.2),
                    (1, 1, 50, 14.0),
                    (1, 1, 75, 14.0),
                    (1, 1, 100, 100.0),
                ),
                *((2, file, percent, 4.0) for file in (0, 1) for percent in (0, 10, 50, 75, 100)),
                *(
                    (3, 1, 0, 3.0),
                    (3, 1, 10, 3.6),
                    (3, 1, 50, 5.0),
                    (3, 1, 75, 5.0),
                    (3, 1, 100, 5.0),
                ),
            ],
        ),
        (
            {
                "columns": [
                    SimpleNamespace(number=number, id=f"k{number}", special=())
                    for number in (1, 4, 5, 6, 7)
                ],
                "files": [
                    SimpleNamespace(number=0, count="n_orig"),
                    SimpleNamespace(number=1, count="n_syn_1"),
                ],
                "levels": {"k1": "one", "k4": "many", "k5": "more", "k6": "ends", "k7": "open"},
                "percents": (33, 50),
            },
            [
                *((1, 0, 33, 2.0), (1, 0, 50, 2.0), (1, 1, 33, 7 + 7 * 0.64), (1, 1, 50, 14.0)),
                # 1 and 2, both many times: places beside the one where the numbers change
                *((4, 0, 33, 1.0), (4, 0, 50, 2.0), (4, 1, 33, 1.0), (4, 1, 50, 1.5)),
                *((5, 0, 33, 1.0), (5, 0, 50, 1.0), (5, 1, 33, 1.0), (5, 1, 50, 2.0)),
                *((6, 0, 33, 1.0), (6, 0, 50, 1.0), (6, 1, 33, inf), (6, 1, 50, inf)),
                # between minus infinity and 1, then infinity
                *((7, 0, 33, -inf), (7, 0, 50, -inf), (7, 1, 33, None), (7, 1, 50, None)),
            ],
        ),
    ),
    ByHand(
        "tables/missing_shares.sql",
        {
            "one": values("code, n_orig, n_syn", "0, 1, 0; 0, 1, 0; 1, 6, 2"),
            "two": values("code, n_orig, n_syn", "1, 2, 1; 2, 2, 1"),
        },
        (
            {
                "columns": [SimpleNamespace(number=number, id=f"k{number}") for number in (1, 2)],
                "files": [
                    SimpleNamespace(number=number, count=count)
                    for number, count in enumerate(("n_orig", "n_syn"))
                ],
                "levels": {"k1": "one", "k2": "two"},
            },
            [(1, 0, 2, 25.0), (1, 1, 0, 0.0), (2, 0, 0, 0.0), (2, 1, 0, 0.0)],
        ),
    ),
)
