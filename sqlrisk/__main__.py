"""The command line: `sqlrisk`, and `python -m sqlrisk`."""

import sys


def main() -> int:
    """Run the command line and return its exit status, also if Ctrl-C stops its imports."""
    try:
        from sqlrisk.cli.main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        return 130
    return run()


if __name__ == "__main__":
    sys.exit(main())
