"""The cost of each family of measures, compared with `sqlrisk score` of the same files.

  membership   with a control file of equal size, compared with `score` with that file
  linkability  of two sides of three keys each
  copies       whole rows of 6 keys and 1 target, and how many columns differ from the nearest
  utility      the tables of each column and of each pair, for 6 keys and 1 target

Each under a limit of 2 GB.
"""

from benchmark import jobs
from benchmark.children import warm
from benchmark.figures import Bar, Figure, Findings, medians
from benchmark.people import KEYS, TARGETS, make_files

BARS = (Bar("CPU", 3.0),)
LIMIT = 2 * 10**9  # bytes
SCORE, HELD = "sqlrisk, 1 target", "sqlrisk, 1 target and control"
LINK = f"{','.join(KEYS[:3])}/{','.join(KEYS[3:])}"


def find(settings: jobs.Settings) -> Findings:
    """Run each family in turn."""
    original, synthetic, control = make_files(settings.records, 2)
    pair = (original, synthetic)
    warm([*pair, control])
    options = jobs.limits(settings, LIMIT)
    columns = ["--columns", ",".join((*KEYS, *TARGETS[:1]))]

    def score(*more: str) -> jobs.Job:
        return jobs.score(pair, KEYS, TARGETS[:1], settings.records, options, *more)

    held = ("--control", str(control))
    families = {
        "membership": (score(*held, "--measures", "membership"), HELD),
        "linkability": (score("--measures", "linkability", "--link", LINK), SCORE),
        "copies": (score("--measures", "copies"), SCORE),
        "utility": (jobs.of_files("utility", pair, settings.records, columns, options), SCORE),
    }
    named = {f"sqlrisk, {name}": job for name, (job, _) in families.items()}
    measured = jobs.measure({SCORE: score(), HELD: score(*held), **named}, settings.repeat)
    costs = jobs.costs(measured)
    return Findings(
        costs,
        [
            jobs.ratio(f"{name} / score", measured, f"sqlrisk, {name}", beside, BARS)
            for name, (_, beside) in families.items()
        ],
        [
            Figure(
                f"peak of {name} / limit",
                medians(costs[f"sqlrisk, {name}"])["peak"] / LIMIT,
                1.0,
                "{:.2f}x",
            )
            for name in families
        ],
    )
