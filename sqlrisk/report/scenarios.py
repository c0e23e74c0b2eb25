"""The reports of several scenarios that were run together, in every form that one report has."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlrisk.report import COLUMNS, TYPES, Path, Report, _store, _write
from sqlrisk.report.blocks import Block, Column, Grid, Heading
from sqlrisk.report.document import report_blocks, shown
from sqlrisk.report.frames import Frames

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Reports(Frames, Mapping[str, Report]):
    """The report of each scenario by its name, in the order of the scenarios.

    >>> reports = sqlrisk.score_all("scenarios.toml")  # doctest: +SKIP
    >>> reports["neighbour"]["DiSCO"].rows[0]["value"]  # doctest: +SKIP
    """

    reports: dict[str, Report]

    def __getitem__(self, name: str) -> Report:
        return self.reports[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.reports)

    def __len__(self) -> int:
        return len(self.reports)

    def __repr__(self) -> str:
        return f"<Reports: {', '.join(self)}>"

    def to_dict(self) -> dict[str, object]:
        """Return all reports in the types of JSON: ``scenarios`` has one object each, its ``name`` first."""
        from sqlrisk import __version__

        documents = {name: report.to_dict() for name, report in self.items()}
        return {
            "sqlrisk": __version__,
            "scenarios": [
                {"name": name, **{key: value for key, value in document.items() if key != "sqlrisk"}}
                for name, document in documents.items()
            ],
        }

    def to_arrow(self) -> "pa.Table":
        """Return the result rows of all scenarios as a pyarrow Table; ``scenario`` is the first column."""
        from sqlrisk.report.formats import to_arrow

        return to_arrow(("scenario", *COLUMNS), self._rows(), {"scenario": "string", **TYPES})

    def to_json(self, path: Path | None = None) -> str:
        """Return all reports as JSON text, written to ``path`` too when there is one."""
        from sqlrisk.report.formats import to_json

        return _write(to_json(self.to_dict()), path)

    def to_csv(self, path: Path | None = None) -> str:
        """Return the result rows of all scenarios as CSV text, written to ``path`` too when there is one."""
        from sqlrisk.report.formats import to_csv

        return _write(to_csv(("scenario", *COLUMNS), self._rows()), path)

    def to_markdown(self, path: Path | None = None) -> str:
        """Return the reports one after the other as GitHub Markdown, written to ``path`` too when there is one."""
        from sqlrisk.report.markdown import markdown

        return _write(markdown(self._blocks()), path)

    def to_text(self, *, width: int = 80, colour: bool = False) -> str:
        """Return the reports one after the other as text for a terminal ``width`` characters wide."""
        from sqlrisk.report.text import text

        return text(self._blocks(), width=width, colour=colour)

    def to_parquet(self, path: Path) -> None:
        """Write the result rows of all scenarios to a Parquet file."""
        from sqlrisk.report.formats import to_parquet

        _store(to_parquet(self.to_arrow()), path)

    def _rows(self) -> list[list[object]]:
        return [[name, *(row[column] for column in COLUMNS)] for name, report in self.items() for row in report.results]

    def _blocks(self) -> list[Block]:
        columns = [Column(name, number=False, label=True) for name in ("scenario", "keys", "targets")]
        asked = [
            [shown(name), *(", ".join(map(shown, _names(report.scenario[role]))) for role in ("keys", "targets"))]
            for name, report in self.items()
        ]
        blocks: list[Block] = [Heading(f"Disclosure risk of synthetic data, in {len(self)} scenarios", 1), Grid(columns, asked)]
        for name, report in self.items():
            title, *rest = report_blocks(report)
            blocks += [Heading(f"Scenario {shown(name)}", 1) if isinstance(title, Heading) else title, *rest]
        return blocks


def _names(value: object) -> list[object]:
    return value if isinstance(value, list) else []
