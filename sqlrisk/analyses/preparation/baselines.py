"""The user's own distribution of a target, for example in the population: a file with one row per
level and the level's share.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

from sqlrisk.common.errors import InputError, ProblemList
from sqlrisk.engines.engine import Engine
from sqlrisk.inputs import datatypes
from sqlrisk.inputs.csv_files.numbers import FORMS
from sqlrisk.inputs.scenario import Scenario
from sqlrisk.inputs.sources import read_source
from sqlrisk.plan.columns import Column, File
from sqlrisk.plan.layout import Baseline

COLUMNS = ("level", "share")
TOLERANCE = 1e-6  # shares may have been rounded


def attach(
    paths: Mapping[str, str],
    types: Mapping[str, str],
    labels: Mapping[str, Collection[str]],
    scenario: Scenario,
    engine: Engine,
) -> dict[str, File]:
    """Make the baseline files readable, and return them by target.

    Args:
        paths: target -> file.
        types: column -> type in the original.
        labels: the labels of each target that is compared by label.

    Raises InputError if a file lacks the columns ``level`` and ``share``, or has no label of a
    target that is compared by label.
    """
    files: dict[str, File] = {}
    for number, (target, path) in enumerate(paths.items(), start=1):
        given = scenario.as_written("baseline", read_source(path, f"the baseline of {target}"))
        texts = (("level", scenario.missing_in(target)),)
        source = replace(given, missing=scenario.missing, missing_of=texts)
        known = engine.columns(source)
        lacking = [column for column in COLUMNS if column not in known]
        if lacking:
            raise InputError(
                f"baseline: {source.name} has no column {lacking[0]!r}; it needs the columns "
                "level and share."
            )
        relation, own, _ = engine.attach(source, COLUMNS, f"baseline_{number}")
        level, kind = own["level"], types.get(target, "")
        if target in labels and not engine.texts_among(relation, "level", labels[target])[1]:
            raise InputError(
                f"baseline: {target!r} is compared by its labels, and {source.name} holds none of "
                "them. "
                "Write labels as its levels."
            )
        if source.kind == "csv" and kind == "VARCHAR":  # as `settled_types` does for targets
            level = "VARCHAR"
        elif source.kind == "csv" and level == "VARCHAR" and kind in FORMS:
            level = engine.held_texts(
                relation, "level", engine.text_type(relation, "level", [kind])
            )
        files[target] = File(0, relation, {**own, "level": level})
    return files


def read(
    files: Mapping[str, File], columns: Mapping[str, Column], engine: Engine
) -> dict[str, Baseline]:
    """Check the shares in the baseline files, and return the baselines by target.

    Raises InputError for an unknown target, and for levels that differ in type from the target or
    are given twice. Also raised for shares that are missing, negative or no numbers, or do not sum
    to 1.
    """
    found: dict[str, Baseline] = {}
    problems = ProblemList()
    for target, file in files.items():
        column = columns.get(target)
        if column is None or column.role != "t" or column.kind is None:
            problems.append(f"baseline: {target!r} is not a target of the scenario.")
            continue
        kind = datatypes.common([column.kind, file.types["level"]])
        if (
            kind is None
            or datatypes.is_nested(file.types["level"])
            or not datatypes.is_numeric(file.types["share"])
        ):
            problems.append(
                f"baseline: the file of {target!r} holds levels as "
                f"{datatypes.family(file.types['level'])} and shares as "
                f"{datatypes.family(file.types['share'])}; levels must be as in the target, "
                "shares numbers."
            )
            continue
        wide = replace(column, name="level", type=kind)
        level = wide.value_in(file)
        share = 'CAST("share" AS DOUBLE)'
        ((rows, levels, missing, negative, total),) = engine.run(
            f"SELECT COUNT(*), COUNT(DISTINCT value), COUNT(CASE WHEN value IS NULL THEN 1 END), "
            f"COUNT(CASE WHEN share IS NULL OR NOT share >= 0 THEN 1 END), SUM(share) "
            f"FROM (SELECT {level} AS value, {share} AS share FROM {file.relation}) AS shares"
        )
        if not rows or negative or not abs(total - 1) <= TOLERANCE:  # a share may be NaN
            problems.append(
                f"baseline: the shares of {target!r} must be numbers from 0 to 1 that sum to 1."
            )
        if missing > 1 or levels + missing < rows:
            problems.append(f"baseline: the file of {target!r} names a level twice.")
        # A cast of the given levels would round them, or fail.
        value = datatypes.as_type(str(column.type), "dictionary.value", str(wide.type))
        found[target] = Baseline(file.relation, level, value)
    problems.stop()
    return found
