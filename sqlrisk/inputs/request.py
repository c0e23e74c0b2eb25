"""A question ready to run: a scenario, the sources it is asked of, and the measures it asks for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from sqlrisk.catalogue.measures import Catalog, Measure, catalog
from sqlrisk.common.errors import InputError, ProblemList
from sqlrisk.inputs.columns.dictionary import joined
from sqlrisk.inputs.scenario import Scenario, read
from sqlrisk.inputs.scenario_file import read_file
from sqlrisk.inputs.settings import FILE_SETTINGS
from sqlrisk.inputs.sources import Source, Synthesis, read_source, read_syntheses

EXCLUDED = ("excluded", "excluded_identity")  # how many people exclusions leave out, of a target and of the keys alone
# Baselines over everybody, and over the people who are counted: where somebody is excluded, only these are comparable.
COUNTED = {"baseCAPd": "baseCAPd_counted", "baseCAPd_within": "baseCAPd_counted_within"}
NO_KEYS = "Name the columns that an intruder may know: --keys a,b,c (keys=[...])."
# What a measure may need, and the option that gives it.
REMEDIES = {
    "exclusions": "leave somebody out, as with --exclude-level",
    "weights": "name the column of survey weights with --weights",
    "a tolerance": "say how far a guess may be from the truth, as in --within income=5%",
    "a tolerance on a key": "say how far a key may be from a person's, as in --within age=2",
    "aligned files": "say that records belong together with --aligned",
    "a stated synthesiser": "say how the files were made with --assume saturated --prior 1",
}


class Where(TypedDict, total=False):
    """Where else a question comes from: arguments of `ask`."""

    scenario_file: str | None
    measures_from: str | None
    tables: bool


@dataclass(frozen=True)
class Question:
    """What is asked of which files: ``measures``, in catalogue order; ``measures_from`` is the folder of the user's own."""

    scenario: Scenario
    original: Source
    syntheses: tuple[Synthesis, ...]
    catalog: Catalog
    measures: tuple[Measure, ...]
    control: Source | None = None
    measures_from: str | None = None

    @property
    def sources(self) -> tuple[Source, ...]:
        """The original, the syntheses, and control where it is a source of its own; with what stands for missing values there."""
        given = (self.original, *(each.source for each in self.syntheses), *([] if self.control is None else [self.control]))
        own = {column: entry.missing for column, entry in self.scenario.column.items() if entry.missing}
        return tuple(replace(each, missing=self.scenario.missing, missing_of=own) for each in given)

    @property
    def computed(self) -> tuple[Measure, ...]:
        """The measures asked for and those that they are made of, in catalogue order."""
        names = {measure.name for measure in self.measures} | {part for measure in self.measures for part in measure.parts}
        return tuple(measure for measure in self.catalog if measure.name in names)


def ask(
    original: object,
    synthetic: object,
    settings: Mapping[str, object],
    *,
    control: object = None,
    scenario_file: str | None = None,
    measures_from: str | None = None,
    tables: bool = False,
) -> Question:
    """Make a question of what the user gave, or raise InputError with every problem; settings None are the file's or defaults."""
    settings, (original, synthetic, control) = with_file(settings, (original, synthetic, control), scenario_file, tables=tables)
    problems = ProblemList()
    scenario, syntheses = Scenario(), list[Synthesis]()
    with problems:
        scenario = read(settings)
        if not scenario.keys:
            problems.append(NO_KEYS)
    with problems:
        source = read_original(original, tables=tables)
    with problems:
        if synthetic is None:
            raise InputError("Name at least one synthetic file.")
        syntheses = read_syntheses(synthetic, tables=tables)
    with problems:
        if control is not None and scenario.split is not None:
            raise InputError(
                "control and split: give the control people as a file or as the other half of the original, not both."
            )
        people = None if control is None else read_source(control, "the control", tables=tables)
    with problems:
        known = catalog(measures_from).taken_at(scenario.points)
        pooled = len(syntheses) > len({each.method for each in syntheses})
        chosen = _chosen(scenario, settings, known, own=measures_from is not None, pooled=pooled)
        measures = tuple(measure for measure in chosen if measure.needs is None or scenario.offered[measure.needs])
        if not measures and not problems:  # a setting that cannot be read is a problem already
            problems += _needs(chosen)
    problems.stop()
    sources = [source, *(each.source for each in syntheses), *([] if people is None else [people])]
    ProblemList(scenario.names_no_file(sources)).stop()
    source = scenario.as_written("original", source)
    people = people and scenario.as_written("control", people)
    return Question(scenario, source, tuple(scenario.syntheses_as_written(syntheses)), known, measures, people, measures_from)


