"""Templates over tables of a few rows, with expected rows counted by hand."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from hashlib import md5
from importlib import import_module
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from by_hand import KEY_COLUMNS, NUMBERED_KEYS, PARTS, ByHand, Inner, values

from sqlrisk.plan.class_key import KeyRange, PackedKey, key_runs, pack
from sqlrisk.plan.columns import Column
from sqlrisk.plan.layout import Baseline


def named_results() -> ByHand:
    """Compare the query of results with names with a plain loop over the named results."""
    results = [
        (
            measure,
            point,
            target,
            comparison,
            population,
            weighted,
            float(number),
            number + 0.5,
            number + 0.25,
        )
        for number, (measure, point, target, comparison, population, weighted) in enumerate(
            product(
                ("UiO", "Dsyn", "DCAP", "TCAP", "risk"),
                (None,),
                (0, 1, 2),
                (1, 2, 3),
                (0, 1),
                (0, 1),
            ),
            start=1,
        )
    ]
    columns = "measure, point, target, comparison, population, weighted"
    measures = {  # of people, of control, can be weighted, is a share, has no target
        "UiO": (True, True, True, True, True),
        "Dsyn": (False, False, False, True, False),
        "DCAP": (True, True, True, False, False),
        "TCAP": (True, True, False, True, True),
        "risk": (False, False, True, True, True),
    }
    whose = {1: ("s1", "original"), 2: ("s1", "control"), 3: ("s2", "original")}
    flags = ("of_people", "of_control", "weighable", "is_share", "untargeted")
    told: dict[str, Any] = {
        "results": "results",
        "comparisons": [
            {"number": number, "label": label, "who": who} for number, (label, who) in whose.items()
        ],
        "summaries": [
            SimpleNamespace(
                method="cart",
                who="control",
                query="SELECT *, value AS mean, value + 1 AS least, value + 2 AS most FROM results",
            )
        ],
        "differences": "SELECT *, value + 3 AS difference, value + 4 AS adjusted FROM results",
    }
    names: dict[str, Any] = {
        "report_numbers": Inner("stages/results/report_numbers.sql", told),
        "measures": [
            {
                "measure_name": name,
                "family": f"f{name}",
                "unit_name": f"u{name}",
                **dict(zip(flags, map(int, kind), strict=True)),
            }
            for name, kind in measures.items()
        ],
        "targets": [{"number": number, "target_name": f"t{number}"} for number in (1, 2)],
        "populations": [
            {"number": number, "population_name": name}
            for number, name in enumerate(("all", "uniques"))
        ],
        "adjusted_unit": "points",
    }
    expected = []
    for measure, point, target, comparison, population, weighted, top, bottom, value in results:
        of_people, of_control, weighable, share, free = measures[measure]
        label, who = whose[comparison]
        said: list[tuple[str, str, float | None, float | None, float]] = [
            (label, who, top, bottom, value)
        ]
        said += [
            (f"cart {word}", "control", None, None, value + n)
            for n, word in enumerate(("mean", "min", "max"))
        ]
        if who == "original":
            said += [
                (label, word, None, None, value + n)
                for n, word in ((3, "difference"), (4, "adjusted"))
            ]
        for synthesis, people, *numbers in said:
            if (
                (of_people or (people == "original" and population == 0))
                and (free or target > 0)
                and (of_control or people == "original")
                and (weighable or weighted == 0)
                and (share or people != "adjusted")
            ):
                unit = "points" if people == "adjusted" else f"u{measure}"
                about = (
                    measure,
                    f"f{measure}",
                    point,
                    f"t{target}" if target else None,
                    synthesis,
                    ("all", "uniques")[population],
                )
                expected.append((*about, people, weighted, *numbers, unit))
    rows = ", ".join(
        f"('{row[0]}', CAST(NULL AS DOUBLE), {', '.join(map(str, row[2:]))})" for row in results
    )
    made = f"SELECT * FROM (VALUES {rows}) AS made({columns}, numerator, denominator, value)"
    said_of = (
        "measure, family, point, target, synthesis, population, people, weighted, "
        "numerator, denominator, value, unit"
    )
    return ByHand("tables/named_results.sql", {"results": made}, (names, expected), columns=said_of)


def drawn(rows: Sequence[tuple[str | None, str | None]], size: int, seed: int) -> ByHand:
    """Compare a random sample of records with MD5 in Python. The hash covers the seed, the values,
    and the number of earlier records with equal values.
    """
    seen: Counter[str] = Counter()
    places = []
    for record, row in enumerate(rows, start=1):
        written = "".join("-" if each is None else f"{len(each)}:{each}" for each in row)
        alike = md5(written.encode()).hexdigest()  # noqa: S324 - no secret
        seen[alike] += 1
        places.append((md5(f"{seed}:{alike}:{seen[alike]}".encode()).hexdigest(), record))  # noqa: S324 - no secret
    chosen = [record for _, record in sorted(places)[:size]]
    made = "; ".join(
        ", ".join([str(n), *("NULL" if e is None else f"'{e}'" for e in row)])
        for n, row in enumerate(rows, start=1)
    )
    names = {
        "columns": ["p", "q"],
        "relation": "people",
        "record": "number",
        "size": size,
        "seed": seed,
    }
    expected = [(record, int(record in chosen)) for _, record in places]
    return ByHand(
        "stages/people/drawn.sql", {"people": values("number, p, q", made)}, (names, expected)
    )


def sampled(rows: Sequence[tuple[int, float]]) -> ByHand:
    """Compare the risk of a record in classes with these records and weights with the closed
    formula.
    """
    classes, weights, expected = [], [], []
    for number, (n, weight) in enumerate(rows, start=1):
        left_out = 1 - n / weight
        odds = n / weight / left_out if left_out else 0.0
        if n >= weight:
            risk = 1 / n
        elif n < 3:
            risk = (
                -odds * math.log1p(-left_out)
                if n == 1
                else odds + odds * odds * math.log(n / weight)
            )
        else:
            risk = n / weight / (n - left_out)
        classes.append(f"{number}, {n}, {number + 10}, 2, {n + 20}")
        expected.append((number, n, number + 10, 2, n + 20, risk))
        # Only the first is used. The others are of other files or of a population.
        weights += [
            f"{number}, CAST('{weight * more}' AS DOUBLE), {file}, {who}"
            for more, file, who in ((1, 1, 0), (5, 0, 0), (7, 1, 2))
        ]
        weights += [f"{number}, {weight * 9}, 2, 0"]
    tables = {
        "population_classes": values("class_key, n_own, n_syn, population, people", *classes),
        "class_counts": values("class_key, weight_people, people_file, population", *weights),
    }
    names = {
        "class_key": "class_key",
        "key_columns": [SimpleNamespace(name="class_key")],
        "population_classes": "SELECT * FROM population_classes",
        "class_counts": "class_counts",
        "columns": ["n_own", "n_syn"],
        "own": [SimpleNamespace(number=1)],
    }
    out = "class_key, n_own, n_syn, population, people, population_risk"
    return ByHand("stages/comparisons/sampled_classes.sql", tables, (names, expected), columns=out)


def reaching(path: str, numbers: Sequence[float], reaches: Sequence[float]) -> ByHand:
    """Compare the levels within the tolerance of each level with a loop over all pairs. Code 0 is
    the missing level and code 1 is a special value.
    """
    known = [
        (code, number, reach)
        for code, (number, reach) in enumerate(zip(numbers, reaches, strict=True), start=2)
    ]
    rows = ["0, NULL, NULL, 2, 0", "1, NULL, NULL, 5, 0"]
    expected: list[tuple[Any, ...]] = [
        (0, None, None, None, None, 2),
        (1, None, None, None, None, 5),
    ]
    for code, number, reach in known:
        near = [
            other for other, each, _ in known if number - each <= reach and each - number <= reach
        ]
        # a level has as many people as its code
        rows.append(f"{code}, '{number}', '{reach}', {code}, {sum(range(2, code + 1))}")
        below = max((other for other, *_ in known if other < code and other not in near), default=0)
        expected.append((code, number, reach, below, max(near), sum(near)))
    kind = "DOUBLE" if path == "floating_intervals" else "BIGINT"
    made = values("level_code, a, b, n_orig, upto_orig", *rows)
    table = (
        f"SELECT level_code, CAST(a AS {kind}) AS number, CAST(b AS {kind}) AS reach, n_orig, "
        f"upto_orig FROM (\n{made}\n) AS m"
    )
    names: dict[str, Any] = {"numbers": "numbers_t1"}
    if path == "floating_intervals":
        inner = {**names, "reach_ends": "ends"}
        names |= {
            stage: Inner(f"stages/tolerance/{stage}.sql", inner)
            for stage in ("reach_ends", "doubtful_levels")
        }
    return ByHand(f"stages/tolerance/{path}.sql", {"numbers_t1": table}, (names, expected))


def met_by_sets() -> ByHand:
    """Compare the number of pairs of an open class and a synthetic cell that differ in one or two
    of three keys with a count of all pairs. The keys are in two key columns.
    """
    keys: list[Any] = [SimpleNamespace(id=name, tolerance=None) for name in ("k1", "k2", "k3")]
    key_columns = pack(keys, [3, 3, None])
    people = [(0, 0, 0), (0, 1, 0), (1, 1, 0), (2, 2, 1)]
    cells = {
        (0, 2, 0): (2, 0),
        (1, 1, 2): (1, 1),
        (1, 2, 0): (0, 3),
        (2, 0, 0): (0, 0),
        (0, 0, 4): (0, 1),
        (2, 0, 1): (1, 0),
    }
    tables = {
        "unmatched_classes": values(
            "class_key, class_key_2", *(f"{a + 3 * b}, {c}" for a, b, c in people)
        ),
        "synthetic_cells": values(
            "class_key, class_key_2, n_syn_1, n_syn_2",
            *(f"{a + 3 * b}, {c}, {n}, {m}" for (a, b, c), (n, m) in cells.items()),
        ),
    }
    names = {
        "key_columns": key_columns,
        "comparison": SimpleNamespace(members=FILES),
        "synthetic_cells": "synthetic_cells",
    }
    names |= {"near_ids": ()}
    answers = []
    for dropped in [("k1",), ("k2",), ("k3",)], [("k1", "k2"), ("k1", "k3"), ("k2", "k3")]:
        kept = [[place for place, key in enumerate(keys) if key.id not in each] for each in dropped]
        met = sum(
            all(one[place] == other[place] for place in places)
            for places, one, other in product(
                kept, people, [each for each, counts in cells.items() if sum(counts)]
            )
        )
        answers.append(
            ({**names, "unmatched_classes": "unmatched_classes", "subsets": dropped}, [(met,)])
        )
    nobody = {
        **names,
        "unmatched_classes": "(FROM unmatched_classes LIMIT 0)",
        "subsets": [("k1",)],
    }
    # The first key has a tolerance. Even if it is kept, all pairs that agree in the last key are
    # counted.
    near = {**names, "unmatched_classes": "unmatched_classes", "near_ids": ("k1",)}
    of_last = sum(
        one[2] == other[2] for one in people for other, counts in cells.items() if sum(counts)
    )
    answers.append(({**near, "subsets": [("k2",)]}, [(of_last,)]))
    answers.append(({**near, "subsets": [("k1", "k2")]}, [(of_last,)]))
    return ByHand("stages/nearest/neighbour_pairs.sql", tables, *answers, (nobody, [(0,)]))


THREE_COLUMNS = pack(NUMBERED_KEYS, [None] * 3)
THREE_PARTS = [part for each in THREE_COLUMNS for part in each.parts]
LEARNED = {
    "asked": values("class_key, class_key_2", "1, 1; 2, 3"),
    "training_keys": values(
        "key_number, digit, level_code, n_syn",
        "1, 1, 1, 2; 1, 1, 2, 3; 1, 2, 1, 4; 1, 2, 2, 1; 1, 3, 2, 1; 2, 1, 1, 4; 2, 1, 2, 1; 2, "
        "2, 1, 1; 2, 2, 2, 1",
    ),
    "others": values("key_number, digit, level_code, n_syn", "1, 1, 1, 3; 2, 1, 1, 3; 2, 1, 2, 1"),
    "training_levels": values("level_code, n_syn_level, n_syn_all", "1, 6, 10; 2, 4, 10"),
    "key_sizes": values("key_number, n_levels", "1, 3; 2, 4"),
}
LEARNED_FROM = {
    "people": "asked",
    **{name: name for name in ("training_keys", "training_levels", "key_sizes")},
}
CODED: list[Any] = [SimpleNamespace(id=name, tolerance=None) for name in ("k1", "k2", "t1")]
LEVELS = "code, n_orig, n_syn_1, n_syn_2"
COUNTED = {
    "levels_k1": values(
        LEVELS, "0, 1, 0, 0; 1, 2, 0, 0; 2, 0, 3, 1; 3, 1, 1, 0; 4, 2, 0, 0; 5, 0, 1, 0"
    ),
    "levels_k2": values(LEVELS, "0, 0, 2, 1; 1, 0, 0, 1; 2, 1, 0, 1"),
}
COLUMNS = [SimpleNamespace(id=name) for name in ("k1", "k2")]
FILES = [SimpleNamespace(number=number, count=f"n_syn_{number}", times="") for number in (1, 2)]
KEYS = [SimpleNamespace(name="k")]
BELIEVING: dict[str, Any] = {
    "key_columns": KEY_COLUMNS[:1],
    "class_key": "class_key",
    "members": FILES,
    "population_counts": None,
}


def believing(alpha: str) -> dict[str, Any]:
    """Return the names that fill the template posteriors."""
    names = {**BELIEVING, "alpha": f"CAST({alpha} AS DOUBLE)", "beliefs": "SELECT * FROM beliefs"}
    likelihoods = Inner(
        "stages/intruder/likelihoods.sql",
        {**names, "evidence": Inner("stages/intruder/evidence.sql", names)},
    )
    return {**BELIEVING, "compared": "SELECT * FROM counted", "likelihoods": likelihoods}


BELIEFS = (
    "class_key, level_code, n_orig, n_syn_1, n_syn_2, weight, own_weight, weight_all, "
    "absent_weight, absent_greatest, n_absent_greatest"
)
BELIEVED = (
    "class_key, level_code, people, counted_orig, chance_posterior, chance_prior, chance_mode"
)
COMPARED = values("k, level_code, n_syn", "1, 1, 3; 1, 2, 5; 1, 3, 5; 1, 4, 0; 2, 1, 9; 3, 1, 0; "
                                          "3, 2, 0; 4, 1, 1")  # fmt: skip
# The values near 10 deviate from their mean by 12 and by 8 times 1e-12. Up to 10 times 1e-12 counts
# as rounding.
SPREAD = values(
    "subset, head, value, nonmatches",
    "1, 1, CAST(1 AS DOUBLE), 0; 2, 1, CAST(2 AS DOUBLE), 1; 3, 1, CAST(6 AS DOUBLE), 5",
    "4, 1, CAST(NULL AS DOUBLE), 6; 1, 2, CAST('10' AS DOUBLE), 0; 2, 2, CAST('10.000000000024' "
    "AS DOUBLE), 0",
    "1, 3, CAST('10' AS DOUBLE), 0; 2, 3, CAST('10.000000000016' AS DOUBLE), 0; 4, 3, CAST(7 AS "
    "DOUBLE), 2",
)
SIZES = values("subset, key_length", "1, 1; 2, 1; 3, 1; 4, 2")
CHANGES = values(
    "subset, head, value",
    "1, 1, CAST(1 AS DOUBLE); 2, 1, CAST(3 AS DOUBLE); 3, 1, CAST(8 AS DOUBLE); 4, 1, CAST(NULL "
    "AS DOUBLE)",
    "1, 2, CAST('9.99999999998' AS DOUBLE); 2, 2, CAST('10' AS DOUBLE); 3, 2, "
    "CAST('9.999999999992' AS DOUBLE)",
)
STEPS = values("key_number, subset, without_key", "1, 2, 1; 1, 3, 1; 2, 4, 1; 2, 2, 3; 2, 1, 4")
CELLS = values(
    "class_key, level_code, n_orig, n_syn_1, n_orig_class, n_syn_1_class",
    "1, 0, 1, 0, 7, 5; 1, 2, 1, 0, 7, 5; 1, 3, 2, 2, 7, 5; 1, 4, 3, 1, 7, 5; 1, 5, 0, 2, 7, 5; 2, "
    "2, 4, 1, 4, 1",
    "3, 3, 0, 3, 2, 3; 3, 4, 1, 0, 2, 3; 3, 5, 1, 0, 2, 3; 4, 5, 1, 1, 2, 1; 4, 3, 1, 0, 2, 1",
)
INTERVALS = values("level_code, number", "0, NULL; 2, 20; 3, 35; 4, 40; 5, 50")
RANKED = values(
    "class_key, cell_orig, cell_syn, class_orig, class_syn, n_orig_level, n_syn_level, n_syn_all, "
    "cell_people, cell_counted, top_orig, top_syn, upto_orig, least_counted, most_counted",
    "1, 2, 3, 3, 5, 6, 5, 10, 2, 2, 2, 3, 3, 1, 7; 1, 1, 2, 3, 5, 6, 5, 10, 1, 1, 2, 3, 1, 1, 7",
    "1, 0, 0, 3, 5, 4, 0, 10, 0, 0, 2, 3, 0, 1, 7; 2, 4, 0, 4, 0, 4, 0, 10, 5, 4, 4, 0, 4, 4, 8",
    "3, 1, 1, 2, 2, 4, 1, 10, 1, 1, 1, 1, 1, 1, 9; 3, 1, 1, 2, 2, 4, 1, 10, 1, 1, 1, 1, 2, 1, 9",
    "4, 2, 0, 2, 1, 4, 1, 10, 2, 0, 2, 1, 2, 0, 6; 4, 0, 1, 2, 1, 0, 1, 10, 0, 0, 2, 1, 0, 0, 6",
)
TOTALS = values(
    "n_levels_all, top_level_syn, n_mode_syn, top_level_orig, n_mode_orig, n_levels_syn",
    "3, 5, 2, 6, 1, 3",
)
SPREADS = values(
    "class_key, class_orig, class_syn, n_levels_orig, entropy_orig, l_recursive, top_syn, "
    "n_modal, people, counted_orig, counted_modal, expected_shuffled, expected_mode, "
    "expected_mode_orig, expected_uniform, n_levels_all, least_counted, n_least, most_counted",
    "1, 10, 11, 3, 0.5, 2, 4, 1, 8, 7, 6, 1.5, 2.5, 3.5, 4.5, 3, 2, 1, 5",
    "2, 5, 2, 2, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 3, 1, 2, 6",
    "3, 4, 5, 3, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 3, 1, 3, 7; 4, 6, 7, 3, 0, 1, 1, 1, 0, 0, 0, 0, "
    "0, 0, 0, 3, 0, 2, 8",
)
VOTE = "class_key, class_orig, class_syn, top_syn, n_modal, people, counted_orig, counted_modal"
SPREAD_BESIDE = (
    "n_levels_all, least_counted, most_counted, n_levels_orig, entropy_orig, l_recursive, "
    "expected_shuffled, expected_mode, expected_mode_orig, expected_uniform, n_least"
)
PROFILED = (
    "class_key, n_orig, n_syn, n_levels_orig, entropy_orig, l_recursive, n_top_syn, n_modal, "
    "people, counted_orig, counted_modal, expected_shuffled, expected_mode, expected_mode_orig, "
    "expected_uniform, counted_low, n_low, share_low, counted_high, n_levels_all, counted_lowest, "
    "share_lowest"
)
PROFILES: Sequence[tuple[Any, ...]] = (
    (1, 10, 11, 3, 0.5, 2, 4, 1, 8, 7, 6, 1.5, 2.5, 3.5, 4.5, 2, 1, 0.25, 5, 3),
    (2, 5, 2, 2, 0.0, 1, 1, 1, 1, 0, 0, 0.0, 0.0, 0.0, 0.0, 0, 1, 0.0, 6, 3),
    (3, 4, 5, 3, 0.0, 1, 1, 1, 1, 0, 0, 0.0, 0.0, 0.0, 0.0, 1, 3, 1.0, 7, 3),
    (4, 6, 7, 3, 0.0, 1, 1, 1, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0, 2, None, 8, 3),
)
# The classes 1, 2, 3 and 8 have several cells, the others one. Only other files have class 7, level
# 5 of class 1 and level 2 of class 3. Nobody has level 4 of class 1, so it is not among its levels
# with the fewest people.
SEVERAL = {
    "compared_cells": values(
        "class_key, level_code, n_orig, n_syn, people, counted_orig, n_orig_class, n_syn_class, "
        "n_orig_level, n_syn_level, n_syn_all",
        *(
            f"{cell}, {10 * int(cell[0])}, 80, 3, 4, 50"
            for cell in (
                *(
                    "1, 1, 2, 3, 2, 1",
                    "1, 2, 2, 0, 2, 2",
                    "1, 3, 5, 1, 5, 5",
                    "1, 4, 0, 4, 0, 0",
                    "1, 5, 0, 0, 0, 0",
                ),
                *("2, 1, 1, 1, 1, 0", "2, 2, 3, 2, 3, 3", "2, 3, 1, 0, 1, 1"),
                *(
                    "3, 1, 30, 80, 9, 8",
                    "3, 2, 0, 0, 0, 0",
                    "8, 1, 80, 0, 5, 5",
                    "8, 2, 0, 80, 0, 0",
                ),
            )
        ),
        *(
            "4, 1, 1, 0, 1, 1, 1, 0, 6, 5, 50",
            "5, 1, 0, 2, 0, 0, 0, 2, 6, 5, 50",
            "6, 1, 1, 0, 1, 1, 1, 0, 4, 0, 50",
        ),
        "9, 1, 2, 1, 2, 2, 2, 1, 6, 5, 50",
        "7, 1, 0, 0, 0, 0, 0, 0, 4, 1, 50",
    )
}
OF_CLASSES = {
    "class": "class_key",
    "class_columns": ["class_key"],
    "compared": "SELECT * FROM compared_cells",
    "close": False,
}
DISCLOSED = values(
    "target, comparison, population, level_code, n_disclosed",
    "1, 1, 0, 1, 4; 1, 1, 0, 1, 2; 1, 1, 0, 2, 3; 1, 1, 1, 2, 7; 1, 2, 0, 1, 5; 1, 3, 0, 1, 6; 1, "
    "3, 0, 2, 6",
    "1, 4, 0, 1, 6; 1, 4, 0, 2, 5; 1, 5, 0, 1, 99; 1, 5, 0, 2, 100; 2, 1, 0, 1, 50; 0, 1, 0, 2, 50",
)
# Numbers 0.1 apart except for rounding: some pairs a little more, others a little less. Two are
# neighboring doubles.
APART = sorted(
    [
        *(
            number / 10
            for number in (
                -23,
                -22,
                -9,
                -4,
                -3,
                -2,
                -1,
                0,
                1,
                2,
                3,
                4,
                5,
                9,
                10,
                11,
                12,
                22,
                23,
                25,
                26,
            )
        ),
        math.nextafter(1, 0),
    ]
)
CLOSE = [0.0, math.nextafter(3, 0), 3.0, math.nextafter(3, 4)]
TENTHS = [number / 10 for number in (-11, -10, -9, 1, 2, 9, 10, 11, 12)]
NUMBERED = "value, n_orig, n_syn_1"
BOTH = [
    SimpleNamespace(count=name, count_class=f"{name}_class", times="", of_people=name == "n_orig")
    for name in ("n_orig", "n_syn_1")
]
OF_TWO_FILES = {"class_key": "class_key, class_key_2", "files": BOTH}
WIDER = pack(NUMBERED_KEYS, [2, 3, 2**61])
# The number of bins, special values, each value's records in two files, and the bins.
BINS: Sequence[tuple[int, list[int], tuple[str, ...], list[tuple[int, float, float, int, int]]]] = (
    # Quantiles of 0 0 1 3 6 10 at the positions 0, 1.25, 2.5, 3.75 and 5.
    (4, [-8], ("0, 2, 0", "1, 0, 1", "3, 1, 0", "6, 1, 0", "10, 0, 1", "-8, 5, 5", "20, 0, 0",
               "NULL, 1, 1"),
     [(1, 0.0, 0.25, 0, 0), (2, 0.25, 2.0, 0, 0), (3, 2.0, 5.25, 0, 0), (4, 5.25, 10.0, 1, 0)]),
    # Quantiles of -4 -3 -2.9 10 11 12, at the same positions.
    (4, [], ("CAST('-4' AS DOUBLE), 1, 0", "-3, 1, 0", "'-2.9', 0, 1",
             "10, 1, 0", "11, 1, 0", "12, 0, 1"),
     [(1, -4.0, -2.975, 0, 0), (2, -2.975, 3.55, 0, 0), (3, 3.55, 10.75, 0, 0),
      (4, 10.75, 12.0, 1, 0)]),
    # Tied quantiles would leave two groups. With a special value there are three.
    (3, [], ("0, 3, 0", "1, 1, 0", "2, 0, 1", "9, 3, 2", "20, 0, 0"),
        [(1, 0.0, 3.0, 0, 1), (2, 3.0, 6.0, 0, 1), (3, 6.0, 9.0, 1, 1)]),
    (3, [-8], ("0, 3, 0", "1, 1, 0", "2, 0, 1", "9, 3, 2", "-8, 1, 1"),
        [(1, 0.0, 1.0, 0, 0), (2, 1.0, 9.0, 1, 0)]),
    # Infinite values do not stretch bins of equal width.
    (3, [], ("CAST('-Infinity' AS DOUBLE), 1, 0", "0, 4, 4", "9, 1, 0", "'Infinity', 0, 1"),
        [(1, 0.0, 3.0, 0, 1), (2, 3.0, 6.0, 0, 1), (3, 6.0, 9.0, 1, 1)]),
    # No more values than bins.
    (2, [], ("1, 2, 0", "4, 1, 0"), [(1, 1.0, 1.0, 1, 0), (2, 4.0, 4.0, 1, 0)]),
    (4, [], ("1, 1, 0", "2, 1, 0", "3, 1, 0", "4, 0, 1"),
        [(n, float(n), float(n), 1, 0) for n in (1, 2, 3, 4)]),
)  # fmt: skip


def binning(column: Column) -> dict[str, Any]:
    """Return the names that fill the template breaks."""
    names = {"column": column, "pooled": BOTH, "values": "values_k1", "value_ranks": "ranked"}
    made = {
        stage: Inner(f"stages/encoding/{stage}.sql", names)
        for stage in ("value_ranks", "bin_bounds")
    }
    return {"column": column, **made}


BINNED = {
    "values_k1": values(
        NUMBERED, "-20, 0, 1; -8, 2, 0; 0, 1, 1; 1, 3, 0; 5, 1, 0; 9, 2, 2; NULL, 4, 1"
    ),
    "breaks_k1": values(
        "bin, low, high, closed", "1, CAST(0 AS DOUBLE), CAST(4 AS DOUBLE), 0; 2, 4, 9, 1"
    ),
}
TRIALS = values(
    "attacker, target, comparison, trained, tested, sampled",
    "'a', 1, 1, 8, 5, 0; 'a', 2, 1, 8, 4, 0; 'b', 1, 1, 8, 7, 1; 'b', 1, 2, 9, 7, 1; 'b', 2, 2, "
    "9, 3, 0",
)
ALL_OF_4 = values("attacker, target, comparison, trained, tested, sampled", "'a', 9, 1, 8, 4, 0")
GUESSES = values(
    "attacker, target, comparison, share, people",
    "'a', 1, 1, CAST(1 AS DOUBLE), 2; 'a', 1, 1, CAST('0.5' AS DOUBLE), 1; 'a', 2, 1, CAST(1 AS "
    "DOUBLE), 1",
    "'b', 1, 1, CAST(1 AS DOUBLE), 7; 'b', 1, 2, CAST('0.25' AS DOUBLE), 4; 'a', 9, 1, CAST(1 AS "
    "DOUBLE), 4",
)


def interval(correct: float, tested: int) -> tuple[float, float, float, float]:
    """Return the number of right guesses, their percentage, and the percentage's Wilson interval
    with z = 1.5.
    """
    share, squared = correct / tested, 1.5**2
    centre = (share + squared / (2 * tested)) / (1 + squared / tested)
    width = (
        1.5
        / (1 + squared / tested)
        * (share * (1 - share) / tested + squared / (4 * tested**2)) ** 0.5
    )
    return correct, 100 * share, 100 * (centre - width), 100 * (centre + width)


# A measure at three points, of populations, weighted, of another target. Then other measures.
SWEPT = values(
    "measure, point, target, comparison, population, weighted, numerator, denominator, value, mean",
    *(
        f"{row}, 10, CAST({value} AS DOUBLE), CAST({value + 5} AS DOUBLE)"
        for row, value in (
            ("'m', CAST(80 AS DOUBLE), 1, 1, 0, 0, 1", 10),
            ("'m', 50, 1, 1, 0, 0, 2", 20),
            ("'m', 90, 1, 1, 0, 0, 3", 30),
            ("'m', 80, 1, 1, 1, 0, 4", 40),
            ("'m', 80, 1, 1, 2, 0, 5", 50),
            ("'m', 80, 1, 1, 1, 1, 6", 60),
            ("'m', 80, 1, 2, 0, 0, 7", 70),
            ("'m', 80, 2, 1, 0, 0, 9", 90),
            ("'n', NULL, 2, 1, 0, 0, 8", 80),
            *((f"'{name}', 80, 1, 1, 0, 0, 99", 99) for name in "ln"),
        )
    ),
)
HEADS = values(
    "head, tally, target_number, comparison, population_number, weighted_number, least_keys, "
    "empty_sum",
    "1, 1, 1, 1, 0, 0, 0, CAST(0 AS DOUBLE); 2, 2, 1, 1, 0, 0, 0, 0; 3, 1, 1, 1, 1, 0, 2, 0",
    "4, 1, 1, 1, 1, 1, 0, 0; 5, 1, 1, 2, 1, 0, 0, 0; 6, 1, 1, 3, 1, 0, 0, NULL; 7, 4, 2, 1, 0, 0, "
    "1, 0",
    "8, 1, 1, 1, 0, 0, 3, 0; 9, 1, 2, 1, 0, 0, 0, 0",
)
ATTACKED = values(
    "attacker, target, comparison, trained, tested, sampled, correct, accuracy, low, high",
    "'a', 3, 2, 9, 8, 1, 2.5, 31.25, 1, 99",
)
VOTES = values(
    "attacker, record, level_code, vote",
    "'a', 1, 1, 1.0; 'b', 1, 1, 0.5; 'b', 1, 2, 0.5; 'b', 2, 2, 1.0; 'a', 2, 2, 1.0; 'c', 2, 2, "
    "1.0",
)
AVERAGES = values(
    "draw, dcap, matched, tiny",
    "0, CAST(30 AS DOUBLE), CAST(7 AS DOUBLE), CAST('0' AS DOUBLE); 1, 10, NULL, '1e-9'",
    "2, 29, '7.0000000005', NULL; 3, 30, 7, NULL; 4, 50, 7, NULL; 5, 31, 7, NULL; 6, 30, 7, NULL",
)
POOLED = [
    SimpleNamespace(number=number, members=[None] * size)
    for number, size in ((2, 1), (9, 2), (4, 3))
]
POINTS = values(
    "measure, point, target, comparison, population, weighted, value",
    *(
        f"'{measure}', CAST(NULL AS DOUBLE), 1, {comparison}, 0, 0, CAST({value} AS DOUBLE)"
        for measure, line in {
            "risen": ("1", "2", "4"),
            "same": ("50", "'50.0000000005'", "50"),  # except for the order of addition
            "near": ("50", "50", "'50.0000000015'"),
            "none": ("1", "NULL", "2"),
        }.items()
        for comparison, value in zip((2, 9, 4), line, strict=True)
    ),
    "'risen', CAST(NULL AS DOUBLE), 1, 3, 0, 0, CAST(99 AS DOUBLE)",
)


def fitting(points: Sequence[Any]) -> dict[str, Any]:
    """Return the names that fill the template trends."""
    inner = {"results": "results", "points": points}
    return {"points": points, "pooled_points": Inner("stages/results/pooled_points.sql", inner)}


# Further stages have files of their own, so that two branches can add stages without conflict.
STAGES = Path(__file__).parents[1] / "stages"
# the cases, grouped by template
BY_HAND: Sequence[ByHand] = (
    *(
        each
        for path in sorted(STAGES.glob("*.py"))
        for each in import_module(f"tests.stages.{path.stem}").BY_HAND
    ),
    drawn(
        [
            ("a", "x"),
            ("b", None),
            ("a", "x"),
            (None, "b"),
            ("", "b"),
            ("a", "x"),
            ("ax", ""),
            ("c", "d"),
        ],
        3,
        7,
    ),
    ByHand(
        "stages/classes/windowed_cells.sql",
        {
            "counted_cells": values(
                "class_key, class_key_2, level_code, n_orig, n_syn_1",
                "1, 1, 2, 3, 0; 1, 1, 5, 1, 2; 1, 2, 5, 4, 4; 2, 1, 0, 0, 7",
            )
        },
        (
            {"class_key": "class_key, class_key_2", "files": BOTH, "cell_counts": "counted_cells"},
            [
                (1, 1, 2, 1, 4, 2, 3, 0),
                (1, 1, 5, 0, 4, 2, 1, 2),
                (1, 2, 5, 1, 4, 4, 4, 4),
                (2, 1, 0, 1, 0, 7, 0, 7),
            ],
        ),
    ),
    ByHand(
        "stages/classes/classes_of_cells.sql",
        {
            "windowed": values(
                "class_key, level_code, least_level, n_orig_class, n_syn_1_class, n_orig, n_syn_1",
                "1, 2, 1, 4, 2, 3, 0; 1, 5, 0, 4, 2, 1, 2; 2, 0, 1, 0, 7, 0, 7",
            )
        },
        ({"class_key": "class_key", "files": BOTH, "cells": "windowed"}, [(1, 4, 2), (2, 0, 7)]),
    ),
    ByHand(
        "attackers/exact_match.sql",
        {
            "cells_t1": values("class_key, level_code, n_syn", "1, 1, 3; 1, 2, 1; 4, 1, 9"),
            "near": values("class_key, level_code, n_near", "2, 1, 2; 2, 1, 3; 2, 3, 1; 4, 1, 9"),
            "asked": values("class_key", "1; 2"),
        },
        (
            {
                "key_columns": KEY_COLUMNS[:1],
                "training_cells": "cells_t1",
                "people": "asked",
                "neighbours": "near",
            },
            [(1, 1, 3), (1, 2, 1), (2, 1, 5), (2, 3, 1)],
        ),
    ),
    ByHand(
        "attackers/naive_bayes.sql",
        LEARNED,
        (
            {
                "key_columns": KEY_COLUMNS,
                "class_key": "class_key, class_key_2",
                "parts": PARTS,
                **LEARNED_FROM,
            },
            # ln(6/10) - ln(6 + 3) - ln(6 + 4) + ln(2 + 1) + ln(4 + 1), and so on. A level
            # without training records adds ln(0 + 1).
            [
                (1, 1, 1, math.log(6 / 10 / 9 / 10 * 3 * 5)),
                (1, 1, 2, math.log(4 / 10 / 7 / 8 * 4 * 2)),
                (2, 3, 1, math.log(6 / 10 / 9 / 10 * 5)),
                (2, 3, 2, math.log(4 / 10 / 7 / 8 * 2)),
            ],
        ),
    ),
    ByHand(
        "attackers/one_rule.sql",
        {
            **LEARNED,
            "training_levels": values(
                "level_code, n_syn_level, n_syn_all", "1, 5, 11; 2, 5, 11; 3, 1, 11"
            ),
        },
        (
            {"key_columns": KEY_COLUMNS, "parts": PARTS, **LEARNED_FROM},
            # The rules of the first key are right for 3 + 4 + 1 records, those of the second for
            # 4 + 1: two levels tie for its level 2.
            [(1, 1, 2, 1.0), (2, 3, 1, 1.0)],
        ),
        (
            {"key_columns": KEY_COLUMNS, "parts": PARTS, **LEARNED_FROM, "training_keys": "others"},
            # Both keys are equally good. No training record has level 2 of the first key or level
            # 3 of the second: two levels tie in the whole file.
            [
                (1, 1, 1, 1.0),
                (1, 1, 1, 1.0),
                (2, 3, 1, 0.5),
                (2, 3, 2, 0.5),
                (2, 3, 1, 0.5),
                (2, 3, 2, 0.5),
            ],
        ),
        columns="class_key, class_key_2, level_code, CAST(score AS DOUBLE)",
    ),
    ByHand(
        "tables/named_cells.sql",
        {
            "compared": values("comparison, class_key, n", "1, 1, 5; 2, 2, 6"),
            "labels": values("code, value", "0, NULL; 1, 'f'; 2, 'm'; 3, 'x'"),
        },
        (
            {
                "comparisons": [
                    (SimpleNamespace(number=number, label=label),)
                    for number, label in ((1, "cart 1"), (2, "it's"))
                ],
                "parts": [
                    (
                        None,
                        [
                            {
                                "columns": {"sex": "k1.value"},
                                "labels": "SELECT * FROM labels",
                                "alias": "k1",
                                "digit": "compared.class_key",
                                "code": "k1.code",
                            }
                        ],
                        "SELECT * FROM compared",
                    )
                ],
                "counts": ["n"],
            },
            [("cart 1", "f", 5), ("it's", "m", 6)],
        ),
    ),
    ByHand(
        "tables/named_records.sql",
        {
            "members": values(
                "record_id, file, class_key, n_orig_class, t1",
                "'x', 0, 1, 5, 2; 'y', 0, 2, 6, 0",
            ),
            "labels": values("code, value", "0, NULL; 1, 'f'; 2, 'm'; 3, 'x'"),
        },
        *(
            (
                {
                    "id": name,
                    "key_columns": KEY_COLUMNS[:1],
                    "carried": ["n_orig_class", "t1"],
                    "members": "SELECT * FROM members",
                    "shown": [
                        {
                            "columns": {"sex": "k1.value"},
                            "labels": "SELECT * FROM labels",
                            "alias": "k1",
                            "digit": "members.class_key",
                            "code": "k1.code",
                        },
                    ],
                },
                expected,
            )
            for name, expected in (
                ("person", [("x", "f", 0, 1, 5, 2), ("y", "m", 0, 2, 6, 0)]),
                (None, [("f", 0, 1, 5, 2), ("m", 0, 2, 6, 0)]),
            )
        ),
    ),
    ByHand(
        "tables/risky_named.sql",
        {"named_cells": values("sex, n, counted", "'f', 1, 1; 'f', 2, 1; 'm', 1, 0; 'm', 1, 2")},
        (
            {
                "columns": ["sex", "counted"],
                "named_cells": "named_cells",
                "risky": "n = 1",
                "counted": "counted",
            },
            [("f", 1), ("m", 2)],
        ),
    ),
    ByHand(
        "saved/labels.sql",
        {"loaded": values("code, value", "0, NULL; 1, '-8'; 2, '[1.5,4)'")},
        (
            {"digit": "code * 3", "levels": "loaded"},
            [(0, 0, None), (1, 3, "-8"), (2, 6, "[1.5,4)")],
        ),
    ),
    ByHand(
        "saved/lookup.sql",
        {
            "cells_t1": values(
                "k1, k2, level_code, n_syn_1, n_syn_2",
                "3, 1, 1, 0, 0; 3, 9, 1, 2, 1; 9, 1, 1, 1, 0; 3, 9, 2, 1, 0; 9, 9, 3, 5, 5; 3, 9, "
                "3, 0, 0; 1, 9, 3, 2, 0",
            ),
            "levels_k1": values("value, code", "'x', 1; 'y', 3"),
            "levels_k2": values("value, code", "1, 1; 2, 1; 7, 9"),
            "labels_t1": values("code, level", "1, 'p'; 2, 'q'; 3, 'r'"),
            "cells_t2": values("k1, k2, level_code, n_syn_1, n_syn_2", "9, 9, 1, 1, 0"),
            "labels_t2": values("code, level", "1, 's'"),
        },
        *(
            (
                {
                    "parts": [
                        (
                            position,
                            SimpleNamespace(number=comparison, members=members),
                            SimpleNamespace(id=target),
                        )
                        for position, comparison, members, target in (
                            (5, 6, FILES, "t1"),
                            (5, 8, FILES[1:], "t1"),
                            (7, 6, FILES, "t2"),
                        )
                    ],
                    "keys": [
                        {
                            "levels": f"levels_k{n}",
                            "match": f"levels.value = {known}",
                            "digit": f"cells.k{n}",
                            "code": f"known_{n}.code",
                        }
                        for n, known in enumerate(("'y'", second), start=1)
                    ],
                },
                [*expected, (5, 8, radius, "p", 1, 100.0), (7, 6, radius + 1, "s", 1, 100.0)],
            )
            for second, radius, expected in (
                (2, 1, [(5, 6, 1, "p", 4, 80.0), (5, 6, 1, "q", 1, 20.0)]),
                (7, 0, [(5, 6, 0, "p", 3, 75.0), (5, 6, 0, "q", 1, 25.0)]),
            )
        ),
    ),
    ByHand(
        "stages/aligned/candidates.sql",
        {
            # Record 1 of control (file 3) has the keys of person 1, and is in the population.
            "members": values(
                "class_key, file, record, p1, n_orig_class, n_syn_1_class, n_syn_2_class",
                "7, 0, 1, 0, 2, 2, 1; 7, 0, 2, 1, 2, 2, 1; 7, 1, 1, 0, 2, 2, 1; 7, 1, 5, 0, 2, 2, "
                "1; 7, 2, 2, 0, 2, 2, 1",
                "7, 3, 1, 1, 2, 2, 1; 8, 1, 3, 0, 0, 1, 0; 9, 0, 4, 1, 1, 0, 0",
            )
        },
        (
            {
                "class_key": "class_key",
                "persons": ["p1"],
                "original": SimpleNamespace(number=0),
                "syntheses": [
                    SimpleNamespace(number=n, count_class=f"n_syn_{n}_class", held=f"held_{n}")
                    for n in (1, 2)
                ],
                "members": "members",
            },
            [
                (7, 1, 2, 2, 1, 0, 1, 0, 1),
                (7, 2, 2, 2, 1, 1, 0, 1, 1),
                (7, 5, 2, 2, 1, 0, 1, 0, 0),
                (9, 4, 1, 0, 0, 1, 0, 0, 1),
            ],
        ),
    ),
    ByHand(
        "stages/comparisons/rare_classes.sql",
        {
            "compared": values("class_key, other_key", "8, 0; 12, 1; 16, 1; 20, 1; 24, 2"),
            "towns": values("code, n", "2, 7; 3, 2; 3, 3; 4, 6; 5, 4; 6, 20"),
            "sexes": values("code, n", "0, 5; 1, 6; 2, 20"),
        },
        (
            {
                "keys": [
                    PackedKey(Column("k", 1, "town"), "class_key", stride=4),
                    PackedKey(Column("k", 2, "sex"), "other_key"),
                ],
                "compared": "SELECT * FROM compared",
                "dictionaries": {"k1": "towns", "k2": "sexes"},
                "files_row": "(SELECT 20 AS n) AS files",
                "original": {"count": "n"},
            },
            # the two values with code 3 are one level, and any of equally rare levels is the rarest
            [
                (8, 0, 8, 7, 0, 5, 20, 5),
                (12, 1, 12, 5, 1, 6, 20, 5),
                (16, 1, 16, 6, 1, 6, 20, 6),
                (20, 1, 20, 4, 1, 6, 20, 4),
                (24, 2, 24, 20, 2, 20, 20, 20),
            ],
        ),
    ),
    ByHand(
        "stages/comparisons/compared_classes.sql",
        {
            "seen": values(
                "class_key, class_key_2, n_own, n_syn, people",
                "0, 4, 5, 6, 3; 1, 0, 7, 8, 2; 1, 1, 9, 2, 4",
            )
        },
        *(
            (
                {
                    "class_key": "class_key, class_key_2",
                    "columns": [],
                    "people": "people",
                    "universe": False,
                    "missing_keys": missing,
                    "classes": "FROM seen",
                },
                [(0, 4, 5, 6, 3, 6, *first), (1, 0, 7, 8, 2, 8, *second), (1, 1, 9, 2, 4, 2, 4, 2)],
            )
            for missing, first, second in (
                (PARTS, (0, 0), (0, 0)),
                (PARTS[1:], (3, 6), (0, 0)),
                ([], (3, 6), (2, 8)),
            )
        ),
        columns="class_key, class_key_2, n_orig, n_syn, people, synthetic, counted_orig, "
        "counted_syn",
    ),
    ByHand(
        "stages/comparisons/comparisons.sql",
        {},
        (
            {
                "comparisons": [
                    SimpleNamespace(
                        number=number, people=SimpleNamespace(number=own), members=FILES[:members]
                    )
                    for number, own, members in ((1, 0, 1), (2, 0, 2), (3, 9, 2))
                ],
                "own": [SimpleNamespace(number=0), SimpleNamespace(number=9)],
                "members": FILES,
            },
            [(1, 1, 0, 1, 0), (2, 1, 0, 1, 1), (3, 0, 1, 1, 1)],
        ),
        columns="comparison, of_0, of_9, with_1, with_2",
    ),
    *(
        ByHand(
            "stages/comparisons/level_totals.sql",
            {
                "marginals_t1": values(
                    "n_orig, n_control, n_syn_1, n_syn_2",
                    "5, 3, 1, 0; 5, 0, 4, 0; 2, 2, 0, 4; 0, 1, 0, 0; 1, 0, 1, 1",
                ),
                # The third comparison is not asked for.
                "comparisons": values(
                    "comparison, of_0, of_9, with_1, with_2",
                    "1, 1, 0, 1, 1; 2, 0, 1, 1, 0; 3, 1, 1, 1, 1",
                ),
            },
            ({**names, "marginals": "marginals_t1", "comparisons": "comparisons"}, expected),
            columns=columns
            + "n_levels_all, n_levels_syn, top_level_syn, n_mode_syn, top_level_orig, n_mode_orig",
        )
        for columns, names, expected in (
            (
                "",
                {
                    "own": [SimpleNamespace(count="n_control", times="")],
                    "members": FILES,
                    "apart": {},
                    "together": [],
                },
                [(3, 4, 4, 2, 5, 2)],
            ),
            (
                "of_target, of_comparison, ",
                {
                    "own": [
                        SimpleNamespace(count="n_orig", times="chosen.of_0"),
                        SimpleNamespace(count="n_control", times="chosen.of_9"),
                    ],
                    "members": [FILES[0], SimpleNamespace(count="n_syn_2", times="chosen.with_2")],
                    "apart": {"target": "7", "comparison": "chosen.comparison"},
                    "together": [1, 2],
                },
                [(7, 1, 4, 4, 4, 2, 5, 2), (7, 2, 3, 3, 4, 1, 5, 2)],
            ),
        )
    ),
    ByHand(
        "stages/comparisons/population_classes.sql",
        {
            "seen": values("class_key, n_own, n_syn", "1, 5, 6; 2, 7, 8"),
            "counted": values(
                "people_file, population, class_key, n_people",
                "0, 1, 1, 9; 2, 1, 1, 3; 2, 2, 2, 4; 4, 1, 2, 9",
            ),
        },
        (
            {
                "key_columns": KEY_COLUMNS[:1],
                "class_key": "class_key",
                "population_counts": SimpleNamespace(counts="n_people"),
                "columns": ["n_own", "n_syn"],
                "seen_classes": "SELECT * FROM seen",
                "class_counts": "counted",
                "own": [SimpleNamespace(number=2)],
            },
            [(1, 5, 6, 1, 3), (2, 7, 8, 2, 4)],
        ),
        columns="class_key, n_own, n_syn, population, people",
    ),
    ByHand(
        "stages/results/class_counts.sql",
        {"classes": values("class_key, n_orig", "1, 1; 2, 3; 3, 0; 4, 1; 5, 2")},
        ({"classes": "classes"}, [(1, 2), (2, 1), (3, 1)]),
    ),
    ByHand(
        "stages/comparisons/profiles.sql",
        {"spread_classes": SPREADS},
        *(
            (
                {
                    "class": "class_key",
                    "of_all": "",
                    "whole": True,
                    "close": False,
                    "spread_classes": f"SELECT * FROM spread_classes WHERE class_key <> {left_out}",
                },
                [(*row, *least) for row in PROFILES if row[0] != left_out],
            )
            for left_out, least in ((2, (1, 0.25)), (3, (0, 0.0)))
        ),
        columns=PROFILED,
    ),
    ByHand(
        "stages/classes/superset.sql",
        {
            "cells_t1": values(
                "class_key, class_key_2, level_code, n_orig_class, n_orig, n_syn_1",
                "1, 2, 3, 9, 4, 5; 6, 7, 8, 9, 0, 1",
            )
        },
        (
            {**OF_TWO_FILES, "of_target": True, "counted": "cells_t1", "key_range": KeyRange()},
            [(1, 2, 3, 4, 5), (6, 7, 8, 0, 1)],
        ),
        (
            {**OF_TWO_FILES, "of_target": False, "counted": "cells_t1", "key_range": KeyRange(2)},
            [(6, 7, 0, 1)],
        ),
    ),
    ByHand(
        "stages/classes/merged_counts.sql",
        # The first key has 2 levels, the second 3, the third has its own column, and the second is
        # dropped.
        {
            "kept": values(
                "class_key, class_key_2, level_code, n_orig, n_syn_1",
                "3, 1, 1, 2, 3; 5, 1, 1, 4, 0; 5, 1, 2, 8, 1; 4, 1, 1, 7, 7; 3, 2, 1, 5, 6",
            )
        },
        *(
            (
                {
                    "key_columns": [replace(WIDER[0], parts=WIDER[0].parts[:1]), WIDER[1]],
                    "class_key": "class_key, class_key_2",
                    "files": BOTH,
                    "target": target,
                    "superset": "kept",
                    "dropped": WIDER[0].parts[1:],
                },
                expected,
            )
            for target, expected in (
                (None, [(1, 1, 14, 4), (0, 1, 7, 7), (1, 2, 5, 6)]),
                ("t1", [(1, 1, 1, 6, 3), (1, 1, 2, 8, 1), (0, 1, 1, 7, 7), (1, 2, 1, 5, 6)]),
            )
        ),
    ),
    ByHand(
        "stages/comparisons/class_tops.sql",
        SEVERAL,
        ({**OF_CLASSES, "whole": True}, [(1, 4, 5, 1, 5), (2, 2, 3, 0, 3), (8, 80, 80, 5, 5)]),
        ({**OF_CLASSES, "whole": False}, [(1, 4), (2, 2), (8, 80)]),
    ),
    ByHand(
        "stages/comparisons/ranked_cells.sql",
        {
            **SEVERAL,
            "tops": values(
                "class_key, top_syn, top_orig, least_counted, most_counted",
                "1, 4, 5, 1, 6; 2, 2, 3, 0, 7; 3, 7, 7, 7, 7; 8, 80, 80, 5, 9",
            ),
        },
        *(
            (
                {**OF_CLASSES, "class_tops": "SELECT * FROM tops", "whole": whole},
                [
                    (
                        class_key,
                        orig,
                        syn,
                        10 * class_key,
                        80,
                        people,
                        counted,
                        top_syn,
                        *(more if whole else ()),
                    )
                    for class_key, orig, syn, people, counted, top_syn, *more in (
                        (1, 2, 3, 2, 1, 4, 3, 4, 50, 5, 1, 6, 2),
                        (1, 2, 0, 2, 2, 4, 3, 4, 50, 5, 1, 6, 4),
                        (1, 5, 1, 5, 5, 4, 3, 4, 50, 5, 1, 6, 9),
                        (1, 0, 4, 0, 0, 4, 3, 4, 50, 5, 1, 6, 0),
                        (2, 1, 1, 1, 0, 2, 3, 4, 50, 3, 0, 7, 1),
                        (2, 3, 2, 3, 3, 2, 3, 4, 50, 3, 0, 7, 5),
                        (2, 1, 0, 1, 1, 2, 3, 4, 50, 3, 0, 7, 2),
                        (8, 80, 0, 5, 5, 80, 3, 4, 50, 80, 5, 9, 80),
                        (8, 0, 80, 0, 0, 80, 3, 4, 50, 80, 5, 9, 0),
                    )
                ],
            )
            for whole in (True, False)
        ),
    ),
    *(
        ByHand(
            "stages/comparisons/lone_classes.sql",
            {**SEVERAL, "level_totals": TOTALS},
            (
                {
                    **OF_CLASSES,
                    "level_totals": "SELECT * FROM level_totals",
                    "whole": whole,
                    "apart": {},
                },
                [
                    (*vote, *(more if whole else ()))
                    for vote, more in (
                        (
                            (3, 30, 80, 80, 1, 9, 8, 8),
                            (3, 8, 8, 1, 0.0, 1, 8 * 4 / 50, 0.0, 0.0, 8 / 3, 1),
                        ),
                        ((4, 1, 0, 0, 0, 1, 1, 0), (3, 1, 1, 1, 0.0, 1, 0.1, 0.5, 1.0, 1 / 3, 1)),
                        ((5, 0, 2, 2, 1, 0, 0, 0), (3, None, 0, 0, 0.0, 0, 0.0, 0.0, 0.0, 0.0, 0)),
                        ((6, 1, 0, 0, 0, 1, 1, 0), (3, 1, 1, 1, 0.0, 1, 0.0, 0.0, 0.0, 0.0, 1)),
                        ((9, 2, 1, 1, 1, 2, 2, 2), (3, 2, 2, 1, 0.0, 1, 0.2, 1.0, 2.0, 2 / 3, 1)),
                    )
                ],
            ),
            columns=f"{VOTE}, {SPREAD_BESIDE}" if whole else VOTE,
        )
        for whole in (True, False)
    ),
    sampled(
        [
            (3, 3),
            (3, 2),
            (1, 1),
            (2, 2),
            (1, 4),
            (2, 8),
            (3, 10),
            (4, 4.02),
            (1, 1 / 0.991),
            (2, 2 / 0.991),
            (1, 1.25),
            (2, 2.5),
            (1, 1 / (1 - 1e-9)),
        ]
    ),
    *(
        ByHand(
            "stages/comparisons/spread_classes.sql",
            {"ranked_cells": RANKED, "level_totals": TOTALS},
            (
                {
                    "class": "class_key",
                    "number": "BIGINT",
                    "whole": whole,
                    "close": False,
                    "apart": {},
                    "ranked_cells": "SELECT * FROM ranked_cells",
                    "level_totals": "SELECT * FROM level_totals",
                },
                [
                    (*vote, *(more if whole else ()))
                    for vote, more in (
                        (
                            (1, 3, 5, 3, 1, 3, 3, 2),
                            (3, 1, 7, 2, 0.636514168, 1, 1.5, 1.5, 3.0, 1.0, 1),
                        ),
                        ((2, 4, 0, 0, 0, 5, 4, 0), (3, 4, 8, 1, 0.0, 1, 0.0, 0.0, 0.0, 0.0, 1)),
                        (
                            (3, 2, 2, 1, 2, 2, 2, 2),
                            (3, 1, 9, 2, 0.693147181, 2, 0.2, 0.0, 0.0, 2 / 3, 2),
                        ),
                        ((4, 2, 1, 1, 1, 2, 0, 0), (3, 0, 6, 1, 0.0, 1, 0.0, 0.0, 0.0, 0.0, 1)),
                    )
                ],
            ),
            columns=f"{VOTE}, {SPREAD_BESIDE}" if whole else VOTE,
        )
        for whole in (True, False)
    ),
    *(
        ByHand(
            "stages/encoding/breaks.sql",
            {"values_k1": values(NUMBERED, *rows)},
            (
                binning(Column("k", 1, "age", "INTEGER", bins, tuple(map(str, special)))),
                expected,
            ),
        )
        for number, (bins, special, rows, expected) in enumerate(BINS, start=1)
    ),
    ByHand(
        "stages/encoding/binned_levels.sql",
        BINNED,
        (
            {
                "column": Column("k", 1, "age", "INTEGER", 2, ("-8",)),
                "files": BOTH,
                "values": "values_k1",
                "breaks": "breaks_k1",
            },
            [
                (None, 0, None, None, None, 4, 1),
                (-8, 3, None, None, None, 2, 0),
                *(
                    (value, 1, 0.0, 4.0, 0, *counts)
                    for value, *counts in ((-20, 0, 1), (0, 1, 1), (1, 3, 0))
                ),
                *((value, 2, 4.0, 9.0, 1, *counts) for value, *counts in ((5, 1, 0), (9, 2, 2))),
            ],
        ),
    ),
    ByHand(
        "stages/encoding/levels.sql",
        {
            "counted": values(
                "value, n_orig, n_syn_1", "'a', 1, 2; 'b', 3, 0; 'd', 1, 1; 'c', 0, 1; NULL, 1, 0"
            ),
            str(Column("k", 1, "job", order=("d", "b")).order_table): values(
                "level, place", "'d', 1; 'b', 2"
            ),
        },
        *(
            (
                {
                    "column": Column("k", 1, "job", "VARCHAR", order=order),
                    "files": BOTH,
                    "values": "counted",
                },
                [(None, 0, 1, 0), ("a", a, 1, 2), ("b", b, 3, 0), ("c", c, 0, 1), ("d", d, 1, 1)],
            )
            for order, (a, b, c, d) in (((), (1, 2, 3, 4)), (("d", "b"), (3, 2, 4, 1)))
        ),
    ),
    ByHand(
        "stages/encoding/marginals.sql",
        {
            "levels_t1": values(
                "value, code, n_orig, n_syn_1",
                "NULL, 0, 1, 0; 1, 1, 2, 3; 2, 1, 4, 0; 3, 2, 0, 5; 4, 3, 3, 0",
            ),
            "files": values("n_orig, n_syn_1", "10, 8"),
            "given": values(
                "level, share", "1, CAST('0.125' AS DOUBLE); 2, '0.25'; NULL, '0.375'; 3, '0.5'"
            ),
        },
        *(
            (
                {
                    "files": [
                        SimpleNamespace(number=n, count=each.count, count_all=f"{each.count}_all")
                        for n, each in enumerate(BOTH)
                    ],
                    "baseline": baseline,
                    "excluded_levels": excluded,
                    "target": SimpleNamespace(matches=lambda level: f"levels.value = {level}"),
                    "levels": "levels_t1",
                    "files_row": "files",
                },
                expected,
            )
            for baseline, excluded, expected in (
                # A bin of two values, one of them excluded. A level that the baseline lacks.
                (
                    Baseline("given", level="level"),
                    [2, 4],
                    [
                        (0, 1, 10, 0, 8, 0.375, 0),
                        (1, 6, 10, 3, 8, 0.375, 1),
                        (2, 0, 10, 5, 8, 0.5, 0),
                        (3, 3, 10, 0, 8, 0.0, 1),
                    ],
                ),
                (
                    None,
                    [],
                    [
                        (0, 1, 10, 0, 8, 0),
                        (1, 6, 10, 3, 8, 0),
                        (2, 0, 10, 5, 8, 0),
                        (3, 3, 10, 0, 8, 0),
                    ],
                ),
            )
        ),
    ),
    ByHand(
        "stages/encoding/records.sql",
        {
            "read": values(
                "value_k1, value_k2, value_t1, value_a1", "'x', 5, 'p', 30; 'y', NULL, 'q', 10"
            ),
            "levels_k1": values("value, code", "'x', 1; 'y', 2"),
            "levels_k2": values("value, code", "4, 1; 5, 2"),
            "levels_t1": values("value, code", "'p', 1; 'q', 2"),
            "lists": "SELECT [4, 5] AS k2_levels, ['p', 'q'] AS t1_levels",
            "record_ids": values("value, record", "10, 1; 20, 2; 30, 3"),
        },
        # A synthetic record is in no population. A person is in the first population or not, and in
        # the population of their level of a column.
        *(
            (
                {
                    "file": SimpleNamespace(number=4, of_people=of_people, universe=False),
                    "identifiers": {"record": "own.record"},
                    "key_columns": pack(CODED[:2], [3, 3]),
                    "targets": CODED[2:],
                    "waiting": [],
                    "populations": [
                        SimpleNamespace(flag="p1", column=None, in_dictionaries=""),
                        SimpleNamespace(flag="p2", column=CODED[0], in_dictionaries=""),
                        SimpleNamespace(flag="p1", column=None, in_dictionaries="k1.code = 2"),
                    ],
                    "weight": None,
                    "values": "SELECT *, 1 AS p1 FROM read",
                    "columns": CODED,
                    "lists": lists,
                    "levels": {each.id: f"levels_{each.id}" for each in CODED},
                    "aligned_by": SimpleNamespace(id="a1"),
                },
                [(4, 3, 7, 1, *first), (4, 1, 2, 2, *second)],
            )
            for lists in ({}, {"k2": "lists", "t1": "lists"})
            for of_people, first, second in (
                (False, (0, 0, 0), (0, 0, 0)),
                (True, (1, 1, 0), (1, 2, 1)),
            )
        ),
    ),
    ByHand(
        "stages/intruder/best_guesses.sql",
        {
            # 0 ties with 0. Levels tie within a share of the best score, also if that is below 1
            # or 0.
            "scores": values(
                "class_key, level_code, score",
                "1, 1, CAST(0 AS DOUBLE); 1, 2, 0; 1, 3, -1; 2, 1, '0.5'; 2, 2, "
                "'0.5000000000001'; 2, 3, '0.49999'",
                "3, 1, '-700.0000000005'; 3, 2, '-700'; 3, 3, '-700.000001'; 4, 1, '0.5'; 4, 2, "
                "'0.50000000001'",
            ),
            "asked": values(
                "class_key, level_code, n_people",
                "1, 1, 1; 1, 2, 2; 1, 3, 64; 2, 1, 4; 2, 3, 64; 3, 1, 8; 3, 3, 64; 4, 1, 64; 4, "
                "2, 16; 5, 1, 64",
            ),
        },
        (
            {
                "attacker": "'a'",
                "target_number": 3,
                "comparison": SimpleNamespace(number=2),
                "unit": ["class_key"],
                "scores": "SELECT * FROM scores",
                "people": "SELECT * FROM asked",
            },
            [("a", 3, 2, 0.5, 15), ("a", 3, 2, 1.0, 16)],
        ),
    ),
    ByHand(
        "stages/intruder/key_counts.sql",
        {
            "runs": values(
                "run_number, digits, level_code, records_0, records_1",
                "1, 4, 1, 2, 3; 1, 7, 1, 5, 1; 1, 1, 1, 1, 1; 1, 4, 2, 6, 0; 2, 4, 1, 9, 8; 2, 2, "
                "1, 7, 7",
            )
        },
        (
            {
                "files": [
                    SimpleNamespace(number=n, count=each.count) for n, each in enumerate(BOTH)
                ],
                "key_runs": key_runs(
                    [part for each in pack(NUMBERED_KEYS, [3, 3, None]) for part in each.parts]
                ),
                "key_run_counts": "runs",
            },
            # The strides of the first run are 1 and 3: 4 is 1 + 3, and 7 is 1 + 6.
            [
                *(
                    (1, 1, 1, 8, 5),
                    (1, 1, 2, 6, 0),
                    (2, 0, 1, 1, 1),
                    (2, 3, 1, 2, 3),
                    (2, 3, 2, 6, 0),
                    (2, 6, 1, 5, 1),
                ),
                *((3, 4, 1, 9, 8), (3, 2, 1, 7, 7)),
            ],
        ),
    ),
    ByHand(
        "stages/intruder/key_sizes.sql",
        {
            "levels_k1": values(
                "code, n_orig, n_syn_1, n_syn_2",
                "0, 0, 0, 0; 1, 1, 0, 0; 2, 0, 3, 0; 2, 0, 4, 1; 3, 0, 0, 1",
            )
        },
        (
            {
                "comparison": SimpleNamespace(number=2, people=BOTH[0], members=FILES),
                "keys": [SimpleNamespace(id="k1", number=7)],
                "levels": {"k1": "levels_k1"},
            },
            [(2, 7, 3)],
        ),
    ),
    ByHand(
        "stages/intruder/near_votes.sql",
        {
            "scores": values(
                "class_key, level_code, score", "1, 1, 3; 1, 2, 5; 1, 3, 5; 2, 1, 1; 3, 1, 9"
            ),
            "sampled": values(
                "sample, record, class_key", "1, 11, 1; 2, 12, 1; 2, 13, 1; 2, 14, 2; 3, 15, 2"
            ),
        },
        (
            {
                "key_columns": [SimpleNamespace(name="class_key")],
                "class_key": "class_key",
                "comparison": SimpleNamespace(number=7),
                "target": SimpleNamespace(number=5),
                "scores": "SELECT * FROM scores",
                "sample": 2,
            },
            [
                *((7, 5, record, level, 0.5) for record, level in product((12, 13), (2, 3))),
                (7, 5, 14, 1, 1.0),
            ],
        ),
    ),
    *(
        ByHand(
            f"stages/intruder/{form}.sql",
            {
                "cells_t1": values(
                    "class_key, level_code, n_orig, n_orig_class, n_syn_1, n_syn_2", *cells
                ),
                "marginals_t1": marginals,
            },
            *(
                (
                    {
                        **BELIEVING,
                        "cells": "cells_t1",
                        "marginals": "marginals_t1",
                        "prior": prior,
                        "alpha": "CAST(2 AS DOUBLE)",
                    },
                    expected,
                )
                for prior, expected in priors.items()
            ),
            columns=BELIEFS,
        )
        for form, cells, marginals, priors in (
            (
                # Class 1 lacks level 3, and has no records with level 4 here. Class 2 lacks two
                # levels, class 4 none. Class 3 has no people.
                "beliefs",
                (
                    (
                        "1, 1, 1, 2, 1, 1; 1, 2, 1, 2, 0, 0; 1, 4, 0, 2, 0, 0; 2, 3, 0, 1, 0, 1; "
                        "2, 4, 1, 1, 0, 0; 3, 3, 0, 0, 1, 0"
                    ),
                    "4, 1, 2, 3, 0, 0; 4, 2, 0, 3, 0, 1; 4, 3, 1, 3, 0, 0; 4, 4, 0, 3, 9, 9",
                ),
                values(
                    "level_code, n_orig, n_syn_1, n_syn_2",
                    "1, 3, 1, 1; 2, 1, 0, 1; 3, 1, 1, 1; 4, 1, 9, 9; 5, 0, 0, 0",
                ),
                {
                    "uniform": [
                        (1, 1, 1, 1, 1, 1, 1, 4, 2, 1, 2),
                        (1, 2, 1, 0, 0, 1, 1, 4, 2, 1, 2),
                        (2, 3, 0, 0, 1, 1, 1, 4, 2, 1, 2),
                        (2, 4, 1, 0, 0, 1, 1, 4, 2, 1, 2),
                        (4, 1, 2, 0, 0, 1, 1, 4, 0, None, 0),
                        (4, 2, 0, 0, 1, 1, 1, 4, 0, None, 0),
                        (4, 3, 1, 0, 0, 1, 1, 4, 0, None, 0),
                        (4, 4, 0, 9, 9, 1, 1, 4, 0, None, 0),
                    ],
                    "others": [
                        (1, 1, 1, 1, 1, 3, 2, 9, 4, 2, 2),
                        (1, 2, 1, 0, 0, 3, 2, 9, 4, 2, 2),
                        (2, 3, 0, 0, 1, 2, 2, 8, 4, 2, 2),
                        (2, 4, 1, 0, 0, 3, 2, 8, 4, 2, 2),
                        (4, 1, 2, 0, 0, 4, 3, 10, 0, None, 0),
                        (4, 2, 0, 0, 1, 2, 2, 10, 0, None, 0),
                        (4, 3, 1, 0, 0, 3, 2, 10, 0, None, 0),
                        (4, 4, 0, 9, 9, 2, 2, 10, 0, None, 0),
                    ],
                },
            ),
            (
                # Levels by falling share: 2, 3, 1, 5, 6. Level 4 has no records here.
                "given_beliefs",
                (
                    (
                        "1, 2, 1, 2, 0, 1; 1, 1, 1, 2, 0, 0; 1, 3, 0, 2, 0, 0; 2, 1, 1, 1, 2, 0; "
                        "2, 5, 0, 1, 1, 0; 3, 3, 1, 1, 0, 0"
                    ),
                    "6, 2, 0, 0, 1, 1",
                    (
                        "4, 2, 1, 5, 0, 0; 4, 3, 1, 5, 0, 0; 4, 1, 1, 5, 0, 0; 4, 5, 1, 5, 0, 0; "
                        "4, 6, 1, 5, 0, 0"
                    ),
                    "5, 1, 1, 4, 0, 0; 5, 2, 1, 4, 0, 0; 5, 3, 1, 4, 0, 0; 5, 5, 1, 4, 0, 0",
                ),
                values(
                    "level_code, n_orig, n_syn_1, n_syn_2, share",
                    *(
                        f"{level}, {records}, {records}, 1, CAST({share} AS DOUBLE)"
                        for level, records, share in (
                            (1, 4, 0.125),
                            (2, 3, 0.25),
                            (3, 3, 0.25),
                            (5, 2, 0.0625),
                        )
                    ),
                    "6, 0, 1, 0, CAST(0 AS DOUBLE); 4, 0, 0, 0, CAST(0.3125 AS DOUBLE)",
                ),
                {
                    "baseline": [
                        (1, 1, 1, 0, 0, 0.125, 0.125, 0.6875, 0.3125, 0.25, 1),
                        (1, 2, 1, 0, 1, 0.25, 0.25, 0.6875, 0.3125, 0.25, 1),
                        (2, 1, 1, 2, 0, 0.125, 0.125, 0.6875, 0.5, 0.25, 2),
                        (2, 5, 0, 1, 0, 0.0625, 0.0625, 0.6875, 0.5, 0.25, 2),
                        (3, 3, 1, 0, 0, 0.25, 0.25, 0.6875, 0.4375, 0.25, 1),
                        *(
                            (4, level, 1, 0, 0, share, share, 0.6875, 0.0, None, None)
                            for level, share in (
                                (1, 0.125),
                                (2, 0.25),
                                (3, 0.25),
                                (5, 0.0625),
                                (6, 0.0),
                            )
                        ),
                        *(
                            (5, level, 1, 0, 0, share, share, 0.6875, 0.0, 0.0, 1)
                            for level, share in ((1, 0.125), (2, 0.25), (3, 0.25), (5, 0.0625))
                        ),
                    ],
                },
            ),
        )
    ),
    ByHand(
        "stages/intruder/posteriors.sql",
        {
            # Level 1 of the first class has a record in each of two files, and so has level 3 of
            # the second.
            "beliefs": values(
                BELIEFS,
                "1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 1; 1, 2, 1, 0, 0, 1, 1, 3, 1, 1, 1; 2, 2, 1, 0, 0, "
                "1, 1, 3, 1, 1, 1",
                "2, 3, 0, 1, 1, 1, 1, 3, 1, 1, 1",
            ),
            "counted": values(
                "class_key, level_code, people, counted_orig",
                "1, 1, 1, 1; 1, 2, 1, 0; 2, 2, 1, 1; 2, 3, 0, 0",
            ),
        },
        (
            believing("'1e-300'"),
            # The odds are 10 ** 600 for the level of the first person, and against that of the
            # last. The level of the second has 1 of 1 + 4 + 1.
            [
                (1, 1, 1, 1, 1.0, 1 / 3, 1),
                (1, 2, 1, 0, 1 / 6, 1 / 3, 0),
                (2, 2, 1, 1, 0.0, 1 / 3, 0),
            ],
        ),
        columns=BELIEVED,
    ),
    ByHand(
        "stages/intruder/posteriors.sql",
        {
            # Class 5: absent levels were likelier. 6: the person's level has no prior. 7: three
            # levels tie. 8: only one level has a prior.
            # 9 to 12: level 1 is less likely for people who have it (without their own record), so
            # it ties with other levels.
            "beliefs": values(
                BELIEFS,
                "5, 1, 1, 0, 0, CAST(2 AS DOUBLE), 2, 10, CAST(8 AS DOUBLE), CAST(5 AS DOUBLE), 1",
                "6, 1, 1, 0, 0, 0, 0, 4, 0, NULL, NULL; 6, 2, 0, 1, 0, 4, 4, 4, 0, NULL, NULL; 7, "
                "1, 1, 0, 0, 3, 3, 9, 6, 3, 2",
                "8, 1, 1, 0, 0, 7, 7, 7, 0, 0, 3; 9, 1, 3, 0, 0, 4, 3, 6, 0, NULL, 0; 9, 2, 2, 0, "
                "0, 3, 2, 6, 0, NULL, 0",
                "10, 1, 3, 0, 0, 4, 3, 12, 3, 3, 1; 10, 2, 2, 0, 0, 3, 2, 12, 3, 3, 1; 10, 3, 2, "
                "0, 0, 3, 2, 12, 3, 3, 1",
                "11, 1, 3, 0, 0, 4, 3, 11, 6, 3, 2; 11, 2, 1, 0, 0, 2, 1, 11, 6, 3, 2",
                "12, 1, 3, 0, 0, 4, 3, 7, 0, NULL, 0; 12, 2, 2, 0, 0, 3, 2, 7, 0, NULL, 0; 12, 3, "
                "0, 0, 0, 1, 1, 7, 0, NULL, 0",
            ),
            "counted": values(
                "class_key, level_code, people, counted_orig",
                "5, 1, 1, 1; 6, 1, 1, 1; 6, 2, 0, 0; 7, 1, 1, 1; 8, 1, 1, 1; 9, 1, 3, 3; 9, 2, 2, "
                "2",
                "10, 1, 3, 3; 11, 1, 3, 3; 12, 1, 3, 3",
            ),
        },
        (
            believing("1"),
            [
                (5, 1, 1, 1, 0.2, 0.2, 0),
                (6, 1, 1, 1, 0.0, 0.0, 0),
                (7, 1, 1, 1, 1 / 3, 1 / 3, 1 / 3),
                (8, 1, 1, 1, 1.0, 1.0, 1),
                (9, 1, 3, 3, 0.5, 0.5, 0.5),
                (9, 2, 2, 2, 1 / 3, 1 / 3, 0),
                (10, 1, 3, 3, 0.25, 0.25, 0.25),
                (11, 1, 3, 3, 3 / 11, 3 / 11, 1 / 3),
                (12, 1, 3, 3, 3 / 7, 3 / 7, 0.5),
            ],
        ),
        columns=BELIEVED,
    ),
    ByHand(
        "stages/intruder/sampled.sql",
        {
            "records": values(
                "file, record, class_key, class_key_2, t1, t2",
                "0, 1, 5, 6, 7, 8; 0, 2, 1, 2, 3, 4; 1, 1, 9, 8, 7, 6",
            ),
            "samples": values("sample, file, record", "1, 0, 1; 2, 1, 1; 2, 0, 1; 2, 0, 3"),
        },
        (
            {
                "key_columns": [
                    SimpleNamespace(name=name) for name in ("class_key", "class_key_2")
                ],
                "targets": [SimpleNamespace(id=name) for name in ("t1", "t2")],
                "records": "records",
                "samples": "samples",
            },
            [(1, 0, 1, 5, 6, 7, 8), (2, 1, 1, 9, 8, 7, 6), (2, 0, 1, 5, 6, 7, 8)],
        ),
    ),
    ByHand(
        "stages/intruder/vote_scores.sql",
        {"votes": VOTES},
        ({"attacker": "'b'", "votes": "votes"}, [(1, 1, 0.5), (1, 2, 0.5), (2, 2, 1.0)]),
        ({"attacker": None, "votes": "votes"}, [(1, 1, 1.5), (1, 2, 0.5), (2, 2, 3.0)]),
        columns="record, level_code, CAST(score AS DOUBLE)",
    ),
    ByHand(
        "stages/nearest/near_key_levels.sql",
        {
            "cells_t1": values(
                "class_key, level_code, n_orig, n_syn_1, n_orig_class",
                "7, 1, 1, 0, 2; 7, 5, 1, 0, 2; 9, 3, 6, 0, 6",
            ),
            "classes": values("class_key, n_orig", "7, 2; 9, 6; 3, 4"),
            # Level 1 is found by two sets of keys. Class 3 is in another pass.
            "near": values(
                "class_key, level_code, n_near, radius",
                "7, 1, 2, 1; 7, 1, 3, 1; 7, 2, 4, 1; 9, 3, 1, 2; 3, 1, 8, 1",
            ),
        },
        (
            {
                "class_key": "class_key",
                "key_columns": [SimpleNamespace(name="class_key")],
                "key_range": KeyRange(low=5),
                "people_files": BOTH[:1],
                "cells": "cells_t1",
                "classes": "classes",
                "neighbours": "near",
            },
            [
                (7, 1, 1, 2, 5, 9, 0, 1),
                (7, 5, 1, 2, 0, 9, 0, 1),
                (7, 2, 0, 2, 4, 9, 0, 1),
                (9, 3, 6, 6, 1, 1, 0, 2),
            ],
        ),
    ),
    met_by_sets(),
    ByHand(
        "stages/nearest/unmatched_classes.sql",
        {
            "open_classes": values("class_key", "1; 2; 3; 4"),
            "found": values("class_key, radius", "1, 1; 2, 2; 3, 1; 3, 2; 3, 2"),
            "classes": values(
                "class_key, n_orig, n_control, n_syn_1, n_syn_2",
                "1, 2, 0, 0, 0; 2, 0, 1, 0, 0; 3, 1, 0, 0, 2; 4, 0, 0, 0, 0",
            ),
        },
        *(
            (
                {
                    "key_columns": KEY_COLUMNS[:1],
                    "class_key": "class_key",
                    "found": found,
                    "radius": 2,
                    "classes": "classes",
                    "unmatched_classes": "open_classes",
                    "people_files": [BOTH[0], SimpleNamespace(count="n_control", times="")],
                    "synthetic": FILES,
                },
                expected,
            )
            for found, expected in (("found", [(1,), (4,)]), ("", [(1,), (2,)]))
        ),
    ),
    *(
        ByHand(
            f"stages/nearest/{form}.sql",
            {
                "open_classes": values("class_key, class_key_2", "1, 1; 2, 5"),
                # A cell of another synthesis is nearest to the second class. Two cells of one level
                # are equally near to the first.
                "synthetic_cells": values(
                    "class_key, class_key_2, level_code, n_syn_1, n_syn_2, n_syn_3",
                    "1, 2, 1, 2, 0, 0; 3, 1, 1, 0, 1, 0; 5, 1, 1, 2, 0, 0; 1, 3, 2, 1, 1, 9; 2, "
                    "9, 1, 0, 0, 4; 4, 5, 3, 1, 0, 0",
                    "8, 8, 1, 9, 9, 9",
                ),
                "open_near": values("class_key, class_key_2", "1, 1; 2, 5; 5, 7; 3, 9"),
                "near_levels": values(
                    "level_code, number, below_code, upto_code",
                    "1, 10, 0, 2; 2, 11, 0, 3; 3, NULL, NULL, NULL; 4, 20, 3, 4; 5, 30, 4, 8; 8, "
                    "31, 4, 8",
                ),
            },
            (
                {
                    "key_columns": KEY_COLUMNS,
                    "class_key": "class_key, class_key_2",
                    "parts": PARTS,
                    "subsets": [("k1",), ("k2",)],
                    "near_key": None,
                    "radius": 1,
                    "comparison": SimpleNamespace(members=FILES),
                    "unmatched_classes": "open_classes",
                    "synthetic_cells": "synthetic_cells",
                    "of_target": True,
                    "near_ids": (),
                },
                expected,
            ),
            # The first key has a tolerance. Its level 3 is special.
            (
                {
                    "key_columns": KEY_COLUMNS,
                    "class_key": "class_key, class_key_2",
                    "parts": PARTS,
                    "subsets": [("k1",), ("k2",)],
                    "near_key": PARTS[0],
                    "tolerance_intervals": "near_levels",
                    "radius": 1,
                    "comparison": SimpleNamespace(members=FILES),
                    "unmatched_classes": "open_near",
                    "synthetic_cells": "synthetic_cells",
                    "of_target": True,
                    "near_ids": (PARTS[0].column.id,),
                },
                [
                    (1, 1, 2, 1, 2),
                    *((2, 5, level, 1, n) for level, n in ((1, 2), (2, 2), (3, 1))),
                    (3, 9, 1, 1, 1),
                    *near,
                ],
            ),
            columns="class_key, class_key_2, level_code, radius, n_near",
        )
        for form, expected, near in (
            (
                "neighbours",  # a row for each set of keys and each near level of the key
                [(1, 1, 1, 1, 2), (1, 1, 1, 1, 3), (1, 1, 2, 1, 2), (2, 5, 3, 1, 1)],
                [(1, 1, 1, 1, 2), (1, 1, 1, 1, 3), (5, 7, 1, 1, 2), (5, 7, 1, 1, 18)],
            ),
            (
                "neighbours_by_pairs",
                [(1, 1, 1, 1, 5), (1, 1, 2, 1, 2), (2, 5, 3, 1, 1)],
                [(1, 1, 1, 1, 5), (5, 7, 1, 1, 20)],
            ),
        )
    ),
    ByHand(
        "stages/people/profiles_of_record.sql",
        {
            "spread": values(
                "class_key, n_orig, n_levels_orig, entropy_orig, l_recursive",
                "1, 9, 3, CAST('0.5' AS DOUBLE), 2",
            )
        },
        (
            {
                "class_key": "class_key",
                "target": SimpleNamespace(id="t1"),
                "profiles": "SELECT * FROM spread",
            },
            [(1, 3, 0.5, 2)],
        ),
        columns="class_key, n_levels_t1, entropy_t1, l_recursive_t1",
    ),
    ByHand(
        "stages/people/singled_out.sql",
        {
            "records": values(
                "file, record, class_key",
                "0, 9, 1; 1, 1, 1; 1, 2, 2; 1, 3, 3; 1, 4, 4; 1, 5, 5; 2, 8, 1",
            ),
            "classes": values("class_key, n_orig, n_syn", "1, 1, 1; 2, 1, 0; 4, 0, 1; 5, 1, 2"),
        },
        *(
            (
                {
                    "key_columns": KEY_COLUMNS[:1],
                    "records": "records",
                    "compared": "SELECT * FROM classes",
                    "file": SimpleNamespace(number=1),
                    "risky": "n_syn = 2",
                    "in_original": in_original,
                },
                [(record, 1)],
            )
            for in_original, record in ((False, 5), (True, 1))
        ),
    ),
    ByHand(
        "stages/results/cap_counts.sql",
        {
            "caps": values(
                "target, comparison, population, cap, n_people",
                "1, 1, 0, 5, 2; 1, 1, 1, 5, 3; 1, 1, 1, NULL, 7; 1, 1, 1, 5, 4",
            )
        },
        *(
            (
                {
                    "number": "BIGINT",
                    "quantities": [
                        SimpleNamespace(name="CAP", amount="cap", known="cap IS NOT NULL")
                    ],
                    "everybody": everybody,
                    "person_caps": "caps",
                },
                [*everybody, (1, 1, 1, "CAP", 5, 7)],
            )
            for everybody in ([], [(1, 1, 0, "CAP", 5, 2)])
        ),
    ),
    ByHand(
        "stages/results/combined_moments.sql",
        {
            "moments": values(
                "measure, point, target, comparison, population, pass_n, pass_mean, "
                "pass_deviations",
                "'m', CAST(NULL AS DOUBLE), 1, 2, 0, 2, CAST(1 AS DOUBLE), 2; 'm', NULL, 1, 2, 0, "
                "3, 4, 6",
            )
        },
        # The values 0, 2 of the first pass and 4, 4 - 3 ** 0.5, 4 + 3 ** 0.5 of the second.
        ({"mean_moments": "SELECT * FROM moments"}, [("m", None, 1, 2, 0, 5, 2.8, 18.8)]),
    ),
    ByHand(
        "stages/results/least_results.sql",
        {
            "parts": values(
                "target, comparison, population, m_least, m_value",
                "1, 2, 0, 1, 5; 1, 2, 0, 1, 7; 1, 2, 0, 3, 90",
            )
        },
        (
            {
                "measure_column": SimpleNamespace(
                    at=None, column="m", measure=SimpleNamespace(name="m", factor=1)
                ),
                "weighted": 0,
                "condition": "",
                "parts": "parts",
            },
            [("m", None, 1, 2, 0, 0, None, None, 12.0, 1.0)],
        ),
    ),
    ByHand(
        "stages/results/moments.sql",
        {
            "persons": values(
                "people_1, counted_1, each_1", "3, 2, CAST(50 AS DOUBLE); 2, 2, CAST(10 AS DOUBLE)"
            )
        },
        (
            {
                "persons": "SELECT * FROM persons",
                "measure_columns": [SimpleNamespace(column="m")],
                "placed": {"target": 2, "comparison": 4, "population": 0},
                "by": [],
            },
            # Values 50, 50, 0, 10 and 10.
            [(2, 4, 0, 5, 24.0, 2320.0)],
        ),
    ),
    ByHand(
        "stages/results/pairs.sql",
        {
            "candidates": values(
                "target, comparison, population, class_key, class_key_2, level_code, n_level, "
                "counted_orig",
                "2, 1, 0, 1, 1, 1, 10, 3; 2, 1, 0, 1, 2, 1, 10, 4; 2, 1, 1, 1, 1, 1, 10, 2; "
                "2, 2, 0, 1, 1, 2, 9, 5; 3, 1, 0, 1, 1, 1, 10, 9; 2, 1, 0, 2, 1, 3, 101, 1",
            ),
            "levels_k1": values("code, n_orig", "1, 10; 1, 9; 2, 201"),
            "levels_k2": values("code, n_orig", "1, 99; 2, 8"),
        },
        (
            {
                "parts": PARTS,
                "two_way": (5, 50),
                "two_way_candidates": "candidates",
                "levels": {f"k{n}": f"levels_k{n}" for n in (1, 2)},
            },
            # 10 of the 19 with level 1 of the first key are more than half, and so are 101 of 201.
            # 9 are fewer.
            [
                *((2, 1, 0, 1, 1, 1, 1, 7, 19), (2, 1, 1, 1, 1, 1, 1, 2, 19)),
                *((2, 1, 0, 1, 3, 2, 2, 1, 201), (3, 1, 0, 1, 1, 1, 1, 9, 19)),
                *((2, 1, 0, 2, 1, 2, 2, 4, 8), (2, 1, 0, 2, 3, 1, 1, 1, 99)),
            ],
        ),
        columns="target, comparison, population, key_number, level_code, digit, key_code, npairs, "
        "n_key",
    ),
    ByHand(
        "stages/results/one_way_candidates.sql",
        {"disclosive_levels": DISCLOSED},
        # More than 5 people, and more than half of the disclosed (not exactly half).
        *(
            (
                {"disclosive_levels": "disclosive_levels", "one_way": (5, percent)},
                [
                    (1, 1, 0, 1, 6, 9),
                    (1, 1, 1, 2, 7, 7),
                    *tied,
                    (1, 4, 0, 1, 6, 11),
                    (1, 5, 0, 2, 100, 199),
                    (2, 1, 0, 1, 50, 50),
                    (0, 1, 0, 2, 50, 50),
                ],
            )
            for percent, tied in ((50, []), (40, [(1, 3, 0, 1, 6, 12), (1, 3, 0, 2, 6, 12)]))
        ),
    ),
    ByHand(
        "stages/results/person_caps.sql",
        {
            # A class that the original lacks. A level that it lacks. Nobody with the same keys.
            # Excluded people.
            "cells": values(
                "counted_orig, share_orig, share_syn, n_syn, n_syn_class, n_orig_level, n_orig_all",
                "3, CAST(NULL AS DOUBLE), CAST('0.5' AS DOUBLE), 1, 2, 4, 20; 4, 0, 1, 1, 1, 0, 20",
                "5, '0.25', NULL, 0, 0, 1, 20; 6, '0.25', NULL, 0, 0, 1, 20; 0, 1, 1, 1, 1, 1, 20",
            )
        },
        (
            {
                "placed": {"target": 7, "comparison": 8, "population": 0},
                "by": [],
                "number": "BIGINT",
                "baseline": None,
                "distinct_cells": "SELECT * FROM cells",
            },
            [
                (7, 8, 0, 0.0, 0.5, 2.5, 3),
                (7, 8, 0, 0.0, 1.0, None, 4),
                (7, 8, 0, 0.25, None, 0.0, 11),
            ],
        ),
        columns="target, comparison, population, cap_original, cap_synthetic, lift, n_people",
    ),
    ByHand(
        "stages/tolerance/class_ranges.sql",
        {"cells_t1": CELLS, "intervals_t1": INTERVALS},
        (
            {
                "key_columns": [SimpleNamespace(name="class_key")],
                "files": BOTH,
                "comparisons": [SimpleNamespace(number=7, members=BOTH[1:])],
                "cells": "cells_t1",
                "tolerance_intervals": "intervals_t1",
            },
            # the second class is one cell
            [(1, 20, 40, 35, 50), (3, 40, 50, 35, 35), (4, 35, 50, 50, 50)],
        ),
    ),
    reaching("floating_intervals", APART, [0.1] * len(APART)),
    reaching("floating_intervals", TENTHS, [abs(each) / 10 for each in TENTHS]),
    reaching("floating_intervals", CLOSE, [0.0] * len(CLOSE)),
    reaching("exact_intervals", [-4, -2, 1, 3, 4, 8, 9, 15], [2, 2, 2, 3, 2, 1, 2, 0]),
    ByHand(
        "tables/attack_results.sql",
        {"found": ATTACKED},
        ({"attacks": "SELECT * FROM found"}, [("a", None, 3, 2, 0, 0, 2.5, 8.0, 31.25)]),
        columns="measure, point, target, comparison, population, weighted, numerator, "
        "denominator, CAST(value AS DOUBLE)",
    ),
    ByHand(
        "tables/attacks.sql",
        {"attempts": TRIALS, "guesses": GUESSES, "all_of_4": ALL_OF_4},
        (
            {"z": "1.5", "attempts": "attempts", "guesses": "guesses"},
            [
                ("a", 1, 1, 8, 5, 0, *interval(2.5, 5)),
                ("a", 2, 1, 8, 4, 0, *interval(1.0, 4)),
                ("b", 1, 1, 8, 7, 1, *interval(7.0, 7)),
                ("b", 1, 2, 9, 7, 1, *interval(1.0, 7)),
                ("b", 2, 2, 9, 3, 0, *interval(0.0, 3)),
            ],
        ),
        # Rounding would move the interval's end past 100 %.
        (
            {"z": "1.1", "attempts": "all_of_4", "guesses": "guesses"},
            [("a", 9, 1, 8, 4, 0, 4.0, 100.0, 100 * 4 / (4 + 1.21), 100.0)],
        ),
    ),
    ByHand(
        "tables/column_counts.sql",
        COUNTED,
        (
            {
                "columns": COLUMNS,
                "syntheses": FILES,
                "levels": {name[-2:]: name for name in COUNTED},
            },
            [(0, 3, 2, 2, 1, 0, 0, 2), (1, 1, 0, 1, 0, 2, 1, 1)],
        ),
    ),
    ByHand(
        "tables/differences.sql",
        {
            "results": values(
                "measure, point, target, comparison, population, weighted, numerator, "
                "denominator, value",
                "'alike', CAST(NULL AS DOUBLE), 1, 1, 0, 0, 5, 10, 50; 'alike', NULL, 1, 2, 0, 0, "
                "2, 10, 20",
                "'alone', NULL, 1, 1, 0, 0, 5, 10, 50; 'alone', NULL, 1, 2, 0, 0, 0, 1, 0",
            ),
            # The values of 'alike' differ only by rounding. A single person's values have no
            # spread.
            "moments": values(
                "measure, point, target, comparison, population, n, mean, deviations",
                "'alike', CAST(NULL AS DOUBLE), 1, 1, 0, 10, CAST(100 AS DOUBLE), CAST('5e-20' AS "
                "DOUBLE)",
                "'alike', NULL, 1, 2, 0, 10, 50, 0; 'alone', NULL, 1, 1, 0, 10, 100, 90; 'alone', "
                "NULL, 1, 2, 0, 1, 50, 0",
            ),
        },
        (
            {
                "side_rates": Inner(
                    "stages/control/side_rates.sql",
                    {
                        "z": "1.5",
                        "side_numbers": Inner(
                            "stages/control/side_numbers.sql",
                            {
                                "proportions": "FALSE",
                                "shares": "TRUE",
                                "pairs": [(SimpleNamespace(number=1), SimpleNamespace(number=2))],
                                "results": "results",
                                "moments": "SELECT * FROM moments",
                            },
                        ),
                    },
                )
            },
            [("alike", 30, 0.375, None, None), ("alone", 50, 0.5, None, None)],
        ),
        columns="measure, difference, adjusted, t, df",
    ),
    ByHand(
        "tables/histograms.sql",
        {
            "amounts": values(
                "target, comparison, population, quantity, amount, n_amount",
                "1, 2, 0, 'b', 1, 3; 1, 2, 0, 'b', 5, 4; 1, 2, 0, 'b', 7, 2; 1, 2, 0, 'a', 5, 8; "
                "1, 2, 0, 'c', 5, 9",
            )
        },
        (
            {
                "number": "BIGINT",
                "quantities": [
                    SimpleNamespace(
                        name="b",
                        bins=[
                            SimpleNamespace(number=n, begins=f"amount >= {low}")
                            for n, low in ((1, 0), (2, 5))
                        ],
                    )
                ],
                "cap_counts": "amounts",
            },
            [
                (1, 2, 0, "b", 1, 3),
                (1, 2, 0, "b", 2, 6),
                (1, 2, 0, "a", None, 8),
                (1, 2, 0, "c", None, 9),
            ],
        ),
    ),
    named_results(),
    ByHand(
        "tables/one_way.sql",
        {
            "one_way_candidates": values(
                "target, comparison, population, level_code, n_disclosed, n_total",
                "1, 1, 0, 1, 6, 9; 1, 1, 1, 2, 7, 7; 2, 1, 0, 1, 50, 50; 0, 1, 0, 2, 50, 50",
            ),
            "marginals_t1": values(
                "level_code, n_orig, n_orig_all, excluded_level",
                "0, 5, 50, 0; 1, 30, 50, 0; 2, 10, 50, 0",
            ),
            "marginals_t2": values(
                "level_code, n_orig, n_orig_all, excluded_level",
                "0, 1, 50, 0; 1, 30, 50, 0; 2, 10, 50, 1; 3, 0, 50, 0",
            ),
        },
        # Without missing levels, two levels are left in the first marginals, and one in the second.
        *(
            (
                {
                    "target": SimpleNamespace(number=1),
                    "one_way_candidates": "one_way_candidates",
                    "marginals": marginals,
                    "missing_target": missing,
                },
                []
                if missing and marginals == "marginals_t2"
                else [(1, 0, 1, 50, 60.0, 9, 6, 200 / 3), (1, 1, 2, 50, 20.0, 7, 7, 100.0)],
            )
            for missing in (False, True)
            for marginals in ("marginals_t1", "marginals_t2")
        ),
    ),
    ByHand(
        "tables/overlap.sql",
        {
            "seen": values(
                "n_orig, n_syn",
                *("1, 2", "3, 1", "4, 0", "5, 0", "1, 0", "0, 7", "0, 1", "0, 3", "0, 2"),
                *["0, 0"] * 5,  # of other files
            )
        },
        (
            {"placed": {"comparison": 3}, "by": [], "compared": "SELECT * FROM seen"},
            [(3, 2, 3, 4, 4, 10, 3, 13)],
        ),
    ),
    ByHand(
        "tables/people_copied.sql",
        {
            "copies": values(
                "comparison, of_control, change, people, records, people_released, "
                "records_of_people, uniques, pairs, uniques_released",
                *(
                    "2, 1, 0, 8, 5, 6, 3, 4, 7, 3",
                    "9, 0, 1, 16, 10, 11, 12, 13, 14, 15",
                    "3, 0, 0, 1, 2, 0, 0, 0, 5, 0",
                ),
            )
        },
        (
            {"copies": "copies"},
            [
                (2, 1, 8, 5, 6, 3, 4, 7, 3, 75.0, 60.0, 75.0),
                (3, 0, 1, 2, 0, 0, 0, 5, 0, 0.0, 0.0, None),
            ],
        ),
    ),
    ByHand(
        "tables/person.sql",
        {
            "records": values(
                "file, record, record_id, class_key, t1",
                "0, 7, 5, 1, 2; 0, 8, 5, 1, 2; 0, 9, 7, 4, 3; 1, 7, 7, 6, 6",
            )
        },
        *(
            (
                {
                    "class_key": "class_key",
                    "targets": [SimpleNamespace(id="t1")],
                    "records": "records",
                    "id": column,
                    "wanted": wanted,
                },
                expected,
            )
            for column, wanted, expected in (
                (None, 7, [(7, 1, 2)]),
                ("name", 7, [(9, 4, 3)]),
                ("name", 5, [(7, 1, 2), (8, 1, 2)]),  # two, so it can be refused
            )
        ),
    ),
    ByHand(
        "tables/protected.sql",
        {
            "people": values("place, a", "1, 'x'; 2, 'y'; 3, 'z'; 4, 'x'"),
            "singled_out": values("record, hit", "2, 1; 4, 1"),
        },
        *(
            (
                {
                    "columns": [SimpleNamespace(name="b", value="a")],
                    "flag": flag,
                    "label": None,
                    "record": "place",
                    "relation": "people",
                    "singled_out": "singled_out",
                },
                expected,
            )
            for flag, expected in (
                (None, [("x",), ("z",)]),
                ("hit", [("x", False), ("y", True), ("z", False), ("x", True)]),
            )
        ),
    ),
    ByHand(
        "tables/record_risk.sql",
        {
            "counts": values(
                "n_orig_class, class_syn, n_near_t1, n_near_class_t1, n_near_top_t1, "
                "n_near_modal_t1, n_levels_t1, entropy_t1, l_recursive_t1, excluded_t1, "
                "n_orig_t1, n_syn_t1",
                "2, 1, 3, 8, 3, 2, 3, CAST('0.5' AS DOUBLE), 2, NULL, 2, 1; 1, 1, 1, 8, 3, 2, 1, "
                "0, 1, 'missing', 1, 1; "
                # A person of the class has another level. No synthetic record has the keys.
                "3, 2, 1, 1, 1, 1, 2, 0, 1, NULL, 2, 2; 3, 0, 1, 1, 1, 1, 1, 0, 1, NULL, 3, 0; "
                "2, 3, 1, 1, 1, 1, 1, 0, 1, NULL, 2, 2",  # the synthetic records differ
            )
        },
        (
            {
                "identifiers": {},
                "known": {},
                "own_class": "n_orig_class",
                "targets": [SimpleNamespace(id="t1")],
                "shown": {"t1": ["others", "nearest", "diversity"]},
                "names": lambda name, target: f"{name}_{target.id}",
                "record_counts": "counts",
                "joined": {},
                "order": None,
            },
            [
                (2, 1, False, False, 1.0, True, 0.375, 0.5, 3, math.exp(0.5), 2, None),
                (1, 1, True, True, None, False, 0.125, 0.0, 1, 1.0, 1, "missing"),
                (3, 2, False, False, 0.5, False, 1.0, 1.0, 2, 1.0, 1, None),
                (3, 0, False, False, 1.0, False, 1.0, 1.0, 1, 1.0, 1, None),
                (2, 3, False, False, 1.0, False, 1.0, 1.0, 1, 1.0, 1, None),
            ],
        ),
        columns="* REPLACE (CAST(gcap_vote_t1 AS DOUBLE) AS gcap_vote_t1)",
    ),
    ByHand(
        "tables/reference_histogram.sql",
        {"averages": AVERAGES},
        (
            {
                "reference_averages": "averages",
                "versions": ["dcap", "matched", "tiny"],
                "n_bins": 2,
            },
            [
                (1, 0, 10.0, 30.0, 2, 0),  # the original is draw 0, at 30
                (1, 1, 30.0, 50.0, 4, 1),
                (2, 0, 7.0, 7.0, 5, 1),
                (3, 0, 0.0, 5e-10, 0, 1),
                (3, 1, 5e-10, 1e-9, 1, 0),
            ],
        ),
    ),
    ByHand(
        "tables/risky_cells.sql",
        {
            "cells": values(
                "class_key, n_orig, n_syn, counted_orig",
                "1, 2, 2, 2; 2, 3, 3, 0; 3, 5, 5, 5; 4, 9, 0, 9; 5, 5, 5, 5",
            ),
            "ties": values("class_key", "2; 159053029; 1345816757; 2147483648; 2208143526"),
        },
        (
            {
                "columns": ["class_key", "n_orig"],
                "placed": {"comparison": 7},
                "key_columns": [{"name": "class_key"}],
                "worth": False,
                "compared": "SELECT * FROM cells",
                "stage": "cells",
                "risky": "n_orig = n_syn OR n_syn = 7",
                "counted": "counted_orig",
                "marginals": "",
                "limit": 2,
            },
            [(7, 3, 5), (7, 5, 5)],
        ),
        (
            {
                "columns": ["class_key", "n_orig"],
                "placed": {"comparison": 7},
                "key_columns": [{"name": "class_key"}],
                "worth": False,
                "compared": "SELECT * FROM cells",
                "stage": "cells",
                "risky": "n_orig = n_syn",
                "counted": "counted_orig",
                "marginals": "",
                "limit": 9,
            },
            [(7, 1, 2), (7, 3, 5), (7, 5, 5)],  # nobody is counted in the second
        ),
        (
            {
                "columns": ["class_key", "n_orig", "level_code"],
                "placed": {"comparison": 7},
                "key_columns": [{"name": "class_key"}],
                "worth": False,
                "compared": (
                    "SELECT *, 3 - n_syn AS level_code FROM cells WHERE class_key < 3 OR "
                    "class_key = 4"
                ),
                "stage": "cells",
                "risky": "n_orig > 0",
                "counted": "n_orig",
                "marginals": "",
                "limit": 2,
            },
            [(7, 4, 9, 3), (7, 1, 2, 1)],  # the second's level is missing
        ),
        (
            {
                "columns": ["class_key", "n_orig", "n_level", "n_all"],
                "placed": {"comparison": 7},
                "key_columns": [{"name": "class_key"}],
                "worth": True,
                "compared": "SELECT *, class_key % 2 + 1 AS level_code FROM cells",
                "stage": "cells",
                "marginals": (
                    "(SELECT 1 AS level_code, 9 AS n, 20 AS n_all UNION ALL SELECT 2, "
                    "18, 20) AS levels"
                ),
                "original": {"count": "n", "count_all": "n_all"},
                "risky": "n_orig > 0",
                "counted": "counted_orig",
                "limit": 2,
            },
            [
                (7, 4, 9, 9, 20),
                (7, 5, 5, 18, 20),
            ],  # the rarer level, then most people (the third ties)
        ),
        *(
            (
                {
                    "placed": {"comparison": 7},
                    "key_columns": [{"name": "class_key"}],
                    "worth": True,
                    "columns": ["class_key"],
                    "compared": "SELECT class_key, 1 AS n_level, 1 AS n_orig FROM ties",
                    "stage": "classes",
                    "risky": "n_orig > 0",
                    "counted": "n_orig",
                    "marginals": "",
                    "limit": limit,
                },
                # by 30966, 34499, 39092, 506952123 and 1327217885, Lehmer's numbers of these keys
                [(7, key) for key in (2208143526, 159053029, 1345816757, 2, 2147483648)[:limit]],
            )
            for limit in (2, 3, 4)
        ),
    ),
    ByHand(
        "tables/sweep_contributions.sql",
        {"sweep_results": CHANGES, "sweep_steps": STEPS},
        (
            {"sweep_results": "sweep_results", "sweep_steps": "sweep_steps"},
            [
                (1, 1, 2, 4.5, 2.0, 7.0),
                (1, 2, 2, 16e-12, 12e-12, 2e-11),
                (2, 1, 1, -5.0, -5.0, -5.0),
                (2, 2, 1, 0.0, 0.0, 0.0),
            ],
        ),
    ),
    ByHand(
        "tables/sweep_results.sql",
        {
            "results": SWEPT,
            "heads": HEADS,
            # in two passes
            "overlap": values("comparison, records_only_original", "1, 2; 1, 3; 2, 4; 2, 5; 4, 99"),
        },
        (
            {
                "subset": 9,
                "key_length": 2,
                "tallies": [
                    *(
                        {"number": number, "name": "'m'", "at": at}
                        for number, at in enumerate((80, 50, 90), start=1)
                    ),
                    {"number": 4, "name": "'n'", "at": None},
                ],
                "summaries": [
                    {
                        "comparison": 3,
                        "column": "mean",
                        "query": "FROM results WHERE value = 40",
                        "aggregate": "AVG",
                        "singles": [1, 2],
                    }
                ],
                "results": "results",
                "overlap": "overlap",
                "sweep_heads": "heads",
            },
            [
                (9, 1, 1.0, 10.0, 10.0, 5.0),
                (9, 2, 2.0, 10.0, 20.0, 5.0),
                (9, 3, 4.0, 10.0, 40.0, 5.0),
                (9, 4, 6.0, 10.0, 60.0, 5.0),
                (9, 5, 0.0, 0.0, None, 9.0),  # nobody
                (9, 6, None, None, 45.0, 7.0),
                (9, 7, 8.0, 10.0, 80.0, 5.0),
                (9, 9, 9.0, 10.0, 90.0, 5.0),
            ],
        ),
    ),
    ByHand(
        "tables/sweep_summary.sql",
        {"sweep_results": SPREAD, "sweep_subsets": SIZES},
        (
            {"sweep_results": "sweep_results", "sweep_subsets": "sweep_subsets"},
            [
                (1, 1, 3, 0, 3.0, (14 / 3) ** 0.5, 1.0, 6.0, 2.0),
                (1, 2, 1, 1, None, None, None, None, 6.0),
                (2, 1, 2, 0, 10.0, 12e-12, 10.0, 10.0, 0.0),
                (3, 1, 2, 0, 10.0, 0.0, 10.0, 10.0, 0.0),
                (3, 2, 1, 0, 7.0, 0.0, 7.0, 7.0, 2.0),
            ],
        ),
    ),
    ByHand(
        "tables/top_level.sql",
        {"compared_cells": COMPARED},
        *(
            (
                {
                    "compared": "SELECT * FROM compared_cells",
                    "key_columns": KEYS,
                    "codes": {"k": k},
                },
                [expected],
            )
            for k, expected in (
                (1, (2, 5, 2)),
                (2, (1, 9, 1)),
                (3, (None, None, 0)),
                (4, (1, 1, 1)),
            )
        ),
    ),
    ByHand(
        "tables/trend.sql",
        {"results": POINTS},
        (
            fitting(POOLED),
            [
                (
                    "near",
                    None,
                    1,
                    0,
                    0,
                    3,
                    7.5e-10,
                    4.330127e-10,
                    3**0.5,
                    50.0,
                    9.354143e-10,
                    50 / 9.354143e-10,
                ),
                (
                    "risen",
                    None,
                    1,
                    0,
                    0,
                    3,
                    1.5,
                    (1 / 12) ** 0.5,
                    27**0.5,
                    -2 / 3,
                    (7 / 18) ** 0.5,
                    -((8 / 7) ** 0.5),
                ),
                ("same", None, 1, 0, 0, 3, 0.0, 0.0, None, 50.0, 0.0, None),
            ],
        ),
        (
            fitting(POOLED[::2]),
            [(name, None, 1, 0, 0, 2, *[None] * 6) for name in ("near", "none", "risen", "same")],
        ),
    ),
    ByHand(
        "tables/two_way.sql",
        {
            # The codes of two keys are in the first column of the class key, as 1 and 3 times the
            # code.
            "records": values(
                "file, class_key, class_key_2, t1",
                *(
                    *["0, 4, 1, 1"] * 4,
                    "0, 7, 1, 1",
                    "0, 5, 2, 1",
                    "0, 1, 1, 2",
                    *["0, 4, 2, 2"] * 2,
                    *["1, 4, 1, 1"] * 9,
                ),
            ),
            "pairs": values(
                "target, comparison, population, key_number, level_code, digit, key_code, "
                "npairs, n_key",
                "1, 1, 0, 1, 1, 1, 1, 3, 8; 1, 1, 0, 2, 1, 3, 1, 2, 9; 1, 1, 0, 3, 1, 1, 1, 2, 6",
                "1, 1, 0, 1, 2, 1, 1, 1, 8; 1, 1, 0, 3, 2, 2, 2, 1, 3; 1, 1, 0, 3, 1, 2, 2, 1, 3",
                # the last two are of other targets
                "1, 1, 0, 2, 1, 0, 0, 1, 2; 0, 1, 0, 1, 1, 1, 1, 3, 8; 2, 1, 0, 1, 1, 1, 1, 3, 8",
            ),
            "cells_t1": values(
                "class_key, class_key_2, level_code, n_orig",
                "4, 1, 1, 4; 7, 1, 1, 1; 5, 2, 1, 1; 1, 1, 2, 1; 4, 2, 2, 2; 4, 1, 2, 0",
            ),
        },
        *(
            (
                {
                    "key_runs": key_runs(
                        [part for each in pack(NUMBERED_KEYS, [3, 3, None]) for part in each.parts]
                    ),
                    "records": "records",
                    "cells": cells,
                    "original": SimpleNamespace(count="n_orig"),
                    "target": SimpleNamespace(id="t1", number=1),
                    "pairs": "pairs",
                    "two_way": (0, percent),
                },
                [(1, 0, 3, 1, 1, 2, 5, 6, 500 / 6), (1, 0, 3, 2, 2, 1, 2, 3, 200 / 3), *more],
            )
            for cells in ("", "cells_t1")
            for percent, more in (
                ("50", [(1, 0, 1, 1, 1, 3, 5, 8, 62.5), (1, 0, 2, 1, 1, 2, 5, 9, 500 / 9)]),
                ("62", [(1, 0, 1, 1, 1, 3, 5, 8, 62.5)]),
                *((percent, []) for percent in ("62.5", "63")),
            )
        ),
        columns="comparison, population, key_number, level_code, key_code, npairs, "
        "key_target_total, key_total, percent",
    ),
    *(
        ByHand(
            "uniques/dis_suda.sql",
            {
                # One record with 1 point, perhaps two with 2 points, and one without a point: no
                # keys single it out.
                "scores": values("points, suda_score", *("1, CAST(1 AS DOUBLE)", *more, "0, 0")),
                "classes": values("n_orig", "1; 0; 3", *("2" for _ in range(0, n_paired, 2))),
            },
            (
                {
                    "fraction": "'0.25'",
                    "exponent": 2,
                    "count": "n_orig",
                    "suda_scores": "scores",
                    "classes": "classes",
                },
                expected,
            ),
        )
        for n_paired, more, expected in (
            (0, [], [(1, 1.0, 1, 1.0)]),
            (2, [], [(1, 1.0, 1, 1 / 7)]),
            # 1 / 1 + 2 / 4 is the sum of 1 / score ** 2.
            (
                4,
                ["2, 2", "2, 2"],
                [(1, 1.0, 1, 1 / (1 + 12 / 1.5)), (2, 2.0, 2, 1 / (1 + 12 / 4 / 1.5))],
            ),
        )
    ),
    ByHand(
        "uniques/minimal_uniques.sql",
        {
            # Levels 1, 5 and 6 of the first key have one record, level 2 has two classes, level 3
            # two records. Level 0 is missing. Nobody is in the second class of level 1.
            "classes": values(
                "class_key, class_key_2, class_key_3, n_orig",
                "1, 1, 1, 1; 1, 2, 1, 0; 2, 1, 1, 1; 2, 2, 1, 1; 3, 1, 1, 2; 5, 0, 1, 1; 0, 1, 1, "
                "1; 6, 1, 1, 1",
            ),
            # Class 6 is found without keys, and the second class of level 2 by the second key. A
            # set with the third key is part of no chosen set.
            "smaller": values(
                "class_key, class_key_2, class_key_3, has_k1, has_k2, has_k3, n_keys",
                "6, 1, 1, 0, 0, 0, 0; 2, 2, 1, 0, 1, 0, 1; 5, 0, 1, 0, 1, 0, 1; 1, 1, 1, 0, 0, 1, "
                "1",
            ),
        },
        *(
            (
                {
                    "key_columns": THREE_COLUMNS,
                    "class_key": "class_key, class_key_2, class_key_3",
                    "parts": THREE_PARTS,
                    "chosen": THREE_PARTS[:number],
                    "groups": ["class_key", "class_key_2"][:number],
                    "missing": PARTS[:number],
                    "count": "n_orig",
                    "classes": "classes",
                    "minimal_uniques": "smaller",
                },
                expected,
            )
            for number, expected in (
                (1, [(1, 1, 1, 1, 0, 0, 1), (5, 0, 1, 1, 0, 0, 1)]),
                (2, [(1, 1, 1, 1, 1, 0, 2), (2, 1, 1, 1, 1, 0, 2)]),
            )
        ),
    ),
    ByHand(
        "stages/encoding/records_in_parts.sql",
        {"records": values("file, class_key", *(f"{key % 2}, {key}" for key in range(8)))},
        *(
            (
                {"records": "SELECT file, class_key FROM records", "lows": lows},
                [(key % 2, key, sum(key >= low for low in lows)) for key in range(8)],
            )
            for lows in ([4], [2, 3], [1, 2, 4, 5, 6])
        ),
    ),
    ByHand(
        "uniques/own_classes.sql",
        {"records": values("file, class_key", "0, 1; 1, 1; 1, 1; 1, 2; 2, 3")},
        (
            {"class_key": "class_key", "records": "records", "file": SimpleNamespace(number=1)},
            [(1, 2), (2, 1)],
        ),
    ),
    *(
        ByHand(
            "uniques/special_uniques.sql",
            {
                "classes": values(
                    "class_key, n_orig",
                    *(f"{number}, 1" for number in range(1, uniques + 1)),
                    "21, 0; 22, 2",
                ),
                "scores": values(
                    "class_key, points, suda_score",
                    *(f"{one}, {n}, CAST({n} AS DOUBLE)" for one, n in scores),
                    "21, 99, 99",
                ),
            },
            (
                {
                    "key_columns": KEY_COLUMNS[:1],
                    "class_key": "class_key",
                    "count": "n_orig",
                    "classes": "classes",
                    "suda_scores": "scores",
                },
                expected,
            ),
            columns="class_key, suda_score",
        )
        for uniques, scores, expected in (
            (20, ((3, 9), (5, 8), (7, 7), (9, 7)), [(3, 9.0), (5, 8.0)]),
            (11, ((3, 9), (5, 8)), [(3, 9.0), (5, 8.0)]),
            (2, ((1, 1),), [(1, 1.0)]),
            (1, (), [(1, 0.0)]),  # no keys single it out
        )
    ),
    ByHand(
        "uniques/uniques.sql",
        {"classes": values("n_orig, n_syn", "1, 0; 1, 2; 0, 1; 3, 0; 0, 2")},
        ({"count": "n_orig", "fraction": "'0.5'", "classes": "classes"}, [(3, 2, 0, 1.0)]),
        (
            {"count": "n_syn", "fraction": "'0.25'", "classes": "classes"},
            [(3, 1, 4, 0.25 / (0.25 + 3))],
        ),
    ),
)
