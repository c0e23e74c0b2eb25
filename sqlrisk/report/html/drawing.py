"""Draw one figure of a result, chosen by name, as a chart, an SVG or a PNG. No network is used."""

import re
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any

import altair as alt
import vl_convert

from sqlrisk.common.errors import InputError, suggestion
from sqlrisk.report.declared import declared, names_in
from sqlrisk.report.html import look
from sqlrisk.report.html.look import DARK, PALETTE, Figure

SHARP = 2  # PNG dots for each pixel
PAPER = "#ffffff"
# name -> the function that draws a result's figures of this name, and why a result may lack them
Named = Mapping[str, tuple[Callable[[Any], Iterable[Figure]], str]]


class Offline:
    """A chart that a notebook shows as SVG. Altair's own display loads scripts from a server."""

    def _repr_mimebundle_(self, *_: object, **__: object) -> dict[str, str]:
        return {"image/svg+xml": alone(self)}


_KINDS = {
    kind: type(f"Offline{kind.__name__}", (Offline, kind), {})
    for kind in (look.Layer, alt.LayerChart, alt.HConcatChart, alt.VConcatChart)
}


def chosen(named: Named, name: str | None, what: str) -> str:
    """Return the requested name of a figure, by default the first known one. Raises InputError for
    an unknown name, or if there are no figures. ``what`` names the result in this message.
    """
    if not named:
        raise InputError(f"{what} has no figure.")
    name = next(iter(named)) if name is None else name
    if name not in named:
        raise InputError(
            f"There is no figure {name!r}{suggestion(name, named)}; there are {', '.join(named)}."
        )
    return name


def chart(result: object, named: Named, name: str | None = None) -> Any:
    """Return one figure as a chart with a title. If several figures have one name, for example one
    per target, they are stacked.

    Without a name, use the first figure for which the result has rows. Raises InputError for an
    unknown figure, and for a figure without rows.
    """
    what = type(result).__name__
    name = _first(result, named) if name is None and named else chosen(named, name, what)
    draw, wants = named[name]
    figures = [*draw(result)]
    if not figures:
        # the reason has placeholders for measures, which the headers of the measures fill
        wants = wants.format(**names_in(getattr(result, "declared", None) or declared({}), name))
        raise InputError(f"This {what.lower()} has no rows for the figure {name!r}: {wants}.")
    whole: Any = look.stacked([look.titled(figure) for figure in figures])
    # unlike in a page, a chart has its own background, also where Altair saves it
    style = {**whole.config.to_dict(validate=False), "background": PAPER}
    words = " ".join(f"{figure.words}." for figure in figures)
    return _offline(whole.properties(description=words).configure(**style))


def _first(result: object, named: Named) -> str:
    """Return the name of the first figure for which a result has rows, or the first name."""
    return next(
        (name for name, (draw, _) in named.items() if next(iter(draw(result)), None) is not None),
        next(iter(named)),
    )


def _offline(drawn: Any) -> Any:
    """Return a copy of a chart that notebooks show without a network. Its copies do so, too."""
    copy = drawn.copy(deep=False)
    # not by assignment: Altair takes attributes for settings of the chart
    object.__setattr__(copy, "__class__", _KINDS[type(drawn)])
    return copy


def alone(drawn: Any) -> str:
    """Return a chart as the text of an SVG file, light or dark like the reader's screen."""
    text = look.drawn(drawn)
    rules = "".join(
        f'[{side}="{PALETTE.get(name, PAPER)}"]{{{side}:{colour}}}'
        for name, colour in DARK.items()
        for side in ("fill", "stroke")
    )
    words = drawn.to_dict(validate=False).get("description", "")
    head = (
        f"<desc>{escape(words)}</desc><style>@media (prefers-color-scheme:dark){{{rules}}}</style>"
    )
    return re.sub(r"<svg([^>]*)>", lambda found: f'<svg role="img"{found[1]}>{head}', text, count=1)


def png(drawn: Any) -> bytes:
    """Return a chart as PNG, in the colors for a light screen."""
    data: bytes = vl_convert.vegalite_to_png(drawn.to_dict(validate=False), scale=SHARP)
    return data
