"""The measures in pandas, as an analyst would write them: python with_pandas.py ORIGINAL SYNTHETIC
KEYS TARGET.
"""

import json
import sys

import pandas as pd


def main() -> None:
    """Count cells and classes, and print the measures as JSON."""
    original, synthetic, names, target = sys.argv[1:]
    keys = names.split(",")
    columns = [*keys, target]

    def counted(path: str, name: str) -> pd.Series:
        groups = pd.read_parquet(path, columns=columns).groupby(columns, dropna=False, sort=False)
        return groups.size().rename(name)

    both = [counted(original, "d").reset_index(), counted(synthetic, "s").reset_index()]
    cells = both[0].merge(both[1], on=columns, how="outer").fillna({"d": 0, "s": 0})
    totals = cells.groupby(keys, dropna=False, sort=False)[["d", "s"]]
    classes = totals.sum()
    cells[["D", "S"]] = totals.transform("sum")

    d, s, all_d, all_s = cells["d"], cells["s"], cells["D"], cells["S"]
    unique, found = classes["d"] == 1, classes["s"] > 0
    revealed = (s == all_s) & (s > 0)
    sums = {
        "UiO": unique.sum(),
        "UiS": (classes["s"] == 1).sum(),
        "UiOiS": (unique & found).sum(),
        "repU": (unique & (classes["s"] == 1)).sum(),
        "iS": classes["d"][found].sum(),
        "Dorig": d[d == all_d].sum(),
        "Dsyn": s[s == all_s].sum(),
        "DiS": all_d[revealed].sum(),
        "DiSCO": d[revealed].sum(),
        "DiSDiO": d[revealed & (d == all_d)].sum(),
        "CAPd": (d * (d / all_d)).sum(),
        "CAPs": (s * (s / all_s)).sum(),
        "DCAP": (d * (s / all_s)).sum(),
    }

    people, records = d.sum(), s.sum()
    levels = cells.groupby(target, dropna=False)["d"].sum()
    measures = {
        name: percent(n, records if name in ("UiS", "Dsyn", "CAPs") else people)
        for name, n in sums.items()
    }
    measures["baseCAPd"] = percent((levels / people * levels).sum(), people)
    measures["DCAP_matched"] = percent(sums["DCAP"], sums["iS"])
    measures["TCAP"] = percent(sums["DiSCO"], sums["iS"])
    measures["TCAP_disclosive"] = percent(sums["DiSCO"], sums["DiS"])
    print(json.dumps(measures))


def percent(part: float, whole: float) -> float | None:
    """Return a share in percent, or None if the whole is 0."""
    return 100 * float(part) / float(whole) if whole else None


if __name__ == "__main__":
    main()
