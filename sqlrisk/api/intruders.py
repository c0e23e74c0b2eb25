"""Functions about intruders: train attackers, and measure every set of keys that an intruder may
know.
"""

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from sqlrisk.api.calls import Call, require_own
from sqlrisk.inputs.fields import (
    CLOSER,
    MACHINE,
    PEOPLE,
    SUBSETS,
    Attackers,
    AttackRun,
    Field,
    SweepRun,
)
from sqlrisk.inputs.settings import Setting

if TYPE_CHECKING:
    from sqlrisk.report.results.attacks import Attacks
    from sqlrisk.report.results.sweeps import Sweep


def attack(
    original: Any = None,
    synthetic: Any = None,
    *,
    confidence: Annotated[
        float | None, Field(PEOPLE, "LEVEL", "Confidence level of the intervals; default: 0.95")
    ] = None,
    work_limit: Annotated[
        int | None,
        Field(
            MACHINE,
            "N",
            "Maximum steps of a search, and of the sql attackers; default: 20000000000",
        ),
    ] = None,
    **settings: Unpack[AttackRun],
) -> "Attacks":
    """Train attackers on each synthetic file and pool, and count how often they guess people's
    targets right.

    For comparison, they also learn from the original and control. From every file, they guess for
    the people of the original and of control.

    Args:
        original, synthetic, keys, targets, bins, special, missing, column, control, split,
            split_in, id: as for ``score``.
        attackers: names or groups (``baselines``, ``sql``, ``sklearn``) from `sqlrisk guide
            attack`. ``sklearn`` attackers learn from samples and need ``pip install '.[attack]'``.
            By default ``baselines`` and ``sql``.
        sample: the maximum number of records to train ``sklearn`` attackers on, and of people to
            test them on; by default 10,000.
        seed: random seed of samples and models; by default 1.
        preset: ``"current"`` (scikit-learn's defaults) or ``"sklearn-0.20"`` (the defaults of that
            version).
        scenario: a TOML file with the same settings, without exclusions; arguments given here win.
            Populations, ``by``, weights and tolerances in it are ignored.
        engine, memory_limit, threads, temp_directory, scratch, progress, trace: as for ``score``.

    Raises:
        InputError: as ``score``, scikit-learn is missing, or there is more work than the limit.
        EngineError: the database failed.

    Example:
        >>> found = sqlrisk.attack(scenario="scenario.toml", attackers=["majority"])
        >>> found.to_pandas()["attacker"].unique().tolist()
        ['majority']
    """
    from sqlrisk.analyses.intruders import attack_request, attacks

    control = settings.pop("control", None)
    call = Call.of(settings, Attackers, function=attack)
    question = {**call.settings, "confidence": confidence, "work_limit": work_limit}
    asked = attack_request.ask((original, synthetic, control), question, call.own, **call.where)
    with call.session(asked.question) as session:
        return attacks.run(asked, session)


def sweep(
    original: Any = None,
    synthetic: Any = None,
    *,
    key_length: Annotated[
        Setting,
        Field(
            SUBSETS,
            "N",
            "Numbers of keys in a subset: 3,4; default: every number of keys",
            "list",
        ),
    ] = None,
    reference: Annotated[
        bool,
        Field(
            CLOSER, "", "Also compare the original with itself", "switch", flag="--with-original"
        ),
    ] = False,
    sort: Annotated[
        str | None,
        Field(
            CLOSER,
            "ORDER",
            "Sort listed subsets by a measure, key_length, keys or nonmatches; default: DiSCO",
        ),
    ] = None,
    top: Annotated[int, Field(CLOSER, "N", "Number of subsets to list in text")] = 10,
    output: str | PathLike[str] | None = None,
    inputs: Sequence[str] = (),
    control: Any = None,
    **settings: Unpack[SweepRun],
) -> "Sweep":
    """Compute the measures for every subset of the keys, for intruders who know only some of them.

    Args:
        measures: names or families; by default UiO, Dorig, DiSCO, baseCAPd, CAPd, DCAP and
            accuracy_ICAP, or with ``measures_from`` those of ``score``.
        reference: also compare the original with itself, as synthesis ``original``, which is never
            pooled.
        attackers, sample, seed, preset: also try these attackers on each subset, as for ``attack``.
            Attackers are shown like measures, and refuse exclusions, populations, ``by`` and
            weights.
        work_limit: the maximum number of steps, by default 20,000,000,000. A sweep takes
            5 * subsets * records (at least 100,000) * (targets + 1).
        sort: order of the listed subsets: a measure, key_length, keys or nonmatches. By default
            the first of DiSCO and DCAP that is measured, else the first measure.
        output: a .parquet file for the rows of the subsets. The Sweep's ``subsets`` is then empty.
        inputs: more files that the output must not replace.
        original, synthetic, control, keys, targets: as for ``score``.
        settings: as for ``score``. An exclusion by a key applies to the subsets with this key.

    Returns:
        A Sweep, with ``subsets``, ``summary`` and ``contributions``.

    Raises:
        InputError: as ``score``, or there is more work than the limit.
        EngineError: the database failed.

    Example:
        >>> sqlrisk.sweep(
        ...     "original.parquet", "syn_1.parquet", keys=["sex", "age", "region"], targets=["ill"]
        ... ).count
        7
    """
    from sqlrisk.analyses.intruders import sweep_request, sweeps
    from sqlrisk.common.output_files import rows_to

    require_own(sweep, settings)
    call = Call.of(settings, Attackers)
    own: dict[str, Any] = {
        "key_length": key_length,
        "reference": reference,
        "sort": sort,
        "top": top,
    }
    asked = sweep_request.ask(
        (original, synthetic, control), call.settings, call.own, **own, **call.where
    )
    opened = call.session(asked.question)
    if output is None:
        with opened as session:
            return sweeps.sweep(asked, session)
    sources = [*inputs, *asked.question.paths]
    with rows_to(output, sources, ("parquet",)) as (path, _), opened as session:
        return sweeps.sweep(asked, session, rows=path)