def require_control(question: Question) -> Question:
    """Return a question whose people are compared with control if a level of confidence is set. Raises InputError otherwise."""
    compared = question.control is not None or question.scenario.split is not None
    if question.scenario.confidence != Scenario().confidence and not compared:
        raise InputError(
            "confidence: it is of the intervals around what the synthesis added, and there is nobody to compare with; give "
            "people who were not in the synthesis with --control, or leave it out."
        )
    return question


def with_file(
    settings: Mapping[str, object], sources: Sequence[object], scenario_file: str | None, *, tables: bool = False
) -> tuple[dict[str, object], list[object]]:
    """Add to settings and ``sources`` (original, synthetic, control) what a scenario file says where they are None."""
    filed = {} if scenario_file is None else read_file(scenario_file, tables=tables)
    located = [filed.get(name) if given is None else given for name, given in zip(FILE_SETTINGS, sources, strict=True)]
    kept = {name: value for name, value in filed.items() if name not in FILE_SETTINGS}
    given = {name: value for name, value in settings.items() if value is not None}
    if "column" in kept and "column" in given:
        given["column"] = joined(kept["column"], given["column"])
    return {**kept, **given}, located


def read_original(original: object, *, tables: bool = False) -> Source:
    """Read the source of the original. Raises InputError where there is none."""
    if original is None:
        raise InputError("Name the original file.")
    return read_source(original, "the original", tables=tables)


def _chosen(scenario: Scenario, settings: Mapping[str, object], known: Catalog, *, own: bool, pooled: bool) -> Sequence[Measure]:
    """Return the measures that are asked for; of a user's ``own``, all families where none is named.

    Where files are ``pooled``, whoever asks what the files reveal together sees beside it what each reveals alone. With
    exclusions a baseline comes with the one over the people who are counted.
    """
    # Also when the rest of the scenario is wrong: an unknown measure belongs among the problems.
    names = read({"measures": settings["measures"]}).measures if "measures" in settings else scenario.measures
    names = tuple(map(known.spelled, names))
    if own and "measures" not in settings:
        names = (*names, *(family for family in known.families if family not in catalog().families))
    if pooled and {"identity", "attribute"} <= {*names}:
        names = (*names, "union")
    if scenario.excludes:
        names = (*names, *(COUNTED[name] for name in names if name in COUNTED))
    return known.select(names)


def _needs(chosen: Sequence[Measure]) -> list[str]:
    """Say what measures need that the question has not."""
    return [
        f"measures: {', '.join(each.name for each in chosen if each.needs == need)} needs {need}: {REMEDIES[str(need)]}."
        for need in dict.fromkeys(each.needs for each in chosen)
    ]


def with_excluded(question: Question) -> Question:
    """Add to a question the measures that tell how many people its exclusions leave out, if it has any."""
    return with_measures(question, EXCLUDED, "exclusions") if question.scenario.excludes else question


def with_measures(question: Question, names: Sequence[str], asking: str) -> Question:
    """Add to a question the measures that ``asking`` asks for. Raises InputError where it has not what they need."""
    problems = ProblemList()
    missing = [name for name in names if name not in {measure.name for measure in question.measures}]
    for name in missing:
        with problems:
            need = question.catalog[name].needs
            if need is not None and not question.scenario.offered[need]:
                problems.append(f"{name} needs {need}: {REMEDIES[need]}.")
    ProblemList(f"{asking}: {problem}" for problem in problems).stop()
    scenario = replace(question.scenario, measures=(*question.scenario.measures, *missing))
    chosen = {measure.name for measure in question.measures}.union(missing)
    return replace(question, scenario=scenario, measures=tuple(each for each in question.catalog if each.name in chosen))
