"""The reports of several scenarios that were run together, in every form that one report has."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from sqlrisk.report.blocks import Block, Column, Grid, Heading
from sqlrisk.report.columns import COLUMNS, TYPES
from sqlrisk.report.report import Report
from sqlrisk.report.result import Forms, Lines
from sqlrisk.report.sections.report_sections import report_blocks
from sqlrisk.report.wording import listed, shown


@dataclass(frozen=True)
class Reports(Forms, Mapping[str, Report]):
    """The report of each scenario by its name, in the order of the scenarios.

    >>> reports = sqlrisk.score_all("scenarios.toml")  # doctest: +SKIP
    >>> reports["neighbour"]["DiSCO"].rows[0]["value"]  # doctest: +SKIP
    """

    reports: dict[str, Report]
    _types: ClassVar = {"scenario": "string", **TYPES}

    def __getitem__(self, name: str) -> Report:
        return self.reports[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.reports)

    def __len__(self) -> int:
        return len(self.reports)

    def __repr__(self) -> str:
        return f"<Reports: {', '.join(self)}>"

    def _document(self) -> dict[str, object]:
        documents = [{"name": name, **report.to_dict()} for name, report in self.items()]
        return {"scenarios": [{key: value for key, value in each.items() if key != "sqlrisk"} for each in documents]}

    def _table(self) -> Lines:
        rows = [[name, *(row[column] for column in COLUMNS)] for name, report in self.items() for row in report.results]
        return ("scenario", *COLUMNS), rows

    def _blocks(self) -> list[Block]:
        columns = [Column(name, label=True) for name in ("scenario", "keys", "targets")]
        asked = [
            [shown(name), *(", ".join(map(shown, listed(each.scenario[role]))) for role in ("keys", "targets"))]
            for name, each in self.items()
        ]
        blocks: list[Block] = [Heading(f"Disclosure risk of synthetic data, in {len(self)} scenarios", 1), Grid(columns, asked)]
        for name, report in self.items():
            title, *rest = report_blocks(report)
            blocks += [Heading(f"Scenario {shown(name)}", 1) if isinstance(title, Heading) else title, *rest]
        return blocks
