"""The places where runs keep their tables, as the setting ``save`` says."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from sqlrisk.analyses.places import Place
from sqlrisk.api.calls import Call
from sqlrisk.common.errors import InputError
from sqlrisk.common.output_files import replacing
from sqlrisk.inputs.request import Question

if TYPE_CHECKING:
    from sqlrisk.analyses.saved_scenarios import SavedScenarios


@contextmanager
def of(question: Question, call: Call, *, alone: bool) -> Iterator[Place]:
    """Yield the place where a run keeps its tables: a file, a schema, or without ``save`` nowhere.

    ``alone`` is True if the run computes no utility. Raises InputError if tables cannot be kept
    there.
    """
    save = call.own.get("save")
    if save is None:
        yield Place()
    elif Path(save).suffix == ".duckdb":
        from sqlrisk.analyses.saved_runs import SavedRun

        with _opened(save, [question], call) as file:
            yield SavedRun(file)
    elif not call.tables:
        raise InputError(
            f"save: {save!r} must end in .duckdb. To keep tables in a schema, name its database by "
            "--engine."
        )
    elif not alone:
        raise InputError(
            "save: a run with --utility cannot save to a schema; leave out --utility, and run "
            "`sqlrisk utility` for it."
        )
    else:
        from sqlrisk.analyses.saved_tables import SavedTables

        yield SavedTables(save, question.measures)


@contextmanager
def of_several(questions: Mapping[str, Question], call: Call) -> Iterator["SavedScenarios | None"]:
    """Yield the file that keeps the tables of several runs, or None without ``save``. Raises
    InputError if ``save`` is no .duckdb file, since a schema keeps only one run.
    """
    save = call.own.get("save")
    if save is None:
        yield None
    elif Path(save).suffix != ".duckdb" and call.tables:
        raise InputError(
            f"save: the schema {save!r} can keep only one scenario: score one, as in "
            f"--scenario FILE#{next(iter(questions))} --save {save}. To save several, run on "
            "DuckDB and save to a .duckdb file."
        )
    elif Path(save).suffix != ".duckdb":
        raise InputError(
            f"save: {save!r} must end in .duckdb; runs of several scenarios are saved only to "
            "a file."
        )
    else:
        from sqlrisk.analyses.saved_scenarios import SavedScenarios

        with _opened(save, questions.values(), call) as file:
            yield SavedScenarios(file, [*questions])


def _opened(
    save: str, questions: Iterable[Question], call: Call
) -> AbstractContextManager[BinaryIO]:
    """Open the file of a run for writing. It replaces no file that the questions read, nor the
    database that holds their tables.
    """
    engine = call.machine.engine
    database = [str(Path(engine).expanduser())] if isinstance(engine, str) else []
    return replacing(save, [*database, *chain.from_iterable(each.paths for each in questions)])
