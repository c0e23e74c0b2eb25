"""`python -m sqlrisk` is the command line."""

import sys

from sqlrisk.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
