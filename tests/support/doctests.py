"""Run the ``>>>`` examples of a text, to compare what they print with what the text shows."""

import doctest
from typing import Any


class _Runner(doctest.DocTestRunner):
    """Keep each example that printed something else, with what it printed, and report nothing."""

    def __init__(self) -> None:
        super().__init__(verbose=False)
        self.different: list[tuple[doctest.Example, str]] = []

    def report_failure(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        self.different.append((example, got))

    def report_unexpected_exception(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        raise exc_info[1]


def as_printed(text: str, **names: Any) -> str:
    """Return a text with what its examples print, run one after the other. ``names`` are variables
    that the examples use.
    """
    names |= {"__name__": "__main__"}
    test = doctest.DocTestParser().get_doctest(text, names, "text", None, 0)
    runner = _Runner()
    runner.run(test)
    lines = text.splitlines(keepends=True)
    for example, got in reversed(runner.different):
        first = example.lineno + example.source.count("\n")
        lines[first : first + example.want.count("\n")] = [
            f"{' ' * example.indent}{line}\n" if line else "<BLANKLINE>\n"
            for line in got.splitlines()
        ]
    return "".join(lines)
