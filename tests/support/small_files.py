"""Small files for the examples in docstrings: 200 people, two syntheses and a control file, with
sex, age, region, income and ill.
"""

from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq

PEOPLE = 200


def write(folder: Path) -> None:
    """Write original.parquet, syn_1.parquet, syn_2.parquet, control.parquet, scenario.toml and
    policy.toml.
    """
    for seed, name in enumerate(("original", "syn_1", "syn_2", "control")):
        draw = Random(seed).random  # noqa: S311 - people made up, the same each time
        age = [20 + int(draw() * 50) for _ in range(PEOPLE)]
        columns = {
            "sex": ["F" if draw() < 0.5 else "M" for _ in age],
            "age": age,
            "region": [("north", "south", "west")[int(draw() * 3)] for _ in age],
            "income": [100 * int(10 + draw() * each) for each in age],
            "ill": ["yes" if draw() * each > 40 else "no" for each in age],
        }
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    files = 'original = "original.parquet"\nsynthetic = ["syn_1.parquet"]\n'
    question = 'keys = ["sex", "age"]\ntargets = ["ill"]\n'
    (folder / "scenario.toml").write_text(files + question, encoding="utf-8")
    rule = '[[rule]]\nrule = "repU <= 20"\nreason = "Few are to be found by who they are."\n'
    (folder / "policy.toml").write_text(f'name = "Board"\n{rule}', encoding="utf-8")
