"""The tables of papers: find the questions that a table needs, and make the table from their
reports.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from sqlrisk.analyses.preparation.files import lay_out as lay_out_files
from sqlrisk.analyses.scores import scoring, several_scenarios
from sqlrisk.analyses.session import SessionOpener
from sqlrisk.common.errors import InputError, ProblemList, suggestion
from sqlrisk.inputs import request
from sqlrisk.inputs.fields import EXCLUSIONS
from sqlrisk.inputs.readers import as_list
from sqlrisk.inputs.request import Question, Where
from sqlrisk.inputs.scenario_file import ColumnsUsed, combined, read_scenarios, unused
from sqlrisk.report.columns import LAYOUTS, OF_KEY_SETS
from sqlrisk.report.papers import (
    raab_control,
    raab_scenarios,
    raab_taub,
    taub_regressions,
    taub_section4,
)
from sqlrisk.report.results.table import Table

_COMPARING = ("raab3", "taub4")  # layouts with people in the synthesis and people outside
_OUTSIDE = (
    "{} compares people in the synthesis with people outside: give the others as --control FILE, "
    "or as a half of the original "
    "with --split COLUMN --split-in LEVEL."
)


def ask(
    layout: str, files: Sequence[Any], settings: Mapping[str, Any], **where: Unpack[Where]
) -> dict[str, Question]:
    """Return the questions that a paper's table needs, by name. ``layout`` names the table, such as
    raab2.

    For raab2 the questions are named like scenarios, otherwise by number. ``files`` are original,
    synthetic and control. One that is None is taken from the scenario file. Raises InputError with
    every problem.
    """
    if layout not in LAYOUTS:
        known = ", ".join(LAYOUTS)
        raise InputError(
            f"There is no layout {layout!r}{suggestion(layout, LAYOUTS)}; there are {known}."
        )
    if settings.get("measures") is not None:
        raise InputError(f"measures: the layout {layout!r} has its own measures; leave them out.")
    own: dict[str, Any] = {"measures": raab_taub.MEASURES[layout]}
    if layout == "raab2":
        return _scenarios(files, {**settings, **own}, **where)
    sets = _key_sets(settings.get("keys"))
    every_key = [key for each in sets for key in each] or settings.get("keys")
    asked, (original, synthetic, control, universe) = request.with_file(
        {**settings, "keys": every_key},
        (*files, None),
        where.pop("scenario_file", None),
        tables=where.get("tables", ""),
    )
    sets = sets or _key_sets(asked.get("keys"))
    compared = control is not None or asked.get("split") is not None
    if layout in _COMPARING and not compared:
        raise InputError(_OUTSIDE.format(layout))
    if layout not in _COMPARING and compared:
        raise InputError(
            f"control: the layout {layout!r} has no people outside the synthesis; leave them out, "
            f"or ask for {' or '.join(_COMPARING)}."
        )
    asked |= own
    asked.setdefault("populations", raab_taub.POPULATIONS.get(layout))
    if layout == "taub2":
        asked["trend"] = True
    problems, questions = ProblemList(), dict[str, Question]()
    for each in _runs(layout, asked, sets):
        for syntheses, people in _sides(layout, synthetic, control, each):
            with problems:
                questions[str(len(questions) + 1)] = request.ask(
                    original, syntheses, people, control=control, others=[universe], **where
                )
    problems.stop(request.unread(questions))
    return questions


def lay_out(layout: str, questions: Mapping[str, Question], open_session: SessionOpener) -> Table:
    """Run the questions and make the table from their reports. Raises the errors of
    `sqlrisk.analyses.scores.scoring.score`.

    Scenarios (raab2) run together in one session, on files that are encoded once. Each other
    question has its own session.
    """
    if layout == "raab2":
        with open_session() as session:
            return raab_scenarios.scenarios(several_scenarios.score(questions, session))
    # These questions have the same files.
    if len(questions) > 1 and len(set(map(_compares, questions.values()))) == 1:
        # Report the problems of all before the first is scored.
        with open_session() as session:
            lay_out_files(questions, session.engine)
    reports = []
    for each in questions.values():
        with open_session() as session:
            reports.append(scoring.score(each, session))
    if layout == "raab3":
        of_all = reports[::2] if reports[0].control is None else [None for _ in reports]
        return raab_control.added(
            [*zip(of_all, reports[1::2] if of_all[0] else reports, strict=True)]
        )
    if layout == "taub4":
        return taub_section4.differential(*reports)
    if layout == "taub2":
        return taub_regressions.regressions(reports)
    return raab_taub.taub(reports) if layout == "taub" else raab_taub.raab(*reports)


def _scenarios(
    files: Sequence[Any], settings: Mapping[str, Any], **where: Unpack[Where]
) -> dict[str, Question]:
    """Return the questions of the scenarios of a file, by name. Raises InputError if there is no
    file, if it has no scenarios, or if one of them has control or a split.
    """
    file = where.pop("scenario_file", None)
    if file is None or not read_scenarios(file)[1]:
        raise InputError(
            "raab2 puts scenarios side by side: give a file of several, a table [scenario.NAME] "
            "for each, with --scenario FILE."
        )
    questions = several_scenarios.ask(file, files, settings, **where)
    if any(map(_compares, questions.values())):
        raise InputError(
            "control: the layout 'raab2' has no people outside the synthesis; leave them out, or "
            "ask for raab3."
        )
    return questions


def _sides(
    layout: str, synthetic: Any, control: Any, asked: Mapping[str, Any]
) -> list[tuple[Any, Mapping[str, Any]]]:
    """Return the syntheses and settings of each part of one run. Usually there is one part.

    If raab3 has a synthesis named all, a first part compares that synthesis with all people,
    without a split. Raises InputError if the syntheses do not fit the split.
    """
    if layout != "raab3" or not isinstance(synthetic, Mapping) or raab_control.ALL not in synthetic:
        return [(synthetic, asked)]
    others = {name: files for name, files in synthetic.items() if name != raab_control.ALL}
    if control is not None or not others:
        raise InputError(
            "synthesis: the synthesis named all is of all people, who must be in one file: "
            "mark with --split the people in the other synthesis, and name that one, too."
        )
    of_halves = ("split", "split_in", "confidence")
    everybody = {name: value for name, value in asked.items() if name not in of_halves}
    return [({raab_control.ALL: synthetic[raab_control.ALL]}, everybody), (others, asked)]


def _compares(question: Question) -> bool:
    """Return True if a question has people who were not in the synthesis."""
    return question.control is not None or question.scenario.split is not None


def _key_sets(keys: object) -> Sequence[Sequence[str]]:
    """Return the keys if they are several sets, or an empty list if they are one set."""
    several = isinstance(keys, list | tuple) and all(
        isinstance(each, list | tuple) for each in keys
    )
    return keys if isinstance(keys, list | tuple) and several else []


def _runs(
    layout: str, asked: Mapping[str, Any], sets: Sequence[Sequence[str]]
) -> list[dict[str, Any]]:
    """Return the settings of each run: one run for each set of keys. If there are several sets, a
    run leaves out settings about columns that it does not use.

    For the layouts raab and raab3 with exclusions, a run without exclusions comes first.

    Raises InputError if the layout takes one set and several are given, or if no run uses the
    column of a setting.
    """
    if len(sets) > 1 and layout not in OF_KEY_SETS:
        raise InputError(
            f"keys: the layout {layout!r} has one set of keys; name its columns in one list."
        )
    runs = [dict(asked)]
    if len(sets) > 1:
        runs = [combined(asked, {"keys": each}, {}) for each in sets]
        ProblemList(unused(asked, [*map(ColumnsUsed.of, runs)])).stop()
    excluding = (*EXCLUSIONS, "justification")
    if layout in ("raab", "raab3") and any(
        as_list(asked.get(name)) not in (None, "", [], (), {}) for name in excluding
    ):
        runs.insert(0, {name: value for name, value in runs[0].items() if name not in excluding})
    return runs
