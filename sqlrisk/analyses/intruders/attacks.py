"""Run an `Attack`: guess the people's targets from a file, count the correct guesses, and make the
rows of `sqlrisk attack`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod

import pyarrow as pa

from sqlrisk.analyses import assessment, limits, neighbours
from sqlrisk.analyses.intruders import learners
from sqlrisk.analyses.intruders.attack_request import (
    ENSEMBLE,
    ENSEMBLE_SAYS,
    NEAREST,
    USED,
    Attack,
    settings,
)
from sqlrisk.analyses.intruders.learners import Numbers
from sqlrisk.analyses.intruders.samples import Sample, coded, draw, numbers_of
from sqlrisk.analyses.preparation.column_types import column_labels
from sqlrisk.analyses.preparation.encoding import record_all
from sqlrisk.analyses.session import Session
from sqlrisk.catalogue import attackers, templates
from sqlrisk.plan import attack_steps, comparisons, pass_tables
from sqlrisk.plan.class_key import KeyRange
from sqlrisk.plan.columns import Column, table
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import Step
from sqlrisk.report.results.attacks import Attacks


def run(attack: Attack, session: Session) -> Attacks:
    """Train every attacker on every file and test it on the people. Raises the errors of
    `sqlrisk.attack`.

    The training files are the syntheses, their pools, and the files of people.
    """
    encoded = layout = assessment.begin(attack.question, session, numbered=bool(attack.models))
    plans = [(each.label, each.method, each.members, each.single) for each in layout.of_original]
    plans += [(file.who, "", (file,), True) for file in layout.people_files]
    # Each file of people is attacked with each training file or pool.
    pairs = enumerate(product(layout.people_files, plans), start=1)
    layout = replace(
        layout,
        comparisons=tuple(Comparison(number, *plan, people) for number, (people, plan) in pairs),
    )
    passes = record_all(layout, session)
    unfinished = attempt(attack, layout, passes, session, overlap=encoded.singles)
    assessed, *_ = assessment.assess(encoded, session)
    given = layout.scenario.settings()
    return Attacks(
        assessment=assessed,
        settings={**{name: given[name] for name in given if name in USED}, **settings(attack)},
        files=_files(layout, session),
        library=learners.version() if attack.models else None,
        words=_words(attack, layout),
        labels=column_labels(
            layout.columns, layout.scenario, attack.question.sources, session.engine
        ),
        rows=_rows(attack, layout, session, unfinished),
    )


def attempt(
    attack: Attack,
    layout: Layout,
    passes: Sequence[KeyRange],
    session: Session,
    *,
    overlap: Sequence[Comparison] = (),
) -> set[tuple[str, int, int]]:
    """Train every attacker on the files of each comparison of a layout, and test it on the people.

    The records must exist, numbered if there are models. This makes the tables that
    `attack_steps.accuracies` reads. For the comparisons in ``overlap``, also count the classes that
    both sides share. Returns (model, target number, comparison number) of each training that did
    not converge. Raises InputError above the work limit.
    """
    _require_work(attack, layout, session)
    samples = draw(attack, layout, session) if attack.models else {}
    if attack.votes or any("neighbours" in each.tables for each in attack.chosen):
        neighbours.find(layout, layout.of_original, passes, session)
    session.create(_steps(attack, layout, samples, passes, overlap))
    return _learn(attack, layout, samples, session) if attack.models else set()


def as_results(layout: Layout) -> Step:
    """Return the step that adds the attackers' correct guesses to the results, as if each attacker
    were a measure.
    """
    sql = templates.stage(
        "tables/attack_results.sql", attacks=attack_steps.accuracies(layout.scenario.confidence)
    )
    return Step("results", "results", sql)


def _steps(
    attack: Attack,
    layout: Layout,
    samples: Mapping[tuple[int, ...], Sample],
    passes: Sequence[KeyRange],
    overlap: Sequence[Comparison],
) -> Iterator[Step]:
    """Yield the steps of every attacker in SQL, and of the votes of the nearest records.

    For the comparisons in ``overlap``, also count the classes that both sides share. Baselines know
    nothing about a person, so they need no pass over the cells.
    """
    knowing = [each for each in attack.chosen if not each.baseline]
    for comparison in layout.comparisons:
        if any("key_sizes" in each.tables for each in knowing):
            yield attack_steps.size_step(layout, comparison)
        for target in layout.targets:
            for each in attack.chosen:
                yield attack_steps.attempt_step(
                    each.name, comparison, target, *_sizes(layout, comparison), sampled=False
                )
                if each.baseline:
                    yield attack_steps.guess_step(layout, each, comparison, target)
    if any("training_keys" in each.tables for each in knowing):
        for target in layout.targets:
            yield from attack_steps.training_steps(layout, target)
    cells = bool(knowing or attack.votes)
    for key_range in passes if cells or overlap else ():
        yield pass_tables.classes(layout, key_range)
        yield from comparisons.overlaps(layout, overlap)
        if cells:
            yield pass_tables.members(layout, key_range)
        for target in layout.targets if cells else ():
            yield pass_tables.cells(layout, target)
            for comparison in layout.comparisons:
                for each in knowing:
                    yield attack_steps.guess_step(layout, each, comparison, target)
                if attack.votes:
                    yield _near_votes(
                        layout,
                        comparison,
                        target,
                        samples[numbers_of([comparison.people])],
                        key_range,
                    )


def _near_votes(
    layout: Layout, comparison: Comparison, target: Column, people: Sample, key_range: KeyRange
) -> Step:
    """Return the step that lets the nearest training records vote on the target of the sampled
    people in a pass.
    """
    (attacker,) = (each for each in attackers.attackers() if each.name == NEAREST)
    own = f"SELECT DISTINCT {layout.class_key} FROM sampled WHERE sample = {people.number}"
    own += f" AND {key_range.takes()}" if key_range.takes() else ""
    sql = templates.stage(
        "stages/intruder/near_votes.sql",
        **layout.names,
        comparison=comparison,
        target=target,
        sample=people.number,
        scores=attack_steps.scores(layout, attacker, comparison, target, own),
    )
    return Step(f"attackers of {target.name}", "near_votes", sql)


def _learn(
    attack: Attack, layout: Layout, samples: Mapping[tuple[int, ...], Sample], session: Session
) -> set[tuple[str, int, int]]:
    """Train the models on samples and count their correct guesses.

    Returns (model, target number, comparison number) of each training that did not converge.
    """
    unfinished: set[tuple[str, int, int]] = set()
    steps = len(layout.comparisons) * len(layout.targets)
    for done, comparison in enumerate(layout.comparisons):
        training, people = (
            samples[numbers_of(comparison.members)],
            samples[numbers_of([comparison.people])],
        )
        known, asked, sizes = coded(layout, comparison, training, people, session)
        for place, target in enumerate(layout.targets):
            votes: dict[str, Numbers] = {}
            number = done * len(layout.targets) + place + 1
            for part, name in enumerate(attack.trained):
                session.show(f"learning {target.name}", number, steps, part / len(attack.trained))
                own = training.levels[:, place]
                found = learners.guess(
                    name, known, own, asked, sizes, preset=attack.preset, seed=attack.seed
                )
                votes[name] = found.codes
                if not found.converged:
                    unfinished |= {
                        (each, target.number, comparison.number) for each in (name, ENSEMBLE)
                    }
            _load_votes(session, votes, people, f"votes_{comparison.number}_{target.id}")
            if attack.votes:
                near = (
                    f"SELECT {templates.literal(NEAREST)} AS attacker, record, level_code, "
                    "vote FROM near_votes"
                )
                near += f" WHERE comparison = {comparison.number} AND target = {target.number}"
                session.create([Step("attackers", "votes", near)])
            for name in attack.models:
                drawn = len(training.records), len(people.records)
                sampled = drawn != _sizes(layout, comparison)
                attempted = attack_steps.attempt_step(
                    name, comparison, target, *drawn, sampled=sampled
                )
                session.create([attempted, _voted(name, comparison, target, people)])
    return unfinished


def _load_votes(session: Session, votes: Mapping[str, Numbers], people: Sample, name: str) -> None:
    """Make the table ``votes``: the level code that each model guesses for each sampled person."""
    drawn = pa.concat_tables(
        pa.table(
            {
                "attacker": [model] * len(codes),
                "record": people.records,
                "level_code": codes,
                "vote": [1.0] * len(codes),
            }
        )
        for model, codes in votes.items()
    )
    relation = session.load(name, drawn, "the guesses")
    session.create(
        [
            Step(
                "attackers",
                "votes",
                f"SELECT attacker, record, level_code, vote FROM {relation}",
                in_memory=True,
            )
        ]
    )
    session.fetch(f"DROP TABLE {relation}")


def _voted(name: str, comparison: Comparison, target: Column, people: Sample) -> Step:
    """Return the step that tests a model, or the ensemble: it counts the sampled people whose true
    level gets the most votes.
    """
    attacker = None if name == ENSEMBLE else templates.literal(name)
    sql = templates.stage(
        "stages/intruder/best_guesses.sql",
        attacker=templates.literal(name),
        target_number=target.number,
        comparison=comparison,
        unit=["record"],
        scores=templates.stage("stages/intruder/vote_scores.sql", attacker=attacker, votes="votes"),
        people=f"SELECT record, {target.id} AS level_code, 1 AS n_people FROM sampled WHERE "
        f"sample = {people.number}",
    )
    return Step(f"attackers of {target.name}", "guesses", sql)


def _rows(
    attack: Attack, layout: Layout, session: Session, unfinished: set[tuple[str, int, int]]
) -> list[dict[str, object]]:
    """Return the result rows, sorted by target, attacker, people, then training file.

    ``unfinished`` lists the trainings that did not converge, as `_learn` returns them.
    """
    counted = session.fetch(attack_steps.accuracies(layout.scenario.confidence))
    found = {(str(name), int(target), int(number)): rest for name, target, number, *rest in counted}
    kinds = {each.name: "baseline" if each.baseline else "sql" for each in attack.chosen}
    rows: list[dict[str, object]] = []
    for target, name, each in product(layout.targets, (*kinds, *attack.models), layout.comparisons):
        place = (name, target.number, each.number)
        trained, tested, sampled, correct, *rates = found[place]
        rows.append(
            {
                "attacker": name,
                "kind": kinds.get(name, "sklearn"),
                "target": target.name,
                "trained_on": each.label,
                "people": each.people.who,
                "correct": int(correct) if float(correct).is_integer() else float(correct),
                "tested": int(tested),
                **dict(zip(("accuracy", "low", "high"), map(float, rates), strict=True)),
                "trained_records": int(trained),
                "sampled": bool(sampled),
                "converged": None if name in kinds else place not in unfinished,
            }
        )
    return rows


def _require_work(attack: Attack, layout: Layout, session: Session) -> None:
    """Raise InputError if guessing in SQL takes more work than the limit. Work counts lookups of
    levels and keys.
    """
    costly = [each for each in attack.chosen if each.work != attackers.WORK[0]]
    if not costly:
        return
    levels = {
        target.id: session.number(f"SELECT COUNT(*) FROM {table('marginals', target)}")
        for target in layout.targets
    }
    people = max(layout.records[file.number] for file in layout.people_files)
    if attack_steps.work(layout, costly, people, levels) <= layout.scenario.work_limit:
        return  # there are no more classes than people
    groups = session.engine.estimate_groups(
        "records", [key_column.name for key_column in layout.key_columns]
    )
    classes = min(people, groups, prod(part.size or people for part in layout.parts))
    most = max(costly, key=lambda each: each.looks(len(layout.keys), max(levels.values())))
    limits.require(
        layout.scenario.work_limit,
        attack_steps.work(layout, costly, classes, levels),
        f"Guessing for about {classes:,} classes",
        "lookups of levels and keys",
        f"leave out {most.name} (--attackers), name fewer targets or keys",
    )


def _files(layout: Layout, session: Session) -> list[dict[str, object]]:
    """Return one row per file: its label, its source, its records, and the parts that were not
    read.
    """
    labels = {each.members[0].number: each.label for each in layout.comparisons if each.single}
    return [
        {
            "file": labels[file.number],
            "source": source.label,
            "records": layout.records[file.number],
        }
        | dict(session.engine.left_out(source))
        for file, source in zip(layout.files, layout.sources, strict=True)
    ]


def _words(attack: Attack, layout: Layout) -> dict[str, str]:
    """Return a sentence for each attacker, by name, that explains how it guesses."""
    keys = ", ".join(key.name for key in layout.keys)
    target = layout.targets[0].name if len(layout.targets) == 1 else "target"
    said = {
        each.name: each.says.replace("{target}", target).replace("{keys}", keys)
        for each in attack.chosen
    }
    return {**said, **{name: learners.SAYS.get(name, ENSEMBLE_SAYS) for name in attack.models}}


def _sizes(layout: Layout, comparison: Comparison) -> tuple[int, int]:
    """Return (training records, people) of a comparison."""
    return sum(layout.records[file.number] for file in comparison.members), layout.records[
        comparison.people.number
    ]
