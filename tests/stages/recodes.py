"""Recodes asked of a few values, whose levels are worked out by hand."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from by_hand import ByHand, values

from sqlrisk.inputs.columns.recodes import Band, Recode
from sqlrisk.plan.columns import Column, File

FILES = (File(0, ""), File(1, ""))
COLUMNS = "value, label, low, high, n_orig, n_syn_1"
NUMBERS = "CAST(NULL AS VARCHAR), CAST(NULL AS DOUBLE), CAST(NULL AS DOUBLE)"
INFINITE = float("inf")
LABELLED = Column("k", 1, "age", "INTEGER").with_labels({"1": "refused", "4": "four"})


def of_stage(
    name: str,
    rows: str,
    recode: Recode,
    expected: Sequence[tuple[Any, ...]],
    kind: str = "INTEGER",
    order: tuple[str, ...] = (),
) -> ByHand:
    """One recode of a column of a type, and what becomes of each value: value, label, low, high,
    counts.
    """
    column = Column("k", 1, "age", kind, order=order)
    names = {"recode": recode, "column": column, "files": FILES, "values": "recoded"}
    places = values(
        "level, place",
        "; ".join(f"'{level}', {place}" for place, level in enumerate(order, start=1)),
    )
    tables = {"recoded": rows, **({str(column.order_table): places} if order else {})}
    return ByHand(f"stages/recodes/{name}.sql", tables, (names, expected))


def plain(*each: object) -> str:
    """Values that are levels themselves, with one person and two synthetic records each."""
    return values(COLUMNS, *(f"{value}, {NUMBERS}, 1, 2" for value in each))


def among(*rows: tuple[Any, ...]) -> str:
    """Values that were recoded before: value, label, low and high of each, and its counts unless
    they are as usual.
    """
    typed = "CAST(NULL AS VARCHAR)", "CAST(NULL AS DOUBLE)", "CAST(NULL AS DOUBLE)"

    def written(row: tuple[Any, ...]) -> str:
        value, label, low, high, *counts = row
        texts = [
            "NULL" if value is None else str(value),
            typed[0] if label is None else f"'{label}'",
        ]
        texts += [typed[1] if end is None else f"CAST('{end}' AS DOUBLE)" for end in (low, high)]
        return ", ".join([*texts, *map(str, counts or (1, 2))])

    return values(COLUMNS, *map(written, rows))


def kept(
    value: object, label: str | None = None, low: float | None = None, high: float | None = None
) -> tuple[Any, ...]:
    """The row of a value, with its counts."""
    return value, label, low, high, 1, 2


DAYS = (
    *(
        "'2020-02-29'",
        "'1999-12-31'",
        "'2000-02-29'",
        "'2021-04-01'",
        "'2021-07-01 10:00'",
        "'2021-03-31T10:00'",
        "'2021-09-30'",
    ),
    *("'2021-06-30'", "'2021-10-01'", "NULL"),
)
NO_DAYS = (
    *(
        "'1900-02-29'",
        "'2021-02-29'",
        "'2021-02-30'",
        "'2021-04-31'",
        "'2021-13-01'",
        "'2021-00-01'",
        "'2021-01-32'",
    ),
    *(
        "'2021-01-00'",
        "'2021/01-01'",
        "'2021-01/01'",
        "'2021-01-011'",
        "'202a-01-01'",
        "'20a1-01-01'",
        "'2a21-01-01'",
    ),
    *(
        "'a021-01-01'",
        "'2021-1-01'",
        "'yes'",
        "''",
        "'2021+01-01'",
        "'2021-01+01'",
        "'2021-02-30 10:00'",
        "'2021-02-29 10:00'",
    ),
    *("'2001-02-29'", "'1400-02-29'"),
)
AGE = Recode(age_at="2021-03-21")


def _text(sql: str) -> str | None:
    return None if sql == "NULL" else sql.strip("'")


def _dated(period: str, *labels: str) -> ByHand:
    found = [kept(_text(day), label) for day, label in zip(DAYS, [*labels, None], strict=True)]
    return of_stage(
        "dated",
        plain(*DAYS, *NO_DAYS),
        Recode(date=period),
        [*found, *(kept(_text(each)) for each in NO_DAYS)],
        "VARCHAR",
    )


BY_HAND: Sequence[ByHand] = (
    ByHand(
        "stages/recodes/uncoded.sql",
        {"counted": values("value, n_orig, n_syn_1", "'a', 1, 2; NULL, 3, 4")},
        *(
            ({"column": Column("k", 1, "age", kind), "files": FILES, "values": "counted"}, expected)
            for kind, expected in (
                ("VARCHAR", [("a", "a", None, None, 1, 2), (None, None, None, None, 3, 4)]),
                ("DATE", [("a", None, None, None, 1, 2), (None, None, None, None, 3, 4)]),
            )
        ),
    ),
    _dated("year", "2020", "1999", "2000", *6 * ["2021"]),
    _dated(
        "month",
        "2020-02",
        "1999-12",
        "2000-02",
        "2021-04",
        "2021-07",
        "2021-03",
        "2021-09",
        "2021-06",
        "2021-10",
    ),
    _dated(
        "quarter",
        "2020-Q1",
        "1999-Q4",
        "2000-Q1",
        "2021-Q2",
        "2021-Q3",
        "2021-Q1",
        "2021-Q3",
        "2021-Q2",
        "2021-Q4",
    ),
    of_stage(
        "aged",
        plain(
            "'2000-03-21'",
            "'2000-03-21 10:00'",
            "'2000-03-22'",
            "'2021-03-21'",
            "'1996-02-29'",
            "'2022-01-01'",
            "'none'",
            "NULL",
        ),
        AGE,
        [
            *(
                kept(day, None, age, age)
                for day, age in (("2000-03-21", 21.0), ("2000-03-22", 20.0), ("2021-03-21", 0.0))
            ),
            kept("2000-03-21 10:00", None, 21.0, 21.0),
            *(
                kept(day, None, age, age)
                for day, age in (("1996-02-29", 25.0), ("2022-01-01", -1.0), ("none", None))
            ),
            kept(None),
        ],
        "VARCHAR",
    ),
    *(
        of_stage(
            "grouped",
            among(
                (1, "x", None, None),
                (2, "x", None, None),
                (3, "x", None, None),
            ),
            Recode(groups=(("it's", ("1", "2")),), all_grouped=every),
            [kept(1, "it's"), kept(2, "it's"), kept(3, None if every else "x")],
        )
        for every in (False, True)
    ),
    of_stage(
        "banded",
        among(
            (-1, None, None, None),
            (0, None, None, None),
            (4, None, None, None),
            (5, None, None, None),
            (9, None, None, None),
            (5, "x", None, None),
            (6, None, 1, 3),
            (6, None, 7, 7),
            (None, None, None, None),
        ),
        Recode(bands=(Band(None, "0"), Band("0", "5"), Band("5", None))),
        [
            *(
                kept(-1, None, -INFINITE, 0.0),
                kept(0, None, 0.0, 5.0),
                kept(4, None, 0.0, 5.0),
                kept(5, None, 5.0, INFINITE),
            ),
            *(
                kept(9, None, 5.0, INFINITE),
                kept(5, "x"),
                kept(6, None, 1.0, 3.0),
                kept(6, None, 5.0, INFINITE),
                kept(None),
            ),
        ],
    ),
    of_stage(
        "equally_banded",
        among(
            (-1, None, None, None),
            (0, None, None, None),
            (9, None, None, None),
            (10, None, None, None),
            (7, "x", None, None),
            (90, None, 90, "Infinity"),
            (8, None, 7, 7),
            (None, None, None, None),
        ),
        Recode(width="5"),
        [
            *(
                kept(-1, None, -5.0, 0.0),
                kept(0, None, 0.0, 5.0),
                kept(9, None, 5.0, 10.0),
                kept(10, None, 10.0, 15.0),
                kept(7, "x"),
            ),
            *(kept(90, None, 90.0, INFINITE), kept(8, None, 5.0, 10.0), kept(None)),
        ],
    ),
    *(
        of_stage(
            "rare_joined",
            among(
                (1, "x", None, None, 1, 9),
                (2, "x", None, None, 1, 9),
                (3, "y", None, None, 1, 9),
                (4, None, 0, 5, 1, 9),
                (5, None, 0, 5, 1, 9),
                (6, None, 5, 6, 1, 9),
                (7, None, 7, 7, 1, 9),
                (8, None, None, None, 2, 9),
                (9, None, None, None, 1, 9),
                (None, None, None, None, 1, 9),
                (10, None, 0, 7, 1, 9),
            ),
            Recode(rare=2, rare_as="few", all_grouped=complete, all_banded=banded),
            [
                (1, "x", None, None, 1, 9),
                (2, "x", None, None, 1, 9),
                (3, "few", None, None, 1, 9),
                (4, None, 0.0, 5.0, 1, 9),
                (5, None, 0.0, 5.0, 1, 9),
                (6, "few", None, None, 1, 9),
                (7, None, 7.0, 7.0, 1, 9) if banded else (7, "few", None, None, 1, 9),
                (8, None, None, None, 2, 9),
                (9, None if complete or banded else "few", None, None, 1, 9),
                (None, None, None, None, 1, 9),
                (10, "few", None, None, 1, 9),
            ],
        )
        for complete, banded in ((False, False), (True, False), (False, True))
    ),
    # Numbers and bands in one order, then names; or each level where the first of its values
    # stands.
    *(
        of_stage(
            "recoded_levels",
            among(
                (3, "b", None, None),
                (4, "a", None, None),
                (5, "b", None, None),
                (6, None, 10, 12),
                (7, None, 10, 12),
                (1, None, "-Infinity", 0),
                (9, None, None, None),
                (8, None, None, None),
                (11, None, 9.5, 10),
                (12, None, 20, 20),
                (None, None, None, None),
            ),
            Recode(width="5"),
            [
                (value, codes[value], *level, 1, 2)
                for value, *level in (
                    *((value, None, None, None, None) for value in (8, 9)),
                    (1, None, -INFINITE, 0.0, 0),
                    (11, None, 9.5, 10.0, 0),
                    (12, None, 20.0, 20.0, 1),
                    *((value, None, 10.0, 12.0, 0) for value in (6, 7)),
                    (4, "a", None, None, None),
                    *((value, "b", None, None, None) for value in (3, 5)),
                )
            ]
            + [(None, 0, None, None, None, None, 1, 2)],
            order=order,
        )
        for order, codes in (
            ((), {1: 1, 8: 2, 9: 3, 11: 4, 6: 5, 7: 5, 12: 6, 4: 7, 3: 8, 5: 8}),
            (
                ("5", "9", "6", "4", "8"),
                {3: 1, 5: 1, 9: 2, 6: 3, 7: 3, 4: 4, 8: 5, 1: 6, 11: 7, 12: 8},
            ),
        )
    ),
    ByHand(
        "stages/encoding/labels.sql",
        {
            "levels": values(
                "value, code, label, low, high, closed",
                "1, 1, CAST(NULL AS VARCHAR), CAST(NULL AS DOUBLE), CAST(NULL AS DOUBLE), "
                "CAST(NULL AS INTEGER)",
                "2, 2, 'x', NULL, NULL, NULL; 3, 2, 'x', NULL, NULL, NULL; 4, 3, NULL, 4, 5, 0; "
                "NULL, 0, NULL, NULL, NULL, NULL",
            ),
            "binned": values(
                "value, code, low, high, closed",
                "1, 1, NULL, NULL, NULL; 4, 2, 4.0, 5.0, 0; 7, 3, NULL, NULL, NULL",
            ),
            str(LABELLED.label_table): values("level, label", "'1', 'refused'; '4', 'four'"),
        },
        (
            {"column": Column("k", 1, "age", "INTEGER", recode=Recode(rare=2)), "levels": "levels"},
            [
                ("1", 1, None, None, None),
                ("x", 2, None, None, None),
                (None, 3, 4.0, 5.0, 0),
                (None, 0, None, None, None),
            ],
        ),
        (
            {"column": LABELLED, "levels": "binned"},
            [
                ("refused", 1, None, None, None),
                ("four", 2, None, None, None),
                ("7", 3, None, None, None),
            ],
        ),
        (
            {"column": replace(LABELLED, bins=2), "levels": "binned"},
            [("refused", 1, None, None, None), (None, 2, 4.0, 5.0, 0), ("7", 3, None, None, None)],
        ),
        columns="value, code, low, high, closed",
    ),
    ByHand(
        "tables/recoded.sql",
        {
            "read": values(
                '"age", "job", number',
                "30, 'a', 2; 20, 'b', 1; 40, NULL, 3; NULL, 'c', 4; 10, 'd', 5",
            ),
            "levels_k1": values("value, code", "20, 1; 30, 1; 40, 2; 10, 3; NULL, 0"),
        },
        (
            {
                "columns": [
                    {"name": '"age"', "place": "c1", "value": '"age"', "shown": "levels_k1.level"},
                    {"name": '"job"', "place": "c2", "value": '"job"', "shown": "source.c2"},
                ],
                "recoded": [
                    {
                        "place": "c1",
                        "levels": "levels_k1",
                        "labels": (
                            "SELECT * FROM (VALUES (0, NULL), (1, 'young'), (2, 'old'), (3, "
                            "'child')) AS made(code, level)"
                        ),
                    }
                ],
                "record": "number",
                "relation": "read",
            },
            [("young", "b"), ("young", "a"), ("old", None), (None, "c"), ("child", "d")],
        ),
    ),
)
