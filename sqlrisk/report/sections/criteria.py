"""The three criteria of an anonymous file: singling out, linkability and inference."""

from collections.abc import Iterator

from sqlrisk.report import declared
from sqlrisk.report.blocks import Items, Paragraph
from sqlrisk.report.decision import glance
from sqlrisk.report.findings import Findings
from sqlrisk.report.result import amount_of
from sqlrisk.report.results.uniques import Uniques
from sqlrisk.report.section import Part
from sqlrisk.report.wording import are


def criteria(report: Findings, uniques: Uniques | None) -> Iterator[Part]:
    """Yield what was measured for singling out, linkability and inference. ``uniques`` is None if
    special uniques were not searched for.
    """
    yield glance.criteria(report)
    said = [
        "Singling out. Special uniques (SUDA) were not searched for: run sqlrisk uniques."
        if uniques is None
        else f"Singling out. Of {amount_of(uniques.uniques, 'unique')} {uniques.special:,} "
        f"{are(uniques.special)} special (SUDA): few of the keys are enough to find them."
    ]
    measured = {row["measure"] for row in report.results}
    if measured.isdisjoint(declared.criteria(report.declared)[declared.LINKABILITY]):
        said.append(
            "Linkability. Not measured: say which columns someone could know about a person from "
            "two places (--link age,sex/region,income), or which record was made from whom "
            "(--aligned). Records may be linkable even though this was not measured."
        )
    yield Items(said)
    yield Paragraph(
        "The three criteria are those of Article 29 Working Party, Opinion 05/2014 on "
        "anonymisation techniques (WP216). The numbers inform a decision about them; none of them "
        "decides.",
        quiet=True,
    )
