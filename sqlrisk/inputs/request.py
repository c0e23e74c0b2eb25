"""A question ready to run: a scenario, its files, and its measures."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import TypedDict

from sqlrisk.catalogue.measures import OF_SCORES, Catalog, Measure, catalog
from sqlrisk.common.errors import InputError, ProblemList, Problems
from sqlrisk.common.extras import install
from sqlrisk.inputs.columns import hierarchies
from sqlrisk.inputs.columns.dictionary import readable
from sqlrisk.inputs.fields import CsvFiles, rows
from sqlrisk.inputs.scenario import Scenario, read
from sqlrisk.inputs.scenario_file import read_file
from sqlrisk.inputs.settings import FILE_SETTINGS
from sqlrisk.inputs.sources import Source, Synthesis, Tables, read_source, read_syntheses

# The measures of how many people are excluded: from measures of a target, and from measures of
# identity. Named, because every run with exclusions adds them.
EXCLUDED = ("excluded", "excluded_identity")
NO_KEYS = "Name the columns that an intruder may know: --keys a,b,c (keys=[...])."
# What a measure may need -> the option that gives it.
REMEDIES = {
    "exclusions": "exclude people, as with --exclude-level",
    "weights": "name the column of survey weights with --weights",
    "a tolerance": "say how far a guess may be from the truth, as in --within income=5%",
    "a tolerance on a key": "say how far a key may be from a person's value, as in --within age=2",
    "a link": "say which columns the intruder joins, as in --link age,sex/region,income",
    "a universe": "give a file of the whole population with --universe",
    "aligned files": "say with --aligned that records of the files belong together",
    "a stated synthesizer": "say how the files were made with --assume saturated --prior 1",
    "a reference": "give --membership-ratio together with --control",
    "control": (
        "give people who were not in the synthesis with --control, or with --split and --split-in"
    ),
}


class Where(TypedDict, total=False):
    """Arguments of `ask`: where further settings and measures come from."""

    scenario_file: str | None
    measures_from: str | None
    tables: Tables


class OtherFiles(TypedDict):
    """Arguments of `ask` about files other than the original and the synthetic ones."""

    control: object
    universe: object
    with_universe: bool


@dataclass(frozen=True)
class Question:
    """A question: the files, keys, targets and measures of one run.

    Attributes:
        measures: the requested measures, in catalog order.
        measures_from: the folder of the user's own measures.
        unread: messages about unreadable parts of the dictionary. The scenario then has no recodes
            of these columns, so that the files can be checked and all problems reported at
            once.
        stored: file number (0: original, then the syntheses, and so on) -> the columns of this
            file to write unchanged.
        checked: refuse columns that files lack, text among the numbers of CSV files, and levels
            that no file has. False if the run made a file from one that was checked.
    """

    scenario: Scenario
    original: Source
    syntheses: tuple[Synthesis, ...]
    catalog: Catalog
    measures: tuple[Measure, ...]
    control: Source | None = None
    universe: Source | None = None
    measures_from: str | None = None
    unread: tuple[str, ...] = ()
    stored: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    checked: bool = True

    @property
    def sources(self) -> tuple[Source, ...]:
        """In this order: original, syntheses, and the universe and control files if named.

        Each source has the texts that mean missing in this scenario.
        """
        others = [each for each in (self.universe, self.control) if each is not None]
        given = (self.original, *(each.source for each in self.syntheses), *others)
        return tuple(map(self.scenario.with_missing, given))

    @property
    def paths(self) -> list[str]:
        """The files that the question reads, and their names as given, such as globs. No output may
        replace or join them.
        """
        named = [path for each in self.sources for path in (*each.paths, each.label)]
        return named + self.scenario.files

    @property
    def offered(self) -> dict[str, bool]:
        """Each need of a measure, such as ``control`` -> True if the question meets it."""
        return offered(self.scenario, self.control, self.universe)

    @property
    def numbers_control(self) -> bool:
        """True if the records of control must be numbered, to compare membership scores with a
        reference.
        """
        return self.scenario.membership_ratio and self.asks_who_was_in

    @property
    def asks_who_was_in(self) -> bool:
        """True if a measure asks who was in the synthesis."""
        return any(measure.stage in OF_SCORES for measure in self.measures)

    @property
    def of_rows(self) -> tuple[Measure, ...]:
        """The measures of whole rows, which are computed separately."""
        return tuple(measure for measure in self.measures if measure.of_rows)

    @property
    def of_keys(self) -> "Question":
        """The question without its measures of whole rows."""
        return replace(self, measures=tuple(each for each in self.measures if not each.of_rows))

    @property
    def computed(self) -> tuple[Measure, ...]:
        """The requested measures, and the measures that they combine, in catalog order."""
        return self.catalog.with_parts(self.measures)


def ask(
    original: object,
    synthetic: object,
    settings: Mapping[str, object],
    *,
    control: object = None,
    universe: object = None,
    with_universe: bool = False,
    scenario_file: str | None = None,
    measures_from: str | None = None,
    tables: Tables = "",
    keyless: bool = False,
    unchecked: Collection[str] = (),
    others: Collection[object] = (),
) -> Question:
    """Make a question from the user's arguments. For None, the scenario file or the default
    applies.

    A ``keyless`` question has no intruder and needs no keys. ``with_universe`` also uses the
    universe of the scenario file. ``tables`` says whether a text that is not a file may name a
    table of the database. CSV options may also name ``others``, files that are not read, and a
    universe of the scenario file that is not used. The CSV options in ``unchecked`` may name any
    file. Raises InputError with every problem. If only the dictionary has problems, they are kept
    in ``unread`` of the question instead.
    """
    files = original, synthetic, control, universe
    settings, (original, synthetic, control, named) = with_file(
        settings, files, scenario_file, tables=tables
    )
    if with_universe:
        universe = named
    elif named is not universe:
        others = [*others, named]
    settings, waiting = set_aside(settings)
    problems = ProblemList()
    scenario, syntheses = Scenario(), list[Synthesis]()
    with problems:
        scenario = read(settings)
        if not scenario.keys and not keyless:
            problems.append(NO_KEYS)
        if scenario.column:
            hierarchies.files_of(scenario)
    with problems:
        source = read_original(original, tables=tables)
    with problems:
        if synthetic is None:
            raise InputError("Name at least one synthetic file.")
        syntheses = read_syntheses(synthetic, tables=tables)
    with problems:
        if control is not None and scenario.split is not None:
            raise InputError(
                "control and split: both name the people who were not in the synthesis; give "
                "one of them."
            )
        people = None if control is None else read_source(control, "the control", tables=tables)
    with problems:
        everybody = (
            None if universe is None else read_source(universe, "the universe", tables=tables)
        )
    with problems:
        known = catalog(measures_from).taken_at(scenario.points)
        pooled = len(syntheses) > len({each.method for each in syntheses})
        if "measures" not in settings:
            scenario = with_families(scenario, known, universe)
        chosen = _chosen(scenario, settings, known, pooled=pooled)
        had = offered(scenario, control, universe)
        measures = tuple(
            measure for measure in chosen if measure.needs is None or had[measure.needs]
        )
        if not measures and not problems:  # a setting that cannot be read is already reported
            problems += _needs(chosen, scenario.measures)
        asking = ["membership_ratio"] if scenario.membership_ratio else []
        if scenario.membership_epsilon is not None:
            asking.append("membership_epsilon")
            if find_spec("scipy") is None:
                raise InputError(f"membership_epsilon: intervals need scipy: {install('stats')}.")
        if asking and not any(measure.stage in OF_SCORES for measure in measures):
            used = f"{' and '.join(asking)}: {'they are' if len(asking) > 1 else 'it is'}"
            raise InputError(
                f"{used} used only by membership measures; ask for some, as with --measures "
                "membership."
            )
    if not problems:
        sources = [
            source,
            *(each.source for each in syntheses),
            *(each for each in (everybody, people) if each is not None),
        ]
        problems += scenario.names_no_file(sources, unchecked, others)
    problems.stop(waiting)
    source = scenario.as_written("original", source)
    people = people and scenario.as_written("control", people)
    everybody = everybody and scenario.as_written("universe", everybody)
    asked = source, tuple(scenario.syntheses_as_written(syntheses))
    return Question(scenario, *asked, known, measures, people, everybody, measures_from, waiting)


def with_families(scenario: Scenario, known: Catalog, universe: object = None) -> Scenario:
    """Return the scenario with the further families that are measured if no measures are named: the
    user's own, and ``universe`` if there is one.
    """
    own = [family for family in known.families if family not in catalog().families]
    own += [] if universe is None else ["universe"]
    return replace(scenario, measures=(*scenario.measures, *own))


def offered(scenario: Scenario, control: object = None, universe: object = None) -> dict[str, bool]:
    """Return a dict: a measure's need, such as ``control`` -> True if a scenario with these files
    (None for no file) meets it.
    """
    compared = control is not None or scenario.split is not None
    return {
        **scenario.offered,
        "control": compared,
        "a reference": compared and scenario.membership_ratio,
        "a universe": universe is not None,
    }


def require(
    measure: Measure, had: Mapping[str, bool], remedies: Mapping[str, str] = REMEDIES
) -> Measure:
    """Return the measure. Raises InputError if it needs something that the question lacks.

    ``had`` is what `offered` returns. ``remedies`` maps each need to what the user can do.
    """
    if measure.needs is not None and not had[measure.needs]:
        raise InputError(f"{measure.name} needs {measure.needs}: {remedies[measure.needs]}.")
    return measure


def set_aside(settings: Mapping[str, object]) -> tuple[dict[str, object], tuple[str, ...]]:
    """Return settings without unreadable parts of the dictionary, and messages about these parts.
    They are reported together with problems of the files.
    """
    said = settings.get("column")
    with suppress(InputError):  # reported where settings are read
        column, waiting = readable(said, "column") if said else ({}, [])
        if waiting:
            return {**settings, "column": column}, tuple(waiting)
    return dict(settings), ()


def unread(questions: Mapping[str, Question]) -> ProblemList:
    """Return the postponed problems of reading dictionaries, each with its question's name."""
    problems = Problems(questions)
    for name, question in questions.items():
        problems[name] += question.unread
    return problems.told()


