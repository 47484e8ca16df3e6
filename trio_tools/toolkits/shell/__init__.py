"""The tool `bash`: a command, run to its end or stopped with everything it started; and those for the background."""

from trio_tools.toolkits.shell._config import ShellConfig
from trio_tools.toolkits.shell._plugin import shell

__all__ = ["ShellConfig", "shell"]
