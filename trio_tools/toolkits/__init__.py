"""Tools that come with trio_tools; each toolkit is a plugin in a room of its own: `files`, `shell`, `todo`."""
