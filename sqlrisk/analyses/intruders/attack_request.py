"""Check the user's choice of attackers and samples, and make an `Attack` from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

from sqlrisk.analyses.intruders import learners
from sqlrisk.catalogue import attackers
from sqlrisk.catalogue.attackers import Attacker
from sqlrisk.catalogue.kinds import KINDS
from sqlrisk.catalogue.measures import Measure
from sqlrisk.common.errors import InputError, ProblemList, suggestion
from sqlrisk.inputs import request
from sqlrisk.inputs.fields import ASSESSED, EXCLUSIONS, Columns, HalvesSettings, rows
from sqlrisk.inputs.readers import limit, split_line
from sqlrisk.inputs.request import Question, Where
from sqlrisk.inputs.scenario import read

ENSEMBLE = "ENS"
NEAREST = "exact_match"  # an attacker in SQL that also votes in the ensemble
ENSEMBLE_SAYS = "The majority vote of the five models of scikit-learn and of exact_match."
SAMPLE = 10_000
SEED = 1
USED = (*rows(Columns), "weights", *rows(HalvesSettings), "confidence", "work_limit", *ASSESSED)
GROUPS = ("baselines", "sql", "sklearn")
DEFAULT = GROUPS[:2]
FAMILY = "attackers"


@dataclass(frozen=True)
class Attack:
    """A question and its attackers.

    Attributes:
        chosen: the attackers that guess in SQL.
        models: the names of the models to test, which learn from samples. ``ENS`` is their
            ensemble.
        sample: the maximum number of records in a sample.
        seed: the seed of the samples and models.
        preset: the version of scikit-learn whose default settings the models use.
    """

    question: Question
    chosen: tuple[Attacker, ...]
    models: tuple[str, ...]
    sample: int
    seed: int
    preset: str

    @property
    def votes(self) -> bool:
        """True if the ensemble attacks, so the nearest records vote too."""
        return ENSEMBLE in self.models

    @property
    def trained(self) -> tuple[str, ...]:
        """The models to train. The ensemble needs all of them."""
        return tuple(learners.SAYS) if ENSEMBLE in self.models else self.models


def ask(
    files: Sequence[object],
    settings: Mapping[str, object],
    who: Mapping[str, object],
    **where: Unpack[Where],
) -> Attack:
    """Make an attack from the user's arguments.

    ``files`` are the original, the syntheses and control. ``settings`` make the question (keys,
    targets and so on). ``who`` has the keys attackers, sample, seed and preset, and None stands for
    the default. Raises InputError with every problem, also if a model is named and scikit-learn is
    missing.
    """
    original, synthetic, control = files
    problems, waiting = ProblemList(), tuple[str, ...]()
    with problems:
        problems += [
            f"There is no setting {name!r} here{suggestion(name, USED)}."
            for name in settings
            if name not in USED
        ]
        usable = {name: value for name, value in settings.items() if name in USED}
        asked = request.ask(original, synthetic, usable, control=control, **where)
        waiting = asked.unread
        counted = [name for name in EXCLUSIONS if getattr(asked.scenario, name)]
        problems += [
            f"{name}: attackers are tested on all people; leave this setting out."
            for name in counted
        ]
    with problems:
        choice = choose(who)
    problems.stop(waiting)
    return attack_on(asked, choice)


def choose(who: Mapping[str, object]) -> dict[str, Any]:
    """Return the fields of an `Attack` except its question, from the user's choice.

    ``who`` is as in `ask`. Raises InputError with every problem of ``who``.
    """
    problems, chosen, numbers = ProblemList(), list[str](), dict[str, int]()
    with problems:
        chosen = _chosen(who.get("attackers"))
    for name, default, least in (("sample", SAMPLE, 1), ("seed", SEED, 0)):
        with problems:
            numbers[name] = (
                default if who.get(name) is None else limit(least=least)(who[name], name)
            )
    preset = who.get("preset")
    if preset is not None and preset not in learners.PRESETS:
        near = suggestion(str(preset), learners.PRESETS)
        problems.append(
            f"preset: there is no preset {preset!r}{near}; there are {', '.join(learners.PRESETS)}."
        )
    models = tuple(name for name in (*learners.SAYS, ENSEMBLE) if name in chosen)
    if models:
        with problems:
            learners.version()
    problems.stop()
    return {
        "chosen": tuple(each for each in attackers.attackers() if each.name in chosen),
        "models": models,
        "preset": str(preset or learners.PRESETS[0]),
        **numbers,
    }


def attack_on(question: Question, choice: Mapping[str, Any]) -> Attack:
    """Return an attack on the files of a question. It keeps only the settings that attackers use.
    ``choice`` comes from `choose`.
    """
    scenario = read(question.scenario.settings_of(USED))
    return Attack(replace(question, scenario=scenario, measures=()), **choice)


def measures(attack: Attack) -> tuple[Measure, ...]:
    """Return one measure for each attacker: the percentage of people whose target it guesses
    right.
    """
    words = {each.name: (each.title, each.source) for each in attack.chosen}
    source = "scikit-learn; Hittmeir, Mayer & Ekelhart 2020"
    words |= {name: (learners.SAYS.get(name, ENSEMBLE_SAYS), source) for name in attack.models}
    return tuple(
        Measure(
            name=name,
            family=FAMILY,
            title=title,
            formula="100 * people whose target is guessed right / people it is tried on",
            source=source_of,
            scale="percent",
            unit="percent of people",
            higher="more is learned from the file",
            order=order,
            says=title,
            raises="Keys from which the target can be guessed, in the files that attackers learn "
            "from.",
            do="Compare with the attackers that know no keys, and with those that learned from "
            "the original or from control.",
            stage=FAMILY,
            kind=KINDS["mean over tries"],
            aggregates={"numerator": "SUM(CAST(correct AS DOUBLE))", "denominator": "SUM(tested)"},
        )
        for order, (name, (title, source_of)) in enumerate(words.items(), start=1)
    )


def _chosen(names: object) -> list[str]:
    """Return the names of attackers for a list of names and groups. None stands for the default
    groups. Raises InputError for an empty list, or naming every unknown entry.
    """
    several = DEFAULT if names is None else [names] if isinstance(names, str) else names
    if (
        not isinstance(several, Sequence)
        or not several
        or not all(isinstance(each, str) for each in several)
    ):
        raise InputError(
            "attackers: expected a list of names or groups; leave it out for baselines and sql."
        )
    wanted = [name for line in several for name, _ in split_line(line, "attackers")]
    kinds = {each.name: GROUPS[0] if each.baseline else GROUPS[1] for each in attackers.attackers()}
    kinds |= dict.fromkeys((*learners.SAYS, ENSEMBLE), GROUPS[2])
    ProblemList(
        f"attackers: there is no attacker or group {name!r}{suggestion(name, [*kinds, *GROUPS])}; "
        f"there are {', '.join(kinds)}, and the groups {', '.join(GROUPS)}."
        for name in wanted
        if name not in kinds and name not in GROUPS
    ).stop()
    return [name for name, kind in kinds.items() if name in wanted or kind in wanted]


def settings(attack: Attack) -> dict[str, object]:
    """Return the settings of an attack for its report: attackers, samples and training."""
    return {
        "attackers": [*(each.name for each in attack.chosen), *attack.models],
        "sample": attack.sample,
        "seed": attack.seed,
        "preset": attack.preset,
    }
