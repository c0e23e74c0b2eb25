"""Small tables of what an assessment reads and finds: copies, levels of both sides, keys that are
none.
"""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from by_hand import PARTS, ByHand, Inner, values

from sqlrisk.plan.assessment import Change, HashSample, LookAlike

COPIES = "comparison, of_control, change, records, rows_that_differ, rows_beyond, uniques_released"
# Neither a copy nor a sample, but for the second: nothing is released; others differ, and go beyond
# the original, or few are met.
COPIED = (
    "4, 0, 0, 0, 0, 0, 0",
    "5, 0, 0, 1, 0, 0, 50",
    "6, 0, 0, 7, 2, 3, 50; 8, 0, 0, 7, 2, 0, 19; 9, 0, 0, 7, 3, 0, 0",
)
PEOPLE_MET = (
    "comparison, of_control, change, people, records, uniques, pairs, uniques_released, rows_beyond"
)
FOUND = "comparison, target, subject, CAST(amount AS DOUBLE)"
SIDES = "comparison, target, position, fold, people, records, people_apart, records_apart"
FILES = [SimpleNamespace(count="n_orig", times=""), SimpleNamespace(count="n_syn_1", times="")]
ORIGINAL, CONTROL = (
    SimpleNamespace(count=f"n_{name}", times="", control=name == "control")
    for name in ("orig", "control")
)
SINGLES = [
    SimpleNamespace(
        number=number, people=ORIGINAL, members=[SimpleNamespace(count=f"n_syn_{number}", times="")]
    )
    for number in (1, 2)
]
# Two values have one code, as in a column with bins.
IN_BINS = values(
    "value, code, n_orig, n_syn_1, n_syn_2",
    "NULL, 0, 0, 0, 0; '1', 1, 1, 3, 0; '2', 1, 2, 0, 0; '3', 2, 0, 2, 1",
)
OF_CONTROL = SimpleNamespace(people=CONTROL, members=SINGLES[1].members)
COUNTED = (
    "comparison, of_control, change, people, records, people_released, records_of_people, "
    "uniques, pairs, uniques_released, rows_that_differ, rows_beyond"
)
NUMBERED = [SimpleNamespace(count="n_orig", number=0), SimpleNamespace(count="n_syn_1", number=1)]
BLANKS = {"blanks": ["CHR(9)", "'\u00a0'"]}
A, B, C = COLUMNS = [
    SimpleNamespace(id=name, number=number) for number, name in enumerate("abc", start=1)
]
NINE = "abcdefghi"  # names of columns
# Pairs of levels, one of each file, and as many people as records of each: which of them meet is
# told by a sum of powers of two.
PAIRS = {
    1: ("Ab", "aB"),
    2: (" c", "c "),
    4: ("007", "07"),
    8: ("1,5", "1.5"),
    16: ("2.50", "2.5"),
    32: ("3.0", "3"),
    64: ("40", "4"),  # never: nothing is to be left out of a number without decimals
    128: ("2020-03-12", "12.03.2020"),
    256: ("03/12/2021", "2021-12-03"),
    512: ("20220514", "2022-05-14"),
    1024: ("town 10 20x", "town 10 20y"),  # never: it is no date
    2048: ("NA", None),
}
MET = {
    "as_they_are": 0,
    "case": 1,
    "blanks": 2,
    "leading_zeros": 4,
    "decimal_comma": 8,
    "number_as_text": 16 + 32,
    "date_format": 128 + 256 + 512,
    "missing_text": 2048,
}
LEVELS_OF_PAIRS = values(
    "value, code, n_orig, n_syn_1",
    *(f"'{one}', {2 * n}, {n}, 0" for n, (one, _) in PAIRS.items()),
    *(
        f"{'NULL' if other is None else repr(other)}, {2 * n + 1}, 0, {n}"
        for n, (_, other) in PAIRS.items()
    ),
)
# By number a row of three columns, and the first row that is like it: wholly, without the first
# column, with rounded numbers.
ROWS = {
    1: ("1.24", "x", "y", 1, 1, 1),
    2: ("1.24", "x", "y", 1, 1, 1),
    3: ("1.21", "x", "y", 3, 1, 1),
    4: ("1.26", "x", "y", 4, 1, 4),
    5: ("1.24", "y", "x", 5, 5, 5),
    6: ("9.97", "x", "y", 6, 1, 6),  # 10
    7: ("10.2", "x", "y", 7, 1, 6),
    8: ("5.57e-290", "x", "y", 8, 1, 8),  # 5.6e-290, as the next
    9: ("5.58e-290", "x", "y", 9, 1, 8),
    10: ("5.57e290", "x", "y", 10, 1, 10),  # at the end of what a double holds numbers stay
    11: ("5.58e290", "x", "y", 11, 1, 11),
    12: ("0", "x", "y", 12, 1, 12),
    13: ("2.4", "x", "y", 13, 1, 13),
    14: ("NaN", "x", "y", 14, 1, 14),
    15: ("Infinity", "x", "y", 15, 1, 15),
    16: ("-1.24", "x", "y", 16, 1, 16),
    17: ("-1.21", "x", "y", 17, 1, 16),
    18: ("1.24", "x", "z", 18, 18, 18),
    19: ("12", "x", "y", 19, 1, 19),
}
HASHED = {
    "rows": "dealt",
    "files": [SimpleNamespace(count="row")],
    "columns": COLUMNS,
    "kept": COLUMNS,
    "numbered": True,
    "numbers": [A],
    "roundings": [2],
    "sums": {
        "hash_row": ["hash_a", "hash_b", "hash_c"],
        "hash_row_2": ["hash_a_2", "hash_b", "hash_c"],
    },
    "size": 2**24,
}


