"""Test files that resemble records of real people: 6 keys and 5 targets. Two files of 10 million
records have 11 million classes. Files are made once, under .bench.
"""

from importlib.metadata import version
from pathlib import Path

from benchmark.children import CACHE, write

KEYS = ("sex", "age", "region", "occupation", "marital", "ward")
TARGETS = ("tenure", "income_band", "health", "workabroad", "education")
VERSION = 1  # of the records: changed with RECORDS_SQL, so that cached files are made again

# Keys of 2 to 2,000 levels, skewed and correlated as people are, 2 % without an occupation. Targets
# depend on them. The numbers come from a hash of the row, so the rows do not depend on the number
# of threads.
RECORDS_SQL = """
WITH draws AS (SELECT {draws} FROM range({first}, {first} + {records}) AS row(i))
SELECT
    CASE WHEN u1 < 0.5 THEN 'M' ELSE 'F' END AS sex,
    16 + floor(u2 * u2 * 81)::INTEGER AS age,
    'Region ' || lpad(floor(u3 * u3 * 40)::INTEGER::VARCHAR, 2, '0') AS region,
    CASE WHEN u6 >= 0.02 THEN 'Occupation group ' || floor(u4 * u4 * u4 * 61)::INTEGER END
        AS occupation,
    ['Single', 'Married', 'Divorced', 'Widowed', 'Separated', 'Civil']
        [1 + floor(u5 * sqrt(u2) * 6)::INTEGER] AS marital,
    'Ward ' || (floor(u3 * u3 * 40)::INTEGER * 50 + floor(u6 * u6 * 50)::INTEGER) AS ward,
    'Tenure ' || floor((u5 * 0.7 + u8 * 0.3) * 7)::INTEGER AS tenure,
    'Band ' || floor((u4 * 0.6 + u7 * 0.4) * 21)::INTEGER AS income_band,
    floor(u9 * u4 * 11)::INTEGER AS health,
    CASE WHEN u10 > 0.9 THEN 'YES' ELSE 'NO' END AS workabroad,
    'Edu ' || floor((u2 * 0.5 + u9 * 0.5) * 10)::INTEGER AS education
FROM draws
"""


def make_pair(records: int) -> tuple[Path, Path]:
    """Return the paths of an original and a synthetic file with this many records each. Make
    missing files.
    """
    original, synthetic = make_files(records, 1)
    return original, synthetic


def make_files(records: int, syntheses: int) -> list[Path]:
    """Return the paths of an original and of synthetic files with this many records each. Make
    missing files.
    """
    folder = CACHE / f"{records}-v{VERSION}-duckdb{version('duckdb')}"
    names = [
        "original",
        "synthetic",
        *(f"synthetic_{number}" for number in range(2, syntheses + 1)),
    ]
    paths = [folder / f"{name}.parquet" for name in names]
    for number, path in enumerate(paths):
        draws = ", ".join(
            f"hash((i * 2 + {number % 2}) * 16 + {n}) / 18446744073709551616.0 AS u{n}"
            for n in range(1, 11)
        )
        write(path, RECORDS_SQL.format(draws=draws, records=records, first=number // 2 * records))
    return paths
