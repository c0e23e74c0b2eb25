"""The measures in polars, as an analyst would write them: python with_polars.py ORIGINAL SYNTHETIC
KEYS TARGET.
"""

import json
import sys

import polars as pl


def main() -> None:
    """Count cells and classes with the streaming engine, and print the measures as JSON."""
    original, synthetic, names, target = sys.argv[1:]
    keys = names.split(",")

    def records(path: str, d: int, s: int) -> pl.LazyFrame:
        return pl.scan_parquet(path).select(
            *keys, target, pl.lit(d).alias("d"), pl.lit(s).alias("s")
        )

    both = pl.concat([records(original, 1, 0), records(synthetic, 0, 1)])
    cells = both.group_by(*keys, target).agg(pl.sum("d", "s")).collect(engine="streaming").lazy()
    classes = cells.group_by(keys).agg(pl.sum("d", "s")).collect(engine="streaming").lazy()
    cells = cells.with_columns(D=pl.sum("d").over(keys), S=pl.sum("s").over(keys))

    d, s, all_d, all_s = pl.col("d"), pl.col("s"), pl.col("D"), pl.col("S")
    unique, found = d == 1, s > 0
    of_classes = classes.select(
        people=d.sum(),
        records=s.sum(),
        UiO=unique.sum(),
        UiS=(s == 1).sum(),
        UiOiS=(unique & found).sum(),
        repU=(unique & (s == 1)).sum(),
        iS=d.filter(found).sum(),
    )
    revealed = (s == all_s) & (s > 0)
    of_cells = cells.select(
        Dorig=d.filter(d == all_d).sum(),
        Dsyn=s.filter(s == all_s).sum(),
        DiS=all_d.filter(revealed).sum(),
        DiSCO=d.filter(revealed).sum(),
        DiSDiO=d.filter(revealed & (d == all_d)).sum(),
        CAPd=(d * (d / all_d)).filter(all_d > 0).sum(),
        CAPs=(s * (s / all_s)).filter(all_s > 0).sum(),
        DCAP=(d * (s / all_s)).filter(all_s > 0).sum(),
    )
    of_levels = (
        cells.group_by(target).agg(pl.sum("d")).select(squares=(d.cast(pl.Float64) ** 2).sum())
    )
    sums = {
        name: column[0]
        for part in (of_classes, of_cells, of_levels)
        for name, column in collect(part).items()
    }

    people, of_synthetic = sums.pop("people"), sums.pop("records")
    squares = sums.pop("squares")
    measures = {
        name: percent(n, of_synthetic if name in ("UiS", "Dsyn", "CAPs") else people)
        for name, n in sums.items()
    }
    measures["baseCAPd"] = percent(squares, people**2)
    measures["DCAP_matched"] = percent(sums["DCAP"], sums["iS"])
    measures["TCAP"] = percent(sums["DiSCO"], sums["iS"])
    measures["TCAP_disclosive"] = percent(sums["DiSCO"], sums["DiS"])
    print(json.dumps(measures))


def collect(query: pl.LazyFrame) -> dict[str, list[float]]:
    """Return the only row of a query."""
    return query.collect(engine="streaming").to_dict(as_series=False)


def percent(part: float, whole: float) -> float | None:
    """Return a share in percent, or None if the whole is 0."""
    return 100 * part / whole if whole else None


if __name__ == "__main__":
    main()
