"""The policy of an external report, judged by only its published rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from sqlrisk.catalogue.reasons import ASSESSABLE, DOUBTFUL, STATES
from sqlrisk.inputs import policy_rules
from sqlrisk.inputs.policy import (
    BESIDE,
    BOTH,
    NUMBERS,
    PASS,
    PLACE,
    REVIEW,
    VERDICTS,
    WITH,
    WITHOUT,
    Clause,
)
from sqlrisk.inputs.policy import STATES as COMES_TO
from sqlrisk.report.columns import Row
from sqlrisk.report.external.published_rows import VALUE, PublishedRows
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
        names = self.words.names
        judged = [row for row in policy["verdicts"] if row.get("population") in (None, *names)]
        kept = [*self._doubts(policy)]
        for row in judged:
            if row["measure"] is None:  # verdicts of the assessment come first, from _doubts
                continue
            texts = {
                name: self.words.without(row[name])
                for name in ("rule", "reason", "exception")
                if isinstance(row.get(name), str)
            }
            about = {**row, **texts, "population": names.get(row.get("population"))}
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
        """Return the fields of a verdict. ``row`` has the rule as written, ``about`` says which
        published number it is about.
        """
        rule, judges = policy_rules.read(row["rule"], "policy"), WITH
        if any(left_out(self.report.scenario)):
            rule = Clause(rule, row["reason"]).counted.rule
            judges = row.get("judges", BOTH)  # an older result does not say it
        told, other = self.told.valued(about), self._limit(rule.right, about)
        if told is None or other is None:
            return {
                "value": None,
                "limit": None,
                "verdict": REVIEW,
                "exception": None,
                "hidden": True,
                "words": {"verdict": "hidden, so it may or may not be met"},
            }
        ends = product(*([each["value_low"], each["value_high"]] for each in (told, other)))
        holds = {rule.holds(value, limit) for value, limit in ends}
        unseen = "not shown without exclusions"
        verdict, why, broken = REVIEW, "", False
        if judges == WITHOUT:  # what is published is with exclusions, and says nothing of it
            why = unseen
        elif True not in holds:
            verdict, broken = max(REVIEW, row["verdict"], key=VERDICTS.index), True
        elif False in holds:
            why = _either(told)
        elif judges == WITH:
            verdict = PASS
        else:
            why = unseen
        said = {
            "value": told.get("words", {}).get("value"),
            "limit": other.get("words", {}).get("value"),
            "verdict": why,
        }
        return {
            "value": told["value"], "limit": other["value"], "verdict": verdict,
            # if the number may meet its limit, it would say that the exact one does not
            "exception": about["exception"] if broken else None,
            "words": {name: text for name, text in said.items() if text},
        }  # fmt: skip

    def _limit(self, right: policy_rules.Term | float, about: Row) -> Row | None:
        """Return the right side of a rule in the form of a published row. None if it is hidden."""
        if not isinstance(right, policy_rules.Term):
            return dict.fromkeys(VALUE, right)
        place = {**about, "measure": right.measure, "people": right.people}
        at = right.at[0] if right.at else about["at"]
        for target, point in product((about["target"], None), (at, None)):
            if self.told.about(place, target=target, at=point) is not None:
                return self.told.valued(place, target=target, at=point)
        return None


def _either(told: Row) -> str:
    """Return why ``told``, a published row, needs review: its number is a range, which may or may
    not meet the limit.
    """
    low, high = (
        None if told[end] is None else amount(told[end], str(told["unit"]))
        for end in ("value_low", "value_high")
    )
    between = f"{low} or more" if high is None else f"{low} to {high}"
    return f"rounded: {between}, so it may or may not be met"
