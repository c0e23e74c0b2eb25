"""The policy of an external report, judged by only its published rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from sqlrisk.catalogue.reasons import ASSESSABLE, DOUBTFUL, STATES
from sqlrisk.inputs import policy_rules
from sqlrisk.inputs.policy import BESIDE, NUMBERS, PASS, PLACE, REVIEW, VERDICTS
from sqlrisk.inputs.policy import STATES as COMES_TO
from sqlrisk.report.columns import Row
from sqlrisk.report.external.published_rows import PublishedRows
from sqlrisk.report.external.words import FEW, Words, told_of
from sqlrisk.report.findings import Findings
from sqlrisk.report.wording import amount, left_out


@dataclass(frozen=True)
class PublishedPolicy:
    """The policy of a ``report``, judged by the published rows ``told`` and ``assessment``."""

    report: Findings
    words: Words
    told: PublishedRows
    assessment: Sequence[Row]

    def policy(self) -> dict[str, object]:
        """Return the policy judged by published numbers. A verdict is for review if the published
        numbers allow both pass and fail.

        No rule passes on unpublished numbers (without exclusions, or of populations that are left
        out).
        """
        policy: Any = self.report.policy
        judged = [
            row for row in policy["verdicts"] if row.get("population") in (None, *self.words.names)
        ]
        kept = [*self._doubts(policy)]
        for row in judged:
            texts = {
                name: self.words.without(row[name])
                for name in ("rule", "reason", "exception")
                if isinstance(row.get(name), str)
            }
            if row["measure"] is None:  # verdicts of the assessment come first, from _doubts
                continue
            about = {
                **row,
                **texts,
                "population": self.words.names.get(row.get("population"), row.get("population")),
            }
            # without the numbers about exclusions, whose difference from the others is a count
            # that may be small
            kept.append(
                about | {name: None for name in BESIDE if name in row} | self._judged(row, about)
            )
        verdicts = [str(each["verdict"]) for each in kept] + [REVIEW] * (
            len(judged) < len(policy["verdicts"])
        )
        texts = {name: self.words.without(policy[name]) for name in ("name", "about", "source")}
        return {**policy, **texts, "verdict": max(verdicts, key=VERDICTS.index), "verdicts": kept}

    def _doubts(self, policy: Row) -> Iterator[Row]:
        """Yield a verdict for each published reason about a file or target. It is ``pass`` if the
        policy accepts all reasons that the published one replaces.
        """
        inside = [row for row in policy["verdicts"] if row["measure"] is None]
        for row in self.assessment:
            worst = max(
                (reason["state"] for reason in row["reasons"]), key=STATES.index, default=ASSESSABLE
            )
            for reason in row["reasons"]:
                own = [
                    each
                    for each in inside
                    if told_of(each["rule"].partition(": ")[2])[0] == reason["code"]
                    and each["synthesis"] == row["synthesis"]
                    and row["target"] in (None, each["target"])
                ]
                # that only one of several reasons is accepted would reveal which one it is
                told = worst == DOUBTFUL and reason["code"] != FEW[0]
                accepted = told and own and all(each["verdict"] == PASS for each in own)
                about = {
                    **dict.fromkeys((*PLACE, *NUMBERS)),
                    "target": row["target"],
                    "synthesis": row["synthesis"],
                }
                about |= {
                    "rule": f"{ASSESSABLE}: {reason['code']}",
                    "verdict": PASS if accepted else COMES_TO[worst],
                }
                yield about | {
                    "reason": reason["text"],
                    "exception": self.words.without(own[0]["exception"]) if accepted else None,
                }

    def _judged(self, row: Row, about: Row) -> Row:
        rule = policy_rules.read(row["rule"], "policy")
        told = self.told.about(about)
        fixed = isinstance(rule.right, int | float)
        other: Row | None = (
            {"value": rule.right, "value_low": rule.right, "value_high": rule.right}
            if fixed
            else None
        )
        if not fixed and isinstance(rule.right, policy_rules.Term):
            at = rule.right.at[0] if rule.right.at else row["at"]
            place = {**about, "measure": rule.right.measure, "people": rule.right.people}
            other = next(
                (
                    found
                    for target, point in product((row["target"], None), (at, None))
                    if (found := self.told.about(place, target=target, at=point)) is not None
                ),
                None,
            )
        if told is None or other is None or told["value"] is None or other["value"] is None:
            words_of = {"verdict": "hidden, so it may or may not be met"}
            return {
                "value": None,
                "limit": None,
                "verdict": REVIEW,
                "hidden": True,
                "words": words_of,
            }
        ends = product(*([each["value_low"], each["value_high"]] for each in (told, other)))
        holds = {rule.holds(value, limit) for value, limit in ends}
        met = holds == {True} and not self._excluding(rule)
        verdict = (
            PASS
            if met
            else REVIEW
            if True in holds
            else max(REVIEW, row["verdict"], key=VERDICTS.index)
        )
        why = (
            ""
            if met or True not in holds
            else _either(told)
            if False in holds
            else "not shown without exclusions"
        )
        said = {
            "value": told.get("words", {}).get("value"),
            "limit": other.get("words", {}).get("value"),
            "verdict": why,
        }
        return {
            "value": told["value"], "limit": other["value"], "verdict": verdict,
            "words": {name: text for name, text in said.items() if text},
        }  # fmt: skip

    def _excluding(self, rule: policy_rules.Rule) -> bool:
        """Return True if the numbers of a rule may be different without exclusions. No external
        report publishes the numbers without exclusions.
        """
        unexcluded = {row["measure"] for row in self.report.without_exclusions}
        return any(left_out(self.report.scenario)) and not (
            unexcluded and {term.measure for term in rule.terms} - unexcluded
        )


def _either(told: Row) -> str:
    """Return the reason of a verdict for review: the number lies in a range that contains its
    limit.
    """
    low, high = (
        None if told[end] is None else amount(told[end], str(told["unit"]))
        for end in ("value_low", "value_high")
    )
    between = f"{low} or more" if high is None else f"{low} to {high}"
    return f"rounded: {between}, so it may or may not be met"
