"""`python -m trio_tools.cli`, where the script `trio-tools` is not installed."""

import sys

from trio_tools.cli._main import main

if __name__ == "__main__":
    sys.exit(main())