def hashing(**names: Any) -> dict[str, Any]:
    """What row_hashes are filled in with."""
    own = {**HASHED, **names}
    return {**own, "placed_rows": Inner("stages/assessment/placed_rows.sql", own)}


BY_HAND: Sequence[ByHand] = (
    ByHand(
        "reasons/compared_by_label.sql",
        {
            "sides": values(
                "comparison, position, by_label", "0, 3, 1; 0, 2, 0; 1, 4, 1; -1, 5, 1; 0, 6, 2"
            )
        },
        ({"label_sides": "sides"}, [(0, 0, 3, 0.0)]),
        columns="comparison, target, subject, CAST(amount AS DOUBLE)",
    ),
    ByHand(
        "reasons/constant_key.sql",
        {
            "sides": values(
                "comparison, position, target, fold, levels_original",
                "1, 3, 0, 'as_they_are', 1; 2, 3, 0, 'as_they_are', 1; 1, 4, 0, 'as_they_are', 2; "
                "1, 5, 2, 'as_they_are', 1",
                "1, 6, 0, 'folded', 1; 1, 7, 0, 'a', 1; 1, 8, 0, 'as_they_are', 0",
            )
        },
        ({"level_sides": "sides"}, [(0, 0, 3, 0.0)]),
    ),
    ByHand(
        "reasons/copy_of_original.sql",
        {
            "copies": values(
                COPIES, "1, 0, 0, 7, 0, 0, 0; 2, 1, 0, 7, 0, 0, 0; 3, 0, 1, 7, 0, 0, 0", *COPIED
            )
        },
        ({"copies": "copies"}, [(1, 0, None, 7.0), (5, 0, None, 1.0)]),
    ),
    ByHand(
        "reasons/few_matches.sql",
        {
            "matches": values(
                "comparison, records_both, people",
                "1, 0, 100; 2, 5, 100; 3, 1, 21; 4, 20, 401; 5, 20, 399; 6, 9, 9",
            )
        },
        # Fewer than 5 %, but some: 20 of 401 are, 20 of 399 and 5 of 100 are not.
        (
            {"matched_people": "matches", "matched": 5},
            [(3, 0, None, 100 / 21), (4, 0, None, 2000 / 401)],
        ),
        columns="comparison, target, subject, CAST(amount AS DOUBLE)",
    ),
    ByHand(
        "reasons/key_names_people.sql",
        {
            "sides": values(
                "comparison, position, target, fold, people, people_alone",
                "1, 3, 0, 'as_they_are', 100, 60; 2, 3, 0, 'as_they_are', 100, 70; 1, 4, 0, "
                "'as_they_are', 20, 15",
                "1, 5, 0, 'as_they_are', 19, 19; 1, 6, 0, 'as_they_are', 40, 20; 1, 7, 0, "
                "'as_they_are', 101, 50",
                "1, 8, 0, 'folded', 100, 60; 1, 8, 0, 'a', 100, 60; 1, 8, 2, 'as_they_are', 100, "
                "60",
            )
        },
        (
            {"level_sides": "sides", "least": 20, "names": 50},
            [(0, 0, 3, 70.0), (0, 0, 4, 75.0), (0, 0, 6, 50.0)],
        ),
        columns="comparison, target, subject, CAST(amount AS DOUBLE)",
    ),
    ByHand(
        "reasons/key_determines_target.sql",
        {
            "determined": values(
                "key_number, levels, people, several_t1, varies_t1",
                "1, 3, 6, 0, 1; 2, 3, 5, 0, 1; 3, 3, 60, 1, 1; 4, 3, 60, 0, 0; 5, 2, 60, 0, 1",
            )
        },
        (
            {"determined": "determined", "targets": [SimpleNamespace(id="t1", number=2)]},
            [(0, 2, 0, 3.0), (0, 2, 4, 2.0)],
        ),
    ),
    ByHand(
        "reasons/labelled_otherwise.sql",
        {"sides": values("comparison, position, by_label", "1, 3, 0; 2, 3, 1; 0, 4, 0")},
        ({"label_sides": "sides"}, [(1, 0, 3, 0.0), (0, 0, 4, 0.0)]),
        columns="comparison, target, subject, CAST(amount AS DOUBLE)",
    ),
    *(
        ByHand(
            f"reasons/{name}.sql",
            {
                "alike": values(
                    "what, comparison, target, subject, records",
                    "'a', 1, 2, 3, 4; 'z', 1, 2, 4, 4",
                    f"'{name}', 0, 2, 3, 4",
                )
            },
            ({"look_alikes": "alike"}, [(0, 2, 3, 4.0)]),
            columns="comparison, target, subject, CAST(amount AS DOUBLE)",
        )
        for name in ("columns_look_alike", "levels_look_alike", "texts_misread")
    ),
    ByHand(
        "reasons/cut_numbers.sql",
        {"cut": values("comparison, position, bytes", "1, 3, 4; 0, 4, 3")},
        ({"cut_numbers": "cut"}, [(1, 0, 3, 4.0), (0, 0, 4, 3.0)]),
        columns="comparison, target, subject, CAST(amount AS DOUBLE)",
    ),
    ByHand(
        "reasons/levels_apart.sql",
        {
            "sides": values(
                "comparison, target, position, fold, people, records, people_apart, records_apart",
                "1, 2, 1, 'as_they_are', 100, 100, 5, 0; 1, 2, 2, 'as_they_are', 100, 100, 0, 5",
                "1, 2, 3, 'as_they_are', 100, 100, 4, 4; 1, 2, 4, 'as_they_are', 100, 50, 10, 6",
                "1, 2, 5, 'as_they_are', 100, 200, 10, 12; 1, 2, 6, 'as_they_are', 100, 100, 100, "
                "100",
                "1, 2, 7, 'as_they_are', 401, 100, 20, 0; 1, 2, 8, 'as_they_are', 100, 401, 0, 20",
                "1, 2, 9, 'folded', 100, 100, 5, 5; 1, 2, 9, 'a', 100, 100, 5, 5",
            )
        },
        (
            {"level_sides": "sides", "apart": 5},
            [(1, 2, 1, 5.0), (1, 2, 2, 5.0), (1, 2, 4, 12.0), (1, 2, 5, 10.0)],
        ),
        columns="comparison, target, subject, CAST(amount AS DOUBLE)",
    ),
    ByHand(
        "reasons/many_empty_rows.sql",
        {
            "counted": values(
                "comparison, file_number, records, empty_records",
                # A twentieth of the records, and 20 at least: just so, and just fewer.
                "0, 0, 400, 20; 1, 1, 401, 20; 2, 2, 100, 19; 0, 3, 100, 25; 3, 4, 1000, 50; 4, "
                "5, 1000, 49",
            )
        },
        (
            {"empty_rows": "counted", "least": 20, "empty": 5},
            [(0, 0, 0, 5.0), (0, 0, 3, 25.0), (3, 0, 4, 5.0)],
        ),
        columns=FOUND,
    ),
    ByHand(
        "stages/assessment/empty_at_most.sql",
        {
            # Of the original 9 say nothing in the first column and 12 in the second, of the
            # synthetic file 64 and 22.
            "texts": values(
                "value, n_orig, n_syn_1",
                "NULL, 1, 64; '', 2, 0; ' 	 ', 2, 0; ' ', 4, 0; 'a', 16, 0; ' b', 0, 2",
            ),
            "numbers": values("value, n_orig, n_syn_1", "NULL, 12, 22; 0, 100, 44; 1, 0, 0"),
        },
        (
            {
                "files": NUMBERED,
                "entries": [
                    {"levels": "texts", "is_text": True},
                    {"levels": "numbers", "is_text": False},
                ],
            }
            | BLANKS,
            [(9, 22)],
        ),
    ),
    ByHand(
        "stages/assessment/empty_rows.sql",
        {
            "original": values(
                "a, b, c",
                "NULL, '', 1; NULL, ' 	', NULL; NULL, '  ', NULL; NULL, ' b', NULL; 5, NULL, NULL",
            ),
            "synthetic": values("a, b, c", "0, 'x', 1; NULL, NULL, CAST(NULL AS INTEGER)"),
        },
        (
            {
                "entries": [
                    {"comparison": 0, "file": SimpleNamespace(number=0, relation="original")},
                    {"comparison": 3, "file": SimpleNamespace(number=1, relation="synthetic")},
                ],
                "columns": [
                    (SimpleNamespace(value_in=lambda _, name=name: name), name == "b")
                    for name in "abc"
                ],
            }
            | BLANKS,
            [(0, 0, 5, 2), (3, 1, 2, 1)],
        ),
    ),
    ByHand(
        "reasons/no_level_in_common.sql",
        {
            "sides": values(
                "comparison, position, target, fold, people, people_apart",
                "1, 3, 2, 'as_they_are', 5, 5; 1, 4, 2, 'as_they_are', 5, 4; 1, 5, 2, 'folded', "
                "5, 5; 1, 6, 2, 'a', 5, 5",
            )
        },
        ({"level_sides": "sides"}, [(1, 2, 3, 0.0)]),
    ),
    ByHand(
        "reasons/no_matches.sql",
        {"matches": values("comparison, records_both", "1, 0; 2, 1; 3, 5")},
        ({"matched_people": "matches"}, [(1, 0, None, 0.0)]),
    ),
    ByHand(
        "reasons/sample_of_original.sql",
        {
            "copies": values(
                COPIES,
                "1, 0, 0, 7, 2, 0, 20; 2, 1, 0, 7, 2, 0, 20; 3, 0, 1, 7, 2, 0, 20; 7, 0, 0, 7, 1, "
                "0, 30",
                *COPIED,
            )
        },
        ({"copies": "copies", "least": 20}, [(1, 0, None, 20.0), (7, 0, None, 30.0)]),
    ),
    ByHand(
        "stages/assessment/matched_people.sql",
        {
            "overlap": values(
                "comparison, records_both, records_only_original",
                "1, 3, 4; 1, 2, 6; 2, 0, 5; 4, 9, 9",
            )
        },
        (
            {
                "overlap": "overlap",
                "comparisons": [SimpleNamespace(number=1), SimpleNamespace(number=2)],
            },
            [(1, 5, 15), (2, 0, 5)],
        ),
        columns="comparison, records_both, people",
    ),
    ByHand(
        "stages/assessment/determined.sql",
        {
            "records": values(
                "file, class_key, class_key_2, t1, t2",
                "0, 1, 1, 5, 7; 0, 1, 2, 5, 7; 0, 2, 1, 6, 7; 0, 2, 1, 6, 7; 1, 1, 1, 9, 9",
            )
        },
        (
            {
                "parts": PARTS,
                "targets": [SimpleNamespace(id="t1"), SimpleNamespace(id="t2")],
                "records": "records",
            },
            [(1, 2, 4, 0, 1, 0, 0), (2, 2, 4, 1, 1, 0, 0)],
        ),
        columns="key_number, levels, people, several_t1, varies_t1, several_t2, varies_t2",
    ),
    ByHand(
        "stages/assessment/some_people.sql",
        {"records": values("file, class_key, t1", "0, 3, 1; 0, 4, 2; 0, 6, 3; 1, 3, 9; 1, 4, 9")},
        (
            {"columns": ["class_key", "t1"], "records": "records", "every": 3},
            [(3, 1, 0), (6, 3, 0)],
        ),
    ),
    ByHand(
        "reasons/copied_records.sql",
        {
            "copies": values(
                PEOPLE_MET,
                # Of 30 people 10 are met by chance: of the others 10 of 20 are met, in the second
                # just fewer.
                *(
                    "1, 0, 0, 100, 100, 30, 5, 20, 1",
                    "3, 0, 0, 100, 100, 30, 5, 19, 1",
                    "4, 0, 0, 200, 100, 30, 10, 20, 7",
                ),
                *(
                    "2, 0, 0, 100, 100, 199, 0, 99, 1",
                    "5, 0, 0, 100, 100, 10, 0, 10, 1",
                    "7, 0, 0, 100, 100, 9, 0, 9, 1",
                ),
                # All whom chance would meet are met, and no more.
                "6, 0, 0, 100, 100, 10, 5, 10, 1",
                # Of control, with a change, and a sample.
                *(
                    "8, 1, 0, 100, 100, 30, 5, 20, 1",
                    "9, 0, 1, 100, 100, 30, 5, 20, 1",
                    "10, 0, 0, 100, 100, 30, 5, 20, 0",
                ),
            )
        },
        (
            {"copies": "copies", "copied": 50, "least": 10},
            [(1, 0, None, 200 / 3), (4, 0, None, 200 / 3), (5, 0, None, 100.0)],
        ),
        columns=FOUND,
    ),
    ByHand(
        "reasons/near_copy.sql",
        {
            "copies": values(
                PEOPLE_MET,
                # The second and the third change show most.
                *("1, 0, 0, 100, 100, 20, 0, 5, 1", "1, 0, 1, 100, 100, 20, 0, 15, 1"),
                *("1, 0, 2, 100, 100, 20, 0, 16, 1", "1, 0, 3, 100, 100, 25, 0, 20, 1"),
                # A copy as it is.
                *(
                    "2, 0, 0, 100, 100, 20, 0, 15, 1",
                    "2, 0, 1, 100, 100, 20, 0, 16, 1",
                    "2, 0, 2, 100, 100, 20, 0, 1, 1",
                ),
                # A sample; control that is nearly a copy; a copy as it is, and control is none.
                *("3, 0, 0, 100, 100, 20, 0, 5, 0", "3, 0, 1, 100, 100, 20, 0, 16, 1"),
                *("4, 0, 0, 100, 100, 20, 0, 5, 1", "4, 0, 1, 100, 100, 20, 0, 6, 1"),
                *("4, 1, 0, 100, 100, 20, 0, 5, 1", "4, 1, 1, 100, 100, 20, 0, 16, 1"),
                *(
                    "5, 0, 0, 100, 100, 20, 0, 15, 1",
                    "5, 0, 1, 100, 100, 20, 0, 16, 1",
                    "5, 1, 0, 100, 100, 20, 0, 5, 1",
                ),
                # Just half.
                *("6, 0, 0, 100, 100, 20, 0, 9, 2", "6, 0, 1, 100, 100, 20, 0, 10, 2"),
            )
        },
        ({"copies": "copies", "copied": 50, "least": 10}, [(1, 0, 2, 80.0), (6, 0, 1, 50.0)]),
        columns=FOUND,
    ),
    ByHand(
        "reasons/exchanged.sql",
        {
            "copies": values(
                "comparison, of_control, change, people, people_released",
                # 0.30 apart, and three standard errors are 0.285; 0.25 apart, and they are 0.292.
                *("1, 0, 0, 100, 30; 1, 1, 0, 100, 60", "2, 0, 0, 100, 35; 2, 1, 0, 100, 60"),
                *(
                    "3, 0, 0, 20, 0; 3, 1, 0, 20, 20",
                    "4, 0, 0, 19, 0; 4, 1, 0, 20, 20",
                    "5, 0, 0, 20, 0; 5, 1, 0, 19, 19",
                ),
                *("6, 0, 0, 100, 0; 6, 1, 0, 100, 0", "7, 0, 0, 100, 50; 7, 1, 0, 100, 50"),
                "7, 0, 1, 100, 0; 7, 1, 1, 100, 100",
            )
        },
        ({"copies": "copies", "least": 20}, [(1, 0, None, 60.0), (3, 0, None, 100.0)]),
        columns=FOUND,
    ),
    ByHand(
        "reasons/written_differently.sql",
        {
            "sides": values(
                SIDES,
                # Each is as it is, and written alike: people or records of the one file alone,
                # fewer than half of them left.
                "1, 0, 1, 'as_they_are', 100, 100, 5, 0; 1, 0, 1, 'folded', 100, 100, 2, 0; 1, 0, "
                "1, 'a', 100, 100, 1, 0",
                "1, 2, 2, 'as_they_are', 100, 100, 0, 5; 1, 2, 2, 'folded', 100, 100, 0, 2",
                # Just fewer than 5 % and half, and half.
                "1, 0, 3, 'as_they_are', 401, 401, 20, 20; 1, 0, 3, 'folded', 401, 401, 0, 0",
                "1, 0, 6, 'as_they_are', 400, 400, 199, 199; 1, 0, 6, 'folded', 400, 400, 0, 0",
                "1, 0, 4, 'as_they_are', 100, 100, 50, 6; 1, 0, 4, 'folded', 100, 100, 0, 0",
                "1, 0, 5, 'as_they_are', 100, 100, 6, 50; 1, 0, 5, 'folded', 100, 100, 0, 0",
                # More than half are left, and half.
                "1, 0, 7, 'as_they_are', 100, 100, 5, 0; 1, 0, 7, 'folded', 100, 100, 2, 2",
                "1, 0, 8, 'as_they_are', 100, 100, 5, 5; 1, 0, 8, 'folded', 100, 100, 5, 0",
                # More of the people, and more of the records.
                "1, 0, 9, 'as_they_are', 100, 200, 10, 12; 1, 0, 9, 'folded', 100, 200, 0, 0",
                "1, 0, 10, 'as_they_are', 100, 50, 10, 6; 1, 0, 10, 'folded', 100, 50, 0, 0",
                "1, 0, 11, 'as_they_are', 100, 100, 1, 0; 1, 0, 11, 'folded', 100, 100, 0, 0",
                "1, 0, 12, 'as_they_are', 100, 100, 0, 1; 1, 0, 12, 'folded', 100, 100, 0, 0",
                # Of one synthesis it is not written alike, of others it is.
                "2, 0, 13, 'as_they_are', 100, 100, 5, 0; 2, 0, 13, 'folded', 100, 100, 5, 0",
                "1, 0, 13, 'folded', 100, 100, 0, 0; 3, 0, 13, 'folded', 100, 100, 0, 0",
                # Written alike in one way, and in two.
                "1, 0, 14, 'as_they_are', 100, 100, 1, 0; 1, 0, 14, 'a', 100, 100, 5, 0; 1, 0, "
                "14, 'folded', 100, 100, 0, 0",
                "1, 0, 15, 'as_they_are', 100, 100, 1, 0; 1, 0, 15, 'a', 100, 100, 0, 0; 1, 0, "
                "15, 'folded', 100, 100, 5, 0",
            )
        },
        (
            {"level_sides": "sides", "some": 5, "apart": 50},
            [
                (1, 0, 1, 5.0),
                (1, 2, 2, 5.0),
                (1, 0, 6, 49.75),
                (1, 0, 8, 5.0),
                (1, 0, 9, 10.0),
                (1, 0, 10, 12.0),
            ],
        ),
        columns=FOUND,
    ),
    ByHand(
        "stages/assessment/distinct_rows.sql",
        {
            "shared": values(
                "a, b, c, n_orig, n_syn_1",
                "1, 'x', 5, 1, 0; 1, 'x', 5, 2, 0; 1, 'x', 5, 0, 4; NULL, 'x', 5, 1, 1; 1, 'y', "
                "5, 0, 3",
            )
        },
        (
            {
                "rows": "shared",
                "files": FILES,
                "columns": COLUMNS,
                "hands": [[A], [B, C], [A]],
                "sample": HashSample((1, 2), 0),
            },
            # How many rows have the same number, and the same hash of a hand; a hand has no hash of
            # another.
            [
                (1, "x", 5, 3, 4, 1, 2, 2, False),
                (None, "x", 5, 1, 1, 1, 1, 2, False),
                (1, "y", 5, 0, 3, 1, 2, 1, False),
            ],
        ),
        columns="a, b, c, n_orig, n_syn_1, COUNT(*) OVER (PARTITION BY row_number), COUNT(*) OVER "
        "(PARTITION BY hand_0), "
        "COUNT(*) OVER (PARTITION BY hand_1), hand_0 = hand_2",
    ),
    ByHand(
        "stages/assessment/sampled_rows.sql",
        {
            "shared": values(
                "a, b, c, n_orig, n_syn_1", "1, 'x', 5, 1, 0; 1, 'x', 5, 0, 1; 1, 'y', 5, 0, 1"
            )
        },
        # Every record, with how many have the same hash of a hand; of other hands no hashes are the
        # same in 50 bits.
        *(
            (
                {
                    "rows": "shared",
                    "files": FILES,
                    "columns": COLUMNS,
                    "hands": [[A], [B], [C]],
                    "samples": samples,
                }
                | {"numbered": numbered},
                expected,
            )
            for numbered in (False, True)
            for samples, expected in (
                (
                    [HashSample((1, 2), 2**50 - 1), HashSample((1, 2), 0)],
                    [
                        (1, "x", 5, 1, 0, 3, 2, 3),
                        (1, "x", 5, 0, 1, 3, 2, 3),
                        (1, "y", 5, 0, 1, 3, 1, 3),
                    ],
                ),
                ([HashSample((1, 2), 2**50 - 1), HashSample((0, 2), 2**50 - 1)], []),
            )
        ),
        columns="a, b, c, n_orig, n_syn_1, "
        + ", ".join(f"COUNT(*) OVER (PARTITION BY hand_{hand})" for hand in range(3)),
    ),
    ByHand(
        "stages/assessment/row_hashes.sql",
        {
            "dealt": values(
                "a, b, c, row, row_number",
                *(
                    f"CAST('{a}' AS DOUBLE), '{b}', '{c}', {number}, {number}"
                    for number, (a, b, c, *_) in ROWS.items()
                ),
                "NULL, 'x', 'y', 20, 20",
            )
        },
        (
            hashing(samples=[HashSample((1, 2), 0)]),
            [
                *(
                    (number, 1, whole, without, rounded, True)
                    for number, (_, _, _, whole, without, rounded) in ROWS.items()
                ),
                (20, 1, 20, 1, 20, True),
            ],
        ),
        columns="row, in_1_2, MIN(row) OVER (PARTITION BY hash_row), MIN(row) OVER (PARTITION BY "
        "hash_row - hash_a), "
        "MIN(row) OVER (PARTITION BY hash_row_2), hash_row = hash_a + hash_b + hash_c AND hash_a "
        f"BETWEEN 0 AND {2**24 - 1}",
    ),
    ByHand(
        "stages/assessment/row_hashes.sql",
        {
            # The last two bits of two hands are the same in the first three rows, of other two in
            # the first and the third.
            "dealt": values(
                "a, b, c, row, row_number, hand_0, hand_1, hand_2",
                *(
                    "1, 1, 1, 1, 1, 4, 8, 0",
                    "1, 1, 1, 2, 2, 1, 2, 6",
                    "1, 1, 1, 3, 3, 5, 2, 1",
                    "1, 1, 1, 4, 4, 1, 2, 3",
                    "1, 1, 1, 5, 5, 1, 3, 2",
                ),
            )
        },
        (
            hashing(samples=[HashSample((1, 2), 3), HashSample((0, 2), 3)]),
            [(1, 1, 1), (2, 1, 0), (3, 0, 1)],
        ),
        columns="row_number, in_1_2, in_0_2",
    ),
    ByHand(
        "stages/assessment/row_hashes.sql",
        {
            "dealt": values(
                "row, row_number, " + ", ".join(f"c{n}" for n in range(201)), ", ".join(["7"] * 203)
            )
        },
        # A sum in groups is that of all of its numbers.
        (
            hashing(
                **{
                    name: [SimpleNamespace(id=f"c{n}", number=n) for n in range(201)]
                    for name in ("columns", "kept")
                },
                numbers=[],
                samples=[HashSample((1, 2), 0)],
                sums={"hash_row": [f"hash_c{n}" for n in range(201)]},
            ),
            [(7, 1)],
        ),
        columns=f"row_number, CASE WHEN hash_row = {' + '.join(f'hash_c{n}' for n in range(201))} "
        "THEN 1 ELSE 0 END",
    ),
    ByHand(
        "stages/assessment/row_sums.sql",
        {
            "sums": values(
                "row_number, hash_row, hash_row_2", "1, 1, 10; 2, 2, 20; 2, 4, 40; 1, 8, 80"
            ),
        },
        ({"parts": "sums", "sums": ["hash_row", "hash_row_2"]}, [(1, 9, 90), (2, 6, 60)]),
        ({"parts": "sums", "sums": ["hash_row"]}, [(1, 9), (2, 6)]),
    ),
    ByHand(
        "stages/assessment/summed_hashes.sql",
        {
            "part": values("row_number, hash_a, hash_row, n_orig", "1, 5, 5, 1; 2, 6, 6, 3"),
            "sums": values("row_number, hash_row", "2, 20; 1, 10"),
        },
        (
            {
                "hashes": "part",
                "row_sums": "sums",
                "names": ["hash_a", "n_orig"],
                "sums": ["hash_row"],
            },
            [(5, 1, 10), (6, 3, 20)],
        ),
    ),
    ByHand(
        "stages/assessment/some_columns.sql",
        {"wide": values("row_number, a, b, n_orig", "1, 'x', 'p', 2; 2, 'y', 'q', 1")},
        ({"rows": "wide", "names": ["row_number", "b"]}, [(1, "p"), (2, "q")]),
    ),
    ByHand(
        "stages/assessment/changed_rows.sql",
        {
            "hashes": values(
                "hash_row, hash_a, in_1_2, in_0_2, n_orig, n_syn_1",
                "10, 3, 1, 1, 1, 0; 12, 5, 1, 0, 2, 4; 12, 2, 0, 1, 4, 8; 12, 9, 0, 1, 8, 16",
            )
        },
        (
            {
                "hashes": "hashes",
                "files": FILES,
                "changes": [
                    Change(1, HashSample((1, 2), 3), "hash_row - hash_a"),
                    Change(2, HashSample((0, 2), 3), "hash_row"),
                ],
            },
            [(1, 7, 3, 4), (2, 10, 1, 0), (2, 12, 12, 24)],
        ),
    ),
    ByHand(
        "stages/assessment/copies.sql",
        {
            "counted": values(
                "change, n_orig, n_syn_1, n_control, n_syn_2",
                "1, 1, 1, 0, 0; 1, 1, 2, 0, 0; 1, 1, 0, 0, 0; 1, 2, 0, 0, 1; 1, 2, 3, 0, 0; 1, 0, "
                "5, 0, 0; 1, 4, 1, 0, 0",
                "1, 5, 6, 0, 0; 1, 0, 0, 0, 0; 2, 3, 0, 2, 2",
            )
        },
        (
            {
                "comparisons": [(SINGLES[0], 1), (OF_CONTROL, 2)],
                "change": "change",
                "rows": "counted",
            },
            [
                (1, 0, 1, 16, 18, 13, 13, 3, 2, 2, 7, 4),
                (1, 0, 2, 3, 0, 0, 0, 0, 0, 0, 1, 0),
                (2, 1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1),
                (2, 1, 2, 2, 2, 2, 2, 0, 1, 0, 0, 0),
            ],
        ),
        (
            {"comparisons": [(SINGLES[0], 1)], "change": 0, "rows": "counted"},
            [(1, 0, 0, 19, 18, 13, 13, 3, 2, 2, 8, 4)],
        ),
        (
            {"comparisons": [(SINGLES[0], 1)], "change": 0, "rows": "(FROM counted LIMIT 0)"},
            [(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)],
        ),
        columns=COUNTED,
    ),
    ByHand(
        "stages/assessment/log_shares.sql",
        {
            "counted": values(
                "row_number, a, b, n_orig",
                "1, 'x', 'p', 2; 2, 'x', 'q', 1; 3, 'y', 'p', 1; 4, 'y', 'q', 0; 5, 'z', 'p', 0",
            )
        },
        # 3/4 have x and p each, in sixteenths.
        ({"rows": "counted", "columns": [A, B], "original": ORIGINAL}, [(1, 9), (2, 3), (3, 3)]),
        ({"rows": "(FROM counted LIMIT 0)", "columns": [A, B], "original": ORIGINAL}, []),
        columns="row_number, CAST(16 * EXP(log_share) AS INTEGER)",
    ),
    ByHand(
        "stages/assessment/log_shares.sql",
        {
            "counted": values(
                "row_number, a, b, n_orig", "1, 'x', NULL, 2; 2, 'y', NULL, 1; 3, 'y', 'p', 1"
            )
        },
        # x and y have 1/2 each, the missing ones 3/4, p the rest.
        ({"rows": "counted", "columns": [A, B], "original": ORIGINAL}, [(1, 6), (2, 6), (3, 2)]),
        columns="row_number, CAST(16 * EXP(log_share) AS INTEGER)",
    ),
    ByHand(
        "stages/assessment/log_shares.sql",
        {
            "counted": values(
                f"row_number, n_orig, {', '.join(NINE)}",
                "1, 1" + 8 * ", 'x'" + ", 'y'",
                "2, 1" + 9 * ", 'x'",
            )
        },
        # Columns are added eight at a time: the first eight are sure, the last has 1/2.
        (
            {
                "rows": "counted",
                "columns": [SimpleNamespace(id=name) for name in NINE],
                "original": ORIGINAL,
            },
            [(1, 8), (2, 8)],
        ),
        columns="row_number, CAST(16 * EXP(log_share) AS INTEGER)",
    ),
    ByHand(
        "stages/assessment/independent_rows.sql",
        {"shares": values("row_number, log_share", "1, LN(0.5); 2, LN(0.75); 1, LN(0.5)")},
        ({"log_shares": "shares"}, [(1.0,)]),
        ({"log_shares": "(FROM shares LIMIT 0)"}, [(0,)]),
    ),
    ByHand(
        "stages/assessment/independent_rows.sql",
        {"shares": values("row_number, log_share", "1, CAST(-725 AS DOUBLE); 2, 0")},
        # No number as small as that is left, and the other row is 1.
        ({"log_shares": "shares"}, [(1.0,)]),
    ),
    ByHand(
        "stages/assessment/cut_numbers.sql",
        {},
        (
            {
                "entries": [
                    {"comparison": 0, "position": 3, "bytes": 4},
                    {"comparison": 2, "position": 1, "bytes": 3},
                ]
            },
            [(0, 3, 4), (2, 1, 3)],
        ),
        columns="comparison, position, bytes",
    ),
    ByHand(
        "stages/assessment/label_sides.sql",
        {},
        (
            {
                "entries": [
                    {"comparison": 0, "position": 3, "by_label": 1},
                    {"comparison": 2, "position": 1, "by_label": 0},
                ]
            },
            [(0, 3, 1), (2, 1, 0)],
        ),
        columns="comparison, position, by_label",
    ),
    ByHand(
        "stages/assessment/look_alikes.sql",
        {},
        (
            {
                "entries": [
                    LookAlike("levels_look_alike", 1, 2, 3, 40),
                    LookAlike("texts_misread", 0, 0, 1),
                ]
            },
            [("levels_look_alike", 1, 2, 3, 40), ("texts_misread", 0, 0, 1, 0)],
        ),
        columns="what, comparison, target, subject, records",
    ),
    ByHand(
        "stages/assessment/level_sides.sql",
        {
            "levels_k1": values(
                "value, code, n_orig, n_syn_1, n_syn_2",
                "NULL, 0, 0, 2, 0; 'a', 1, 1, 1, 0; 'A', 2, 3, 1, 4; 'b', 3, 5, 0, 0",
                "'c', 4, 0, 1, 1; 'd', 5, 0, 3, 0; 'e', 6, 1, 0, 2",
            ),
            "levels_t1": values(
                "value, code, n_orig, n_syn_1, n_syn_2", "NULL, 0, 0, 0, 0; 'a', 1, 2, 1, 0"
            ),
            "levels_t2": IN_BINS,
        },
        (
            {
                "entries": [
                    {
                        "number": 0,
                        "target": 0,
                        "levels": "levels_k1",
                        "shared": False,
                        "folds": ["as_they_are", "case"],
                    },
                    {
                        "number": 4,
                        "target": 2,
                        "levels": "levels_t1",
                        "shared": False,
                        "folds": ["as_they_are"],
                    },
                    {
                        "number": 5,
                        "target": 3,
                        "levels": "levels_t2",
                        "shared": True,
                        "folds": ["as_they_are"],
                    },
                ],
                "comparisons": SINGLES,
            },
            [
                (1, 0, 0, "as_they_are", 10, 8, 6, 6, 2, 4, 5),
                (2, 0, 0, "as_they_are", 10, 7, 6, 1, 2, 4, 3),
                (1, 0, 0, "case", 10, 8, 6, 6, 1, 3, 4),
                (2, 0, 0, "case", 10, 7, 5, 1, 1, 3, 3),
                (1, 4, 2, "as_they_are", 2, 1, 0, 0, 0, 1, 1),
                (2, 4, 2, "as_they_are", 2, 0, 2, 0, 0, 1, 0),
                (1, 5, 3, "as_they_are", 3, 5, 0, 2, 0, 1, 2),
                (2, 5, 3, "as_they_are", 3, 1, 3, 1, 0, 1, 1),
            ],
        ),
        columns="comparison, position, target, fold, people, records, people_apart, "
        "records_apart, people_alone, "
        "levels_original, levels_synthetic",
    ),
    ByHand(
        "stages/assessment/level_sides.sql",
        {
            "levels_k1": LEVELS_OF_PAIRS,
            "levels_k2": values(
                "value, code, n_orig, n_syn_1",
                "NULL, 0, 0, 1",
                *(
                    f"'{text}', {code}, 1, 0"
                    for code, text in enumerate(
                        (
                            "",
                            " na ",
                            "N/A",
                            "nan",
                            "NULL",
                            "none",
                            ".",
                            "-",
                            "?",
                            "Missing",
                            "n.a.",
                        ),
                        start=1,
                    )
                ),
            ),
        },
        (
            {
                "entries": [
                    {
                        "number": 0,
                        "target": 0,
                        "levels": "levels_k1",
                        "shared": False,
                        "folds": MET,
                    },
                    {
                        "number": 1,
                        "target": 0,
                        "levels": "levels_k2",
                        "shared": False,
                        "folds": ["missing_text"],
                    },
                ],
                "comparisons": SINGLES[:1],
            },
            [
                *(
                    (0, fold, 4095, 4095, 4095 - met, 4095 - met, 1, 12, 12)
                    for fold, met in MET.items()
                ),
                (1, "missing_text", 11, 1, 1, 0, 1, 2, 1),  # one stays as it is
            ],
        ),
        columns="position, fold, people, records, people_apart, records_apart, people_alone, "
        "levels_original, levels_synthetic",
    ),
    ByHand(
        "tables/one_sided_levels.sql",
        {"levels_t2": IN_BINS},
        *(
            (
                {
                    "entries": [{"number": 5, "levels": "levels_t2", "shared": shared}],
                    "comparisons": SINGLES,
                },
                expected,
            )
            for shared, expected in (
                (True, [(5, 1, 0, 1), (5, 2, 1, 1)]),
                (False, [(5, 1, 1, 1), (5, 2, 2, 1)]),
            )
        ),
        columns="position, comparison, only_original, only_synthetic",
    ),
)
