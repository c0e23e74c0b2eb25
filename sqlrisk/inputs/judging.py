"""Judge a report by a policy, and find the measures that a run needs for the policy."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlrisk.catalogue.reasons import ASSESSABLE, is_note, state_of
from sqlrisk.catalogue.utility import LARGER, utility_measures
from sqlrisk.common.errors import InputError, ProblemList, suggestion
from sqlrisk.inputs.policy import (
    BESIDE,
    BOTH,
    NUMBERS,
    PASS,
    PLACE,
    REVIEW,
    STATES,
    VERDICTS,
    WITH,
    WITHOUT,
    Clause,
    Policy,
    Row,
    among,
)
from sqlrisk.inputs.policy_rules import MEAN, WORST, Rule, Term, over_tables
from sqlrisk.inputs.request import EXCLUDED, Question, with_measures

# Families whose numbers count everybody, also with exclusions. No family.toml says so, because
# utility has none, and a result read from a file has none of the user's own.
OF_EVERYBODY = ("copies", "utility")
# Values of one measure, by group and point.
Values = Mapping[tuple[object, ...], float | None]


def asked_by(policy: Policy, question: Question, *, useful: bool = False) -> Question:
    """Return the question with every risk measure that the policy reads.

    ``useful`` is True if utility is measured too. The result has no utility measures. Raises
    InputError if the run cannot compute a number that a rule needs.
    """
    who = f"The policy {policy.name!r}"
    of_tables = _of_tables(policy, question.catalog)
    if not useful:
        ProblemList(
            f"{who}, rule {clause.rule.text!r}: utility is not measured here; `sqlrisk score "
            "--utility all` measures it, too."
            for clause in of_tables
        ).stop()
    policy = replace(
        policy, clauses=tuple(clause for clause in policy.clauses if clause not in of_tables)
    )
    if question.scenario.excludes:
        policy = replace(
            policy, clauses=(*policy.clauses, *(clause.counted for clause in policy.clauses))
        )
    grown = with_measures(question, policy.measures, who)
    found = (
        (clause, problem) for clause in policy.clauses for problem in _without_number(clause, grown)
    )
    ProblemList(f"{who}, rule {clause.rule.text!r}: {problem}." for clause, problem in found).stop()
    return grown


def tables_read(
    policy: Policy, ways: Sequence[int], risks: Container[str] | None = None
) -> tuple[str, ...]:
    """Return the utility measures that the policy reads.

    ``ways`` are the numbers of columns of the compared tables. ``risks`` are the names of the risk
    measures, if risk is measured too. If it is None, every rule must be about utility. Raises
    InputError if utility has no number that a rule needs.
    """
    clauses = policy.clauses if risks is None else _of_tables(policy, risks)
    known = {each.name: each for each in utility_measures()}
    problems = ProblemList()
    for clause in clauses:
        for term in clause.rule.terms:
            problem = ""
            if term.adjusted or term.of_tables not in known:
                problem = (
                    f"there is no utility measure {term.measure}{suggestion(term.measure, known)}"
                )
            elif (
                term.measure != over_tables(MEAN, term.of_tables)
                and known[term.of_tables].higher == LARGER
            ):
                problem = (
                    f"{term.of_tables} grows with the size of a table, so no table is the "
                    f"worst; write {over_tables(MEAN, term.of_tables)}"
                )
            elif strange := [point for point in term.at if point not in ways]:
                problem = _no_point(term, strange, [*ways]) + " columns (--ways)"
            if problem:
                problems.append(
                    f"The policy {policy.name!r}, rule {clause.rule.text!r}: {problem}."
                )
    problems.stop()
    return tuple(dict.fromkeys(term.of_tables for clause in clauses for term in clause.rule.terms))


def _of_tables(policy: Policy, risks: Container[str]) -> tuple[Clause, ...]:
    """Return the clauses that read a utility measure. A name in ``risks`` always means the risk
    measure.
    """
    known = {each.name for each in utility_measures()}
    return tuple(
        clause
        for clause in policy.clauses
        if any(term.of_tables in known and term.measure not in risks for term in clause.rule.terms)
    )


def _without_number(clause: Clause, question: Question) -> Iterator[str]:
    """Yield messages that explain why a clause can have no number."""
    terms, abouts = clause.rule.terms, question.scenario.abouts
    of_control = question.control is not None or question.scenario.split is not None
    for term in terms:
        points = question.catalog[term.measure].points
        if strange := [point for point in term.at if point not in points]:
            yield _no_point(term, strange, points)
        if term.adjusted and not of_control:
            yield _no_control(term)
    if len(terms) > 1:
        left, right = (question.catalog[term.measure] for term in terms)
        if left.untargeted != right.untargeted:
            yield _no_partner(right.name)
        elif right.at and not terms[1].at and not left.at:
            yield _no_partner(right.name, pointed=True)
    for target in clause.numbers.targets:
        if question.scenario.targets and target not in abouts:
            if target in question.scenario.keys:
                yield (
                    f"{target!r} is a key of the scenario, not a target; make it a target, or "
                    "remove the rule"
                )
            else:
                yield f"the scenario has no target {target!r}{suggestion(target, abouts)}"


def judge(
    policy: Policy,
    results: Sequence[Row],
    assessment: Sequence[Row] = (),
    unexcluded: Sequence[Row] | None = None,
) -> dict[str, object]:
    """Judge the result rows of a report. Return the policy's name, about and source, the worst
    verdict, and all ``verdicts``: one for each rule and number.

    ``unexcluded`` are the result rows without exclusions, or None if nobody is excluded. They are
    empty if an older version wrote the results. Verdicts on files that are doubtful or not
    assessable come first. A number is for review if it is undefined, or is compared with an
    undefined number. Raises InputError if a rule, an exception or a name in them matches no number,
    because the rule would seem to be met.
    """
    problems = ProblemList()
    for code, exemption in policy.accepted:
        problems += [
            f"The policy {policy.name!r}, accept {code!r}: {each}."
            for each in exemption.scope.missing(results)
        ]
    doubted = {row["synthesis"] for row in assessment if row["target"] is None and _against(row)}
    verdicts = [
        verdict
        for row in assessment
        # A target without a reason of its own has the state of its file.
        if row["state"] != ASSESSABLE
        and (_against(row) or row["target"] is None or row["synthesis"] not in doubted)
        for verdict in _doubts(policy, row)
    ]
    for clause in policy.clauses:
        found = ProblemList()
        with found:
            verdicts += _judged(clause, results, unexcluded)
        problems += [
            f"The policy {policy.name!r}, rule {clause.rule.text!r}: {each}." for each in found
        ]
    problems.stop()
    return {
        "name": policy.name,
        "about": policy.about,
        "source": policy.source,
        "verdict": max((str(each["verdict"]) for each in verdicts), key=VERDICTS.index),
        "verdicts": verdicts,
    }


def _against(row: Row) -> list[Row]:
    """Return the reasons that make a file or target doubtful or not assessable."""
    return [reason for reason in row["reasons"] if not is_note(reason["code"])]


def _doubts(policy: Policy, row: Row) -> Iterator[dict[str, object]]:
    """Yield a verdict for each reason against a file or target, or one if no reason is given."""
    for reason in _against(row) or [{"code": "", "text": "no reason is given"}]:
        accepted = [
            why for code, why in policy.accepted if code == reason["code"] and why.scope.covers(row)
        ]
        yield {
            "rule": f"{ASSESSABLE}: {reason['code']}" if reason["code"] else ASSESSABLE,
            "verdict": PASS if accepted else STATES[state_of(reason, row)],
            **dict.fromkeys(PLACE),
            "target": row["target"],
            "synthesis": row["synthesis"],
            **dict.fromkeys(NUMBERS),
            "reason": reason["text"],
            "exception": str(accepted[0]) if accepted else None,
        }


def _judged(
    clause: Clause, results: Sequence[Row], unexcluded: Sequence[Row] | None
) -> list[dict[str, object]]:
    rule, scope = clause.rule, clause.numbers
    if (
        unexcluded is None
        and rule.left.measure in EXCLUDED
        and not any(row["measure"] == rule.left.measure for row in results)
    ):
        results = [*results, *_nobody_left_out(rule.left.measure, results)]
    candidates = _rows_of(rule.left, results)
    problems = scope.missing(candidates)
    rows = [row for row in candidates if scope.covers(row)]
    if not rows and not problems:
        problems = ["no number has one of these targets, populations and syntheses at once"]
    if clause.exception is not None and not problems:
        problems += [f"exception, {each}" for each in clause.exception.scope.missing(rows)]
    if problems:
        raise InputError(problems)
    if unexcluded is None:
        limits = _limits(rule, rows, results)
        return [
            _verdict(clause, row, [(row["value"], limit)])
            for row, limit in zip(rows, limits, strict=True)
        ]
    counted = [
        (row["value"], limit)
        for row, limit in zip(rows, _limits(clause.counted.rule, rows, results), strict=True)
    ]
    everybody = _without_exclusions(rule, rows, unexcluded)
    shares = {
        _group(row): row["value"]
        for row in results
        if row["measure"] in EXCLUDED and row["people"] == "original"
    }
    verdicts = []
    for row, own, whole in zip(rows, counted, everybody, strict=True):
        judges = clause.exclusions if whole else WITH
        other: tuple[Any, Any] = whole or (None, None)
        sides = {WITH: [own], WITHOUT: [other], BOTH: [own, other]}[judges]
        excluded = None if row["family"] in OF_EVERYBODY else shares.get(_group(row))
        told = dict(zip(BESIDE, (excluded, *other), strict=True))
        verdicts.append(_verdict(clause, row, sides) | {"limit": own[1], "judges": judges} | told)
    return verdicts


def _nobody_left_out(measure: str, results: Sequence[Row]) -> Iterator[Row]:
    """Yield a row with the value 0 for each group of the original's numbers. A run that excludes
    nobody lacks these rows. ``measure`` is one of ``EXCLUDED``.
    """
    kept = (
        row
        for row in results
        if row["people"] == "original" and (row["target"] is None) == (measure == EXCLUDED[-1])
    )
    for row in {_group(row): row for row in kept}.values():
        yield {
            **row,
            "measure": measure,
            "at": None,
            "value": 0,
            "unit": "percent of original records",
        }


def _without_exclusions(
    rule: Rule, rows: Sequence[Row], unexcluded: Sequence[Row]
) -> list[tuple[Any, Any] | None]:
    """Return (number, limit) without exclusions for each row.

    Both are None if ``unexcluded`` is empty. The pair itself is None if the measure is only defined
    with exclusions.
    """
    if not unexcluded:  # results of an older version
        return [(None, None)] * len(rows)
    if not {term.measure for term in rule.terms} <= {row["measure"] for row in unexcluded}:
        return [None] * len(rows)
    values = {
        (*_group(row), row["at"]): row["value"]
        for row in _rows_of(replace(rule.left, at=()), unexcluded)
    }
    limits = _limits(rule, rows, unexcluded)
    return [
        (values.get((*_group(row), row["at"])), limit)
        for row, limit in zip(rows, limits, strict=True)
    ]


def _group(row: Row) -> tuple[object, ...]:
    """Return the group of a row: its target, synthesis, population and weighting. Only measures of
    one group can be compared.
    """
    return tuple(row[name] for name in ("target", "synthesis", "population", "weighted"))


def _rows_of(term: Term, results: Sequence[Row]) -> list[Row]:
    """Return the rows of one side of a rule. Raises InputError if the side, or one of its points,
    has no row.
    """
    # A rule about a utility measure means its worst table.
    called = (term.measure, over_tables(WORST, term.measure))
    named = next(
        (rows for name in called if (rows := [row for row in results if row["measure"] == name])),
        [],
    )
    if not named:
        names = list(dict.fromkeys(str(row["measure"]) for row in results))
        raise InputError(
            "the results have no measure "
            f"{term.measure!r}{suggestion(term.measure, names) or among(names)}"
        )
    rows = [row for row in named if row["people"] == term.people]
    if not rows:
        raise InputError(
            _no_control(term)
            if term.adjusted
            else f"the results have {term.measure}, but not for these people"
        )
    points = list(dict.fromkeys(row["at"] for row in rows))
    if strange := [point for point in term.at if point not in points]:
        raise InputError(_no_point(term, strange, points))
    return [row for row in rows if not term.at or row["at"] in term.at]


def _limits(rule: Rule, rows: Sequence[Row], results: Sequence[Row]) -> list[float | None]:
    """Return the limit for each row."""
    others = _rows_of(rule.right, results) if isinstance(rule.right, Term) else []
    values: Values = {(*_group(row), row["at"]): row["value"] for row in others}
    return [_limit(rule, row, values) for row in rows]


def _limit(rule: Rule, row: Row, values: Values) -> float | None:
    """Return the limit for a row: the rule's number, or the other measure's value for its group.

    Raises InputError if the other measure has no value for this group.
    """
    if not isinstance(rule.right, Term):
        return rule.right
    group = _group(row)
    for at in (*rule.right.at, row["at"], None):
        if (*group, at) in values:
            return values[*group, at]
    raise InputError(
        _no_partner(rule.right.measure, pointed=any(place[:-1] == group for place in values))
    )


def _verdict(
    clause: Clause, row: Row, sides: Sequence[tuple[float | None, float | None]]
) -> dict[str, object]:
    """Return the verdict on a number: the worst over its ``sides``, which are (value, limit)
    pairs.
    """
    broken = clause.verdict
    exception = None
    if clause.exception is not None and clause.exception.scope.covers(row):
        broken, exception = REVIEW, str(clause.exception)
    undefined = any(None in side for side in sides)
    missed = any(
        not clause.rule.holds(value, limit)
        for value, limit in sides
        if value is not None and limit is not None
    )
    return {
        "rule": clause.rule.text,
        "verdict": max(
            broken if missed else PASS, REVIEW if undefined else PASS, key=VERDICTS.index
        ),
        **{name: row[name] for name in PLACE},
        **dict.fromkeys(NUMBERS),
        "value": row["value"],
        "limit": sides[0][1],
        "unit": row["unit"],
        "reason": clause.reason,
        "exception": exception if missed else None,
    }


def _no_control(term: Term) -> str:
    return (
        f"there is no {term.measure} adjusted by control; only measures that are shares of "
        "people are adjusted, and only if the question has --control or --split"
    )


def _no_partner(measure: str, *, pointed: bool = False) -> str:
    point = "; give its point, as in MEASURE[0.9]" if pointed else ""
    return f"{measure} has no number for the same target, synthesis and population{point}"


def _no_point(term: Term, strange: Sequence[float], points: Sequence[float | None]) -> str:
    there = [f"{point:g}" for point in points if point is not None]
    return f"{term.measure} is not computed at {', '.join(f'{point:g}' for point in strange)}" + (
        f", but at {', '.join(there)}" if there else ", nor at any other point"
    )
