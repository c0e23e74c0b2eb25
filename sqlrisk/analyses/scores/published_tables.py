"""The tables of papers: which runs a layout needs, from the settings of one question, and the table that their reports make."""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from sqlrisk.analyses.scores import scoring
from sqlrisk.analyses.session import Opener
from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.inputs import request
from sqlrisk.inputs.fields import EXCLUSIONS
from sqlrisk.inputs.request import Question, Where
from sqlrisk.report.columns import LAYOUTS
from sqlrisk.report.papers import raab_taub, taub_section4
from sqlrisk.report.results.table import Table


def ask(layout: str, files: Sequence[Any], settings: Mapping[str, Any], **where: Unpack[Where]) -> list[Question]:
    """Return the questions that a layout puts; ``files``: original, synthetic and control, the scenario file's where None."""
    if layout not in LAYOUTS:
        known = ", ".join(LAYOUTS)
        raise InputError(f"There is no layout {layout!r}{suggestion(layout, LAYOUTS)}; there are {known}.")
    if settings.get("measures") is not None:
        raise InputError(f"measures: the layout {layout!r} has its own measures; leave them out.")
    asked, (original, synthetic, control) = request.with_file(settings, files, where.pop("scenario_file", None))
    if layout != "taub4" and (control is not None or asked.get("split") is not None):
        raise InputError(f"control: the layout {layout!r} has no people outside the synthesis; leave them out, or ask for taub4.")
    asked["measures"] = raab_taub.MEASURES[layout]
    asked.setdefault("populations", raab_taub.POPULATIONS.get(layout))
    return [request.ask(original, synthetic, each, control=control, **where) for each in _runs(layout, asked)]


def lay_out(layout: str, questions: Sequence[Question], open_session: Opener) -> Table:
    """Run each question in a session of its own, and lay the reports out. Raises as `sqlrisk.analyses.scores.scoring.score`."""
    reports = []
    for each in questions:
        with open_session() as session:
            reports.append(scoring.score(each, session))
    if layout == "taub4":
        return taub_section4.differential(*reports)
    return raab_taub.taub(reports) if layout == "taub" else raab_taub.raab(*reports)


def _runs(layout: str, asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the settings of each run: one for each set of keys, and before a run with exclusions one of all people (Raab)."""
    sets = asked.get("keys")
    if not (isinstance(sets, list | tuple) and sets and all(isinstance(each, list | tuple) for each in sets)):
        sets = [sets]
    if len(sets) > 1 and layout != "taub":
        raise InputError(f"keys: the layout {layout!r} has one set of keys; name its columns in one list.")
    runs = [{**asked, "keys": each} for each in sets]
    excluding = (*EXCLUSIONS, "justification")
    if layout == "raab" and any(asked.get(name) not in (None, "", [], (), {}) for name in excluding):
        runs.insert(0, {name: value for name, value in runs[0].items() if name not in excluding})
    return runs
