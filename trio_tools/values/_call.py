"""What is asked for: a tool call, on behalf of a session."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
from attrs.validators import instance_of, optional

from trio_tools.values._freeze import freeze_mapping
from trio_tools.values._json import EMPTY, FrozenDict, safe


@attrs.frozen
class Session:
    """On whose behalf calls are made: `id` names the conversation, `owner` whom it belongs to. Half characters in them
    become `?`, since they are logged and sent."""

    id: str = attrs.field(validator=instance_of(str))
    owner: str | None = attrs.field(default=None, validator=optional(instance_of(str)))

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "id", safe(self.id))
        object.__setattr__(self, "owner", None if self.owner is None else safe(self.owner))


def _frozen_metadata(metadata: Mapping[str, object]) -> FrozenDict:
    if not isinstance(metadata, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"the metadata of a tool call must be a mapping, not {type(metadata).__name__}")
    return freeze_mapping(metadata)


@attrs.frozen
class ToolCall:
    """One tool call of a model.

    Arguments: `name` of the tool; `arguments`, a mapping or the model's raw JSON text (blank means none), read when
    the call is executed; `id`, the model's own, which may repeat or be absent (half characters in it become `?`);
    `metadata`, JSON of the embedding program, snapshotted here and given back to no model. Raises `NotJSON` for
    metadata that is not JSON, `TypeError` for a name or id that is not a string and for arguments that are neither
    text nor a mapping.
    """

    name: str = attrs.field()
    arguments: Mapping[str, object] | str = attrs.field(default=EMPTY, hash=False)
    id: str | None = attrs.field(default=None, kw_only=True)
    metadata: FrozenDict = attrs.field(default=EMPTY, kw_only=True, converter=_frozen_metadata, hash=False)

    def __attrs_post_init__(self) -> None:
        # these come from providers' SDKs and from files: the checker never saw them
        if not isinstance(self.name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"a tool call's name must be a string, not {type(self.name).__name__}")
        if self.id is not None and not isinstance(self.id, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"a tool call's id must be a string or None, not {type(self.id).__name__}")
        if self.id is not None and not self.id.isascii():
            object.__setattr__(self, "id", safe(self.id))
        if not isinstance(self.arguments, (str, Mapping)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(
                f"the arguments of a tool call must be JSON text or a mapping, not {type(self.arguments).__name__}"
            )


class CallToken:
    """Tells one call from every other. Compared by identity only; never logged, never sent over a wire."""

    __slots__ = ("__weakref__",)

    def __repr__(self) -> str:
        return "<CallToken>"
