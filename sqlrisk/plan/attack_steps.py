"""The steps that count the guesses of attackers. Each attacker is one SQL file in
``sql/attackers``.

A file has a TOML header in a comment, then one query. The query returns a row per class of people
and level that the attacker considers, with a ``score``. All scores are used alike: the highest wins
and ties share (`best_guesses.sql`), or levels are drawn in proportion (`drawn_guesses.sql`).
"""

from collections.abc import Iterator, Sequence
from itertools import product
from statistics import NormalDist

from sqlrisk.catalogue import templates
from sqlrisk.catalogue.attackers import Attacker
from sqlrisk.plan.class_key import key_runs
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import Step, fill, in_pass
from sqlrisk.plan.subsets.nearness import EQUAL


def training_steps(layout: Layout, target: Column) -> Iterator[Step]:
    """Count the levels of each key together with those of a target in every file, for attackers to
    learn from. Needed once per run.
    """
    names = {
        **layout.names,
        "key_runs": key_runs(layout.parts),
        "target": target,
        "key_run_counts": "key_run_counts",
    }
    yield in_pass("training", "key_run_counts", "stages/intruder/key_run_counts.sql", **names)
    yield fill("training", table("key_counts", target), "stages/intruder/key_counts.sql", **names)


def size_step(layout: Layout, comparison: Comparison) -> Step:
    """Count, for one comparison, the levels of each key that people or synthetic records have.
    Needed once per run.
    """
    names = {"comparison": comparison, "keys": layout.keys, "levels": layout.dictionaries}
    return fill("training", "key_sizes", "stages/intruder/key_sizes.sql", **names)


def guess_step(layout: Layout, attacker: Attacker, comparison: Comparison, target: Column) -> Step:
    """Count people by the share of an attacker's guess that falls on their true level.

    If the attacker knows the keys, each pass needs this step. The step reads ``classes`` and
    ``cells`` of the pass, and the tables from `training_steps` and `size_step`. The keys are those
    of ``layout.key_columns``. They may be a subset of the keys in the training counts.
    """
    key_columns = layout.key_column_names if attacker.knows == "keys" else []
    count = comparison.people.count
    relation = table("marginals" if attacker.baseline else "cells", target)
    return fill(
        f"attackers of {target.name}",
        "guesses",
        f"stages/intruder/{attacker.picks}_guesses.sql",
        attacker=templates.literal(attacker.name),
        target_number=target.number,
        comparison=comparison,
        unit=key_columns,
        scores=scores(layout, attacker, comparison, target),
        people=f"SELECT {', '.join([*key_columns, 'level_code'])}, {count} AS n_people FROM "
        f"{relation} WHERE {count} > 0",
    )


def scores(
    layout: Layout,
    attacker: Attacker,
    comparison: Comparison,
    target: Column,
    people: str | None = None,
) -> str:
    """Return an attacker's own query: a score for each class and level that it considers.

    ``people`` is a query of the classes to guess for. By default these are the classes of the pass
    that have people of the comparison.
    """
    if people is None:
        people = f"SELECT {layout.class_key} FROM classes WHERE {comparison.people.count} > 0"
    n_syn = " + ".join(file.count for file in comparison.members)
    cells = (
        f"SELECT {layout.class_key}, level_code, {n_syn} AS n_syn FROM "
        f"{table('cells', target)} WHERE {n_syn} > 0"
    )
    keys = ", ".join(str(part.column.number) for part in layout.parts)
    sizes = (
        f"SELECT key_number, n_levels FROM key_sizes WHERE comparison = {comparison.number} "
        f"AND key_number IN ({keys})"
    )
    counted = {name: table(name, target) for name in ("marginals", "key_counts")}
    names = {**counted, "comparison": comparison, "parts": layout.parts}
    training_levels = templates.stage("stages/intruder/training_levels.sql", **names)
    training_keys = templates.stage("stages/intruder/training_keys.sql", **names)
    return templates.stage(
        f"attackers/{attacker.name}.sql",
        **layout.names,
        parts=layout.parts,
        people=f"({people})",
        training_cells=f"({cells})",
        neighbours=EQUAL.neighbours(layout, comparison, target)
        if "neighbours" in attacker.tables
        else "",
        training_levels=templates.nested(training_levels),
        training_keys=templates.nested(training_keys),
        key_sizes=f"({sizes})",
    )


def attempt_step(
    attacker: str,
    comparison: Comparison,
    target: Column,
    trained: int,
    tested: int,
    *,
    sampled: bool,
) -> Step:
    """Record an attempt of an attacker: the number of people it is tested on, and of records it
    learned from. ``sampled`` is True if these are samples.
    """
    sql = (
        f"SELECT {templates.literal(attacker)} AS attacker, {target.number} AS target, "
        f"{comparison.number} AS comparison, CAST({trained} AS BIGINT) AS trained, CAST({tested} "
        f"AS BIGINT) AS tested, {int(sampled)} AS sampled"
    )
    return Step("attackers", "attempts", sql)


def accuracies(confidence: float) -> str:
    """Return the query of how often each attempt was right, with its confidence interval."""
    z = templates.literal(NormalDist().inv_cdf((1 + confidence) / 2))
    return templates.stage("tables/attacks.sql", z=z, attempts="attempts", guesses="guesses")


def work(layout: Layout, chosen: Sequence[Attacker], classes: int, levels: dict[str, int]) -> int:
    """Return the work of attackers: the number of levels that they look at, over all classes and
    comparisons. Baselines look at none.

    ``levels`` maps the id of a target to its number of levels.
    """
    pairs = product((each for each in chosen if not each.baseline), layout.targets)
    looks = sum(each.looks(len(layout.keys), levels[target.id]) for each, target in pairs)
    return classes * looks * len(layout.comparisons)
