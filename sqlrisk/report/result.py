"""The output formats of results: data frames, JSON, CSV, Parquet, Markdown, HTML, PDF, text for a
terminal, and a short form for Python.
"""

from abc import ABC, abstractmethod
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import CO_VARKEYWORDS, isfunction
from os import PathLike, fspath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, overload

from sqlrisk.common.errors import InputError, suggesting
from sqlrisk.common.output_files import replacing
from sqlrisk.common.version import SCHEMA, __version__
from sqlrisk.report.blocks import Block, Heading, Paragraph, Terms
from sqlrisk.report.formats import tabular
from sqlrisk.report.formats.glance import glance
from sqlrisk.report.formats.markdown import markdown
from sqlrisk.report.wording import shown

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from sqlrisk.report.html.drawing import Named
    from sqlrisk.report.html.look import Figure

Path = str | PathLike[str]
Lines = tuple[Sequence[str], Sequence[Sequence[object]]]
"""The names of columns, and rows with a value for each."""


class Frames:
    """Rows as an Arrow table, and as a pandas or polars DataFrame with equal columns. Python and
    notebooks show the first rows.

    A dataclass that inherits from this needs ``repr=False``, because a dataclass's own repr writes
    all rows in one line.
    """

    _types: ClassVar[Mapping[str, str | None]] = {}
    """Arrow types of columns by name. Other columns get their type from their values."""
    _rows: ClassVar[str] = "rows"
    """The field that holds the rows, for a class whose ``_types`` names every column."""

    def __init_subclass__(cls) -> None:
        """Let public methods suggest similar names for a wrong keyword."""
        for name, method in [*vars(cls).items()]:
            if name.startswith("_") or not isfunction(method):
                continue
            # a method with **keywords passes them on to a function that checks them
            if not method.__code__.co_flags & CO_VARKEYWORDS:
                setattr(cls, name, suggesting(method))

    def _table(self) -> Lines:
        """Return the columns and rows of the table for CSV and Parquet."""
        return tuple(self._types), lines(tuple(self._types), getattr(self, self._rows))

    def _objects(self) -> list[dict[str, Any]]:
        """Return the rows as JSON objects."""
        return objects(tuple(self._types), getattr(self, self._rows))

    def _line(self) -> str:
        """Return a description in one line."""
        return f"<{type(self).__name__}: {amount_of(len(self._table()[1]), 'row')}>"

    def _glance(self) -> Iterator[Block]:
        """Yield the blocks that Python and notebooks show."""
        yield from glance(*self._table())

    def __repr__(self) -> str:
        from sqlrisk.report.formats.text import text

        return f"{self._line()}\n\n{text([*self._glance()])}".rstrip("\n")

    def _repr_html_(self) -> str:
        from sqlrisk.report.html.rendering import fragment

        return fragment([Paragraph(self._line()), *self._glance()], self._line())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the table of ``to_arrow`` as an Arrow stream, without a copy. Arrow libraries call
        this, e.g. ``pyarrow.table(report)``.
        """
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> "pa.Table":
        """Return the rows as a pyarrow Table, with the columns of the CSV."""
        return tabular.to_arrow(*self._table(), self._types)

    def to_pandas(self) -> "pd.DataFrame":
        """Return the rows as a pandas DataFrame. Missing texts, integers, floats and
        truth values are pandas.NA, others None or NaT.
        """
        return as_pandas(self.to_arrow())

    def to_polars(self) -> "pl.DataFrame":
        """Return the rows as a polars DataFrame. Missing values are null, never NaN.

        Raises InputError if polars is not installed.
        """
        try:
            import polars as pl
        except ModuleNotFoundError:
            raise InputError(
                "A polars DataFrame needs the package polars: pip install polars."
            ) from None
        return pl.DataFrame(self.to_arrow())

    def _pictures(self) -> "Named":
        """Return the figures by name, as in `sqlrisk.report.html.figures`."""
        return {}

    @suggesting
    def plot(self, figure: str | None = None) -> "alt.TopLevelMixin":
        """Return one figure as an Altair chart. A notebook shows it as SVG. ``to_svg(path)`` and
        ``to_png(path)`` save it.

        Args:
            figure: its name (see `sqlrisk guide figures`). By default the first figure that the
                result has rows for.

        Raises:
            InputError: The figure is unknown (the message lists all names), the result has no rows
                for it, or the library that draws is missing (``pip install '.[report]'``).
        """
        drawn: alt.TopLevelMixin = _drawing().chart(self, self._pictures(), figure)
        return drawn


class Forms(Frames, ABC):
    """A result: its whole content as a dict, its text as blocks, and its rows as one table.

    Methods with a ``path`` return the content if no path is given. With a path they write a
    complete file or nothing, and return the path, because a notebook would show the whole text.
    Only the owner can read the file, unless the result is ``shared``, such as an external report.
    """

    labels: Mapping[str, str] = MappingProxyType({})
    """The labels of columns by name, as the files or the dictionary of the run have them."""

    _first: ClassVar[Sequence[str]] = ()
    """The headings of sections that a brief text has before others, most important first."""

    @property
    def shared(self) -> bool:
        """True if the umask decides who can read its files, False if only the owner can."""
        return False

    @abstractmethod
    def _document(self) -> Mapping[str, object]:
        """Return the JSON content without the versions of sqlrisk and of the schema. Keys are in
        the documented order.
        """

    @abstractmethod
    def _blocks(self) -> Sequence[Block]:
        """Return the result as blocks of text and tables."""

    def _listed(self) -> list[Block]:
        """Return the blocks, then a list of labels: text has no room for them below each name, and
        pages cut them there.
        """
        labels = [(shown(name), shown(label)) for name, label in self.labels.items()]
        told: list[Block] = [Heading("Labels"), Terms(labels)] if labels else []
        return [*self._blocks(), *told]

    def _figures(self) -> "Mapping[str, Sequence[Figure]]":
        """Return the figures of the HTML page, by the text of the heading above them."""
        return {}

    def _printed(self) -> "Forms":
        """Return the result as it is printed in a PDF, for example without interactive parts."""
        return self

    def _named(self, *names: str) -> dict[str, object]:
        """Return fields by name, for JSON."""
        return {name: getattr(self, name) for name in names}

    def _present(self, *names: str) -> dict[str, object]:
        """Return fields by name, for JSON that has them only if they are not empty."""
        return {name: value for name, value in self._named(*names).items() if value}

    def to_dict(self) -> dict[str, object]:
        """Return everything as a dict of JSON types.

        Keys are in the documented order.
        """
        document = {"sqlrisk": __version__, "schema": SCHEMA, **self._document()}
        return {name: tabular.plain(value) for name, value in document.items()}

    def to_json(self, path: Path | None = None) -> str:
        """Return everything as JSON text."""
        return written(tabular.to_json(self.to_dict()), path, shared=self.shared)

    def to_csv(self, path: Path | None = None) -> str:
        """Return the rows as CSV text."""
        return written(tabular.to_csv(*self._table()), path, shared=self.shared)

    def to_markdown(self, path: Path | None = None) -> str:
        """Return the result as GitHub Markdown."""
        return written(markdown(self._listed()), path, shared=self.shared)

    def to_html(self, path: Path | None = None) -> str:
        """Return the result as one HTML page with its figures, which needs no other file.

        Raises InputError if the library that draws them is missing (``pip install
        '.[report]'``).
        """
        from sqlrisk.report.html.rendering import plain_page

        page = plain_page(self._listed(), self._figures(), self.labels)
        return written(page, path, shared=self.shared)

    @overload
    def to_pdf(self, path: None = None, **how: Any) -> bytes: ...

    @overload
    def to_pdf(self, path: Path, **how: Any) -> str: ...

    def to_pdf(self, path: Path | None = None, **how: Any) -> bytes | str:
        """Return the page of ``to_html`` as PDF, tagged for screen readers (PDF/UA-1).

        The HTML page is attached to the PDF. The attached page contains nothing that the PDF does
        not show, so it cannot recompute measures (what-if).

        ``how`` has arguments of ``to_html``. Raises the errors of ``to_html``, and InputError if a
        library that prints is missing (``pip install '.[pdf]'``).
        """
        from sqlrisk.report.html.printing import print_page

        page = print_page(self._printed().to_html(**how))
        return (
            page
            if path is None
            else store(page, path, shared=self.shared or how.get("level") == "external")
        )

    def to_svg(self, path: Path | None = None, *, figure: str | None = None) -> str:
        """Return one figure as SVG, light or dark like the reader's screen.

        ``figure`` and the errors are as for ``plot``.
        """
        return written(_drawing().alone(self.plot(figure)), path, shared=self.shared)

    @overload
    def to_png(self, path: None = None, *, figure: str | None = None) -> bytes: ...

    @overload
    def to_png(self, path: Path, *, figure: str | None = None) -> str: ...

    def to_png(self, path: Path | None = None, *, figure: str | None = None) -> bytes | str:
        """Return one figure as PNG.

        ``figure`` and the errors are as for ``plot``.
        """
        data: bytes = _drawing().png(self.plot(figure))
        return data if path is None else store(data, path, shared=self.shared)

    def to_text(self, *, width: int = 80, colour: bool = False, brief: bool = False) -> str:
        """Return the result as text for a terminal ``width`` characters wide.

        A ``brief`` text fits a screen. It has whole sections, or the first rows of a long table,
        and says what it leaves out.
        """
        from sqlrisk.report.formats.screen import fitting
        from sqlrisk.report.formats.text import text

        blocks = self._listed()
        shown = fitting(blocks, self._first, width) if brief else blocks
        return text(shown, width=width, colour=colour)

    def to_parquet(self, path: Path) -> str:
        """Write the rows to a Parquet file, and return its path."""
        return store(tabular.to_parquet(self.to_arrow()), path, shared=self.shared)


def all_labels(results: Iterable[Any]) -> dict[str, str]:
    """Return the labels of columns of all results. The first result that has one decides."""
    return dict(ChainMap(*(each.labels for each in results)))


def as_pandas(rows: "pa.Table") -> "pd.DataFrame":
    """Return an Arrow table as a pandas DataFrame. Missing texts, integers, floats and truth
    values are pandas.NA, others None or NaT.
    """
    import pandas as pd
    import pyarrow as pa

    nullable = {
        pa.string(): pd.StringDtype(),
        pa.large_string(): pd.StringDtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.float32(): pd.Float32Dtype(),
        pa.float64(): pd.Float64Dtype(),
        pa.int8(): pd.Int8Dtype(),
        pa.int16(): pd.Int16Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.uint8(): pd.UInt8Dtype(),
        pa.uint16(): pd.UInt16Dtype(),
        pa.uint32(): pd.UInt32Dtype(),
        pa.uint64(): pd.UInt64Dtype(),
    }
    frame: pd.DataFrame = rows.to_pandas(types_mapper=nullable.get)
    return frame


def amount_of(number: int, what: str) -> str:
    """Return a number and its noun in words: ``1 row``, ``1,024 rows``."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def _drawing() -> Any:
    """Return the module that draws figures. Raises InputError if its packages are missing."""
    import sqlrisk.report.html.look  # noqa: F401 - raises it
    from sqlrisk.report.html import drawing

    return drawing


def lines(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> list[tuple[Any, ...]]:
    """Return the values of ``columns``, row by row."""
    return [tuple(row[name] for name in columns) for row in rows]


def objects(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows with only these ``columns``, in order."""
    return [{name: row[name] for name in columns} for row in rows]


def written(text: str, path: Path | None, *, shared: bool) -> str:
    """Return ``text``. If there is a ``path``, write the text (see `store`) and return the path."""
    return text if path is None else store(text.encode(), path, shared=shared)


def store(data: bytes, path: Path, *, shared: bool) -> str:
    """Write a complete file or nothing, and return its path. If ``shared``, the umask decides who
    can read the file, otherwise only its owner can.
    """
    with replacing(fspath(path), shared=shared) as file:
        file.write(data)
    return fspath(path)
