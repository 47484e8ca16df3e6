"""What came of a call: one frozen result, the same object for everybody."""

from __future__ import annotations

from enum import StrEnum

import attrs

from trio_tools.values._content import Content, as_text
from trio_tools.values._errors import Cause, ErrorInfo
from trio_tools.values._json import JSONValue


class EffectState(StrEnum):
    """How far an effect got."""

    BEGUN = "begun"
    COMMITTED = "committed"
    FAILED = "failed"
    UNKNOWN = "unknown"  # it began, and nobody saw its end


@attrs.frozen
class Effect:
    """An irreversible step of a call: its `name`, how far it got, its JSON `receipt` or its error's text.

    `key` is its idempotency key, if it has one. `earlier` says that an earlier call did it under that key, and this one
    only gave back what is known of it. `call` names the nested call that did it, as "turn/position"; None if it was the
    call's own body.
    """

    name: str
    state: EffectState
    receipt: JSONValue = None
    error: str | None = None
    key: str | None = None
    earlier: bool = False
    call: str | None = None


@attrs.frozen
class Outcome:
    """What a call came to before something replaced it: a `value` or an `error`, and what it read like."""

    content: Content
    value: JSONValue = None
    error: ErrorInfo | None = None

    @property
    def is_error(self) -> bool:
        """Whether it is a failure."""
        return self.error is not None

    @property
    def text(self) -> str:
        """What a model would have read."""
        return as_text(self.content)


@attrs.frozen
class ToolResult:
    """The one result of a call.

    `value` is the body's JSON value on success, `content` what a model reads; `error` is set on every failure.
    `dispatched` says whether the body was ever entered, `cause` who ended the call, `effects` what went through
    whatever the code says, `contexts` what the tool or a policy wants added to the conversation, `superseded` an
    outcome that this one replaced, `concludes_turn` whether a successful tool asked the agent to stop here.
    """

    call_id: str | None
    tool: str
    content: Content
    value: JSONValue = None
    error: ErrorInfo | None = None
    dispatched: bool = False
    cause: Cause | None = None
    effects: tuple[Effect, ...] = ()
    contexts: tuple[JSONValue, ...] = ()
    superseded: Outcome | None = None
    concludes_turn: bool = False

    @property
    def is_error(self) -> bool:
        """Whether it is a failure."""
        return self.error is not None

    @property
    def code(self) -> str | None:
        """None on success, an `ErrorCode`, or a tool's own code."""
        return None if self.error is None else self.error.code

    @property
    def outcome(self) -> Outcome:
        """What it came to, without the circumstances: what `superseded` holds of it once another result replaces it."""
        return Outcome(self.content, self.value, self.error)

    @property
    def text(self) -> str:
        """What a model reads, as one text."""
        return as_text(self.content)
