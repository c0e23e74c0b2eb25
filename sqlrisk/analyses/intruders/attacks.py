"""Attacks: guess the people's targets from a file, and count who is right. From the question to the rows of `sqlrisk attack`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sqlrisk.analyses import neighbours
from sqlrisk.analyses.intruders import learners
from sqlrisk.analyses.preparation.encoding import encode, record_all
from sqlrisk.analyses.preparation.files import sources_of
from sqlrisk.analyses.session import Door, Progress, Tracer
from sqlrisk.catalogue import attackers, templates
from sqlrisk.catalogue.attackers import Attacker
from sqlrisk.catalogue.measures import Measure
from sqlrisk.common.errors import EngineError, InputError
from sqlrisk.common.suggestions import suggestion
from sqlrisk.engines.engine import Engine
from sqlrisk.inputs import request
from sqlrisk.inputs.request import Question
from sqlrisk.inputs.scenario import read
from sqlrisk.inputs.settings import split_line
from sqlrisk.inputs.sources import Source
from sqlrisk.plan import attack_steps, pass_tables
from sqlrisk.plan.class_key import Pass
from sqlrisk.plan.columns import Column, File, table
from sqlrisk.plan.layout import Comparison, Layout
from sqlrisk.plan.steps import Step
from sqlrisk.report.results.attacks import Attacks

ENSEMBLE = "ENS"
NEAREST = "exact_match"  # which votes in the ensemble too
ENSEMBLE_SAYS = "The majority vote of the five models of scikit-learn and of exact_match."
SAMPLE = 10_000
SEED = 1
USED = ("keys", "targets", "bins", "special", "weights", "id", "split", "split_in", "confidence", "work_limit")
UNCOUNTED = ("exclude_level", "exclude_missing", "exclude_pair", "max_cell", "max_cell_syn")
GROUPS = ("baselines", "sql", "sklearn")
DEFAULT = GROUPS[:2]
FAMILY = "attackers"
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Attack:
    """A question, and who attacks: ``chosen`` in SQL and ``models`` that learn from samples, ``ENSEMBLE`` among them."""

    question: Question
    chosen: tuple[Attacker, ...]
    models: tuple[str, ...]
    sample: int
    seed: int
    preset: str

    @property
    def votes(self) -> bool:
        """Whether the nearest records vote in the ensemble."""
        return ENSEMBLE in self.models

    @property
    def trained(self) -> tuple[str, ...]:
        """The models to train: the ensemble needs all of them."""
        return tuple(learners.SAYS) if ENSEMBLE in self.models else self.models


@dataclass(frozen=True)
class Sample:
    """Records of some files, by file and number: the digits of their keys, and their levels of the targets."""

    number: int
    records: Numbers
    digits: Numbers
    levels: Numbers


def ask(
    original: object,
    synthetic: object,
    settings: Mapping[str, object],
    *,
    control: object,
    names: object,
    sample: object,
    seed: object,
    preset: object,
    work_limit: object,
    scenario_file: str | None,
    tables: bool = False,
) -> Attack:
    """A question from what the user gave; None is the default.

    Raises:
        InputError: with every problem that can be seen without the data, or scikit-learn that is needed and missing.
    """
    problems: list[str] = []
    asked: Question | None = None
    try:
        unknown = [name for name in settings if name not in USED]
        problems += [f"There is no setting {name!r} here{suggestion(name, USED)}." for name in unknown]
        usable = {name: value for name, value in {**settings, "work_limit": work_limit}.items() if name in USED}
        asked = request.ask(original, synthetic, usable, control=control, scenario_file=scenario_file, tables=tables)
        counted = [name for name in UNCOUNTED if getattr(asked.scenario, name)]
        problems += [f"{name}: attackers are tried on everybody; leave this setting out." for name in counted]
    except InputError as error:
        problems += error.problems
    chosen: list[str] = []
    try:
        chosen = _chosen(names)
    except InputError as error:
        problems += error.problems
    numbers: dict[str, int] = {}
    for name, value, default, least in (
        ("sample", sample, SAMPLE, 1),
        ("seed", seed, SEED, 0),
    ):
        number = default if value is None else _whole(value)
        if number is None or number < least:
            problems.append(f"{name}: expected a whole number, {least} or more; got {value!r}.")
        else:
            numbers[name] = number
    if preset is not None and preset not in learners.PRESETS:
        near = suggestion(str(preset), learners.PRESETS)
        problems.append(f"preset: there is no preset {preset!r}{near}; there are {', '.join(learners.PRESETS)}.")
    models = tuple(name for name in (*learners.SAYS, ENSEMBLE) if name in chosen)
    if models:
        try:
            learners.version()
        except InputError as error:
            problems += error.problems
    if problems or asked is None:
        raise InputError(list(dict.fromkeys(problems)))
    scenario = read(asked.scenario.settings_of(USED))
    return Attack(
        replace(asked, scenario=scenario, measures=()),
        tuple(each for each in attackers.attackers() if each.name in chosen),
        models,
        preset=str(preset or learners.PRESETS[0]),
        **numbers,
    )


def run(attack: Attack, engine: Engine, progress: Progress | None = None, trace: Tracer | None = None) -> Attacks:
    """Let every attacker learn from every file, and try it on the people.

    Raises:
        InputError: what only the data shows to be wrong, or more work than the limit.
        EngineError: the database failed.
    """
    door = Door(engine, progress, trace)
    layout = encode(attack.question, engine, door, numbered=bool(attack.models))
    layout = replace(layout, comparisons=trainings(layout))
    passes = record_all(layout, engine, door)
    unfinished = attempt(attack, layout, passes, engine, door, progress)
    return Attacks(
        settings=_settings(attack, layout),
        files=_files(attack, layout),
        library=learners.version() if attack.models else None,
        words=_words(attack, layout),
        rows=_rows(attack, layout, door, unfinished),
    )


def attempt(
    attack: Attack, layout: Layout, passes: Sequence[Pass], engine: Engine, door: Door, progress: Progress | None = None
) -> set[tuple[str, int, int]]:
    """Let every attacker learn from the files of each comparison of a layout, whose records are made, and try it on the people.

    Makes the tables that `attack_steps.accuracies` reads. Models need numbered records.

    Returns:
        (model, target, comparison) of what did not converge.

    Raises:
        InputError: more work than the limit.
    """
    _refuse_work(attack, layout, engine, door)
    samples = _draw(attack, layout, engine, door) if attack.models else {}
    if attack.votes or any(each.needs for each in attack.chosen):
        neighbours.find(layout, layout.of_original, passes, door)
    door.make(_steps(attack, layout, samples, passes))
    return _learn(attack, layout, samples, engine, door, progress) if attack.models else set()


def measures(attack: Attack) -> tuple[Measure, ...]:
    """The attackers as measures of a family of their own: the people whose target they guess right."""
    words = {each.name: (each.title, each.source) for each in attack.chosen}
    words |= {
        name: (learners.SAYS.get(name, ENSEMBLE_SAYS), "scikit-learn; Hittmeir, Mayer & Ekelhart 2020") for name in attack.models
    }
    return tuple(
        Measure(
            name=name,
            family=FAMILY,
            title=title,
            formula="100 * people whose target is guessed right / people it is tried on",
            source=source,
            scale="percent",
            unit="percent of people",
            higher="more is learned from the file",
            order=order,
            says=title,
            raises="Keys that tell of the target, in the files that are learned from.",
            do="Compare with the attackers that know no keys, and with those that learned from the original or from control.",
            risky=None,
            least=None,
            at=(),
            at_setting=None,
            needs=None,
            each=None,
            among=None,
            stage=FAMILY,
            aggregates={"numerator": "SUM(CAST(correct AS DOUBLE))", "denominator": "SUM(tested)"},
            sql="",
            path=Path(),
        )
        for order, (name, (title, source)) in enumerate(words.items(), start=1)
    )


def as_results(layout: Layout) -> Step:
    """The step that puts what the attackers guessed right into the results, as if they were measures."""
    sql = templates.stage("tables/attack_results.sql", attacks=attack_steps.accuracies(layout.scenario.confidence))
    return Step("results", "results", sql)


def trainings(layout: Layout) -> tuple[Comparison, ...]:
    """The people of each file against every training file: the syntheses, alone and pooled, the original, and control."""
    plans = [(each.label, each.method, each.members, each.single) for each in layout.of_original]
    plans += [(_word(file), "", (file,), True) for file in layout.people_files]
    return tuple(
        Comparison(number, *each, people)
        for number, (people, each) in enumerate(((people, each) for people in layout.people_files for each in plans), start=1)
    )


def _steps(attack: Attack, layout: Layout, samples: Mapping[tuple[int, ...], Sample], passes: Sequence[Pass]) -> Iterator[Step]:
    """Every attacker in SQL. Those who know nothing of a person need no pass over the classes."""
    knowing = [each for each in attack.chosen if not each.baseline]
    for comparison in layout.comparisons:
        if any("key_sizes" in each.sql for each in knowing):
            yield attack_steps.size_step(layout, comparison)
        for target in layout.targets:
            for each in attack.chosen:
                sizes = _records(layout, comparison.members), _records(layout, [comparison.people])
                yield attack_steps.attempt_step(each.name, comparison, target, *sizes, sampled=False)
                if each.baseline:
                    yield attack_steps.guess_step(layout, each, comparison, target)
    if not (knowing or attack.votes):
        return
    if any("training_keys" in each.sql for each in knowing):
        for target in layout.targets:
            yield from attack_steps.training_steps(layout, target)
    for turn in passes:
        yield pass_tables.classes(layout, turn)
        yield pass_tables.members(layout, turn)
        for target in layout.targets:
            yield pass_tables.cells(layout, target)
            for comparison in layout.comparisons:
                for each in knowing:
                    yield attack_steps.guess_step(layout, each, comparison, target)
                if attack.votes:
                    yield _near_votes(layout, comparison, target, samples[_numbers([comparison.people])], turn)


def _near_votes(layout: Layout, comparison: Comparison, target: Column, people: Sample, turn: Pass) -> Step:
    """What the nearest records of the whole training file vote for the sampled people of a pass."""
    (attacker,) = (each for each in attackers.attackers() if each.name == NEAREST)
    own = f"SELECT DISTINCT {layout.class_key} FROM sampled WHERE sample = {people.number}"
    own += f" AND {turn.takes()}" if turn.takes() else ""
    sql = templates.stage(
        "stages/intruder/near_votes.sql",
        class_key=layout.class_key,
        limbs=layout.limbs,
        comparison=comparison,
        target=target,
        sample=people.number,
        scores=attack_steps.scores(layout, attacker, comparison, target, own),
    )
    return Step(f"attackers of {target.name}", "near_votes", sql)


def _learn(
    attack: Attack,
    layout: Layout,
    samples: Mapping[tuple[int, ...], Sample],
    engine: Engine,
    door: Door,
    progress: Progress | None,
) -> set[tuple[str, int, int]]:
    """Train the models on samples and count their guesses; returns (model, target, comparison) of what did not converge."""
    unfinished: set[tuple[str, int, int]] = set()
    steps = len(layout.comparisons) * len(layout.targets)
    done = 0
    for comparison in layout.comparisons:
        training, people = samples[_numbers(comparison.members)], samples[_numbers([comparison.people])]
        known, asked, sizes = _coded(layout, comparison, training, people, door)
        for place, target in enumerate(layout.targets):
            votes: dict[str, Numbers] = {}
            for part, name in enumerate(attack.trained):
                if progress is not None:
                    progress(f"learning {target.name}", done + 1, steps, part / len(attack.trained))
                own = training.levels[:, place]
                found = learners.guess(name, known, own, asked, sizes, preset=attack.preset, seed=attack.seed)
                votes[name] = found.codes
                if not found.converged:
                    unfinished |= {(each, target.number, comparison.number) for each in (name, ENSEMBLE)}
            done += 1
            _load_votes(engine, door, votes, people, f"votes_{comparison.number}_{target.id}")
            if attack.votes:
                near = f"SELECT {templates.literal(NEAREST)} AS attacker, record, level_code, vote FROM near_votes"
                near += f" WHERE comparison = {comparison.number} AND target = {target.number}"
                door.make([Step("attackers", "votes", near)])
            for name in attack.models:
                sizes_of = len(training.records), len(people.records)
                whole = _records(layout, comparison.members), _records(layout, [comparison.people])
                door.make(
                    [
                        attack_steps.attempt_step(name, comparison, target, *sizes_of, sampled=sizes_of != whole),
                        _voted(name, comparison, target, people),
                    ]
                )
    return unfinished


def _draw(attack: Attack, layout: Layout, engine: Engine, door: Door) -> dict[tuple[int, ...], Sample]:
    """A sample of every choice of files, by their numbers; a file gives the same one to learn from and to be tried on."""
    wanted = dict.fromkeys(_numbers(files) for each in layout.comparisons for files in (each.members, [each.people]))
    halved = layout.scenario.split is not None
    drawn = [
        _drawn_of_half(number, files[0], attack, layout, engine, door)
        if halved and layout.files[files[0]].of_people
        else _drawn(number, files, [layout.records[file] for file in files], attack)
        for number, files in enumerate(wanted, start=1)
    ]
    source = Source("samples", "frame", frame=pa.concat_tables(drawn), role="the samples")
    relation, *_ = engine.attach(source, ["sample", "file", "record"], "samples_drawn")
    sampled = templates.stage(
        "stages/intruder/sampled.sql", limbs=layout.limbs, targets=layout.targets, records="records", samples="samples"
    )  # fmt: skip
    door.make(
        [Step("samples", "samples", f"SELECT sample, file, record FROM {relation}"), Step("samples", "sampled", sampled)]
    )  # fmt: skip
    door.ask(f"DROP TABLE {relation}")
    digits = [part.digit for part in layout.parts]
    columns = ["file", "record", *digits, *(target.id for target in layout.targets)]
    found = {}
    for number, files in enumerate(wanted, start=1):
        rows = door.ask(f"SELECT {', '.join(columns)} FROM sampled WHERE sample = {number}")
        if len(rows) != drawn[number - 1].num_rows:
            raise EngineError("A file changed during the run: run again.")
        values = np.array(rows, dtype=np.int64).reshape(len(rows), len(columns))
        values = values[np.lexsort((values[:, 1], values[:, 0]))]
        keys = 2 + len(digits)
        found[files] = Sample(number, values[:, 1], values[:, 2:keys], values[:, keys:])
    return found


def _drawn(number: int, files: Sequence[int], records: Sequence[int], attack: Attack) -> pa.Table:
    """So many records of some files, none twice: file, and number in the file from 1; all if there are no more."""
    total = sum(records)
    if total <= attack.sample:
        places = np.arange(total)
    else:
        generator = np.random.Generator(np.random.PCG64([attack.seed, *files]))
        places = np.sort(generator.choice(total, attack.sample, replace=False, shuffle=False))
    ends = np.cumsum(records)
    owner = np.searchsorted(ends, places, side="right")
    first = ends - np.asarray(records)
    return pa.table(
        {
            "sample": np.full(len(places), number),
            "file": np.asarray(files)[owner].astype(np.int64),
            "record": (places - first[owner] + 1).astype(np.int64),
        }
    )


def _drawn_of_half(number: int, file: int, attack: Attack, layout: Layout, engine: Engine, door: Door) -> pa.Table:
    """The same of one half of a file that is split: its records keep their numbers in the whole file, which leave gaps.

    Numbers of the whole file are tried in a random order until enough of them are in this half.
    """
    own, whole = layout.records[file], sum(layout.records[each.number] for each in layout.people_files)
    found: list[int] = []
    if own <= attack.sample:
        found = [int(record) for (record,) in door.ask(f"SELECT record FROM records WHERE file = {file}")]
    else:
        order = np.random.Generator(np.random.PCG64([attack.seed, file])).permutation(whole) + 1
        size = 2 * attack.sample * whole // own  # of a draw: twice as many as should be needed
        for first in range(0, whole, size):
            tried = pa.table({"record": order[first : first + size], "place": np.arange(len(order[first : first + size]))})
            name = f"tried_{file}_{first}"
            relation, *_ = engine.attach(Source("samples", "frame", frame=tried, role="the samples"), tried.column_names, name)
            rows = door.ask(
                f"SELECT tried.place, records.record FROM records JOIN {relation} AS tried ON records.record = tried.record "
                f"WHERE records.file = {file}"
            )
            door.ask(f"DROP TABLE {relation}")
            found += [int(record) for _, record in sorted(rows)]
            if len(found) >= attack.sample:
                break
    kept = sorted(found[: attack.sample])
    return pa.table(
        {
            "sample": np.full(len(kept), number),
            "file": np.full(len(kept), file, dtype=np.int64),
            "record": np.array(kept, dtype=np.int64),
        }
    )


def _coded(
    layout: Layout, comparison: Comparison, training: Sample, people: Sample, door: Door
) -> tuple[Numbers, Numbers, list[int]]:
    """The keys of both samples as codes from 0 without gaps, and the number of levels of each key: those of the whole files."""
    counts = " + ".join(file.count for file in (comparison.people, *comparison.members))
    sides: list[list[Numbers]] = [[], []]
    sizes = []
    for place, part in enumerate(layout.parts):
        codes = door.ask(f"SELECT DISTINCT code FROM {table('levels', part.column)} WHERE {counts} > 0")
        digits = np.sort(np.array([int(code) for (code,) in codes], dtype=np.int64)) * part.stride
        sizes.append(len(digits))
        for side, sample in zip(sides, (training, people), strict=True):
            side.append(np.searchsorted(digits, sample.digits[:, place]))
    known, asked = (np.stack(side, axis=1).astype(np.int64) for side in sides)
    return known, asked, sizes


def _load_votes(engine: Engine, door: Door, votes: Mapping[str, Numbers], people: Sample, name: str) -> None:
    """Make the table of what each model guesses for each of the sampled people."""
    drawn = pa.concat_tables(
        pa.table({"attacker": [model] * len(codes), "record": people.records, "level_code": codes, "vote": np.ones(len(codes))})
        for model, codes in votes.items()
    )
    relation, *_ = engine.attach(Source("guesses", "frame", frame=drawn, role="the guesses"), drawn.column_names, name)
    sql = f"SELECT attacker, record, level_code, vote FROM {relation}"
    door.make([Step("attackers", "votes", sql, temporary=True)])
    door.ask(f"DROP TABLE {relation}")


def _voted(name: str, comparison: Comparison, target: Column, people: Sample) -> Step:
    """The sampled people by the share of a model's guess, or of the ensemble's, that their true level has."""
    attacker = None if name == ENSEMBLE else templates.literal(name)
    sql = templates.stage(
        "stages/intruder/guesses.sql",
        attacker=templates.literal(name),
        target_number=target.number,
        comparison=comparison,
        unit=["record"],
        drawn=False,
        scores=templates.stage("stages/intruder/ballots.sql", attacker=attacker, votes="votes"),
        people=f"SELECT record, {target.id} AS level_code, 1 AS n_people FROM sampled WHERE sample = {people.number}",
    )
    return Step(f"attackers of {target.name}", "guesses", sql)


def _rows(attack: Attack, layout: Layout, door: Door, unfinished: set[tuple[str, int, int]]) -> list[dict[str, object]]:
    """The rows of the result: target by target, attacker by attacker, training file by training file."""
    found = {
        (str(row[0]), int(row[1]), int(row[2])): row[3:] for row in door.ask(attack_steps.accuracies(layout.scenario.confidence))
    }
    kinds = {each.name: "baseline" if each.baseline else "sql" for each in attack.chosen}
    rows: list[dict[str, object]] = []
    for target in layout.targets:
        for name in (*kinds, *attack.models):
            for each in layout.comparisons:
                place = (name, target.number, each.number)
                trained, tested, sampled, correct, *rates = found[place]
                rows.append(
                    {
                        "attacker": name,
                        "kind": kinds.get(name, "sklearn"),
                        "target": target.name,
                        "trained_on": each.label,
                        "people": _word(each.people),
                        "correct": int(correct) if float(correct).is_integer() else float(correct),
                        "tested": int(tested),
                        **dict(zip(("accuracy", "low", "high"), map(float, rates), strict=True)),
                        "trained_records": int(trained),
                        "sampled": bool(sampled),
                        "converged": None if name in kinds else place not in unfinished,
                    }
                )
    return rows


def _refuse_work(attack: Attack, layout: Layout, engine: Engine, door: Door) -> None:
    """Refuse more than the limit, with the estimate and the way out. Raises InputError."""
    limit = layout.scenario.work_limit
    costly = [each for each in attack.chosen if each.work != attackers.WORK[0]]
    if not costly:
        return
    levels = {target.id: int(door.ask(f"SELECT COUNT(*) FROM {table('marginals', target)}")[0][0]) for target in layout.targets}
    people = max(layout.records[file.number] for file in layout.people_files)
    if attack_steps.work(layout, costly, people, levels) <= limit:
        return  # whatever the classes are, they are no more than the people
    groups = engine.estimate_groups("records", [limb.name for limb in layout.limbs])
    classes = min(people, groups, prod(part.size or people for part in layout.parts))
    looks = attack_steps.work(layout, costly, classes, levels)
    if looks > limit:
        most = max(costly, key=lambda each: each.looks(len(layout.keys), max(levels.values())))
        raise InputError(
            f"Guessing for about {classes:,} classes takes about {looks:,} looks at levels and keys; the limit is "
            f"{limit:,}: leave out {most.name} (--attackers), name fewer targets or keys, or raise --work-limit."
        )


def _chosen(names: object) -> list[str]:
    """The names of attackers that names and groups stand for. Raises InputError naming every unknown."""
    several = DEFAULT if names is None else [names] if isinstance(names, str) else names
    if not isinstance(several, Sequence) or not several or not all(isinstance(each, str) for each in several):
        raise InputError("attackers: expected a list of names or groups; leave it out for baselines and sql.")
    wanted = [name for line in several for name, _ in split_line(line, "attackers")]
    kinds = {each.name: GROUPS[0] if each.baseline else GROUPS[1] for each in attackers.attackers()}
    kinds |= dict.fromkeys((*learners.SAYS, ENSEMBLE), GROUPS[2])
    problems = [
        f"attackers: there is no attacker or group {name!r}{suggestion(name, [*kinds, *GROUPS])}; there are "
        f"{', '.join(kinds)}, and the groups {', '.join(GROUPS)}."
        for name in wanted
        if name not in kinds and name not in GROUPS
    ]
    if problems:
        raise InputError(problems)
    return [name for name, kind in kinds.items() if name in wanted or kind in wanted]


def _settings(attack: Attack, layout: Layout) -> dict[str, object]:
    """Every setting as plain values, defaults included."""
    given = {name: value for name, value in layout.scenario.settings().items() if name in USED}
    return {**given, **settings(attack)}


def settings(attack: Attack) -> dict[str, object]:
    """Who attacks, and how the samples of models are drawn and learned from."""
    return {
        "attackers": [*(each.name for each in attack.chosen), *attack.models],
        "sample": attack.sample,
        "seed": attack.seed,
        "preset": attack.preset,
    }


def _files(attack: Attack, layout: Layout) -> list[dict[str, object]]:
    """The files with their roles and records."""
    labels = {each.members[0].number: each.label for each in layout.comparisons if each.single}
    sources = sources_of(attack.question)
    halved = attack.question.control is None  # control is then the other half of the original
    return [
        {
            "file": labels[file.number],
            "source": sources[0 if file.control and halved else file.number].label,
            "records": layout.records[file.number],
        }
        for file in layout.files
    ]


def _words(attack: Attack, layout: Layout) -> dict[str, str]:
    """What each attacker does, in a sentence."""
    keys = ", ".join(key.name for key in layout.keys)
    target = layout.targets[0].name if len(layout.targets) == 1 else "target"
    models = {**learners.SAYS, ENSEMBLE: ENSEMBLE_SAYS}
    said = {each.name: each.says.replace("{target}", target).replace("{keys}", keys) for each in attack.chosen}
    return {**said, **{name: models[name] for name in attack.models}}


def _records(layout: Layout, files: Sequence[File]) -> int:
    return sum(layout.records[file.number] for file in files)


def _numbers(files: Sequence[File]) -> tuple[int, ...]:
    return tuple(file.number for file in files)


def _word(file: File) -> str:
    return "control" if file.control else "original"


def _whole(value: object) -> int | None:
    """A whole number that is not negative, also as text; else None."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    return int(value) if re.fullmatch(r"\s*\d{1,18}\s*", str(value)) else None
