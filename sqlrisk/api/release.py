"""Many questions about the same files, which are read and encoded once."""

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack, cast

from sqlrisk.api import intruders, people, scores
from sqlrisk.api.calls import OPEN, Call, OpenFiles, require_known
from sqlrisk.common.errors import EngineError, InputError, suggesting
from sqlrisk.inputs.fields import Run

if TYPE_CHECKING:
    from sqlrisk.analyses.people.held_records import Records
    from sqlrisk.analyses.people.record_risk import Written
    from sqlrisk.report.listing import Listing
    from sqlrisk.report.report import Report
    from sqlrisk.report.results.explanation import Explanation
    from sqlrisk.report.results.inspection import Inspection
    from sqlrisk.report.results.sweeps import Sweep

Answer = TypeVar("Answer")


class Release:
    """An original and its synthetic files, read once for many questions.

    The first question reads and encodes the files. Later ones reuse its counts. Each method answers
    like the function of its name, for the files and settings of the Release. The database session
    stays open until ``close`` or the end of a ``with`` block.

    Example:
        >>> with sqlrisk.Release(
        ...     "original.parquet", "syn_1.parquet", keys=["sex", "age"], targets=["ill"]
        ... ) as release:
        ...     release.score(measures="DiSCO").value("DiSCO")
        ...     len(release.records())
        53.5
        200
    """

    def __init__(
        self,
        original: Any = None,
        synthetic: Any = None,
        *,
        control: Any = None,
        universe: Any = None,
        **settings: Unpack[Run],
    ) -> None:
        """Name the files and settings. Nothing is read yet.

        Args:
            original, synthetic, control, universe: as for ``score``.
            settings: all settings of a scenario and of the run, as for ``score``, for every
                question. Only measures may differ.

        Raises:
            TypeError: a setting is unknown.
            InputError: only from a method: as from the function of its name, or if a file has
                changed.
        """
        require_known(Release.__init__, settings)
        self._sources = {
            "original": original,
            "synthetic": synthetic,
            "control": control,
            "universe": universe,
        }
        self._given: dict[str, Any] = dict(settings)
        self._files = OpenFiles(self._sources)

    def inspect(self) -> "Inspection":
        """Check whether the files can be assessed."""
        return self._ask(scores.inspect, "control")

    @suggesting
    def score(
        self,
        measures: Any = None,
        *,
        policy: Any = None,
        listings: bool = False,
        cube: bool = False,
    ) -> "Report":
        """Compute measures, by default those of the settings."""
        own = {} if measures is None else {"measures": measures}
        return self._ask(
            scores.score, "control", "universe", **own, policy=policy, listings=listings, cube=cube
        )

    def records(self, output: Any = None, **how: Any) -> "Records | Written":
        """Return the risk of each record. ``how``: arguments that only `sqlrisk.records` has, such
        as ``side`` or ``gcap``.
        """
        return cast(
            "Records | Written", self._ask(cast("Any", people.records), output=output, **how)
        )

    @suggesting
    def cells(
        self, measure: str, *, synthesis: str = "1", target: str | None = None, limit: int = 20
    ) -> "Listing":
        """List the riskiest cells of a measure. Disclosive."""

        def listed(original: Any, synthetic: Any, **given: Any) -> "Listing":
            return scores.cells(measure, original, synthetic, **given)

        return self._ask(listed, synthesis=synthesis, target=target, limit=limit)

    @suggesting
    def explain(self, record: Any, *, synthesis: str | None = None) -> "Explanation":
        """Explain why one person is at risk. Disclosive."""
        return self._ask(people.explain, record=record, synthesis=synthesis)

    def sweep(self, **how: Any) -> "Sweep":
        """Compute the measures for every subset of the keys. ``how``: arguments that only
        `sqlrisk.sweep` has, such as ``key_length``.
        """
        return self._ask(intruders.sweep, "control", **how)

    @suggesting
    def query(self, statement: str) -> "Listing":
        """Run SQL on the counted tables, under the names of the tables and views of a saved run.

        The SQL is that of the engine, DuckDB's by default. ``SHOW TABLES`` lists what it can read.
        Tables of a database have no order: ``people``, ``record_risk`` and ``replicated_uniques``
        need the setting ``id``, and number their records by it.
        """
        return self._ask(_query, "control", "universe", statement=statement)

    def close(self) -> None:
        """End the session of the database."""
        self._files.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # As after `score`, a schema stays if a policy is not met or the caller's own code fails.
        self._files.close(error if isinstance(error, InputError | EngineError) else None)

    def _ask(self, function: Callable[..., Answer], *beside: str, **own: Any) -> Answer:
        """Call a public function about the open files. ``beside`` names further files that it
        takes: control, universe.
        """
        files = {name: self._sources[name] for name in ("original", "synthetic", *beside)}
        token = OPEN.set(self._files)
        try:
            return function(**files, **{**self._given, **own})
        finally:
            OPEN.reset(token)


def _query(
    original: Any,
    synthetic: Any,
    *,
    control: Any,
    universe: Any,
    statement: str,
    **settings: Any,
) -> "Listing":
    """Run SQL on the open files."""
    from sqlrisk.analyses.results import queries
    from sqlrisk.inputs.request import require_control, with_excluded

    call = Call.of(settings)
    asked = call.ask(original, synthetic, control, universe=universe, with_universe=True)
    question = with_excluded(require_control(asked))
    with call.session(question) as session:
        return queries.ask(question, session, statement)
