"""The entry point of the benchmark, which is in the package ``benchmark``."""

from benchmark.command import main

if __name__ == "__main__":
    main()
