"""A question ready to run: a scenario, the sources it is asked of, and the measures it asks for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlrisk.catalogue.measures import Catalog, Measure, catalog
from sqlrisk.common.errors import InputError
from sqlrisk.inputs.scenario import Scenario, read
from sqlrisk.inputs.scenario_file import read_file
from sqlrisk.inputs.settings import FILE_SETTINGS
from sqlrisk.inputs.sources import Source, Synthesis, read_source, read_syntheses

# What a measure may need, and the option that gives it.
WAYS = {
    "exclusions": "leave somebody out, as with --exclude-level",
    "weights": "name the column of survey weights with --weights",
    "a tolerance": "say how far a guess may be from the truth, as in --within income=5%",
    "aligned files": "say that records belong together with --aligned",
    "a stated synthesiser": "say how the files were made with --assume saturated --prior 1",
}


@dataclass(frozen=True)
class Question:
    """What is asked of which files.

    ``measures`` are those asked for, in catalogue order; ``computed`` adds those that they are made of. ``measures_from`` is the
    folder of the user's own.
    """

    scenario: Scenario
    original: Source
    syntheses: tuple[Synthesis, ...]
    catalog: Catalog
    measures: tuple[Measure, ...]
    control: Source | None = None
    measures_from: str | None = None

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
    """A question from what the user gave; settings that are None come from the scenario file or are defaults.

    With ``tables`` a source that is no file is a table of the database that counts.

    Raises:
        InputError: with every problem of settings, sources and measures.
    """
    filed = read_file(scenario_file, tables=tables) if scenario_file is not None else {}
    given = {
        **{name: value for name, value in filed.items() if name not in FILE_SETTINGS},
        **{n: v for n, v in settings.items() if v is not None},
    }
    problems: list[str] = []
    scenario = Scenario()
    try:
        scenario = read(given)
        if not scenario.keys:
            problems.append("Name the columns that an intruder may know: --keys a,b,c (keys=[...]).")
    except InputError as error:
        problems += error.problems
    sources: Source | None = None
    syntheses: list[Synthesis] = []
    original = filed.get("original") if original is None else original
    synthetic = filed.get("synthetic") if synthetic is None else synthetic
    try:
        if original is None:
            raise InputError("Name the original file.")
        sources = read_source(original, "the original", tables=tables)
    except InputError as error:
        problems += error.problems
    try:
        if synthetic is None:
            raise InputError("Name at least one synthetic file.")
        syntheses = read_syntheses(synthetic, tables=tables)
    except InputError as error:
        problems += error.problems
    people: Source | None = None
    control = filed.get("control") if control is None else control
    try:
        if control is not None and scenario.split is not None:
            raise InputError(
                "control and split: give the control people as a file or as the other half of the original, not both."
            )
        people = None if control is None else read_source(control, "the control", tables=tables)
    except InputError as error:
        problems += error.problems
    measures: tuple[Measure, ...] = ()
    known: Catalog | None = None
    try:
        known = catalog(measures_from).taken_at(scenario.points)
        # Also when the rest of the scenario is wrong: an unknown measure belongs among the problems.
        names = scenario.measures if given.get("measures") is None else read({"measures": given["measures"]}).measures
        if measures_from is not None and "measures" not in given:  # a user's own measures are wanted
            names = (*names, *(family for family in known.families if family not in catalog().families))
        chosen = known.select(names)
        measures = tuple(measure for measure in chosen if measure.needs is None or scenario.offered[measure.needs])
        if chosen and not measures and not problems:  # a setting that cannot be read is a problem already
            problems += [
                f"measures: {', '.join(each.name for each in chosen if each.needs == need)} needs {need}: {WAYS[str(need)]}."
                for need in dict.fromkeys(each.needs for each in chosen)
            ]
    except InputError as error:
        problems += error.problems
    if problems or sources is None or known is None:
        raise InputError(list(dict.fromkeys(problems)))
    return Question(scenario, sources, tuple(syntheses), known, measures, people, measures_from)


def with_measures(question: Question, names: Sequence[str], asking: str) -> Question:
    """The question, with measures that something else asks for: ``asking`` says what.

    Raises:
        InputError: there is no such measure, or it needs what the question has not.
    """
    problems: list[str] = []
    missing = [name for name in names if name not in {measure.name for measure in question.measures}]
    for name in missing:
        try:
            need = question.catalog[name].needs
        except InputError as error:
            problems += [f"{asking}: {each}" for each in error.problems]
        else:
            if need is not None and not question.scenario.offered[need]:
                problems.append(f"{asking}: {name} needs {need}: {WAYS[need]}.")
    if problems:
        raise InputError(problems)
    scenario = replace(question.scenario, measures=(*question.scenario.measures, *missing))
    chosen = {measure.name for measure in question.measures}.union(missing)
    return replace(question, scenario=scenario, measures=tuple(each for each in question.catalog if each.name in chosen))