def require_control(question: Question) -> Question:
    """Return the question. Raises InputError if the user sets a confidence level but gives neither
    control nor a split, since a confidence level is only for comparisons with control.
    """
    compared = question.control is not None or question.scenario.split is not None
    if question.scenario.confidence != Scenario().confidence and not compared:
        nobody = (
            "confidence: it sets intervals for comparisons with people who were not in the "
            "synthesis; give these people with --control, or leave it out."
        )
        ProblemList([nobody]).stop(question.unread)
    return question


def with_file(
    settings: Mapping[str, object],
    sources: Sequence[object],
    scenario_file: str | None,
    *,
    tables: Tables,
) -> tuple[dict[str, object], list[object]]:
    """Return settings and sources. Those that are None are taken from the scenario file, if any.
    Dictionaries of columns are joined.

    ``sources`` are in the order of FILE_SETTINGS. The last ones may be left out.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    filed = {} if scenario_file is None else read_file(scenario_file, given, tables=tables)
    located = [
        filed.get(name) if source is None else source
        for name, source in zip(FILE_SETTINGS, sources, strict=False)
    ]
    kept = {name: value for name, value in filed.items() if name not in FILE_SETTINGS}
    return {**given, **kept}, located


def not_given(settings: Mapping[str, object]) -> list[str]:
    """Return the CSV options that are not given, so that those of a scenario file apply. A scenario
    file may give CSV options of files that a question does not read.
    """
    return [name for name in rows(CsvFiles) if settings.get(name) is None]


def read_original(original: object, *, tables: Tables = "") -> Source:
    """Read the source of the original. Raises InputError if there is none."""
    if original is None:
        raise InputError("Name the original file.")
    return read_source(original, "the original", tables=tables)


def _chosen(
    scenario: Scenario, settings: Mapping[str, object], known: Catalog, *, pooled: bool
) -> Sequence[Measure]:
    """Return the measures to compute: the requested ones, and measures that are always shown with
    them.

    - If files are ``pooled``, add the measures of people at risk in at least one file.
    - With exclusions, add to each baseline its version over only the people who are counted.
    - If one measure of links is requested, add the others: they break ties differently, with widely
      different results.
    """
    # Read even if other settings are wrong, so that an unknown measure is reported with them.
    names = (
        read({"measures": settings["measures"]}).measures
        if "measures" in settings
        else scenario.measures
    )
    names = tuple(map(known.spelled, names))
    if pooled and {"identity", "attribute"} <= {*names}:
        names = (*names, "union")
    if scenario.excludes:
        names = (
            *names,
            *(
                known[name].shown["of_counted"]
                for name in names
                if name in known and "of_counted" in known[name].shown
            ),
        )
    if any(name in known and known[name].stage == "linked_classes" for name in names):
        names = (*names, "linkability")
    return known.select(names)


def _needs(chosen: Sequence[Measure], asked: Collection[str]) -> list[str]:
    """Return a message for each need of the chosen measures, none of which the question meets.
    Measures of a family in ``asked`` are named by the family, with its first need.
    """
    needs: dict[str, str] = {}
    for each in chosen:
        needs.setdefault(each.family if each.family in asked else each.name, str(each.needs))
    problems = []
    for need in dict.fromkeys(needs.values()):
        names = [name for name, own in needs.items() if own == need]
        verb = "needs" if len(names) == 1 else "need"
        problems.append(f"measures: {', '.join(names)} {verb} {need}: {REMEDIES[need]}.")
    return problems


def with_excluded(question: Question) -> Question:
    """Return the question. If it excludes people, add the measures of how many."""
    return (
        with_measures(question, EXCLUDED, "exclusions") if question.scenario.excludes else question
    )


def with_measures(question: Question, names: Sequence[str], asking: str) -> Question:
    """Return a question with the additional measures ``names``. ``asking`` is who requests them,
    for messages.

    Raises InputError if the question cannot have them.
    """
    problems = ProblemList()
    missing = [
        name for name in names if name not in {measure.name for measure in question.measures}
    ]
    for name in missing:
        with problems:
            require(question.catalog[name], question.offered)
    ProblemList(f"{asking}: {problem}" for problem in problems).stop()
    scenario = replace(question.scenario, measures=(*question.scenario.measures, *missing))
    chosen = {measure.name for measure in question.measures}.union(missing)
    return replace(
        question,
        scenario=scenario,
        measures=tuple(each for each in question.catalog if each.name in chosen),
    )
