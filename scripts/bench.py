"""The benchmark's door; what it does is in the package beside it."""

from benchmark.command import main

if __name__ == "__main__":
    main()
