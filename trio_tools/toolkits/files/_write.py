"""`write`: a text becomes a file, new or in place of another."""

from __future__ import annotations

from trio_tools.tool import Declaration, Tool, ToolContext
from trio_tools.toolkits.files._shown import shown
from trio_tools.toolkits.files._writing import Writing, encoded

_WRITE = Declaration()


def write_tool(writing: Writing) -> Tool:
    """The tool `write`, for the files below a root. It has no time limit of its own (F007).

    **Cancellation** of a call: raised while nothing has changed; the file is published in one step, which is not cut.
    """

    @_WRITE.tool(destructive=True)
    async def write(file_path: str, content: str, *, ctx: ToolContext) -> str:
        """Create a text file, or replace a whole one; missing directories are made. To change a part, use edit.

        Args:
            file_path: The file, relative to the root directory, or absolute inside it.
            content: All of the file's text, as it is to be.
        """
        data = encoded("content", content)
        async with writing.turn(file_path) as target:
            created = await writing.publish(ctx, "file.write", target, data, writing.expects(ctx.session, target))
        done = "Created file" if created else "Updated file"
        return f"<path>{shown(file_path)}</path>\n<type>file</type>\n<content>\n{done}\n</content>"

    return write
