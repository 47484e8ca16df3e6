"""A tool's parameters on their way into a form, and the refusal of those that cannot go there."""

from __future__ import annotations

import attrs

from trio_tools.formats._walk import Places, Schema

# Characters of a place, and of a problem, in a message. Enough to find it, not enough to flood a log with a 200-level
# path or a reference of a megabyte.
SHOWN = 120


class NotInForm(ValueError):  # noqa: N818 - reads as a predicate at its `except`
    """A tool, or a call or result of it, that does not go into a form: it would lose its meaning there, or the provider
    would refuse it.

    Its text names the tool, the form, the place (of a schema as a JSON path, `$.properties.opts`), what is wrong and
    what to do.
    """

    def __init__(self, tool: str, form: str, place: str, problem: str, remedy: str) -> None:
        shown, told = (text if len(text) <= SHOWN else text[:SHOWN] + "..." for text in (place, problem))
        super().__init__(f"tool {tool!r} does not go into the form {form}: {shown}: {told}; {remedy}")
        self.tool = tool
        self.form = form
        self.place = place
        self.problem = problem
        self.remedy = remedy


@attrs.frozen
class Draft:
    """The parameters of one tool: a copy that is free to change, and where the schemas in it stood at first."""

    tool: str
    form: str
    root: Schema
    places: Places

    def refusal(self, schema: Schema, problem: str, remedy: str) -> NotInForm:
        """The error for a schema in it. One made on the way has no place of its own: it stands for the whole."""
        return NotInForm(self.tool, self.form, self.places.of(schema), problem, remedy)
