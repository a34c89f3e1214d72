"""`python -m training`: the command line without the window, on a machine without Qt."""

import sys

from training.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
