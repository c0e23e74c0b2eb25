"""Which file is protected, and how: from what the user gave to an `Order`."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from sqlrisk.analyses.preparation.files import paths_of, sources_of
from sqlrisk.catalogue.measures import catalog
from sqlrisk.common.errors import InputError, ProblemList
from sqlrisk.common.suggestions import suggestion
from sqlrisk.inputs.fields import EXCLUSIONS, Columns, rows
from sqlrisk.inputs.request import Question, ask
from sqlrisk.inputs.scenario import read
from sqlrisk.inputs.scenario_file import read_file
from sqlrisk.inputs.sources import Source, Synthesis

SIDES = ("synthetic", "original")
FORMS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".csv.gz": "csv"}
# By side: the flag's name, what is measured, and what of targets.
_FLAGS = {"synthetic": "replicated_unique", "original": "unique"}
_MEASURES = {"synthetic": ("UiO", "UiOiS", "repU"), "original": ("UiO",)}
_OF_TARGETS = {"synthetic": ("DiSCO", "DCAP"), "original": ("Dorig",)}
# Other settings say who is counted apart from everybody, or what is looked up besides.
_SETTINGS = (*rows(Columns), *EXCLUSIONS)
_LABEL = re.compile(r'(?:"(?P<quoted>(?:[^"]|"")+)"|(?P<plain>[^"=][^=]*))=(?P<text>.*)', re.DOTALL)


@dataclass(frozen=True)
class Order:
    """What is to be written: ``side``, the file that is protected, and the columns to add (None: none).

    ``path`` is the output as the user named it; ``flag``: all records stay, this column marks those singled out.
    """

    side: str
    question: Question
    source: Source
    path: str
    form: str
    flag: str | None
    label: tuple[str, str] | None

    @property
    def number(self) -> int:
        """The number of the file that is protected."""
        return 0 if self.side == "original" else 1

    @property
    def keeps_types(self) -> bool:
        """Whether the file is copied by Arrow, which keeps types that the engine has not; what was text is the engine's."""
        return self.form == "parquet" and self.source.kind != "csv"


def order(
    synthetic: object,
    original: object,
    path: str,
    settings: Mapping[str, object],
    side: str,
    flag: bool | str,
    label: object,
    scenario_file: str | None,
) -> Order:
    """Read what the user asks for, checked as far as the files' names allow. Raises InputError with every problem."""
    from sqlrisk.analyses.people.parquet_copy import held

    if side not in SIDES:
        raise InputError(f"side: {side!r} is none of {', '.join(SIDES)}{suggestion(side, SIDES)}.")
    problems = ProblemList()
    if side == "original":
        if synthetic is not None:
            problems.append("With side original only the original is read: leave the synthetic file out.")
        if original is None and scenario_file is not None:
            original = read_file(scenario_file).get("original")
        synthetic = original  # stands in for the file that is not needed
    form = next((form for suffix, form in FORMS.items() if path.lower().endswith(suffix)), "")
    if not path:
        problems.append("Name the file to write (-o FILE).")
    elif not form:
        problems.append(f"The output {path!r} is neither Parquet nor CSV by its name; known endings: {', '.join(FORMS)}.")
    with problems:
        added = None if label is None else _read_label(label)
    measures = _MEASURES[side]
    with problems:
        asked = ask(original, synthetic, {**settings, "measures": list(measures)}, scenario_file=scenario_file)
        if len(asked.syntheses) > 1:
            problems.append(f"One synthetic file is protected at a time; here are {len(asked.syntheses)}.")
    problems.stop()
    if asked.scenario.targets:
        measures += _OF_TARGETS[side]
    scenario = read({**asked.scenario.settings_of(_SETTINGS), "measures": list(measures)})
    source = held(asked.original if side == "original" else asked.syntheses[0].source)
    question = replace(
        about(asked, side, source), scenario=scenario, measures=catalog().select(measures), catalog=catalog(), control=None
    )
    return Order(side, question, source, path, form, (_FLAGS[side] if flag is True else flag) or None, added)


def about(question: Question, side: str, source: Source) -> Question:
    """Return the question with another file on the side that is protected."""
    if side == "original":
        return replace(question, original=source, syntheses=())
    return replace(question, syntheses=(Synthesis("", 1, source),))


def _read_label(given: object) -> tuple[str, str]:
    """(column, text) of ``COLUMN=TEXT`` or of a mapping with one column."""
    if isinstance(given, str) and (match := _LABEL.fullmatch(given)):
        return (match["plain"] or match["quoted"].replace('""', '"')), match["text"]
    if isinstance(given, Mapping) and len(given) == 1:
        ((name, text),) = given.items()
        if isinstance(name, str) and name and isinstance(text, str):
            return name, text
    raise InputError(f"label: {given!r} is not COLUMN=TEXT, as in origin=synthetic.")


def inputs(wanted: Order) -> list[str]:
    """Return the files that the output must not be. Raises InputError for an output among the parts of an input."""
    sources = sources_of(wanted.question)
    output = Path(wanted.path).resolve()
    for source in sources:
        with suppress(OSError):
            if source.paths and Path(source.label).is_dir() and Path(source.label).resolve() in output.parents:
                raise InputError(f"The output {wanted.path!r} would be a part of {source.name}; choose another folder.")
    return paths_of(wanted.question)
