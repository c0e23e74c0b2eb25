"""Attackers in SQL: reads ``sql/attackers``, one attacker a file, and says by which steps their guesses are counted.

A file is a TOML header in a comment and one query: a row per class of people and level that it considers, with a ``score``. What
becomes of the scores (the highest wins and ties share, or levels are drawn in proportion) is `sql/stages/guesses.sql` for all.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import NormalDist

from sqlrisk import plan, render, toml
from sqlrisk.errors import InputError
from sqlrisk.layout import Column, Comparison, Layout, spans, table
from sqlrisk.plan import Step
from sqlrisk.resources import sql_folder
from sqlrisk.suggest import suggestion

WORK = ("1", "keys", "levels", "levels * keys")  # what an attacker looks at for one class
_REQUIRED = {"name": str, "title": str, "source": str, "order": int, "says": str}
_OPTIONAL = {"knows": ("keys", "nothing"), "picks": ("best", "drawn"), "work": WORK, "needs": ("", "neighbours")}
_FILE = re.compile(r"\A/\*---\n(?P<header>.*?)\n---\*/\n(?P<body>.*)\Z", re.DOTALL)


@dataclass(frozen=True)
class Attacker:
    """One attacker: what its file says.

    Attributes:
        name: also the name of its file.
        title, source, says: from the header; ``says`` is a sentence with ``{target}`` and ``{keys}``.
        knows: ``keys``, or ``nothing`` of a person but how the target is distributed: then it guesses the same for everybody.
        picks: ``best``, the level with the highest score, ties shared evenly; ``drawn``, levels in proportion to their scores.
        work: what it looks at for one class, one of ``WORK``.
        needs: ``neighbours``: the tables that `sqlrisk.nearest` makes have to be there; or empty.
    """

    name: str
    title: str
    source: str
    order: int
    says: str
    knows: str
    picks: str
    work: str
    needs: str
    sql: str

    @property
    def baseline(self) -> bool:
        """Whether it knows nothing of a person, so that others are compared with it."""
        return self.knows == "nothing"

    def looks(self, keys: int, levels: int) -> int:
        """How much it looks at for one class."""
        return {"1": 1, "keys": keys, "levels": levels, "levels * keys": levels * keys}[self.work]


@lru_cache(maxsize=1)
def attackers() -> tuple[Attacker, ...]:
    """All attackers, in their order.

    Raises:
        InputError: a file does not have the form of an attacker.
    """
    found = [load(path) for path in sorted((sql_folder() / "attackers").glob("*.sql"))]
    return tuple(sorted(found, key=lambda each: (each.order, each.name)))


def load(path: Path) -> Attacker:
    """One attacker from its file. Raises InputError that names the file and what is wrong in it."""
    text = toml.text_of(path, path.name)
    match = _FILE.match(text)
    if not match:
        raise InputError(f"{path.name}: an attacker starts with a header between '/*---' and '---*/', each on a line of its own.")
    header = toml.read(match["header"], f"{path.name}: the header")
    problems = [f"the header lacks {key!r}" for key in _REQUIRED if key not in header]
    problems += [
        f"unknown header key {key!r}{suggestion(key, [*_REQUIRED, *_OPTIONAL])}"
        for key in header
        if key not in _REQUIRED and key not in _OPTIONAL
    ]
    problems += [
        f"{key!r} must be a {kind.__name__}" for key, kind in _REQUIRED.items() if key in header and type(header[key]) is not kind
    ]
    problems += [
        f"{key} {header[key]!r} is none of {', '.join(known)}"
        for key, known in _OPTIONAL.items()
        if key in header and header[key] not in known
    ]
    if "name" in header and header["name"] != path.stem:
        problems.append(f"the attacker {header['name']!r} belongs in a file of that name")
    if not re.search(r"\bAS score\b", match["body"]):
        problems.append("the query must give each class (class key), level_code and score")
    if problems:
        raise InputError([f"{path.name}: {problem}." for problem in problems])
    return Attacker(
        **{key: header[key] for key in _REQUIRED},
        **{key: header.get(key, known[0]) for key, known in _OPTIONAL.items()},
        sql=text,
    )


def training_steps(layout: Layout, target: Column) -> Iterator[Step]:
    """Each key with a target, counted in every file: what attackers learn from. Once a run, whatever the passes."""
    grouped = spans(layout.parts)
    counted = render.stage(
        "stages/span_counts.sql", spans=grouped, files=layout.files, target=target, records="records"
    )  # fmt: skip
    yield Step("training", "span_counts", counted, temporary=True)
    sql = render.stage("stages/key_counts.sql", spans=grouped, files=layout.files, span_counts="span_counts")
    yield Step("training", table("key_counts", target), sql)


def size_step(layout: Layout, comparison: Comparison) -> Step:
    """How many levels each key has for a comparison. Once a run."""
    levels = {key.id: table("levels", key) for key in layout.keys}
    sql = render.stage("stages/key_sizes.sql", comparison=comparison, keys=layout.keys, levels=levels)
    return Step("training", "key_sizes", sql)


def guess_step(layout: Layout, attacker: Attacker, comparison: Comparison, target: Column) -> Step:
    """The people by the share of an attacker's guess that their true level has; of one pass, if it knows the keys.

    Reads ``classes`` and ``cells`` of the pass, and what `training_steps` and `size_step` made. The keys are those of
    ``layout.limbs``: a part of the keys that the training counts were made of will do.
    """
    limbs = [limb.name for limb in layout.limbs] if attacker.knows == "keys" else []
    count = comparison.people.count
    relation = table("marginals" if attacker.baseline else "cells", target)
    people = f"SELECT {', '.join([*limbs, 'level_code'])}, {count} AS n_people FROM {relation} WHERE {count} > 0"
    sql = render.stage(
        "stages/guesses.sql",
        attacker=render.literal(attacker.name),
        target_number=target.number,
        comparison=comparison,
        unit=limbs,
        drawn=attacker.picks == "drawn",
        scores=scores(layout, attacker, comparison, target),
        people=people,
    )
    return Step(f"attackers of {target.name}", "guesses", sql)


def scores(layout: Layout, attacker: Attacker, comparison: Comparison, target: Column, people: str | None = None) -> str:
    """An attacker's own query: a score for each class and level that it considers.

    ``people``: a query of the classes that it guesses for; by default those of the pass with people of the comparison.
    """
    names = {"comparison": comparison, "parts": layout.parts}
    if people is None:
        people = f"SELECT {layout.class_key} FROM classes WHERE {comparison.people.count} > 0"
    n_syn = " + ".join(file.count for file in comparison.members)
    cells = f"SELECT {layout.class_key}, level_code, {n_syn} AS n_syn FROM {table('cells', target)} WHERE {n_syn} > 0"
    keys = ", ".join(str(part.column.number) for part in layout.parts)
    sizes = f"SELECT key_number, n_levels FROM key_sizes WHERE comparison = {comparison.number} AND key_number IN ({keys})"
    return render.stage(
        f"attackers/{attacker.name}.sql",
        limbs=layout.limbs,
        class_key=layout.class_key,
        parts=layout.parts,
        people=f"({people})",
        training_cells=f"({cells})",
        neighbours=plan.neighbours(layout, comparison, target) if attacker.needs else "",
        training_levels=_nested(render.stage("stages/training_levels.sql", marginals=table("marginals", target), **names)),
        training_keys=_nested(render.stage("stages/training_keys.sql", key_counts=table("key_counts", target), **names)),
        key_sizes=f"({sizes})",
    )


def attempt_step(attacker: str, comparison: Comparison, target: Column, trained: int, tested: int, *, sampled: bool) -> Step:
    """That an attacker is tried: on how many people, after learning from how many records."""
    sql = (
        f"SELECT {render.literal(attacker)} AS attacker, {target.number} AS target, {comparison.number} AS comparison, "
        f"CAST({trained} AS BIGINT) AS trained, CAST({tested} AS BIGINT) AS tested, {int(sampled)} AS sampled"
    )
    return Step("attackers", "attempts", sql)


def accuracies(confidence: float) -> str:
    """The query of how often each attempt was right, with its interval."""
    z = render.literal(NormalDist().inv_cdf((1 + confidence) / 2))
    return render.stage("tables/attacks.sql", z=z, attempts="attempts", guesses="guesses")


def work(layout: Layout, chosen: Sequence[Attacker], classes: int, levels: dict[str, int]) -> int:
    """How much attackers look at: for each comparison and each of so many classes, levels of the targets (by id) and keys."""
    looks = sum(
        each.looks(len(layout.keys), levels[target.id]) for each in chosen if not each.baseline for target in layout.targets
    )
    return classes * looks * len(layout.comparisons)


def _nested(sql: str) -> str:
    return "(\n    " + sql.replace("\n", "\n    ") + "\n)"
