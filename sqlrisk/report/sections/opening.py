"""The beginning of a page: the decision, the form to sign, the findings."""

from collections.abc import Iterable, Sequence

from sqlrisk.report.blocks import Paragraph
from sqlrisk.report.decision.page_one import ORDER, Decision, counted, findings, knowing
from sqlrisk.report.section import InText, OnPage, Part, Section, Template, below

# `sqlrisk sign` adds the signatures.
SIGN_OFF = Section(
    "sign-off",
    "Sign-off",
    [Template("sign_off.html.j2", {"signatures": []})],
    kind="sign-off",
    place="front",
)


def decision(page_one: Iterable[Part], verdict: object) -> Section:
    """Return the section of page one. Its color shows the policy's verdict or the assessment."""
    parts = [*below(page_one)]
    return Section("decision", "The decision", parts, kind=f"verdict {verdict}", place="front")


def told(decision: Decision, articles: Sequence[Part]) -> Section:
    """Return the section of findings: in text a list, on a page an article for each."""
    parts: list[Part] = []
    if decision.findings:
        known = Paragraph(knowing(decision), quiet=True)
        listing = InText([findings(decision)])
        order = [Paragraph(ORDER, quiet=True)] if decision.worries else []
        parts = [listing, OnPage([known, *articles]), *order]
    return Section("findings", counted(decision), parts, place="findings")
