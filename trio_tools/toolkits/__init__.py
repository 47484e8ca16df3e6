"""Tools that come with trio_tools. Each toolkit is a plugin in a room of its own: `toolkits.files`, `toolkits.shell`."""
