"""What policies answer, and what a running tool reports."""

from __future__ import annotations

from typing import TypeAlias

import attrs

from trio_tools.values._content import Content, as_content


@attrs.frozen
class Allow:
    """No objection. Never overrides another policy's `Deny` or `Ask`."""


@attrs.frozen
class Deny:
    """The call must not run; the model reads the reason."""

    reason: str


@attrs.frozen
class Ask:
    """Somebody has to approve this call first."""

    reason: str | None = None


@attrs.frozen
class ReplaceContent:
    """Show this instead: a string or a tuple of blocks. The value of a success stays."""

    content: Content = attrs.field(converter=as_content)


@attrs.frozen
class ReplaceValue:
    """The success had this value instead; it is checked and rendered as the body's own would be."""

    value: object


@attrs.frozen
class Block:
    """Withhold the result: it becomes a failure that reads as this feedback, a string or a tuple of blocks."""

    feedback: Content = attrs.field(converter=as_content)


Decision: TypeAlias = Allow | Deny | Ask | None
Review: TypeAlias = ReplaceContent | ReplaceValue | Block | None


@attrs.frozen
class Progress:
    """How far a call has come: `done` of `total` (in a unit of the tool's own; None: unknown), and a message."""

    done: float
    total: float | None = None
    message: str | None = None
